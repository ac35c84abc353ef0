"""A text scrubbed from a record, and the note by which every merge knows of it.

1. `MARK` stands in the text's place; the rest stays. A number, an alias or a name of a field that holds it
   goes or gives way to the mark; keys, types and times are never touched.
2. `redacted` lists ``FIELD#ID`` for each field that was scrubbed, in the entry and in every version of it
   in the archive. What does not list it was written by someone who did not know of it.
3. The note says nothing of the text: the id is made from what is left.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import FIELDS, TOMBSTONE_FIELDS, is_tombstone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gitkb.core.canonical import Fields, Json

MARK = "[redacted]"
REDACTED = "redacted"
ALL_UNKNOWN = "*"
"""In a note: some field that gitkb does not know, whose very name was scrubbed."""
UNTOUCHED = frozenset(
    ("key", "type", "status", "importance", "category", "scope", "links", "created", "ts", "revives",
     "classified_by", "deleted", "moved", "allowed_secrets", REDACTED)
)  # fmt: skip


def notes_of(fields: Fields) -> frozenset[str]:
    """Give the notes of a record; a value of another form is none."""
    notes = fields.get(REDACTED)
    if not isinstance(notes, list):
        return frozenset()
    return frozenset(note for note in notes if isinstance(note, str))


def fields_of(notes: Iterable[str]) -> frozenset[str]:
    """Give the fields that notes speak of."""
    return frozenset(note.rpartition("#")[0] for note in notes)


def scrub_fields(fields: Fields, scrub: Callable[[str], str]) -> tuple[dict[str, Json], list[str]]:
    """Scrub every text of a record; give it with the names of the fields that changed, sorted.

    `scrub` gives a text back without what is to go. Leaves for secrets stay, but for a reason that
    holds it: which of them still name a text has to be seen by whoever knows the texts.
    """
    known = TOMBSTONE_FIELDS if is_tombstone(fields) else FIELDS
    new: dict[str, Json] = {}
    changed = set()
    for name, value in fields.items():
        if name in UNTOUCHED:
            new[name] = value
            continue
        clean_name = name if name in known else scrub(name)
        clean = _scrubbed(value, scrub)
        if name == "aliases" and isinstance(value, list):
            clean = [item for item in value if isinstance(item, str) and scrub(item) == item]
        if clean_name != name:
            changed.add(ALL_UNKNOWN)
            clean_name = _free(clean_name, fields, new)
        elif encode_sorted(clean) != encode_sorted(value):
            changed.add(name)
        if clean != [] or value == []:
            new[clean_name] = clean
    leaves = [
        {**leave, "reason": scrub(leave["reason"])} for leave in fields.get("allowed_secrets", ())
    ]
    if leaves:
        new["allowed_secrets"] = leaves
        if leaves != fields["allowed_secrets"]:
            changed.add("allowed_secrets")
    return new, sorted(changed)


def with_notes(fields: Fields, notes: Iterable[str]) -> dict[str, Json]:
    """Add notes to a record."""
    return {**fields, REDACTED: sorted(notes_of(fields) | set(notes))}


def make_notes(fields: Fields, changed: Iterable[str]) -> list[str]:
    """Make the notes of one scrubbing from what is left of the record."""
    from hashlib import sha256

    name = sha256(encode_sorted(dict(fields))).hexdigest()[:8]
    return [f"{field}#{name}" for field in changed]


def _free(name: str, *taken: Fields) -> str:
    number, free = 1, name
    while any(free in one for one in taken):
        number += 1
        free = f"{name} {number}"
    return free


def _scrubbed(value: Json, scrub: Callable[[str], str]) -> Json:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        clean: dict[str, Json] = {}
        for name, inner in value.items():
            clean[_free(scrub(name), clean)] = _scrubbed(inner, scrub)
        return clean
    if isinstance(value, list):
        items = [_scrubbed(item, scrub) for item in value]
        return (
            list({encode_sorted(item): item for item in items}.values())
            if items != value
            else value
        )
    if (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and scrub(str(value)) != str(value)
    ):
        return MARK
    return value
