"""What a search finds, and in which order."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from gitkb.index.search import Filters, WordlessQueryError
from gitkb.index.sync import open_synced

from index_builder import ALL, World, entry_line, keys_of

if TYPE_CHECKING:
    from pathlib import Path

ACTIVE = Filters()


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


# --- words -----------------------------------------------------------------------------------


def test_title_counts_more_than_tag_more_than_content_more_than_file(world: World) -> None:
    filler = "one two three four"
    world.write(
        "knowledge/all.jsonl",
        entry_line("in-file", filler, title="x y", tags=["a"], files=["src/zebra"]),
        entry_line("in-content", f"{filler} zebra", title="x y", tags=["a"], files=["src/x"]),
        entry_line("in-tag", filler, title="x y", tags=["zebra"], files=["src/x"]),
        entry_line("in-title", filler, title="zebra y", tags=["a"], files=["src/x"]),
    )
    assert world.found("zebra") == ["in-title", "in-tag", "in-content", "in-file"]


def test_the_beginning_of_a_word_is_found_but_counts_less_than_the_word(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("begins", "authentication is here"),
        entry_line("is", "auth is here"),
        entry_line("contains", "oauth is here"),
    )
    assert world.found("auth") == ["is", "begins"]
    assert world.found("aut") == ["begins", "is"]
    assert world.found("au") == []


def test_word_endings_do_not_matter(world: World) -> None:
    world.write("knowledge/all.jsonl", entry_line("k", "connections are pooled"))
    assert world.found("connecting pool") == ["k"]


def test_a_title_that_is_derived_from_the_content_counts_as_title(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("late", "first line\nzebra second"),
        entry_line("early", "zebra first\nsecond line"),
    )
    assert world.found("zebra") == ["early", "late"]


def test_a_key_an_alias_and_an_issue_are_found(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("mx-5771cb", "one"),
        entry_line("mx-6882dc", "two", aliases=["L-007"]),
        entry_line("dec_8f3k2m9q", "three", issue="OPS-12"),
    )
    assert world.found("mx-5771cb") == ["mx-5771cb", "mx-6882dc"]
    assert world.found("L-007") == ["mx-6882dc"]
    assert world.found("dec_8f3k2m9q") == ["dec_8f3k2m9q"]
    assert world.found("ops-12") == ["dec_8f3k2m9q"]


def test_the_type_in_a_minted_key_is_no_word(world: World) -> None:
    world.write("knowledge/all.jsonl", entry_line("dev_8f3k2m9q", "one"))
    assert world.found("dev") == []


def test_what_a_session_decided_is_found(world: World) -> None:
    session = entry_line("s", "a goal", type="session", decided=["use zebra"], next=["ship okapi"])
    world.write("knowledge/all.jsonl", session)
    assert world.found("zebra") == world.found("okapi") == ["s"]


def test_equal_relevance_shows_the_later_change_first_and_then_the_smaller_key(
    world: World,
) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("b", "zebra", ts=5),
        entry_line("a", "zebra", ts=5),
        entry_line("c", "zebra", ts=9),
    )
    assert world.found("zebra") == ["c", "a", "b"]


@pytest.mark.parametrize("query", ["", "  ", "?!", "🚀", "\0"])
def test_a_query_without_a_word_is_told(world: World, query: str) -> None:
    world.write("knowledge/all.jsonl", entry_line("k", "text"))
    with pytest.raises(WordlessQueryError, match="holds no word"):
        world.ask(query)


@pytest.mark.parametrize("folder", ["a?b#c%20d", "with 'quote' and größe", "x" * 200])
def test_the_database_may_lie_in_any_folder(tmp_path: Path, folder: str) -> None:
    world = World(tmp_path / folder)
    world.write("knowledge/all.jsonl", entry_line("k", "zebra"))
    notices: list[str] = []
    assert world.found("zebra", notices=notices) == world.found("zebra") == ["k"]
    assert notices == []
    assert world.database.is_file()


def test_an_empty_store_finds_nothing(world: World) -> None:
    notices: list[str] = []
    assert world.found("zebra", notices=notices) == []
    assert world.found("zebra", notices=notices) == []
    assert notices == []


# --- what is shown ---------------------------------------------------------------------------


def test_only_active_entries_are_found_unless_all_are_asked_for(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("active", "zebra"),
        entry_line("old", "zebra", status="superseded"),
        entry_line("bad", "zebra", status="rejected"),
    )
    world.write("archive/all.jsonl", entry_line("gone", "zebra", status="archived"))
    assert world.found("zebra", ACTIVE) == ["active"]
    assert sorted(world.found("zebra", ALL)) == ["active", "bad", "gone", "old"]
    assert world.found("zebra", Filters(statuses=("superseded",))) == ["old"]
    assert [hit.archived for hit in world.ask("zebra", Filters(statuses=("archived",)))] == [True]


def test_the_live_version_hides_those_in_the_archive(world: World) -> None:
    world.write("knowledge/all.jsonl", entry_line("k", "zebra now", ts=3))
    world.write(
        "archive/all.jsonl", entry_line("k", "zebra first", ts=1), entry_line("k", "zebra", ts=9)
    )
    (hit,) = world.ask("zebra")
    assert (json.loads(hit.line)["content"], hit.archived) == ("zebra now", False)


def test_of_an_archived_key_the_newest_version_is_shown(world: World) -> None:
    first, last = entry_line("k", "zebra first", ts=1), entry_line("k", "zebra last", ts=9)
    world.write("archive/3f.jsonl", last)
    world.write("archive/all.jsonl", first, entry_line("k", "zebra middle", ts=5))
    (hit,) = world.ask("zebra")
    assert (hit.line, hit.archived) == (last, True)


def test_a_forgotten_key_never_shows(world: World) -> None:
    world.write("knowledge/all.jsonl", b'{"key":"k","deleted":true,"ts":2}')
    world.write("archive/all.jsonl", entry_line("k", "zebra", ts=9))
    assert world.found("zebra") == []


def test_of_two_lines_of_a_key_the_later_is_shown_and_the_key_is_counted(world: World) -> None:
    later = entry_line("k", "zebra later", ts=2)
    world.write("knowledge/all.jsonl", later, entry_line("k", "zebra", ts=1))
    world.write("knowledge/00.jsonl", entry_line("k", "zebra in another file", ts=1))
    assert [hit.line for hit in world.ask("zebra")] == [later]
    with closing(open_synced(str(world.database), world.files())) as index:
        assert index.counts().duplicate_keys == 1


def test_a_contested_entry_is_marked(world: World) -> None:
    conflict = {"field": "content", "value": "x", "ts": 1}
    world.write(
        "knowledge/all.jsonl",
        entry_line("torn", "zebra", conflicts=[conflict]),
        entry_line("whole", "zebra"),
    )
    assert {json.loads(hit.line)["key"]: hit.contested for hit in world.ask("zebra")} == {
        "torn": True,
        "whole": False,
    }


# --- filters ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("filters", "keys"),
    [
        (Filters(tags=("auth",)), ["a"]),
        (Filters(tags=("AUTH",)), ["a"]),
        (Filters(tags=("oauth",)), ["b"]),
        (Filters(tags=("auth", "db")), ["a"]),
        (Filters(tags=("auth", "oauth")), []),
        (Filters(tags=("aut",)), []),
        (Filters(types=("fact",)), ["b", "a"]),
        (Filters(types=("fact", "pitfall")), ["c", "b", "a"]),
        (Filters(since=2), ["c", "b"]),
        (Filters(since=3), ["c"]),
        (Filters(limit=2), ["c", "b"]),
        (Filters(limit=1, types=("fact",)), ["b"]),
        (Filters(stacks=("python", "go")), ["b", "a"]),
        (Filters(categories=("process",)), ["c"]),
        (Filters(must_check=True), ["c"]),
        (Filters(files=("src/auth",)), ["a"]),
        (Filters(files=("src/auth*",)), ["b", "a"]),
        (Filters(files=("**/*.md", "src/authz")), ["c", "b"]),
        (Filters(files=("nowhere",)), []),
        (Filters(files=("src",), limit=1), ["b"]),
    ],
)
def test_filters_are_exact_and_come_before_the_limit(
    world: World, filters: Filters, keys: list[str]
) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("a", "zebra", tags=["auth", "db"], files=["src/auth/x.py"], stack=["python"]),
        entry_line("b", "zebra", tags=["oauth"], files=["src/authz/x.py"], stack=["Go"], ts=2),
        entry_line(
            "c",
            "MUST-CHECK: zebra",
            type="pitfall",
            category="process",
            files=["docs/a.md"],
            ts=3,
        ),
    )
    with closing(open_synced(str(world.database), world.files())) as index:
        assert keys_of(index.list(filters)) == keys
        assert sorted(keys_of(index.search("zebra", filters._replace(limit=None)))) == sorted(
            keys_of(index.list(filters._replace(limit=None)))
        )


# --- counts ----------------------------------------------------------------------------------


def test_counts_are_of_keys(world: World) -> None:
    world.write(
        "knowledge/all.jsonl",
        entry_line("a", "x"),
        entry_line("b", "x", type="decision"),
        entry_line("c", "x", status="superseded"),
        b'{"key":"d","deleted":true,"ts":2}',
        b"<<<<<<< ours",
        b"no json",
    )
    world.write(
        "archive/all.jsonl",
        entry_line("a", "x", ts=0),
        entry_line("d", "x"),
        entry_line("e", "x", status="archived"),
        entry_line("e", "x", ts=0),
    )
    with closing(open_synced(str(world.database), world.files())) as index:
        counts = index.counts()
        problems = index.problems()
    assert counts.types == {"decision": 1, "fact": 2}
    assert (counts.active, counts.inactive, counts.archived, counts.versions) == (2, 1, 1, 4)
    assert (counts.tombstones, counts.bad_lines, counts.duplicate_keys) == (1, 2, 0)
    assert [problem.place for problem in problems] == [
        "knowledge/all.jsonl:5",
        "knowledge/all.jsonl:6",
    ]


def test_an_entry_is_found_by_its_key_whatever_its_status(world: World) -> None:
    line = entry_line("k", "x", status="rejected")
    world.write("knowledge/all.jsonl", line)
    with closing(open_synced(str(world.database), world.files())) as index:
        hit = index.get("k")
        assert hit is not None
        assert hit.line == line
        assert index.get("K") is None


def test_a_healthy_index_says_so_and_is_asked_while_others_ask(
    world: World, tmp_path: Path
) -> None:
    world.write("knowledge/all.jsonl", entry_line("k", "zebra"))
    with closing(open_synced(str(world.database), world.files())) as index:
        assert world.found("zebra") == ["k"]
        assert len(index.search("zebra")) == 1
