r"""Records as text: what the text says is all that the line says, and nothing of it passes for ours.

The law that no change hides is tested by reading the text back: a function that can be undone gives
different texts for different records.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import (
    FIELDS,
    LIST_FIELDS,
    OBJECT_SET_FIELDS,
    SET_FIELDS,
    TOMBSTONE_FIELDS,
    Entry,
    encode_record,
)
from gitkb.core.entry_text import LISTS, ORDER, SETS, format_file, format_line, split_sentences
from gitkb.core.jsonl import is_marker

from strategies import (
    bad_lines,
    json_values,
    keys,
    knowledge_files,
    nasty_texts,
    records,
    spellings,
)

if TYPE_CHECKING:
    from gitkb.core.entry import Record

FULL_WIDTH = "。！？"
TIMES = ("created", "ts", "revives")


# --- the text, read back ---------------------------------------------------------------------


def read_block(block: str) -> dict[str, Any]:
    """The record that a block says."""
    lines = [_hidden(line) for line in block.removesuffix("\n\n").split("\n")]
    kind, _, rest = lines[0].partition(" ")
    fields: dict[str, Any] = {}
    if rest != "without a key" and not rest.startswith("without a key, title: "):
        key, rest = _name(rest)
        fields["key"] = key
    else:
        rest = rest.removeprefix("without a key")
    if rest:
        fields["title"] = rest.removeprefix(", title: ")
    if kind == "forgotten":
        fields["deleted"] = True
    at = 1
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[end].startswith("    "):
            end += 1
        name, rest = _name(lines[at][2:])
        _read_field(fields, name, rest, lines[at + 1 : end])
        at = end
    return fields


def _hidden(line: str) -> str:
    return re.sub(r"\\u\{([0-9a-f]+)\}", lambda found: chr(int(found[1], 16)), line)


def _name(text: str) -> tuple[str, str]:
    if text.startswith('"'):
        name, end = json.JSONDecoder().raw_decode(text)
        return name, text[end:]
    found = re.match(r"[A-Za-z0-9._/-]+", text)
    assert found, text
    return found[0], text[found.end() :]


def _read_field(fields: dict[str, Any], name: str, rest: str, below: list[str]) -> None:
    if rest.startswith(" ="):
        text = "\n".join(line.removeprefix("    = ") for line in below) if below else rest[3:]
        fields[name] = json.loads(text)
        return
    assert rest.startswith(":"), rest
    inline = rest[2:]
    if name in SETS | LISTS:
        fields.setdefault(name, []).append(_bars(below) if below else inline)
    elif name in TIMES:
        fields[name] = int(inline.split(" ")[0])
    elif name == "links":
        relation, rest = _name(inline)
        fields.setdefault(name, []).append({"rel": relation, "to": _name(rest[1:])[0]})
    elif name == "conflicts":
        fields.setdefault(name, []).append(_conflict(inline, below))
    else:
        fields[name] = _bars(below) if below else inline


def _conflict(inline: str, below: list[str]) -> dict[str, Any]:
    field, rest = _name(inline)
    conflict: dict[str, Any] = {"field": field}
    if rest.startswith(", ts "):
        found = re.match(r", ts (-?\d+)( \([^)]*\))?", rest)
        assert found
        conflict["ts"] = int(found[1])
        rest = rest[found.end() :]
    if rest == ", absent":
        return conflict
    assert rest == ", or else"
    if below[0].startswith("    |"):
        return {**conflict, "value": _bars(below)}
    return {
        **conflict,
        "value": json.loads("\n".join(line.removeprefix("    = ") for line in below)),
    }


def _bars(lines: list[str]) -> str:
    text = ""
    for number, line in enumerate(lines):
        if line.startswith("    |"):
            text += ("\n" if number else "") + line[6:]
        else:
            text += ("" if text[-1:] in FULL_WIDTH else " ") + line[6:]
    return text


def in_sets(fields: dict[str, Any]) -> str:
    """One form for all records that say the same: sets in an order of their own."""
    form = dict(fields)
    for name in (*SET_FIELDS, *OBJECT_SET_FIELDS):
        if isinstance(form.get(name), list):
            form[name] = sorted(form[name], key=lambda item: json.dumps(item, sort_keys=True))
    return json.dumps(form, sort_keys=True)


# --- the laws --------------------------------------------------------------------------------


@given(records())
def test_the_text_of_a_record_says_all_that_it_says(record: Record) -> None:
    block = format_line(encode_record(record))
    assert in_sets(read_block(block)) == in_sets(json.loads(encode_record(record)))


names = st.sampled_from(
    [*FIELDS, *TOMBSTONE_FIELDS, "line end", "x", "a: b", "x\nentry k", "\x1b[2J"]
)


@given(st.dictionaries(names, json_values() | nasty_texts() | st.lists(nasty_texts(), max_size=3)))
def test_so_does_that_of_an_object_that_is_no_valid_record(fields: dict[str, Any]) -> None:
    line = json.dumps(fields, ensure_ascii=False).encode()
    block = format_line(line)
    if not block.startswith("unreadable: "):
        assert in_sets(read_block(block)) == in_sets(json.loads(line))


@given(records(), st.data())
def test_a_record_in_another_spelling_has_the_same_text(
    record: Record, data: st.DataObject
) -> None:
    assert format_line(data.draw(spellings(record))) == format_line(encode_record(record))


@given(st.lists(records().map(encode_record) | bad_lines(), max_size=5))
def test_no_record_passes_for_another_one_or_for_a_marker(lines: list[bytes]) -> None:
    lines = [part for line in lines for part in line.split(b"\n")]
    text = format_file(b"".join(line + b"\n" for line in lines)).decode()
    at_the_margin = [line for line in text.split("\n") if line and line[0] != " "]
    if lines and lines[0].startswith(b"\xef\xbb\xbf"):
        assert at_the_margin.pop(0) == "byte order mark"
        lines[0] = lines[0][3:]
    assert len(at_the_margin) == len(lines)
    markers = [line for line in text.split("\n") if is_marker(line.encode())]
    assert len(markers) == sum(map(is_marker, lines))


@given(st.lists(records().map(encode_record) | bad_lines(), max_size=3))
def test_nothing_that_moves_a_cursor_or_hides_text_is_left(lines: list[bytes]) -> None:
    text = format_file(b"\n".join(lines)).decode()
    for letter in set(text) - {"\n", "\t"}:
        assert unicodedata.category(letter) not in ("Cc", "Zl", "Zp"), hex(ord(letter))
        assert not 0x202A <= ord(letter) <= 0x202E


@given(knowledge_files())
def test_the_text_of_a_file_is_that_of_its_lines(data: bytes) -> None:
    lines = data.split(b"\n")[:-1]
    assert format_file(data).decode() == "".join(map(format_line, lines))


@given(st.binary(max_size=60))
def test_any_bytes_have_a_text(data: bytes) -> None:
    assert format_file(data).count(b"\n") >= data.count(b"\n")


@given(st.text(st.sampled_from('aA .!?…"”)。！」'), max_size=30))
def test_sentences_can_be_joined_again(line: str) -> None:
    joined, *others = split_sentences(line)
    for sentence in others:
        joined += ("" if joined[-1:] in FULL_WIDTH else " ") + sentence
    assert joined == line


@given(keys())
def test_a_key_stands_in_the_heading_as_it_is(key: str) -> None:
    block = format_line(encode_record(Entry({"key": key, "type": "fact", "content": "x"})))
    assert block.split("\n")[0] == f"entry {key}"


def test_the_order_of_fields_is_that_of_a_line() -> None:
    assert (*FIELDS, *(name for name in TOMBSTONE_FIELDS if name not in FIELDS)) == ORDER
    assert (SETS, LISTS) == (SET_FIELDS, LIST_FIELDS)
