"""Files of the project beside the store, read with bounds: they are whatever somebody put there.

1. Only plain files are opened: no pipe that would never end, no device, no link out of the project.
2. No more folders, names and bytes are looked at than these bounds say, and always the same ones.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_BYTES = 512 * 1024
"""More is no manifest that anybody wrote."""
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # opening a pipe would otherwise never return
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_MOST_FILES = 64
_MOST_NAMES = 2000
_DEEPEST = 2
_FORGE_FOLDERS = (".github/workflows", ".circleci")
# What is brought in, built, or there to try something out says nothing of the project itself.
_PASSED_OVER = frozenset(
    {
        "node_modules", "bower_components", "vendor", "third_party", "venv", "env", "target", "build",
        "dist", "out", "bin", "obj", "coverage", "site-packages", "__pycache__", "test", "tests",
        "testdata", "fixtures", "spec", "specs", "example", "examples", "samples", "demo", "demos",
        "docs", "doc", "template", "templates",
    }
)  # fmt: skip


def read_project_file(path: str) -> bytes | str:
    """Read a whole file, or say in words why it cannot be read."""
    try:
        number = os.open(path, _FLAGS)
    except OSError as error:
        return error.strerror or "cannot be read"
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return "it is no plain file"
        with open(number, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return error.strerror or "cannot be read"
    finally:
        os.close(number)
    return data if len(data) <= MOST_BYTES else f"it is larger than {MOST_BYTES // 1024} KiB"


def iter_project_files(
    top: str, is_wanted: Callable[[str], bool]
) -> Iterator[tuple[str, bytes | str]]:
    """Yield the path from `top`, with ``/``, and the content of each file that is wanted.

    The top comes first, then the folders in it, and those in them, each in the order of names.
    """
    left = _MOST_FILES
    level = [""]
    for depth in range(_DEEPEST + 1):
        below: list[str] = []
        for folder in level:
            names, folders = _list(top, folder)
            for name in names:
                if is_wanted(name):
                    if not left:
                        return
                    left -= 1
                    yield name, read_project_file(os.path.join(top, *name.split("/")))
            below += folders
        level = below[:_MOST_NAMES]
        if depth == 0:
            level = [*(name for name in _FORGE_FOLDERS if _is_folder(top, name)), *level]


def _list(top: str, folder: str) -> tuple[list[str], list[str]]:
    names: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(os.path.join(top, *folder.split("/"))) as found:
            items = sorted(found, key=lambda item: item.name)[:_MOST_NAMES]
    except OSError:
        return names, folders
    for item in items:
        path = f"{folder}/{item.name}" if folder else item.name
        try:
            if item.is_file(follow_symlinks=False):
                names.append(path)
            elif item.is_dir(follow_symlinks=False) and _is_looked_into(item.name):
                folders.append(path)
        except OSError:
            continue
    return names, folders


def _is_looked_into(name: str) -> bool:
    return not name.startswith(".") and name.lower() not in _PASSED_OVER


def _is_folder(top: str, name: str) -> bool:
    path = os.path.join(top, *name.split("/"))
    return os.path.isdir(path) and not os.path.islink(path)
