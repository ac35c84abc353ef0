"""A learning of the ADD learning library as an entry of gitkb, and back.

ADD's form: ``id``, ``title``, ``body``, ``scope``, ``stack``, ``category``, ``severity``, ``source``,
``date`` and, where they are known, ``classified_by`` and ``checkpoint_type``.

1. ``record_of(fields_of(record)) == record`` for every record that can be an entry: what is not in the
   entry's own fields stands beside them in the field `FIELD`, as it was.
2. What a record lacks is inferred (`core.add_words`): on the way back it is lacking again, unless
   somebody has decided it here since. What was inferred once stays so at the next reading.
3. A word of ADD's that is none of ours (a severity, a scope) is kept and read as the nearest of ours.
   Categories are kept whatever they are.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple

from gitkb.core.alias import PROJECT_PREFIX, TIER_PREFIX, parse_alias
from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import CATEGORIES, SCOPES, Entry, derived_title, normalise
from gitkb.core.foreign.add_words import find_category, find_stack
from gitkb.core.relevance import SEVERITY_NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitkb.core.canonical import Fields, Json

FIELD = "add"
"""What every entry has that came from ADD, and where it keeps what was said otherwise there: by name what was ``said``, and how it was ``read``; of
prose what was made of its silence, a ``guess``."""
SOURCE = "add"
NAMES = (
    "id", "title", "body", "scope", "stack", "category", "severity", "source", "date",
    "classified_by", "checkpoint_type",
)  # fmt: skip
SEVERITIES: Mapping[str, int] = {"critical": 5, "high": 4, "medium": 3, "low": 2}

_OTHER_SEVERITIES: Mapping[str, int] = {
    "blocker": 5, "severe": 5, "urgent": 5, "p0": 5, "p1": 4, "important": 4, "major": 4,
    "moderate": 3, "normal": 3, "p2": 3, "minor": 2, "info": 2, "trivial": 2, "p3": 2,
}  # fmt: skip
_OTHER_SCOPES = {"global": "universal", "library": "workstation", "user": "workstation"}
_GUESSED = ("scope", "stack", "category", "severity", "date")
_DAY = 86_400
_LAST_DAY = 253_402_300_799  # 9999-12-31, the last one that has a date


class Reading(NamedTuple):
    """A record as the fields of an entry, without its key, and what a person should know of it."""

    fields: dict[str, Json]
    notes: tuple[str, ...]


def fields_of(
    record: Fields,
    scope_of: Callable[[Fields], str],
    *,
    alias: str = "",
    around: str = "",
    now: int = 0,
    before: Fields | None = None,
    is_whole: bool = True,
) -> Reading | None:
    """Read a record; None where it has neither a title nor a body, and so says nothing.

    `alias` is a number in place of its own; `around` a date to take where it has none; none later than
    `now` counts. `scope_of` judges the fields of a learning. What was inferred `before`, for the entry
    that came of it, holds. A record that is not `is_whole` was read from prose, and what it lacks
    nobody left out.
    """
    notes: list[str] = []
    said: dict[str, Json] = {"source": SOURCE}
    guessed: dict[str, Json] = {}
    title, body = _line(record.get("title")), _text(record.get("body"))
    if not title and not body:
        return None
    for name, theirs, text, other in (
        ("title", "title", title, derived_title(body)),
        ("content", "body", body, title),
    ):
        if text:
            said[name] = text
        elif other:
            guessed[name] = other
            notes.append(f"has no {theirs}: it is taken from the {'title' if title else 'body'}")
    for name, ours in (("source", "project"), ("checkpoint_type", "checkpoint")):
        text = _line(record.get(name))
        if text:
            said[ours] = text
    if record.get("classified_by") in ("agent", "human"):
        said["classified_by"] = record["classified_by"]
    name = alias or name_of(record)
    if name:
        said["aliases"] = [name]
    stack = record.get("stack")
    if isinstance(stack, list) and all(isinstance(item, str) and item for item in stack):
        said["stack"] = stack
    _take_severity(record, said, guessed, notes)
    _take_category(record, said, guessed, notes)
    if "stack" not in said:
        guessed["stack"] = find_stack(f"{title}\n{body}")
        if guessed["stack"]:
            notes.append(f"its stack is taken from its text: {', '.join(guessed['stack'])}")
    _take_date(record, around, now, said, guessed, notes)
    _take_scope(record, scope_of, said, guessed, notes)
    if "scope" in guessed and "classified_by" not in said:
        guessed["classified_by"] = "agent"  # so that a review asks a person
    guessed["type"] = "pitfall" if {**guessed, **said}["category"] == "anti-pattern" else "learned"
    _hold(guessed, before)
    fields = normalise({**guessed, **said})
    read = record_of({**fields, FIELD: {}})
    if is_whole:
        kept = _beside(record, read)
    else:
        kept = {name: {"guess": read[name]} for name in _GUESSED if name not in record}
    return Reading({**fields, FIELD: kept}, tuple(notes))


def record_of(fields: Fields, project: str = "") -> dict[str, Json]:
    """Give an entry as ADD writes it; `project` is where it is from unless it says so itself."""
    entry = Entry(fields)
    scope = str(fields.get("scope", "project"))
    plain: dict[str, Json] = {
        "id": id_of(entry),
        "title": entry.title or entry.display_title,
        "body": entry.content,
        "scope": scope,
        "stack": entry.stack,
        "category": entry.category or CATEGORIES[0],
        "severity": SEVERITY_NAMES[entry.importance],
        "source": str(fields.get("project", "" if FIELD in fields else project)),
        "date": date_of(entry),
    }
    for name, ours in (("classified_by", "classified_by"), ("checkpoint_type", "checkpoint")):
        if ours in fields:
            plain[name] = fields[ours]
    kept = fields.get(FIELD)
    record = dict(plain)
    for name, way in kept.items() if isinstance(kept, dict) else ():
        if not isinstance(way, dict) or "guess" in way or ("read" in way) != (name in plain):
            continue
        if name in plain and plain[name] != way["read"]:
            continue  # decided here since
        if name == "id" and _name(way.get("said")) not in ("", way["read"]):
            continue  # another learning has that number
        if "said" in way:
            record[name] = way["said"]
        else:
            record.pop(name, None)
    first = [name for name in NAMES if name in record]
    return {name: record[name] for name in (*first, *sorted(record.keys() - set(first)))}


def name_of(record: Fields) -> str:
    """The name by which a record is known: its id, put on one line, or an empty text."""
    return _name(record.get("id"))


def id_of(entry: Entry) -> str:
    """The number of a learning in its row, or another name it came with, or else its key."""
    wanted = [PROJECT_PREFIX, TIER_PREFIX]
    if entry.fields.get("scope", "project") != "project":
        wanted.reverse()
    numbered = [(parts, name) for name in entry.aliases if (parts := parse_alias(name))]
    for prefix in wanted:
        row = [(number, name) for (found, number), name in numbered if found == prefix]
        if row:
            return min(row)[1]
    return min(entry.aliases, default=str(entry.fields.get("key", "")))


def date_of(entry: Entry) -> str:
    """The day on which it was first written, ``2026-02-07``."""
    moment = datetime.fromtimestamp(min(entry.created, _LAST_DAY), UTC)
    return f"{moment.year:04}-{moment:%m-%d}"


def seconds_of(text: Json) -> int | None:
    """Read a day, or a time (of UTC, unless it says otherwise), as Unix seconds."""
    if not isinstance(text, str):
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    try:
        seconds = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (OverflowError, ValueError):
        return None
    return seconds if seconds >= 0 else None


def _take_severity(
    record: Fields, said: dict[str, Json], guessed: dict[str, Json], notes: list[str]
) -> None:
    word = record.get("severity")
    if isinstance(word, str) and word in SEVERITIES:
        said["importance"] = SEVERITIES[word]
        return
    low = word.strip().lower() if isinstance(word, str) else ""
    known = SEVERITIES.get(low) or _OTHER_SEVERITIES.get(low)
    if known:
        said["importance"] = known
    else:
        guessed["importance"] = 3
    what = (
        "has no severity"
        if "severity" not in record
        else f"severity {_shown(word)} is no word of ours"
    )
    notes.append(f"{what}: {SEVERITY_NAMES[known or 3]}")


def _take_category(
    record: Fields, said: dict[str, Json], guessed: dict[str, Json], notes: list[str]
) -> None:
    name = _line(record.get("category"))
    if name:
        said["category"] = name
        return
    scope = record.get("scope")
    # Where the one is missing, and the other says what only it can say, a word is in the wrong place.
    misplaced = isinstance(scope, str) and scope in CATEGORIES
    found = (
        scope
        if misplaced
        else find_category(f"{_line(record.get('title'))}\n{_text(record.get('body'))}")
    )
    guessed["category"] = found or CATEGORIES[0]
    notes.append(f"has no category: {guessed['category']}")


def _take_date(
    record: Fields,
    around: str,
    now: int,
    said: dict[str, Json],
    guessed: dict[str, Json],
    notes: list[str],
) -> None:
    given = seconds_of(record.get("date"))
    if given is not None and (given <= now or not now):
        said["created"] = given
        return
    near = seconds_of(around)
    guessed["created"] = near if near is not None and near <= now else now - now % _DAY
    what = "has no date" if "date" not in record else f"date {_shown(record['date'])} is none"
    day = date_of(Entry({"created": guessed["created"]}))
    why = "as what stands beside it" if near == guessed["created"] else "today"
    notes.append(f"{what}: {day}, {why}")


def _take_scope(
    record: Fields,
    scope_of: Callable[[Fields], str],
    said: dict[str, Json],
    guessed: dict[str, Json],
    notes: list[str],
) -> None:
    word = record.get("scope")
    if isinstance(word, str) and word in SCOPES:
        said["scope"] = word
        return
    found = _OTHER_SCOPES.get(word.strip().lower()) if isinstance(word, str) else None
    if found:
        said["scope"] = found
    else:
        guessed["scope"] = found = scope_of({**guessed, **said})
    what = "has no scope" if "scope" not in record else f"scope {_shown(word)} is none of ours"
    notes.append(f"{what}: {found}")


def _hold(guessed: dict[str, Json], before: Fields | None) -> None:
    """Let what was inferred before stand, as the surroundings may have changed since."""
    kept = before.get(FIELD) if before is not None else None
    if not isinstance(kept, dict):
        return
    ways = {
        name: way.get("read", way.get("guess"))
        for name, way in kept.items()
        if isinstance(way, dict)
    }
    for name in ("scope", "category", "stack"):
        if name in guessed and isinstance(ways.get(name), type(guessed[name])):
            guessed[name] = ways[name]
    severity = ways.get("severity")
    if "importance" in guessed and isinstance(severity, str):
        guessed["importance"] = SEVERITIES.get(severity, 3)
    day = seconds_of(ways.get("date"))
    if "created" in guessed and day is not None:
        guessed["created"] = day


def _beside(record: Fields, read: Fields) -> dict[str, Json]:
    """What has to stand beside the entry's own fields so that the record can be given back."""
    kept: dict[str, Json] = {}
    for name in sorted(record.keys() | read.keys()):
        way = {}
        if name in record and (name not in read or not _equal(record[name], read[name])):
            way["said"] = record[name]
        if name in read and (way or name not in record):
            way["read"] = read[name]
        if way:
            kept[name] = way
    return kept


def _equal(one: Json, other: Json) -> bool:
    return encode_sorted(one) == encode_sorted(other)


def _line(value: Json) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _text(value: Json) -> str:
    return value if isinstance(value, str) and value.strip() else ""


def _name(value: Json) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _line(value)


def _shown(value: Json) -> str:
    text = value if isinstance(value, str) else repr(value)
    return f"'{' '.join(text.split())[:40]}'"
