"""How the scripts in `hooks/` start gitkb: by this file's path, with `-I -S`.

A few lines only: Python compiles the file it is started with every time, and keeps what it imports.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.dirname(package))

    from gitkb.hooks.main import main

    code = main()
    sys.stderr.flush()
    os._exit(code)  # nothing is left to clear away, and git waits for us
