"""What becomes of a line in the search index.

1. A pure function of the line's bytes and of whether it stands in the archive. Whoever changes it
   raises `database.VERSION`.
2. Of the lines of one key one stands for it: one of the knowledge files before one of the archive,
   then the later `ts`, then the larger bytes. If that is a tombstone, the key shows nothing.
"""

from __future__ import annotations

import re

from gitkb.core.entry import Entry, derived_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from gitkb.core.entry import Record

    LineRow: TypeAlias = tuple[int, str, int, int, int, bytes]
    Row: TypeAlias = tuple[int | str, ...]

_LARGEST = 2**63 - 1
"""SQLite's integers end here; JSON's do not."""

_minted_key = re.compile("[a-z]{3}_([0-9a-z]{8,})").fullmatch


def line_row(id_: int, record: Record, line: bytes, *, archive: bool) -> LineRow:
    """The row of a line in the table `line`."""
    fields = record.fields
    ts = min(fields.get("ts", 0), _LARGEST)
    return (id_, fields["key"], int(archive), int(not isinstance(record, Entry)), ts, line)


def age_of(row: LineRow) -> tuple[int, int, bytes]:
    """What orders the lines of one key: the largest stands for it."""
    return (-row[2], row[4], row[5])


def entry_row(id_: int, entry: Entry, *, archive: bool) -> Row:
    """The row of a line that is shown in the table `entry`."""
    fields = entry.fields
    status = fields.get("status", "active")
    archived = archive or status == "archived"
    return (
        id_,
        fields["key"],
        min(fields.get("ts", 0), _LARGEST),
        int(archived),
        int(archived or status != "active"),
        int(bool(fields.get("conflicts"))),
        int(entry.is_must_check),
        fields["type"],
        status,
        fields.get("category", ""),
        list_text(fields.get("tags", ())).lower(),
        list_text(fields.get("stack", ())).lower(),
        list_text(fields.get("files", ())),
    )


def words_row(id_: int, entry: Entry) -> Row:
    """The row of a line that is shown in the table `words`.

    Stack and category are found like tags, what a session did and decided like content. `names`
    holds what an entry is called: its key, aliases and issue.
    """
    get = entry.fields.get
    content = get("content", "")
    title = get("title") or derived_title(content)
    for name in ("done", "decided", "open", "next"):
        if name in entry.fields:
            content += "\n" + "\n".join(get(name, ()))
    tags = [*get("tags", ()), *get("stack", ()), get("category", "")]
    key = entry.fields["key"]
    # The letters that a minted key begins with are a type, not a word: `dev` in front of every
    # deviation would answer whoever looks for "dev".
    minted = _minted_key(key)
    names = [minted[1] if minted else key, *get("aliases", ()), get("issue") or ""]
    return (id_, title, " ".join(tags), content, " ".join(get("files", ())), " ".join(names))


def list_text(members: list[str] | tuple[str, ...]) -> str:
    """Write a list so that `member_text` of each of its members, and of no other, is a part of it."""
    if not members:
        return ""
    return "\n" + "".join(f"{_one_line(member)}\n" for member in members)


def member_text(member: str) -> str:
    """Write what to look for in a `list_text`."""
    return f"\n{_one_line(member)}\n"


def _one_line(text: str) -> str:
    return text.replace("\n", " ") if "\n" in text else text
