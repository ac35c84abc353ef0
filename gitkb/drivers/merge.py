"""The door of gitkb-merge-driver, kept small because git may run this very file.

A console script imports `main`. git's configuration may as well name the interpreter and this file,

    '/path/to/python' -I -S '/path/to/site-packages/gitkb/drivers/merge.py' %O %A %B %L %P

which starts sooner, for no site-packages are set up: what is run as a script is compiled every time,
so all else is in a module that is imported (and cached) in its compiled form. With `-I` neither this
folder nor the environment's is on the path; the folder that holds the package is put there here.
"""

from __future__ import annotations

import sys


def main() -> int:
    """Merge as the command line says and answer the exit code, 0 or 1."""
    from gitkb.drivers.merge_command import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    # Absolute since Python 3.9. Importing os for its dirname would be a seventh of the whole start.
    sys.path.insert(0, __file__.rsplit("\\" if sys.platform == "win32" else "/", 3)[0])
    code = main()

    from gitkb.drivers.result_file import end_at_once

    end_at_once(code)
