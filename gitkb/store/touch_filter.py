"""By what entries concern files, in one small file: so that most edits need no search index.

An agent asks before each edit, and most files concern nobody. This file answers that, and nothing else,
in little more than a start of Python.

1. It is good for the data files as they were when it was written, by name, size, time and inode, as git
   does for its staging area; and it is written only when none of them changed in the last two seconds.
   What is not good is as if it were not there.
2. It may say that something concerns where nothing does, never the other way round.
3. Nothing but `os` is imported before something may concern.
"""

from __future__ import annotations

import os

from gitkb.core.touch.names import (
    may_name_many,
    normal_path,
    places_above,
    tags_above,
    technologies_of_file,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAME = "touch-filter"
_FORM = "1"
_FRESH_SECONDS = 2.0


def may_concern(top: str, derived: str, paths: Sequence[str]) -> bool:
    """Say whether anything may concern paths, relative to the top with `/`; True where it is not known."""
    known = _read(os.path.join(derived, NAME), os.path.join(top, ".gitkb"))
    if known is None or os.path.exists(os.path.join(derived, "journal")):
        return True
    normal = [normal_path(path) for path in paths]
    if not all(normal) or any(os.path.isdir(os.path.join(top, path)) for path in normal):
        return True  # of a folder all that lies in it is touched
    wanted = {f"file {place}" for place in places_above(normal)}
    wanted.update(f"tag {tag}" for tag in tags_above(normal, ()))
    wanted.update(f"stack {name}" for path in normal for name in technologies_of_file(path))
    return not wanted.isdisjoint(known)


def signature_of(roots: Sequence[str], home: str) -> tuple[str, float]:
    """Give what tells one state of the data files from another, and the time of the latest change."""
    parts: list[str] = []
    latest = 0.0
    for root in roots:
        parts.append(root)
        with os.scandir(os.path.join(root, "knowledge")) as found:
            for item in sorted(found, key=_name_of):
                state = item.stat()
                parts.append(f"{item.name} {state.st_size} {state.st_mtime_ns} {state.st_ino}")
                latest = max(latest, state.st_mtime)
    for name in ("tiers.json", "workstation/.gitkb/knowledge"):
        path = os.path.join(home, name)
        try:
            parts.append(f"{name} {os.stat(path).st_mtime_ns}")
        except OSError:
            continue  # a tier that is not there yet
    return "\t".join(parts), latest


def write_filter(
    derived: str, roots: Sequence[str], signature: tuple[str, float], labels: Iterable[str]
) -> None:
    """Write the file; `signature` as of before the labels were read. What cannot be kept is not."""
    import time

    text, latest = signature
    lines = sorted(labels)
    whole = "\n".join((_FORM, text, *lines, ""))
    is_plain = "\n" not in text and not any("\t" in root for root in roots)
    if not is_plain or latest > time.time() - _FRESH_SECONDS:
        return
    if may_name_many("\n".join(("", *(line for line in lines if line.startswith("file ")), ""))):
        whole = f"{_FORM}\n{text}\n*\n"
    path = os.path.join(derived, NAME)
    try:
        os.makedirs(derived, exist_ok=True)
        new = f"{path}.{os.getpid()}"
        with open(new, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(whole)
        os.replace(new, path)
    except OSError:
        return


def _read(path: str, own: str) -> set[str] | None:
    """Give the labels; None where they are not good, or hold what has to be looked at closely."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            form, text, *labels = file.read().split("\n")
        if form != _FORM or labels[:1] == ["*"]:
            return None
        from gitkb.store.home_path import home_folder

        roots = [part for part in text.split("\t") if os.path.isabs(part)]
        if own not in roots or signature_of(roots, home_folder())[0] != text:
            return None
    except (OSError, ValueError):
        return None
    return set(labels)


def _name_of(item: os.DirEntry[str]) -> str:
    return item.name
