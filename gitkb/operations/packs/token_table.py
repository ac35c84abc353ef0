"""The table of tokens that comes with the package, read once a process.

It is not packed: unpacking took as long as a start of Python, and a wheel is packed anyway.
"""

from __future__ import annotations

import os
from functools import cache

from gitkb.core.packs import token_count

TABLE_NAME = "o200k_base.bin"


@cache
def token_table() -> token_count.TokenTable:
    """Give the table."""
    folder = os.path.dirname(token_count.__file__)
    with open(os.path.join(folder, TABLE_NAME), "rb") as file:
        return token_count.TokenTable(file.read())
