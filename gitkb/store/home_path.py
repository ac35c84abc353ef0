"""Where the user's own folder lies, and what the nearest tier is called.

Every reading command looks whether the folder is there, so nothing is imported here that costs.
"""

from __future__ import annotations

import os
import sys

PROJECT = "project"
"""The name of the nearest tier: the repository's own store."""


def home_folder() -> str:
    """Give the folder; it need not exist. `GITKB_HOME` names it, else the system's conventions do."""
    named = os.environ.get("GITKB_HOME")
    if named:
        return os.path.abspath(named)
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        # What platformdirs answers there; importing it costs as much as a whole recall.
        folder = os.environ.get("XDG_DATA_HOME", "")
        if not folder:
            return os.path.expanduser("~/.local/share/gitkb")
        if folder.startswith("/") and folder == folder.strip():
            return os.path.join(folder, "gitkb")
    from platformdirs import user_data_dir

    return user_data_dir("gitkb", appauthor=False)
