"""Two commits merged path by path, for a git that cannot merge commits without a work tree.

1. A path that one side left alone is the other side's. What both changed is merged by its content:
   files of stores by key where that is asked, all else by text (`git merge-file`). What the attributes
   have as no text, or give to another driver, is a conflict.
2. No renames are looked for: what one side moved and the other changed is a conflict.
3. Several bases (a criss-cross) are merged into one first, as git does.
"""

from __future__ import annotations

import os
import tempfile

from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE
from gitkb.errors import GitError
from gitkb.git.attributes import check_attribute
from gitkb.git.command import failed
from gitkb.git.objects import merge_bases, read_blobs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from gitkb.git.repository import Repository

    Item: TypeAlias = "tuple[str, str]"
    """Mode and id."""
    Paths: TypeAlias = "dict[str, Item]"

_FILES = ("100644", "100755")
_TEXT = ("unspecified", "set", "text")


def merge_paths(room: Repository, ours: str, theirs: str, *, by_key: bool) -> tuple[str, list[str]]:
    """Merge two commits; the tree, and the paths in conflict, of which the tree has both sides."""
    bases = merge_bases(room, ours, theirs)
    merged, conflicts = _merge(
        room, _base_of(room, bases, by_key), _read(room, ours), _read(room, theirs), by_key
    )
    return _write_tree(room, merged), sorted(conflicts)


def _base_of(room: Repository, bases: list[str], by_key: bool) -> Paths:
    if not bases:
        return {}
    found = _read(room, bases[0])
    for other in bases[1:]:
        inner = _base_of(room, merge_bases(room, bases[0], other), by_key)
        found, _ = _merge(room, inner, found, _read(room, other), by_key)
    return found


def _merge(
    room: Repository, base: Paths, ours: Paths, theirs: Paths, by_key: bool
) -> tuple[Paths, list[str]]:
    merged: Paths = {}
    conflicts = []
    for path in sorted(base.keys() | ours.keys() | theirs.keys()):
        old, mine, other = base.get(path), ours.get(path), theirs.get(path)
        if mine == other or old == other:
            found = mine
        elif old == mine:
            found = other
        else:
            found, is_clean = _merge_item(room, path, old, mine, other, by_key)
            if not is_clean:
                conflicts.append(path)
        if found is not None:
            merged[path] = found
    return merged, conflicts


def _merge_item(
    room: Repository,
    path: str,
    old: Item | None,
    mine: Item | None,
    other: Item | None,
    by_key: bool,
) -> tuple[Item | None, bool]:
    if mine is None or other is None or mine[0] not in _FILES or other[0] not in _FILES:
        return mine or other, False
    ids = [item[1] if item else "" for item in (old, mine, other)]
    blobs = read_blobs(room, ids)
    texts = [blobs[id_] if id_ else b"" for id_ in ids]
    modes = {item[0] for item in (old, mine, other) if item}
    # A mode that one side changed is the new one.
    mode = mine[0] if old is None or len(modes) == 1 or mine[0] != old[0] else other[0]
    folders = path.split("/")[:-1]
    is_ours = ".gitkb" in folders and path.endswith((".jsonl", ".md"))
    if by_key and is_ours:
        if path.endswith(".md"):
            return (mode, mine[1]), True  # a view is written anew from the entries
        rules = ARCHIVE if folders[-1] == "archive" else KNOWLEDGE
        found = merge_files(texts[0], texts[1], texts[2], rules)
        if found.text is not None:
            return (mode, _store(room, found.text)), True
        is_text = False  # what our driver refused is a conflict, even if the texts merge
    else:
        is_text = not by_key or check_attribute(room, "merge", [path])[path] in _TEXT
    text, is_clean = _merge_texts(room, texts)
    return (mode, _store(room, text)), is_clean and is_text


def _merge_texts(room: Repository, texts: list[bytes]) -> tuple[bytes, bool]:
    with tempfile.TemporaryDirectory(prefix="gitkb-merge-") as folder:
        paths = [os.path.join(folder, name) for name in ("base", "ours", "theirs")]
        for path, text in zip(paths, texts, strict=True):
            with open(path, "wb") as file:
                file.write(text)
        words = ["merge-file", "-p", "-q", "-L", "ours", "-L", "base", "-L", "theirs"]
        answer = room.ask(*words, paths[1], paths[0], paths[2])
    if answer.code < 0:
        raise failed(words, answer.code, answer.stderr, room.cwd)
    if answer.code > 127:  # what git takes for no text
        return texts[1], False
    return answer.stdout, answer.code == 0


def _read(room: Repository, commit: str) -> Paths:
    answer = room.run("ls-tree", "-r", "-z", "--full-tree", commit)
    found: Paths = {}
    for line in answer.split(b"\0")[:-1]:
        head, _, path = line.partition(b"\t")
        mode, _, id_ = head.decode("ascii").split(" ")
        found[os.fsdecode(path)] = (mode, id_)
    return found


def _store(room: Repository, text: bytes) -> str:
    answer = room.run("hash-object", "-w", "--stdin", "--no-filters", feed=text, write=True)
    return answer.decode("ascii").strip()


def _write_tree(room: Repository, paths: Paths) -> str:
    # The staging area of the room, which nobody else looks at.
    feed = b"".join(
        b"%s %s\t%s\0" % (mode.encode(), id_.encode(), os.fsencode(path))
        for path, (mode, id_) in paths.items()
    )
    room.run("read-tree", "--empty", write=True)
    room.run("update-index", "-z", "--index-info", write=True, feed=feed)
    answer = room.ask("write-tree", "--missing-ok", write=True)
    if answer.code:
        raise GitError("the two sides have a file and a folder of one name: merge them by hand")
    return answer.stdout.decode("ascii").strip()
