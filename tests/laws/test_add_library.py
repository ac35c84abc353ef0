"""Laws of the ADD learning library: whatever its files say arrives, and comes back as it was."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from gitkb.core.documents.markdown_block import HEADING, split_blocks
from gitkb.core.entry import CATEGORIES, Entry, check_fields, normalise
from gitkb.core.foreign.add_file import format_document, format_markdown, parse_document
from gitkb.core.foreign.add_form import NAMES, fields_of, record_of
from gitkb.core.foreign.add_markdown import parse_learnings
from gitkb.core.foreign.drawbar import format_drawbar, parse_drawbar
from gitkb.core.foreign.import_mark import with_marks
from gitkb.operations.exchange.export import export
from gitkb.operations.exchange.import_add import import_add

from store_builder import make_shelf
from strategies import entries, nasty_texts

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    Record = dict[str, Any]

NOW = 1_800_000_000
DAYS = st.dates().map(str).filter(lambda day: "1970" <= day < "2027")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | nasty_texts(max_size=12),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(nasty_texts(max_size=5), inner, max_size=2),
    max_leaves=3,
)  # fmt: skip
WELL_FORMED: dict[str, st.SearchStrategy[Any]] = {
    "id": st.sampled_from(["L-001", "L-002", "L-1000", "WL-003", "learn-1"]),
    "title": st.sampled_from(["T", "Never share a cursor", "**Bold** `code`"]) | nasty_texts(min_size=1),
    "body": st.sampled_from(["b", "- a\n- b\n\n```\n# x\n```", "x\n<!-- y"]) | nasty_texts(min_size=1),
    "scope": st.sampled_from(["project", "workstation", "universal", "global", "process"]),
    "stack": st.lists(st.sampled_from(["python", "Python", "fastapi", "a b"]), max_size=3),
    "category": st.sampled_from([*CATEGORIES, "testing", "ci-cd", "Ci Cd", "two words"]),
    "severity": st.sampled_from(["critical", "high", "medium", "low", "HIGH", "blocker", "meh"]),
    "source": st.sampled_from(["dossier", "v0.9.9 audit", " padded "]),
    "date": DAYS | st.sampled_from(["2026-02-07T10:00:00Z", "soon", "2999-01-01", "2026-2-7"]),
    "classified_by": st.sampled_from(["agent", "human", "cat"]),
    "checkpoint_type": st.sampled_from(["retro", "post-tdd"]),
}  # fmt: skip


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Entries of ADD's, most of them broken in some way, each with a title or a body."""
    record = {name: draw(WELL_FORMED[name]) for name in NAMES if draw(st.integers(0, 9)) > 1}
    for name in draw(st.lists(st.sampled_from([*NAMES, "key", "tags", "links", "x"]), max_size=2)):
        record[name] = draw(VALUES)
    if not any(
        isinstance(record.get(name), str) and record[name].strip() for name in ("title", "body")
    ):
        record["body"] = draw(st.sampled_from(["Something.", "Two\nlines"]))
    return record


def in_project(_: object) -> str:
    return "project"


# --- one entry -------------------------------------------------------------------------------


@given(records())
@example({"title": "T", "severity": "process", "scope": "process", "stack": None})
def test_every_record_arrives_valid_and_comes_back_as_it_was(record: Record) -> None:
    alias = "" if _id(record).strip() else "L-900"
    reading = fields_of(record, in_project, alias=alias, now=NOW)
    assert reading is not None
    fields = {**reading.fields, "key": "k", "ts": NOW}
    assert check_fields(with_marks(fields)) == []
    line = normalise(fields)
    assert record_of(line) == record
    again = fields_of(record, lambda _: "universal", alias=alias, now=NOW + 99, before=line)
    assert again is not None
    assert again.fields == reading.fields


@given(entries())
def test_every_entry_goes_out_in_drawbars_form_and_comes_back(entry: Entry) -> None:
    record = format_drawbar(entry.fields)
    read, repairs = parse_drawbar(record)
    assert (read.fields, repairs) == (normalise(entry.fields), [])
    assert list(record)[:3] == ["key", "type", "content"]
    assert record["type"] in (
        "learned",
        "decision",
        "pattern",
        "fact",
        "investigation",
        "deviation",
    )
    assert record["content"].strip()


# --- files -------------------------------------------------------------------------------------


@given(st.lists(records(), max_size=6))
def test_a_document_says_what_its_records_say(found: list[Record]) -> None:
    text = format_document(found, "dossier")
    document = parse_document(text.encode())
    assert sorted(map(json.dumps, document.entries)) == sorted(map(json.dumps, found))
    assert text == format_document(reversed(found), "dossier")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text)


@st.composite
def plain_records(draw: st.DrawFn) -> Record:
    """Entries as ADD's own schema has them; titles and bodies with Markdown in them."""
    inline = st.text(st.sampled_from("ab *_`[](){}<>!#-:|1.\\"), min_size=1, max_size=20)
    line = st.text(st.sampled_from("ab *_`#->~|1.+="), max_size=12)
    title = " ".join(draw(inline).split()) or "x"
    lines = [
        draw(st.sampled_from(["", "  "])) + text
        for text in draw(st.lists(line, min_size=1, max_size=5))
    ]
    return {
        "id": draw(st.sampled_from(["L-001", "L-020", "WL-003"])),
        "title": title,
        "body": "\n".join(lines),
        "category": draw(st.sampled_from([*CATEGORIES, "testing", "ci-cd"])),
        "severity": draw(st.sampled_from(["critical", "high", "medium", "low"])),
        "date": draw(DAYS),
    }  # fmt: skip


@given(st.lists(plain_records(), max_size=4, unique_by=lambda record: record["id"]))
def test_a_view_reads_back(found: list[Record]) -> None:
    log = parse_learnings(format_markdown(found, "dossier"))
    assert (log.is_view, log.project) == (True, "dossier")
    read = {one.record["id"]: one.record for one in log.found}
    assert read.keys() == {record["id"] for record in found}
    for record in found:
        back = read[record["id"]]
        for name in ("title", "category", "severity", "date"):
            assert back[name] == record[name], name
        body = [line.rstrip() for line in record["body"].strip("\n").split("\n")]
        assert not record["body"].strip() or back["body"].split() == "\n".join(body).split()


# --- Markdown that people wrote ------------------------------------------------------------------

PIECES = (
    "# Log\n", "## Technical\n", "### Checkpoint: X — 2026-02-07\n", "- 2026-02-08: dated\n",
    "- **[high] Bold** (L-003, 2026-02-08)\n", "  more\n", "\n", "text\n", "    indented\n", "```\n",
    "<!-- hidden\n", "-->\n", "> quoted\n", "---\n", "===\n", "* star\n", "1. one\n", "\t- tab\n",
    "| a | b |\n", "-\n", "**\n", "- [ ] todo\n", "[high]\n", "- Severity: low\n", "~~~\n", "wörter\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | nasty_texts(max_size=12), max_size=14).map("".join))
@example("- **[high] T** (2026-02-08)\n```\n- a\n")
def test_whatever_is_written_every_word_is_in_a_learning_or_named(text: str) -> None:
    hold_all_words(text)


def test_real_logs_after_any_cut_and_shuffle_lose_no_word(shared_data: Path) -> None:
    lines = [
        line
        for path in sorted((shared_data / "corpora" / "add").glob("*.md"))
        for line in path.read_text("utf-8").splitlines(keepends=True)
    ]

    @given(st.lists(st.integers(0, len(lines) - 1), max_size=25), st.integers(0, 3), st.booleans())
    def hold(chosen: list[int], cut: int, in_order: bool) -> None:
        picked = sorted(chosen) if in_order else chosen
        hold_all_words("".join(lines[at][cut if at % 3 == 0 else 0 :] for at in picked))

    hold()


def hold_all_words(text: str) -> None:
    log = parse_learnings(text)
    said = [json.dumps(found.record, ensure_ascii=False) for found in log.found]
    assert all(found.record.get("title", "").strip() for found in log.found)
    assert all(found.record.get("body", "").strip() for found in log.found)
    lines = re.sub("\r\n|[\r\x85\u2028\u2029\x0b\x0c]", "\n", text.removeprefix("\ufeff")).split(
        "\n"
    )
    skipped = {line for line, _ in log.skipped}
    blocks = split_blocks(lines)
    covered = [number for block in blocks for number in range(block.line, block.end)]
    assert len(covered) == len(set(covered))
    assert {n for n, line in enumerate(lines, 1) if line.strip()} <= set(covered)
    everything = "".join(said)
    for block in blocks:
        if block.kind == HEADING or block.line in skipped or block.kind == "rule":
            continue
        for word in re.findall(r"[^\W\d_]{3,}", "\n".join(block.lines)):
            assert word.lower() in everything.lower() or word.lower() in _NAMES, (word, text)


_NAMES = frozenset(
    ["severity", "scope", "stack", "category", "source", "date", "checkpoint", "type", "classified"]
)


# --- an import ------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(st.lists(records(), max_size=5), st.randoms(use_true_random=False))
def test_an_import_takes_all_in_once_and_gives_all_back(
    tmp_path_factory: pytest.TempPathFactory, found: list[Record], chance: Any
) -> None:
    folder = tmp_path_factory.mktemp("store")
    shelf = make_shelf(folder)
    path = folder / "learnings.json"
    path.write_text(json.dumps({"entries": found}), encoding="utf-8")
    result = import_add(shelf.store, str(path), now=NOW)
    assert (result.total, result.imported, result.dropped) == (len(found), len(found), [])
    different = {json.dumps(record, sort_keys=True) for record in found}
    assert len(shelf.lines()) == result.added == len(different)
    before = shelf.tree()
    assert import_add(shelf.store, str(path), now=NOW + 9).unchanged == len(found)
    assert shelf.tree() == before
    # Those of which only one has its number come back as they were, and in any order.
    given_back = parse_document(export(shelf.store, "add").text.encode()).entries
    ids = [_id(record) for record in found]
    for record in found:
        if ids.count(_id(record)) == 1:
            assert record in given_back
    path.write_text(export(shelf.store, "add").text, encoding="utf-8")
    assert import_add(shelf.store, str(path), now=NOW + 9).unchanged == len(different)
    assert shelf.tree() == before
    chance.shuffle(found)
    path.write_text(json.dumps(found), encoding="utf-8")
    assert import_add(shelf.store, str(path), now=NOW + 9).added == 0


def _id(record: Record) -> str:
    value = record.get("id")
    is_name = isinstance(value, str | int) and not isinstance(value, bool)
    return " ".join(str(value).split()) if is_name else ""
