"""The entry and the tombstone: one JSON object seen through its known fields.

1. A record keeps every field it came with, known or not.
2. Canonical form: known fields in the order of `FIELDS`, then the others by name; sets sorted and
   unique; what holds its default is absent.
3. `check_fields` accepts exactly what the published JSON Schema accepts (a property test).
"""

from __future__ import annotations

from gitkb.core.canonical import encode_json, encode_sorted
from gitkb.core.identity import KEY_PREFIXES, is_key
from gitkb.core.jsonl import BadLineError, parse_object
from gitkb.core.late_pattern import LatePattern
from gitkb.core.secrets.allowance import fault_of_leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from gitkb.core.canonical import Fields, Json

    Record: TypeAlias = "Entry | Tombstone"

# fmt: off
FIELDS = (
    "key", "type", "title", "content", "status", "importance", "tags", "files", "stack", "category",
    "scope", "links", "source", "project", "issue", "review_by", "created", "ts", "revives", "aliases",
    "classified_by", "checkpoint", "done", "decided", "open", "next", "allowed_secrets", "redacted",
    "conflicts",
)
TOMBSTONE_FIELDS = ("key", "deleted", "moved", "ts", "by", "reason")
# fmt: on
TYPES = tuple(KEY_PREFIXES)
STATUSES = ("active", "superseded", "rejected", "archived")
SCOPES = ("project", "workstation", "universal")
# fmt: off
CATEGORIES = (
    "technical", "architecture", "anti-pattern", "performance", "collaboration", "process",
)
RELATIONS = (
    "relates_to", "depends_on", "implements", "supersedes", "rejected_because", "caused_by", "part_of",
)
# fmt: on
SET_FIELDS = frozenset({"tags", "files", "stack", "aliases", "redacted"})
OBJECT_SET_FIELDS = frozenset({"links", "allowed_secrets", "conflicts"})
LIST_FIELDS = frozenset({"done", "decided", "open", "next"})
LOWER_CASE_FIELDS = frozenset({"tags", "stack"})
DEFAULTS: Mapping[str, Json] = {
    "status": "active",
    "importance": 3,
    "scope": "project",
    "source": "agent",
    "issue": None,
    **{name: [] for name in (*SET_FIELDS, *OBJECT_SET_FIELDS, *LIST_FIELDS)},
}
MUST_CHECK = "MUST-CHECK:"
MUST_CHECK_TYPES = ("learned", "pitfall")
_TITLE_LENGTH = 80
_is_day = LatePattern("[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])").fullmatch


class Entry:
    """One piece of knowledge, at one of its versions."""

    __slots__ = ("fields",)

    def __init__(self, fields: Fields) -> None:
        self.fields = fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Entry) and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment]  # fields are a dict

    def __repr__(self) -> str:
        return f"Entry({self.fields!r})"

    @property
    def key(self) -> str:
        return str(self.fields["key"])

    @property
    def type(self) -> str:
        return str(self.fields["type"])

    @property
    def title(self) -> str:
        """The title as written, or an empty text."""
        return str(self.fields.get("title", ""))

    @property
    def display_title(self) -> str:
        """The title, or where there is none the beginning of the content."""
        return self.title or derived_title(self.content)

    @property
    def content(self) -> str:
        return str(self.fields.get("content", ""))

    @property
    def status(self) -> str:
        return str(self.fields.get("status", "active"))

    @property
    def importance(self) -> int:
        return int(self.fields.get("importance", 3))

    @property
    def tags(self) -> list[str]:
        return list(self.fields.get("tags", ()))

    @property
    def files(self) -> list[str]:
        return list(self.fields.get("files", ()))

    @property
    def stack(self) -> list[str]:
        return list(self.fields.get("stack", ()))

    @property
    def category(self) -> str:
        return str(self.fields.get("category", ""))

    @property
    def aliases(self) -> list[str]:
        return list(self.fields.get("aliases", ()))

    @property
    def links(self) -> list[dict[str, Any]]:
        return list(self.fields.get("links", ()))

    @property
    def conflicts(self) -> list[dict[str, Any]]:
        return list(self.fields.get("conflicts", ()))

    @property
    def created(self) -> int:
        """When it was first written, in Unix seconds; the last change where that is not known."""
        return int(self.fields.get("created", self.ts))

    @property
    def ts(self) -> int:
        """When it was last changed, in Unix seconds; 0 where that is not known."""
        return int(self.fields.get("ts", 0))

    @property
    def is_active(self) -> bool:
        return self.status == "active"

    @property
    def is_must_check(self) -> bool:
        """Whether it is a lesson that has to be looked at before touching what it concerns."""
        return self.type in MUST_CHECK_TYPES and self.content.startswith(MUST_CHECK)


class Tombstone:
    """What a forgotten entry leaves in its line; with `moved`, where it went instead."""

    __slots__ = ("fields",)

    def __init__(self, fields: Fields) -> None:
        self.fields = fields

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tombstone) and self.fields == other.fields

    __hash__ = None  # type: ignore[assignment]  # fields are a dict

    def __repr__(self) -> str:
        return f"Tombstone({self.fields!r})"

    @property
    def key(self) -> str:
        return str(self.fields["key"])

    @property
    def ts(self) -> int:
        return int(self.fields["ts"])

    @property
    def by(self) -> str:
        return str(self.fields.get("by", ""))

    @property
    def reason(self) -> str:
        return str(self.fields.get("reason", ""))

    @property
    def moved(self) -> str:
        """The tier that the entry moved to, or an empty text."""
        return str(self.fields.get("moved", ""))


def is_tombstone(fields: Fields) -> bool:
    """Say whether an object is a tombstone or a redirect rather than an entry."""
    return fields.get("deleted") is True or "moved" in fields


def parse_record(line: bytes) -> Record:
    """Read one line of knowledge or of the archive.

    Raises:
        BadLineError: when the line is not JSON, or no valid entry or tombstone.
    """
    fields = parse_object(line)
    faults = check_fields(fields)
    if faults:
        raise BadLineError(faults[0], "gitkb check says what each field has to be")
    return Tombstone(fields) if is_tombstone(fields) else Entry(fields)


def encode_record(record: Record) -> bytes:
    """Write a record as its canonical line, without the line end."""
    if isinstance(record, Tombstone):  # nothing in it is a set, whatever its name
        return encode_json(_in_order(record.fields, TOMBSTONE_FIELDS))
    return encode_json(_in_order(normalise(record.fields), FIELDS))


def normalise(fields: Fields) -> dict[str, Json]:
    """Sort the sets, put their words in lower case where that is the rule, drop the defaults."""
    normal = {}
    for name, value in fields.items():
        if name in SET_FIELDS and isinstance(value, list):
            words = [word.lower() for word in value] if name in LOWER_CASE_FIELDS else value
            value = sorted(set(words))
        elif name in OBJECT_SET_FIELDS and isinstance(value, list):
            value = list({encode_sorted(item): item for item in value}.items())
            value = [item for _, item in sorted(value, key=lambda pair: pair[0])]
        if name in DEFAULTS and value == DEFAULTS[name]:
            continue
        normal[name] = value
    return normal


def derived_title(content: str) -> str:
    """Make a title of at most 80 characters from the first line of a content, for display."""
    first = next((line.strip() for line in content.splitlines() if line.strip()), "")
    if first.startswith(MUST_CHECK):
        first = first[len(MUST_CHECK) :].strip()
    if len(first) <= _TITLE_LENGTH:
        return first
    cut = first[: _TITLE_LENGTH - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ,;:.") + "…"


def _in_order(fields: Fields, order: tuple[str, ...]) -> dict[str, Json]:
    ordered = {name: fields[name] for name in order if name in fields}
    for name in sorted(fields.keys() - ordered.keys()):
        ordered[name] = fields[name]
    return ordered


def check_fields(fields: Fields) -> list[str]:
    """Say what is wrong with an object as an entry or a tombstone; nothing if it is valid."""
    faults: list[str] = []
    key = fields.get("key")
    if not isinstance(key, str):
        faults.append("no 'key'" if key is None else "'key' is not text")
    elif not is_key(key):
        faults.append(f"'{key[:40]}' has not the form of a key")
    if is_tombstone(fields):
        _check_tombstone(fields, faults)
        return faults
    if fields.get("type") not in TYPES:
        faults.append(_fault_of_choice("type", fields.get("type"), TYPES))
    if "title" not in fields and "content" not in fields:
        faults.append("neither 'title' nor 'content'")
    for name, value in fields.items():
        check = _CHECKS.get(name)
        if check is not None:
            fault = check(name, value)
            if fault:
                faults.append(fault)
    return faults


def _check_tombstone(fields: Fields, faults: list[str]) -> None:
    for name in ("by", "reason", "moved"):
        if name in fields and not isinstance(fields[name], str):
            faults.append(f"'{name}' is not text")
    fault = _time("ts", fields["ts"]) if "ts" in fields else "no 'ts'"
    if fault:
        faults.append(fault)
    if fields.get("deleted", True) is not True:
        faults.append("'deleted' is not true")
    if fields.get("moved") == "":
        faults.append("'moved' is empty")


def _fault_of_choice(name: str, value: Json, choices: tuple[str, ...]) -> str:
    if value is None:
        return f"no '{name}'"
    return f"unknown {name} '{value}', not one of {', '.join(choices)}"


def _text(name: str, value: Json) -> str:
    return "" if isinstance(value, str) and value else f"'{name}' is not a text, or is empty"


def _title(name: str, value: Json) -> str:
    return _text(name, value) or (
        "'title' has more than one line" if len(f"{value}.".splitlines()) > 1 else ""
    )


def _nullable_text(name: str, value: Json) -> str:
    return "" if value is None else _text(name, value)


def _time(name: str, value: Json) -> str:
    fine = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return "" if fine else f"'{name}' is not a time in whole Unix seconds"


def _importance(name: str, value: Json) -> str:
    fine = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 5
    return "" if fine else f"'{name}' is not a whole number from 1 to 5"


def _texts(name: str, value: Json) -> str:
    if isinstance(value, list):
        for item in value:
            if not isinstance(item, str) or not item:
                break
        else:
            return ""
    return f"'{name}' is not a list of texts"


def _links(name: str, value: Json) -> str:
    if not isinstance(value, list):
        return f"'{name}' is not a list"
    for link in value:
        if not isinstance(link, dict) or link.get("rel") not in RELATIONS:
            return f"a link needs 'rel', one of {', '.join(RELATIONS)}"
        if not isinstance(link.get("to"), str) or not is_key(link["to"]):
            return "a link needs 'to', a key"
    return ""


def _conflicts(name: str, value: Json) -> str:
    if not isinstance(value, list):
        return f"'{name}' is not a list"
    for conflict in value:
        if not isinstance(conflict, dict) or not isinstance(conflict.get("field"), str):
            return "a conflict needs 'field', the name of a field"
        if "ts" in conflict and _time("ts", conflict["ts"]):
            return "the 'ts' of a conflict is not a time in whole Unix seconds"
    return ""


def _status(name: str, value: Json) -> str:
    return "" if value in STATUSES else _fault_of_choice(name, value, STATUSES)


def _scope(name: str, value: Json) -> str:
    return "" if value in SCOPES else _fault_of_choice(name, value, SCOPES)


def _day(name: str, value: Json) -> str:
    fine = isinstance(value, str) and _is_day(value)
    return "" if fine else f"'{name}' is not a day such as 2026-01-31"


def _deleted(name: str, value: Json) -> str:
    # True makes a tombstone, which does not come here; anything else was meant as one.
    return f"'{name}' is not true"


def _classified_by(name: str, value: Json) -> str:
    return "" if value in ("agent", "human") else f"'{name}' is neither agent nor human"


_CHECKS = {
    "title": _title,
    "content": _text,
    "status": _status,
    "importance": _importance,
    "category": _text,
    "scope": _scope,
    "links": _links,
    "source": _text,
    "project": _text,
    "issue": _nullable_text,
    "review_by": _day,
    "created": _time,
    "ts": _time,
    "revives": _time,
    "classified_by": _classified_by,
    "checkpoint": _text,
    "allowed_secrets": fault_of_leaves,
    "conflicts": _conflicts,
    "deleted": _deleted,
    **dict.fromkeys((*SET_FIELDS, *LIST_FIELDS), _texts),
}
