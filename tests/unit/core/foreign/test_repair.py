"""Damaged lines are repaired where that is certain, and otherwise dropped with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.foreign.drawbar import DRAWBAR_FIELDS
from gitkb.core.foreign.repair import iter_objects
from gitkb.core.foreign.repair_object import Found

WHOLE: dict[str, Any] = {
    "key": "auth-token",
    "type": "learned",
    "content": "Rotate the token.",
    "source": "agent",
    "tags": ["auth"],
    "ts": 1_770_912_450,
    "issue": None,
    "files": ["src/auth.ts"],
}
LINE = json.dumps(WHOLE, separators=(",", ":")).encode()
OTHER = {**WHOLE, "key": "cache"}
OTHER_LINE = json.dumps(OTHER, separators=(",", ":")).encode()


def found_in(data: bytes) -> list[Found]:
    return list(iter_objects(data, DRAWBAR_FIELDS))


def only(data: bytes) -> Found:
    (found,) = found_in(data)
    return found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(b"\xef\xbb\xbf" + LINE, "removed a byte order mark", id="byte order mark"),
        pytest.param(LINE + b",", "removed a comma or bracket around", id="trailing comma"),
        pytest.param(b"[" + LINE + b",", "removed a comma or bracket around", id="open array"),
        pytest.param(LINE + b"]", "removed a comma or bracket around", id="end of an array"),
        pytest.param(LINE + b"}", "removed '}' behind the object", id="a brace too many"),
        pytest.param(LINE + b" xx#!", "removed 'xx#!' behind the object", id="garbage behind"),
        pytest.param(LINE + b"\0\0\0\0", "removed NUL", id="NUL bytes behind"),
        pytest.param(b"\0\0" + LINE, "removed NUL", id="NUL bytes before"),
        pytest.param(LINE[:-1] + b",}", "removed a comma before a closing", id="comma at the end"),
        pytest.param(LINE.replace(b"]", b",]"), "removed a comma before", id="comma in a list"),
        pytest.param(LINE[:-1], "added the closing brace", id="closing brace cut off"),
        pytest.param(repr(WHOLE).encode(), "read as Python wrote it", id="Python's repr"),
        pytest.param(LINE.replace(b"null", b"None"), "wrote None, True and False", id="None"),
        pytest.param(
            LINE[:-1] + b',"type":"learned"}', "removed the second 'type'", id="a name twice"
        ),
        pytest.param(json.dumps(LINE.decode()).encode(), "encoded twice", id="encoded twice"),
        pytest.param(LINE.decode().encode("utf-16"), "read as UTF-16", id="UTF-16"),
        pytest.param(LINE.decode().encode("utf-16-le"), "removed NUL bytes", id="UTF-16, no mark"),
    ],
)
def test_a_certain_repair_gives_back_the_whole_record(line: bytes, said: str) -> None:
    found = only(line)
    assert found.fields == WHOLE, found
    assert said in "; ".join(found.repairs)


@pytest.mark.parametrize(
    ("line", "content", "said"),
    [
        pytest.param(
            LINE.replace(b"the token", b"the\ttoken"),
            "Rotate the\ttoken.",
            "escaped raw control",
            id="raw tab",
        ),
        pytest.param(
            LINE.replace(b"the token", b"the\x1b[1mtoken"),
            "Rotate the\x1b[1mtoken.",
            "escaped raw control",
            id="raw escape",
        ),
        pytest.param(
            LINE.replace(b"the token", b"the\0 token"),
            "Rotate the token.",
            "removed NUL",
            id="raw NUL in a text",
        ),
        pytest.param(
            LINE.replace(b"the token", b"the\\u0000 token"),
            "Rotate the token.",
            "removed NUL",
            id="escaped NUL in a text",
        ),
        pytest.param(
            LINE.replace(b"token.", b"caf\xe9."),
            "Rotate the café.",
            "read as Latin-1",
            id="Latin-1 letter",
        ),
        pytest.param(
            LINE.replace(b"the token", b"the\ntoken"),
            "Rotate the\ntoken.",
            "joined lines 1 to 2",
            id="raw line feed",
        ),
        pytest.param(
            LINE.replace(b"the token", b"the\r\n\r\ntoken"),
            "Rotate the\n\ntoken.",
            "joined lines 1 to 3",
            id="raw line feeds in a file with CRLF",
        ),
        pytest.param(
            json.dumps({**WHOLE, "content": "it's"}).encode()
            and repr({**WHOLE, "content": "it's\n\\x"}).encode(),
            "it's\n\\x",
            "read as Python",
            id="Python's quotes and escapes",
        ),
    ],
)
def test_a_text_is_read_as_what_it_can_only_have_been(line: bytes, content: str, said: str) -> None:
    found = only(line)
    assert found.fields == {**WHOLE, "content": content}, found
    assert said in "; ".join(found.repairs)


def test_a_record_printed_over_many_lines_is_one_record() -> None:
    data = json.dumps(WHOLE, indent=2).encode() + b"\n" + OTHER_LINE + b"\n"
    first, second = found_in(data)
    assert first.fields == WHOLE
    assert first.line == 1
    assert second.fields == OTHER
    assert second.repairs == ()
    assert second.line == 15


@pytest.mark.parametrize("between", [b"", b",", b"  ", b"\0"])
def test_two_records_on_one_line_are_two(between: bytes) -> None:
    first, second = found_in(LINE + between + OTHER_LINE)
    assert (first.fields, second.fields) == (WHOLE, OTHER)
    assert first.line == second.line == 1
    assert "parted from another record" in first.repairs[-1]


def test_a_record_that_another_interrupted_is_dropped_and_the_other_kept() -> None:
    cut, whole = found_in(LINE[:60] + OTHER_LINE)
    assert (cut.fields, cut.reason) == (None, "cut off in 'content'")
    assert whole.fields == OTHER


def test_an_example_in_a_broken_text_is_no_record() -> None:
    line = LINE.replace(b"the token.", b"{" + OTHER_LINE[1:] + b" as shown")
    assert all(item.fields is None for item in found_in(line))
    line = LINE[:60] + OTHER_LINE + b" as shown"
    assert all(item.fields is None for item in found_in(line))


def test_each_of_two_damaged_records_on_a_line_is_mended() -> None:
    first, second = found_in(LINE.replace(b"]", b",]") + OTHER_LINE.replace(b"null", b"None"))
    assert (first.fields, second.fields) == (WHOLE, OTHER)


def test_a_whole_record_stays_where_one_behind_it_cannot_be_told() -> None:
    first, second = found_in(LINE + OTHER_LINE + b',"more":1}')
    assert first.fields == WHOLE
    assert second.fields is None
    assert "may belong to it" in second.reason


def test_what_may_be_nested_in_a_cut_record_is_no_record_of_its_own() -> None:
    found = only(b'{"key":"a","type":"fact","content":"x","meta":' + OTHER_LINE)
    assert found.fields is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(LINE[:70], "cut off in 'content'", id="cut in a text"),
        pytest.param(LINE[: LINE.index(b"770")], "cut off in 'ts'", id="cut in a number"),
        pytest.param(b'{"key":"a","type":"fact"', "cut off in 'type'", id="fields missing"),
        pytest.param(LINE[:-1].rpartition(b",")[0], "cut off in 'issue'", id="a field missing"),
        pytest.param(b"<<<<<<< HEAD", "a conflict marker", id="marker"),
        pytest.param(b"\0" * 40, "nothing but NUL bytes", id="NUL bytes"),
        pytest.param(b"[]", "no JSON object", id="empty array"),
        pytest.param(b"lorem ipsum", "no JSON object", id="prose"),
        pytest.param(b"// " + LINE, "text before the object", id="commented out"),
        pytest.param(b"-" + LINE, "text before the object", id="a removed line of a diff"),
        pytest.param(
            LINE.replace(b'"agent"', b'"agent"}'),
            "text behind the object that may belong to it",
            id="closed too early",
        ),
        pytest.param(
            LINE[:-1] + b',"type":"fact"}', "duplicate name 'type'", id="two different values"
        ),
        pytest.param(LINE.replace(b"1770912450", b"NaN"), "NaN is not JSON", id="NaN"),
        pytest.param(LINE.replace(b"1770912450", b"1e999"), "too large", id="too large"),
        pytest.param(LINE.replace(b"token.", b"\\ud800"), "surrogate", id="half a pair"),
        pytest.param(LINE.replace(b"token.", b"\xe2\x80"), "0xE2 is not UTF-8", id="half a dash"),
        pytest.param(
            LINE.replace(b"token.", "ключ".encode("cp1251")), "not UTF-8", id="another code page"
        ),
        pytest.param(LINE.replace(b"token.", b'"token".'), "not JSON", id="bare quotes"),
        pytest.param(LINE.replace(b"token.", b"C:\\srv."), "escape", id="a wrong escape"),
        pytest.param(LINE.replace(b"auth-token", b"auth\0-token"), "key itself", id="NUL in key"),
        pytest.param(
            LINE.replace(b"auth-token", b"auth\t-token"), "key itself", id="raw tab in key"
        ),
        pytest.param(LINE.replace(b"auth-token", b"auth\xe9s"), "key itself", id="Latin-1 key"),
        pytest.param(LINE.replace(b"content", b"con\1tent"), "name of a field", id="a name"),
        pytest.param(b"{'key': 'a' 'b', 'type': 'fact'}", "not JSON", id="two Python texts"),
        pytest.param(b"{'key': set(), 'type': 'fact'}", "not JSON", id="more than a Python dict"),
        pytest.param(b"{'key': b'a', 'type': 'fact'}", "not JSON", id="Python bytes"),
        pytest.param(b"[" * 100_000, "no JSON object", id="brackets alone"),
        pytest.param(b'{"a":' * 50_000, "cut off", id="nested without end"),
    ],
)
def test_what_is_not_certain_is_dropped_with_the_reason(line: bytes, reason: str) -> None:
    found = only(line)
    assert found.fields is None, found
    assert reason in found.reason
    assert found.line == 1


def test_a_brace_is_added_only_if_all_fields_of_the_other_records_are_there() -> None:
    short = b'{"key":"%b","type":"fact","content":"x"}'
    *_, found = found_in(b"\n".join([short % b"a", short % b"b", (short % b"c")[:-1]]))
    assert found.fields == {"key": "c", "type": "fact", "content": "x"}
    *_, found = found_in(LINE + b"\n" + OTHER_LINE + b"\n" + (short % b"c")[:-1])
    assert found.fields is None


def test_blank_lines_and_crlf_are_no_damage() -> None:
    found = found_in(b"\r\n" + LINE + b"\r\n  \n\n" + OTHER_LINE + b"\r\n")
    assert [(item.line, item.fields, item.repairs) for item in found] == [
        (2, WHOLE, ()),
        (5, OTHER, ()),
    ]


def test_lines_after_one_that_is_cut_are_not_drawn_into_it() -> None:
    cut, other = found_in(LINE[:60] + b"\n" + OTHER_LINE)
    assert cut.fields is None
    assert other.fields == OTHER
    cut, mended = found_in(LINE[:60] + b"\n" + OTHER_LINE + b",")
    assert cut.fields is None
    assert mended.fields == OTHER


@given(
    st.lists(
        st.sampled_from(
            [LINE, OTHER_LINE, b"", b"{", b"}", b'"', b"\n", b",", b"\0", b"'", b"\xe9"]
        )
        | st.binary(max_size=6)
        | st.integers(0, len(LINE)).map(lambda cut: LINE[:cut])
        | st.integers(0, len(LINE)).map(lambda cut: LINE[cut:]),
        max_size=8,
    ).map(b"".join)
)
def test_every_line_that_is_not_blank_is_accounted_for(data: bytes) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return
    found = found_in(data)
    accounted: set[int] = set()
    for item in found:
        assert (item.fields is None) == bool(item.reason)
        last = item.line
        for repair in item.repairs:
            if repair.startswith("joined lines"):
                last = int(repair.split()[-1])
        accounted.update(range(item.line, last + 1))
        if item.fields is not None:
            json.dumps(item.fields, ensure_ascii=False, allow_nan=False).encode()
    lines = data.split(b"\n")
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= accounted
    assert [item.line for item in found] == sorted(item.line for item in found)


@given(st.integers(0, len(LINE)), st.binary(min_size=1, max_size=3))
def test_damage_never_gives_a_record_another_key(place: int, noise: bytes) -> None:
    for item in found_in(LINE[:place] + noise + LINE[place:] + b"\n" + OTHER_LINE):
        if item.fields is not None and item.repairs:
            assert item.fields.get("key") in ("auth-token", "cache")
