"""Hypothesis strategies: what knowledge can look like, and how people change it.

1. Everything drawn is valid, unless its name says otherwise.
2. Sides of a merge are made by editing a drawn base, because two unrelated drawings almost never
   clash; keys, field names, values and times come from small worlds for the same reason.
3. Files are bytes in hash order, one line a key. The order is worked out here again rather than
   taken from the code under test.
"""

from __future__ import annotations

import json
import string
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st

from gitkb.core.entry import (
    CATEGORIES,
    RELATIONS,
    SCOPES,
    STATUSES,
    TYPES,
    Entry,
    Tombstone,
    encode_record,
    normalise,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn, SearchStrategy

    from gitkb.core.entry import Record

    World = dict[str, Record]
    """A file's records by key."""

SMALL_KEYS = tuple(f"k{number}" for number in range(6))
_KEY_FIRST = string.ascii_letters + string.digits
_KEY_REST = _KEY_FIRST + "._-"

NASTY_TEXTS = (
    " leading and trailing ",
    "two\nlines\n",
    "carriage\r\nreturn",
    "tab\tand form feed\x0c and vertical tab\x0b",
    "next line \x85 line separator \u2028 paragraph separator \u2029",
    'a "quoted" \\ back\\slash \\u0041 \\n',
    "<<<<<<< ours\n=======\n>>>>>>> theirs",
    "\x1b[31mred\x1b[0m and \x07 bell",
    "e\u0301 and \u00e9, ﬁ and fi, İ and ı, ß and SS",
    "русский, 中文, العربية, हिन्दी, ไทย",
    "👩‍👩‍👧‍👦 and 🏳️‍🌈, \ufeff, \u200b, \u202e right to left",
    '\'; DROP TABLE entry; -- AND OR NOT NEAR(a b) "x"* c++ foo-bar key:val',
    "NaN Infinity null true 1e999",
    "MUST-CHECK: look before you leap",
    "L-007",
    "\U0010ffff\ue000\ufffd",
)


# --- values ----------------------------------------------------------------------------------


def nasty_texts(*, min_size: int = 0, max_size: int = 60) -> SearchStrategy[str]:
    """Texts that break things: known troublemakers and any Unicode but NUL and lone surrogates."""
    drawn = st.text(
        st.characters(codec="utf-8", exclude_characters="\0"),
        min_size=min_size,
        max_size=max_size,
    )
    return st.sampled_from(NASTY_TEXTS) | drawn


def titles() -> SearchStrategy[str]:
    """Titles: nasty, but of one line."""
    return nasty_texts(min_size=1).map(_one_line).filter(bool)


def _one_line(text: str) -> str:
    return " ".join(text.splitlines()).strip()


def json_values(*, max_leaves: int = 8) -> SearchStrategy[Any]:
    """JSON values as gitkb takes them: integers of any size, finite floats, no NUL."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.sampled_from([2**53 + 1, -(2**63), 10**30])
        | st.floats(allow_nan=False, allow_infinity=False)
        | nasty_texts(max_size=20)
    )
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(nasty_texts(max_size=8), inner, max_size=4)
        ),
        max_leaves=max_leaves,
    )


def keys() -> SearchStrategy[str]:
    """Keys of any allowed form and length."""
    first, rest = st.sampled_from(_KEY_FIRST), st.text(_KEY_REST, max_size=127)
    return st.builds(lambda head, tail: head + tail, first, rest)


def small_keys() -> SearchStrategy[str]:
    """Keys of a small world, in which two drawings meet."""
    return st.sampled_from(SMALL_KEYS)


def times() -> SearchStrategy[int]:
    """Times close enough to tie, and the edges."""
    return st.integers(0, 6) | st.sampled_from([1_767_225_600, 2**31, 2**53 + 1])


# --- records ---------------------------------------------------------------------------------

_words = st.sampled_from(["auth", "oauth", "cache", "db", "größe"])
_paths = st.sampled_from(["src/a.py", "src/b.py", "docs/x y.md", "größe.txt"])
_links = st.fixed_dictionaries({"rel": st.sampled_from(RELATIONS), "to": small_keys()})

_VALUES: Mapping[str, SearchStrategy[Any]] = {
    "title": titles(),
    "content": nasty_texts(min_size=1),
    "status": st.sampled_from(STATUSES[:3]),
    "importance": st.integers(1, 5),
    "tags": st.lists(_words, max_size=3),
    "files": st.lists(_paths, max_size=3),
    "stack": st.lists(_words, max_size=2),
    "category": st.sampled_from(CATEGORIES),
    "scope": st.sampled_from(SCOPES),
    "links": st.lists(_links, max_size=2),
    "source": st.sampled_from(["agent", "user", "adr:docs/1.md", "git:abc"]),
    "project": st.sampled_from(["gitkb", "other"]),
    "issue": st.none() | st.sampled_from(["#1", "X-2"]),
    "created": times(),
    "aliases": st.lists(st.sampled_from(["L-001", "L-002", "WL-001", "old id"]), max_size=2),
    "classified_by": st.sampled_from(["agent", "human"]),
    "checkpoint": st.sampled_from(["commit", "review"]),
    "done": st.lists(_words, max_size=3),
    "next": st.lists(_words, max_size=3),
}

# Built once and without a key: building a strategy costs more than drawing from it.
_required: Mapping[str, SearchStrategy[Any]] = {"type": st.sampled_from(TYPES), "ts": times()}
_optional: Mapping[str, SearchStrategy[Any]] = {
    **_VALUES,
    "x": json_values(),
    "notes": nasty_texts(max_size=10),
    "größe": json_values(max_leaves=3),
    "Key": st.integers(),
    "id": st.text("ab", max_size=2),
}


def _without(name: str) -> dict[str, SearchStrategy[Any]]:
    return {key: value for key, value in _optional.items() if key != name}


_keyless_entries: SearchStrategy[dict[str, Any]] = st.one_of(
    [
        st.fixed_dictionaries({**_required, name: _VALUES[name]}, optional=_without(name))
        for name in ("content", "title")
    ]
)
_forgotten: Mapping[str, SearchStrategy[Any]] = {"ts": times(), "deleted": st.just(True)}
_moved: Mapping[str, SearchStrategy[Any]] = {"ts": times(), "moved": st.just("workstation")}
_by: Mapping[str, SearchStrategy[Any]] = {
    "by": st.just("Ada Lovelace <ada@example.org>"),
    "reason": titles(),
}
_keyless_tombstones: SearchStrategy[dict[str, Any]] = st.one_of(
    [st.fixed_dictionaries(dict(fate), optional=dict(_by)) for fate in (_forgotten, _moved)]
)


@st.composite
def fields_of_entries(draw: DrawFn, keys: SearchStrategy[str] | None = None) -> dict[str, Any]:
    """Fields of valid entries as someone might write them: any order, sets unsorted, defaults
    spelled out, fields that gitkb does not know."""
    fields = {"key": draw(small_keys() if keys is None else keys), **draw(_keyless_entries)}
    draw(st.randoms(use_true_random=False)).shuffle(names := list(fields))
    return {name: fields[name] for name in names}


@st.composite
def entries(draw: DrawFn, keys: SearchStrategy[str] | None = None) -> Entry:
    """Valid entries with normalised fields."""
    key = draw(small_keys() if keys is None else keys)
    return Entry(normalise({"key": key, **draw(_keyless_entries)}))


@st.composite
def tombstones(draw: DrawFn, keys: SearchStrategy[str] | None = None) -> Tombstone:
    """Valid tombstones; some say where the entry moved to instead."""
    key = draw(small_keys() if keys is None else keys)
    return Tombstone({"key": key, **draw(_keyless_tombstones)})


@st.composite
def records(draw: DrawFn, keys: SearchStrategy[str] | None = None) -> Record:
    """Entries, and now and then a tombstone."""
    key = draw(small_keys() if keys is None else keys)
    fields = {"key": key, **draw(_keyless_records)}
    return Entry(normalise(fields)) if "type" in fields else Tombstone(fields)


_keyless_records = st.one_of([_keyless_entries, _keyless_entries, _keyless_tombstones])


@st.composite
def spellings(draw: DrawFn, record: Record) -> bytes:
    """A line that says the same as a record in other bytes: names in any order, spaces, escapes."""
    names = draw(st.permutations(sorted(record.fields)))
    text = json.dumps(
        {name: record.fields[name] for name in names},
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": ")])),
    )
    return text.encode("utf-8")


def bad_lines() -> SearchStrategy[bytes]:
    """Lines that are no record: broken, foreign, half a merge."""
    return st.sampled_from(
        [
            b"",
            b"   ",
            b"not json",
            b"[]",
            b"null",
            b"{}",
            b'{"key":"k0","type":"fact","content":"cut o',
            b'{"key":"k0","key":"k1","type":"fact","content":"x","ts":1}',
            b'{"key":"k0","type":"fact","content":"x","ts":NaN}',
            b'{"key":"k0","type":"fact","content":"x","ts":1e999}',
            b'{"key":"k0","type":"fact","content":"\\ud800","ts":1}',
            b'{"key":"k0","type":"fact","content":"\\u0000","ts":1}',
            b'{"key":"k0","type":"fact","content":"\xff","ts":1}',
            b'{"key":"","type":"fact","content":"x","ts":1}',
            b'{"key":"k0","type":"rumour","content":"x","ts":1}',
            b'\xef\xbb\xbf{"key":"k0","type":"fact","content":"x","ts":1}',
            b"<<<<<<< ours",
            b"=======",
            b">>>>>>> theirs",
        ]
    )


# --- files -----------------------------------------------------------------------------------


def encode_world(world: Mapping[str, Record]) -> bytes:
    """The bytes of a knowledge file: canonical lines in hash order, each with its line feed."""
    return b"".join(encode_record(world[key]) + b"\n" for key in in_hash_order(world))


def in_hash_order(keys: Mapping[str, Any] | list[str]) -> list[str]:
    """Keys in the order in which their lines stand."""
    return sorted(keys, key=lambda key: sha256(key.encode()).digest())


@st.composite
def worlds(draw: DrawFn, keys: SearchStrategy[str] | None = None, *, max_size: int = 5) -> World:
    """Some records, each under its own key."""
    chosen = draw(st.lists(small_keys() if keys is None else keys, unique=True, max_size=max_size))
    return {key: draw(records(st.just(key))) for key in chosen}


def knowledge_files(keys: SearchStrategy[str] | None = None) -> SearchStrategy[bytes]:
    """Knowledge files as gitkb writes them."""
    return worlds(keys).map(encode_world)


# --- edits -----------------------------------------------------------------------------------


@st.composite
def edits(draw: DrawFn, base: Mapping[str, Record]) -> World:
    """What a person might make of a base: some lines left alone, changed, forgotten, dropped,
    brought back, and some new ones."""
    side: World = {}
    for key, record in base.items():
        action = draw(
            st.sampled_from(["keep", "keep", "edit", "edit", "forget", "drop", "replace"])
        )
        if action == "keep":
            side[key] = record
        elif action == "edit":
            side[key] = draw(edited(record))
        elif action == "forget":
            side[key] = draw(tombstones(st.just(key)))
        elif action == "replace":
            side[key] = draw(records(st.just(key)))
    fresh = [key for key in SMALL_KEYS if key not in base]
    for key in draw(st.lists(st.sampled_from(fresh), unique=True, max_size=2)) if fresh else []:
        side[key] = draw(records(st.just(key)))
    return side


@st.composite
def edited(draw: DrawFn, record: Record) -> Record:
    """A later version of a record: a few fields given, changed or removed, the clock moved on (or, as
    in files of other tools, left alone). A tombstone is brought back."""
    if isinstance(record, Tombstone):
        back = draw(entries(st.just(record.key)))
        return Entry({**back.fields, "revives": record.ts, "ts": record.ts + 1})
    fields = dict(record.fields)
    for name in draw(st.lists(st.sampled_from([*sorted(_VALUES), "x"]), min_size=1, max_size=3)):
        if draw(st.integers(0, 3)):
            fields[name] = draw(_VALUES.get(name, json_values()))
        else:
            fields.pop(name, None)
    if "title" not in fields and "content" not in fields:
        fields["content"] = draw(_VALUES["content"])
    fields["ts"] = record.ts + draw(st.integers(0, 3))
    return Entry(normalise(fields))


class Sides(NamedTuple):
    """The three sides of a merge, as files."""

    base: bytes
    ours: bytes
    theirs: bytes


@st.composite
def merges(draw: DrawFn) -> Sides:
    """Base, ours and theirs of a merge of one knowledge file; now and then without a base."""
    base: World = draw(worlds()) if draw(st.integers(0, 4)) else {}
    ours, theirs = draw(edits(base)), draw(edits(base))
    return Sides(encode_world(base), encode_world(ours), encode_world(theirs))
