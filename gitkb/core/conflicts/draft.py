"""A contested entry as a text to be edited, and back.

1. Above the entry stand all values, each line behind a `#`; they are for reading. Below it stands
   nothing.
2. The entry is one JSON object, indented, as it is shown now and without what is being settled.
"""

from __future__ import annotations

import json

from gitkb.core.canonical import encode_json
from gitkb.core.conflicts.contest import without_contests
from gitkb.core.entry import FIELDS
from gitkb.core.jsonl import BYTE_ORDER_MARK, parse_object
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.conflicts.contest import Contest

_SILENT = ("ts", "created", "revives")
"""What a person at an editor has nothing to say about."""


def format_draft(fields: Fields, contests: Sequence[Contest]) -> str:
    """Write the draft of an entry that is to be settled."""
    object_ = editable(fields, contests)
    ordered = {name: object_[name] for name in (*FIELDS, *sorted(object_)) if name in object_}
    lines = [f"# {line}".rstrip() for line in _head(str(fields["key"]), contests)]
    return "\n".join([*lines, json.dumps(ordered, ensure_ascii=False, indent=2)]) + "\n"


def editable(fields: Fields, contests: Sequence[Contest]) -> dict[str, Json]:
    """Give the part of an entry that a draft shows."""
    settled = without_contests(fields, {contest.field for contest in contests})
    return {name: value for name, value in settled.items() if name not in _SILENT}


def parse_draft(text: bytes) -> dict[str, Json] | None:
    """Read a draft again; None where nothing is left but remarks.

    Raises:
        BadLineError: when what is left is no JSON object.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    while lines and (lines[0].startswith(b"#") or not lines[0].strip()):
        del lines[0]
    return parse_object(b"\n".join(lines).strip()) if lines else None


def _head(key: str, contests: Sequence[Contest]) -> Iterator[str]:
    fields = ", ".join(contest.field for contest in contests)
    yield f"'{key}' is contested: {shown(fields)}. Write it as it should be, save, and close."
    yield "Lines with a # before the entry are not read. An empty file settles nothing."
    for contest in contests:
        yield ""
        for choice in contest.choices:
            yield f"{shown(contest.field)}, value {choice.number}{_mark(choice.is_shown)}:"
            yield from (f"    {line}" for line in _text(choice.value, choice.is_absent).split("\n"))
    yield ""


def _mark(is_shown: bool) -> str:
    return " (the one below)" if is_shown else ""


def _text(value: Json, is_absent: bool) -> str:
    if is_absent:
        return "(no such field)"
    return shown(value if isinstance(value, str) else encode_json(value).decode("utf-8"))
