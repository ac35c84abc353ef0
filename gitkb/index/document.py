"""What becomes of a line in the search index.

1. A pure function of the line's bytes and of whether it stands in the archive. Whoever changes it
   raises `database.VERSION`.
2. Of the lines of one key one stands for it: one of the knowledge files before one of the archive,
   a tombstone before an entry that does not revive it, then the later `ts`, then the larger bytes. If
   that is a tombstone, the key shows nothing.
"""

from __future__ import annotations

import re

from gitkb.core.entry import LIST_FIELDS, Entry, derived_title
from gitkb.core.jsonl import parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from gitkb.core.entry import Record

    LineRow: TypeAlias = tuple[
        int, str, int, int, int, bytes
    ]  # id, key, archive, deleted, ts, text
    # id, key, archive, hidden, ts, type, status, importance, facets, text
    Row: TypeAlias = tuple[int, str, int, int, int, str, str, int, str, bytes]
    # title, tags, content, files, names
    Texts: TypeAlias = tuple[str, str, str, str, str]
    Shown: TypeAlias = tuple[Row, Texts]

FILE_FACET = "file "
ARCHIVED = "archived"
CONTESTED = "contested"
MUST_CHECK = "must-check"

LARGEST = 2**63 - 1
"""SQLite's integers end here; JSON's do not."""

find_minted = re.compile("[a-z]{3}_([0-9a-z]{8,})").fullmatch
"""Of a minted key, and of what looks like one, find as group 1 what follows the letters of its type."""


def line_row(id_: int, record: Record, line: bytes, *, archive: bool) -> LineRow:
    """What every line is known by: its row in the table `line`, unless it is shown."""
    fields = record.fields
    ts = fields.get("ts", 0)
    deleted = not isinstance(record, Entry)
    return (id_, fields["key"], archive, deleted, ts if ts < LARGEST else LARGEST, line)


def age_of(row: LineRow) -> tuple[int, int, bool, int, bytes]:
    """What orders the lines of one key, as `core.snapshot.Located.standing`: the largest stands for it."""
    _, _, archive, deleted, ts, text = row
    known = ts if deleted else -1
    if not deleted and b"revives" in text:
        known = parse_object(text).get("revives", -1)
    return (-archive, known, not deleted, ts, text)


def entry_row(line: LineRow, entry: Entry) -> Shown:
    """The row in the table `entry` of a line that is shown, and the texts that it is found by.

    Stack and category are found like tags, what a session did and decided like content, and so are
    the values of a contested entry that are not shown. `names`
    holds what an entry is called: its key, aliases and issue.
    """
    id_, key, archive, _, ts, text = line
    fields = entry.fields
    get = fields.get
    content, tags, files = get("content", ""), get("tags", ()), get("files", ())
    title = get("title") or derived_title(content)
    if not LIST_FIELDS.isdisjoint(fields):
        for name in ("done", "decided", "open", "next"):
            content += "\n" + "\n".join(get(name, ()))
    if "conflicts" in fields:
        # What a merge could not decide for is found as well: whoever looks for it should see both.
        others = (conflict.get("value") for conflict in fields["conflicts"])
        content += "".join(f"\n{value}" for value in others if isinstance(value, str))
    names = key
    # The letters that a minted key begins with are a type, not a word: `dev` in front of every
    # deviation would answer whoever looks for "dev".
    if key[3:4] == "_" and (minted := find_minted(key)):
        names = minted[1]
    if "aliases" in fields or "issue" in fields:
        names = " ".join([names, *get("aliases", ()), get("issue") or ""])
    facets = _facets(entry, archive=bool(archive))
    if "stack" in fields or "category" in fields:
        tags = [*tags, *get("stack", ()), get("category", "")]
    status = ARCHIVED if archive else get("status", "active")
    row = (id_, key, archive, status != "active", ts, fields["type"], status, entry.importance)
    return (*row, facets, text), (title, " ".join(tags), content, " ".join(files), names)


def _facets(entry: Entry, *, archive: bool) -> str:
    fields = entry.fields
    get = fields.get
    status = get("status", "active")
    facets = [f"type {fields['type']}", f"status {status}"]
    facets += [f"tag {tag.lower()}" for tag in get("tags", ())]
    facets += [f"{FILE_FACET}{path}" for path in get("files", ())]
    if "stack" in fields:
        facets += [f"stack {word.lower()}" for word in fields["stack"]]
    if "category" in fields:
        facets.append(f"category {fields['category']}")
    if archive or status == "archived":
        facets.append(ARCHIVED)
    if get("conflicts"):
        facets.append(CONTESTED)
    if entry.is_must_check:
        facets.append(MUST_CHECK)
    text = "\n".join(facets)
    if text.count("\n") >= len(facets):
        text = "\n".join([_one_line(facet) for facet in facets])
    return f"\n{text}\n"


def facet_text(facet: str) -> str:
    """Write a facet as the part of `entry.facets` that stands for it and for no other."""
    return f"\n{_one_line(facet)}\n"


def _one_line(text: str) -> str:
    return text.replace("\n", " ")
