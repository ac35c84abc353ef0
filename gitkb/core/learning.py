"""The learnings of a store, picked out of its lines without reading all of them.

1. A learning is an active entry with a category. What says in another way that it is one (an alias
   such as `L-007`, a checkpoint, who classified it) and has no category is one that lacks it.
2. One that lacks what its reader needs (category, title, content, a time) is a fault with its key,
   and is left out; all others are served.
3. Of several lines of one key the one that stands counts (`snapshot.Located.standing`).

Cost: one look at the bytes of every line; only lines that can matter are parsed.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.entry import Entry, parse_record
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_object, split_lines
from gitkb.core.snapshot import Located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_KEY_FIRST = b'{"key":"'
# A name that is spelt with escapes is looked at as well: what is hidden is parsed.
_may_matter = re.compile(rb'"category"|"checkpoint"|"classified_by"|"W?L-\d|\\u').search
_is_number = re.compile(r"W?L-\d+").fullmatch
NEEDED = ("category", "title", "content")
"""Fields without which a learning is left out."""


class Fault(NamedTuple):
    """A learning that cannot be served; `key` is empty where not even that can be read."""

    key: str
    message: str
    place: str
    """``knowledge/3f.jsonl:17``."""
    is_lacking: bool = False
    """It is a valid entry, and only lacks something."""


class _Line(NamedTuple):
    text: bytes
    file: str
    number: int


class Learnings:
    """What one store has learned: `entries` by key, and the `faults` in the order of the files."""

    def __init__(self, files: Iterable[tuple[str, bytes]]) -> None:
        self.entries: dict[str, Entry] = {}
        self.faults: list[Fault] = []
        self._lines: dict[str, list[_Line]] = {}
        wanted: dict[str, None] = {}
        for name, data in files:
            for number, text in enumerate(split_lines(data.removeprefix(BYTE_ORDER_MARK)), 1):
                line = _Line(text, name, number)
                key = self._key_of(line)
                if key:
                    self._lines.setdefault(key, []).append(line)
                    if _may_matter(text):
                        wanted[key] = None
        for key in wanted:
            self._take(key)

    def holds(self, key: str) -> bool:
        """Say whether the store has an entry of this key, a learning or not, alive or put aside."""
        return key in self.entries or self._standing(key, []) is not None

    def _key_of(self, line: _Line) -> str:
        """The key of a line, without parsing it where it is written as gitkb writes it."""
        if line.text.startswith(_KEY_FIRST):
            end = line.text.find(b'"', len(_KEY_FIRST))
            key = line.text[len(_KEY_FIRST) : end]
            if end > 0 and key.isascii() and b"\\" not in key:
                return key.decode("ascii")
        try:
            key_given = parse_object(line.text).get("key")
        except BadLineError as error:
            if _may_matter(line.text):
                self.faults.append(Fault("", f"it cannot be read: {error.reason}", _place(line)))
            return ""
        return key_given if isinstance(key_given, str) else ""

    def _take(self, key: str) -> None:
        broken: list[Fault] = []
        at = self._standing(key, broken)
        if at is None or not isinstance(at.record, Entry):
            self.faults.extend(broken)
            return
        entry = at.record
        if not entry.is_active or not _is_learning(entry):
            return
        lacking = [name for name in NEEDED if not str(entry.fields.get(name, "")).strip()]
        if "ts" not in entry.fields and "created" not in entry.fields:
            lacking.append("ts")
        if lacking:
            names = " and no ".join(f"'{name}'" for name in lacking)
            place = f"{at.file}:{at.number}"
            self.faults.append(Fault(key, f"it has no {names}", place, is_lacking=True))
            return
        self.entries[key] = entry

    def _standing(self, key: str, broken: list[Fault]) -> Located | None:
        """The line that stands for a key, if that is an entry's."""
        found: list[Located] = []
        for line in self._lines.get(key, ()):
            try:
                found.append(Located(parse_record(line.text), *line))
            except BadLineError as error:
                if _may_matter(line.text):
                    broken.append(Fault(key, f"it is not valid: {error.reason}", _place(line)))
        at = max(found, key=lambda located: located.standing, default=None)
        return at if at is not None and isinstance(at.record, Entry) else None


def _is_learning(entry: Entry) -> bool:
    fields = entry.fields
    return (
        "category" in fields
        or "checkpoint" in fields
        or "classified_by" in fields
        or any(_is_number(alias) for alias in entry.aliases)
    )


def _place(line: _Line) -> str:
    return f"{line.file}:{line.number}"
