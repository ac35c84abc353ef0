"""The cheap question says yes to whatever the library's own patterns match; no merge undoes a scrubbing."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitkb.core.canonical import encode_json
from gitkb.core.entry import Entry, encode_record
from gitkb.core.jsonl import parse_object
from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE
from gitkb.core.secrets.hint import has_sign, may_hold_secret, may_record_hold_secret
from gitkb.core.secrets.redaction import MARK, make_notes, scrub_fields, with_notes
from gitkb.core.secrets.text import own_texts
from gitkb.schema.secret_library import detectors, iter_known
from gitkb.schema.secret_scan import find_in_text, find_secrets
from gitkb.schema.secret_settings import SecretSettings

from secret_samples import KINDS, Maker

if TYPE_CHECKING:
    import re

_TEXT = "swordfish-77"


def _forms() -> list[tuple[str, re.Pattern[str]]]:
    return [(d.secret_type, pattern) for d in detectors()[:-1] for pattern in d.denylist]


_NEEDS_LOOKING_RANDOM = {"aws.", "softlayer|sl"}
"""Patterns of a mere length: what looks random in them is found without the library."""


def _has_form(pattern: re.Pattern[str]) -> bool:
    return not any(word in pattern.pattern for word in _NEEDS_LOOKING_RANDOM)


@given(st.data())
def test_each_form_that_the_library_knows_has_a_sign(data: st.DataObject) -> None:
    _, pattern = data.draw(st.sampled_from([form for form in _forms() if _has_form(form[1])]))
    text = data.draw(
        st.from_regex(pattern, alphabet=st.characters(min_codepoint=32, max_codepoint=126))
    )
    found = pattern.search(text)
    # What is shorter is no key of the one form whose pattern would let it be.
    assume(found is not None and (len(found[0]) >= 20 or not found[0].startswith("eyJ")))
    assert found is not None
    assert has_sign(found[0])
    assert may_hold_secret(f"see {found[0]} there")


@given(
    st.sampled_from(sorted(KINDS)),
    st.integers(0, 10_000),
    st.text(max_size=40),
    st.text(max_size=40),
)
def test_where_the_library_finds_something_the_cheap_question_says_yes(
    kind: str, seed: int, before: str, after: str
) -> None:
    text = f"{before} {Maker(seed).make(kind)} {after}"
    if any(True for _ in iter_known(text)):
        assert may_hold_secret(text)


@given(st.text(alphabet=st.characters(min_codepoint=9, max_codepoint=0x3FF), max_size=300))
def test_any_text_can_be_looked_at(text: str) -> None:
    found = find_in_text(text, SecretSettings(), "content")
    assert all(one.text for one in found)


# --- scrubbing -------------------------------------------------------------------------------

_plain = st.text(alphabet="abc xyz", min_size=1, max_size=12).map(lambda text: f"{text}.")
_holding = st.builds(lambda a, b: f"{a} {_TEXT} {b}", _plain, _plain)
_texts = st.one_of(_plain, _holding)
_values = st.recursive(
    _texts,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@st.composite
def _entries(draw: st.DrawFn, ts: int = 1) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "key": "k",
        "type": "fact",
        "title": draw(_texts),
        "content": draw(_texts),
    }
    for name, values in (
        ("tags", st.lists(_texts, min_size=1, max_size=3)),
        ("done", st.lists(_texts, min_size=1, max_size=3)),
        ("aliases", st.lists(_texts, min_size=1, max_size=2)),
        ("x_own", _values),
        ("conflicts", st.builds(lambda v: [{"field": "content", "value": v, "ts": 1}], _texts)),
    ):
        if draw(st.booleans()):
            fields[name] = draw(values)
    return {**fields, "created": 1, "ts": ts}


def _scrub(text: str) -> str:
    return text.replace(_TEXT, MARK)


def _scrubbed(fields: dict[str, Any], ts: int) -> dict[str, Any]:
    clean, changed = scrub_fields(fields, _scrub)
    return {**with_notes(clean, make_notes(clean, changed)), "ts": ts}


def _line(fields: dict[str, Any] | None) -> bytes:
    return b"" if fields is None else encode_record(Entry(fields)) + b"\n"


@given(_entries())
def test_what_was_scrubbed_is_gone_and_the_rest_is_as_it_was(fields: dict[str, Any]) -> None:
    clean, changed = scrub_fields(fields, _scrub)
    assert _TEXT.encode() not in encode_json(clean)
    assert {
        name for name in fields if encode_json(fields[name]) != encode_json(clean.get(name))
    } == set(changed)
    assert scrub_fields(clean, _scrub) == (clean, [])


@given(_entries(), st.data(), st.integers(2, 5), st.integers(2, 5), st.booleans())
def test_no_merge_brings_back_what_was_scrubbed(
    base: dict[str, Any], data: st.DataObject, our_ts: int, their_ts: int, has_base: bool
) -> None:
    ours = _scrubbed(base, our_ts)
    assume(ours["redacted"])
    # The other side edits what it likes; the text stands where it stood.
    edited = data.draw(_entries(their_ts))
    names = data.draw(st.sets(st.sampled_from(sorted(base.keys() - {"key", "type"}))))
    theirs = {**base, **{name: edited[name] for name in names if name in edited}, "ts": their_ts}
    for name in names - {note.partition("#")[0] for note in ours["redacted"]}:
        if name in theirs:
            theirs.update(scrub_fields({name: theirs.pop(name)}, _scrub)[0])  # or it goes
    known = _line(base) if has_base else b""
    merged = merge_files(known, _line(ours), _line(theirs), KNOWLEDGE)
    assert merged.text is not None
    assert _TEXT.encode() not in merged.text
    swapped = merge_files(known, _line(theirs), _line(ours), KNOWLEDGE)
    assert swapped.text == merged.text
    again = merge_files(_line(theirs), merged.text, _line(theirs), KNOWLEDGE)
    assert again.text == merged.text


@given(_entries(), st.integers(2, 9))
def test_a_side_that_knew_may_write_what_it_likes(base: dict[str, Any], ts: int) -> None:
    ours = _scrubbed(base, 2)
    theirs = {**ours, "title": "new", "content": "without a mark", "ts": ts + 1}
    merged = merge_files(
        _line(ours), _line({**ours, "issue": "7", "ts": 3}), _line(theirs), KNOWLEDGE
    )
    assert merged.text is not None
    assert b"without a mark" in merged.text


def _versions(*entries: dict[str, Any]) -> bytes:
    return b"".join(sorted({_line(fields) for fields in entries}))


@given(_entries(1), _entries(2), _entries(3), st.booleans())
def test_no_archive_brings_back_what_was_scrubbed(
    first: dict[str, Any], second: dict[str, Any], third: dict[str, Any], has_base: bool
) -> None:
    clean, changed = scrub_fields(first, _scrub)
    assume(changed)
    ours = _versions(with_notes(clean, make_notes(clean, changed)))
    theirs = _versions(*sorted((first, second, third), key=lambda fields: int(fields["ts"])))
    base = _versions(first) if has_base else b""
    merged = merge_files(base, ours, theirs, ARCHIVE)
    assert merged.text == merge_files(base, theirs, ours, ARCHIVE).text == ours


@given(_entries(1), _entries(2))
def test_two_that_scrubbed_unknown_to_each_other_keep_neither_text(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    sides = []
    for word in (_TEXT, "xyz"):
        lines = []
        for fields in (first, second):
            clean, changed = scrub_fields(fields, lambda text, word=word: text.replace(word, MARK))  # type: ignore[misc]
            lines.append(with_notes(clean, make_notes({"word": word}, changed or ["content"])))
        sides.append(_versions(*lines))
    for order in (sides, sides[::-1]):
        merged = merge_files(b"", order[0], order[1], ARCHIVE)
        assert merged.text is not None
        assert _TEXT.encode() not in merged.text
        assert b"xyz" not in merged.text
    [mine, other] = [_line(_scrubbed(fields, 2)) for fields in (first, {**first, "title": "other"})]
    merged = merge_files(b"", mine, other, KNOWLEDGE)
    assert merged.text is not None
    assert _TEXT.encode() not in merged.text


@pytest.mark.parametrize("seed", range(5))
def test_the_texts_of_a_record_cover_its_bytes(seed: int) -> None:
    maker = Maker(seed)
    secret = maker.make("github")
    places = ["title", "content", "x"]
    fields: dict[str, Any] = {"key": "k", "type": "fact", "title": "t", "content": "c"}
    fields[random.Random(seed).choice(places)] = secret
    assert any(secret in text for _, text in own_texts(fields))


@given(_entries(), st.sampled_from(sorted(KINDS)), st.integers(0, 999), st.integers(0, 5))
def test_a_line_is_suspected_whenever_its_record_is_found_out(
    fields: dict[str, Any], kind: str, seed: int, place: int
) -> None:
    secret = Maker(seed).make(kind)
    where = ["content", "tags", "x_own", "db_password", "done", "conflicts"][place]
    value: Any = f"see {secret} there"
    if where == "x_own":
        value = {"deep": [value]}
    elif where == "conflicts":
        value = [{"field": "content", "value": value}]
    elif where != "content" and where != "db_password":
        value = [value]
    record = {**fields, where: secret if where == "db_password" else value}
    line = encode_record(Entry(record))
    record = parse_object(line)  # tags are in lower case there
    if find_secrets(record, SecretSettings()):
        assert may_record_hold_secret(line, record)
