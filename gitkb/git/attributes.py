"""Which files git gives to our merge driver.

The rule travels in `.gitkb/.gitattributes`. git reads it from the side that is merged *into*, so a branch
cut before the rule would never see the driver: the same rule stands in `info/attributes` of the clone.

Invariants:

1. What holds is asked of git (`check-attr`), never read out of a file.
2. In `info/attributes` we own the lines between our markers and no other.
3. A clone without our configuration still merges views without a conflict: the rule that travels says
   `union`, which git knows by itself, and that of the clone puts our driver in its place.
"""

from __future__ import annotations

import os

from gitkb.git.ledger import Ledger, read_or_none, remove_file, replace_file
from gitkb.git.repository import Repository

BEGIN = b"# gitkb: begin (written by `gitkb install`, taken away by `gitkb uninstall`)\n"
END = b"# gitkb: end\n"


def info_path(repository: Repository) -> str:
    """The clone's own attributes file, shared by its worktrees; it need not exist."""
    return repository.path("info/attributes")


def clone_rule(store: str) -> bytes:
    """The block for a store at ``store``, a path with `/` relative to the top of the worktree.

    Only `merge`: this file beats every .gitattributes, and the rest is the team's to change.
    """
    data = _quoted(f"/{store}/**/*.jsonl", store) + b" merge=gitkb\n"
    views = _quoted(f"/{store}/views/*.md", store) + b" merge=gitkb-view\n"
    return BEGIN + data + views + END


def write_clone_rule(repository: Repository, store: str, ledger: Ledger) -> bool:
    """Put the block for ``store`` into `info/attributes`. False when it stands there already."""
    path = info_path(repository)
    old = read_or_none(path) or b""
    rest, ours = split_block(old)
    block = clone_rule(store)
    wanted = block
    if ours and block != ours:  # another store of this repository has its line in our block
        lines = {*ours.splitlines(True)[1:-1], *block.splitlines(True)[1:-1]}
        wanted = BEGIN + b"".join(sorted(lines)) + END
    if ours == wanted:
        return False
    if rest and not rest.endswith(b"\n"):
        rest += b"\n"
    ledger.make_folder(os.path.dirname(path))
    ledger.before(path)
    replace_file(path, rest + wanted)
    ledger.after(path)
    return True


def remove_clone_rule(repository: Repository, ledger: Ledger) -> bool:
    """Take the block out again, by the ledger where it can. False when there was none."""
    path = info_path(repository)
    if ledger.restore(path):
        return True
    old = read_or_none(path)
    if old is None:
        return False
    rest, ours = split_block(old)
    if not ours:
        return False
    if rest:
        replace_file(path, rest)
    else:  # git makes no such file, so an empty one was ours
        remove_file(path)
    return True


def split_block(data: bytes) -> tuple[bytes, bytes]:
    """The bytes that are not ours, and our block with its markers (empty when there is none)."""
    rest, block, inside = bytearray(), bytearray(), False
    for line in data.splitlines(keepends=True):
        name = line.rstrip(b"\r\n")
        if name == BEGIN.rstrip():
            inside = True
        (block if inside else rest).extend(line)
        if name == END.rstrip():
            inside = False
    if inside:  # the end was cut off: then only lines that are surely ours are taken
        return data, b""
    return bytes(rest), bytes(block)


def check_attribute(repository: Repository, name: str, paths: list[str]) -> dict[str, str]:
    """The value of attribute ``name`` for each path (relative to the worktree), as git sees it now."""
    if not paths:
        return {}
    feed = b"\0".join(os.fsencode(path) for path in paths) + b"\0"
    answer = repository.run("check-attr", "--stdin", "-z", name, feed=feed)
    fields = [os.fsdecode(field) for field in answer.split(b"\0")]
    return dict(zip(fields[0::3], fields[2::3], strict=False))


def _quoted(pattern: str, store: str) -> bytes:
    """A pattern as gitattributes(5) reads it: wildcards of the folder's name escaped, C-quoted on need."""
    plain = "".join("\\" + letter if letter in "*?[\\" else letter for letter in store)
    pattern = pattern.replace(store, plain, 1)
    if not any(letter in pattern for letter in ' \t"\\'):
        return os.fsencode(pattern)
    inner = pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return b'"' + os.fsencode(inner) + b'"'
