"""``python -m gitkb`` is the same as ``gitkb``."""

from gitkb.cli.main import main

main()
