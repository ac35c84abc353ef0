"""`import --from engram`: nothing is lost unsaid, nothing changes twice."""

from __future__ import annotations

import gzip
import json
import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.errors import DataError, NotFoundError
from gitkb.operations.archive import archive, restore
from gitkb.operations.exchange.import_ import import_file
from gitkb.operations.exchange.import_engram import File, import_engram
from gitkb.operations.forget import forget
from gitkb.store.reader import read_store

from store_builder import Shelf, make_shelf

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.operations.exchange.import_result import ImportResult

NOW = 1_790_000_000


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def observation(name: str, content: str = "c", *, at: int = 1, **more: Any) -> dict[str, Any]:
    time = f"2026-01-01 00:00:{at:02}"
    return {
        "id": 1,
        "sync_id": name,
        "session_id": "s",
        "type": "decision",
        "title": f"T {name}",
        "content": content,
        "scope": "project",
        "created_at": "2026-01-01 00:00:00",
        "updated_at": time,
        **more,
    }


def session(name: str = "s", **more: Any) -> dict[str, Any]:
    fields = {"id": name, "project": "p", "directory": "", "started_at": "2026-01-01 00:00:00"}
    return {**fields, **more}


def relation(source: str, kind: str, target: str, **more: Any) -> dict[str, Any]:
    fields = {"sync_id": "rel-1", "source_id": source, "target_id": target, "relation": kind}
    return {**fields, "judgment_status": "judged", **more}


def files(*items: Any) -> list[File]:
    return [File("", "".join(json.dumps(item) + "\n" for item in items).encode())]


def bring(shelf: Shelf, *items: Any, data: list[File] | None = None) -> ImportResult:
    """Import, and hold what holds for every import."""
    given_files = files(*items) if data is None else data
    dry = import_engram(shelf.store, given_files, now=NOW, dry_run=True)
    result = import_engram(shelf.store, given_files, now=NOW)
    assert dry == result
    assert result.imported + len(result.dropped) == result.total
    before = shelf.tree()
    again = import_engram(shelf.store, given_files, now=NOW + 1000)
    assert shelf.tree() == before
    assert again.unchanged == again.imported == result.imported
    assert again.dropped == result.dropped
    assert not read_store(shelf.store).problems
    return result


def entry(shelf: Shelf, key: str) -> dict[str, Any]:
    return dict(read_store(shelf.store).current[key].record.fields)


def is_live(shelf: Shelf, key: str) -> bool:
    return key in read_store(shelf.store).current


def test_an_observation_is_part_of_a_session_that_was_summed_up(shelf: Shelf) -> None:
    bring(shelf, observation("a"), session(summary="done"), session("t"))
    assert entry(shelf, "a")["links"] == [{"rel": "part_of", "to": "ses-s"}]
    assert entry(shelf, "ses-s")["content"] == "done"
    assert not is_live(shelf, "ses-t")
    assert [line["key"] for line in shelf.lines("archive")] == ["ses-t"]


def test_a_session_that_is_summed_up_later_comes_alive(shelf: Shelf) -> None:
    bring(shelf, session())
    bring(shelf, session(ended_at="2026-01-01 01:00:00", summary="done"))
    fields = entry(shelf, "ses-s")
    assert (fields["content"], "status" in fields) == ("done", False)


def test_the_newest_revision_stands_and_the_others_are_archived(shelf: Shelf) -> None:
    version = {
        "version_id": "v",
        "observation_sync_id": "a",
        "session_id": "s",
        "type": "decision",
        "title": "T a",
        "content": "first",
        "scope": "project",
        "captured_at": "2026-01-01 00:00:01",
    }
    result = bring(
        shelf,
        {
            "sessions": [],
            "observations": [observation("a", "third", at=3)],
            "observation_versions": [version],
        },
        observation("a", "second", at=2),
    )
    assert (result.added, result.outdated) == (1, 2)
    assert entry(shelf, "a")["content"] == "third"
    assert sorted(line["content"] for line in shelf.lines("archive")) == ["first", "second"]


def test_a_newer_observation_updates_and_keeps_what_was_added_here(shelf: Shelf) -> None:
    bring(shelf, observation("a", "old", topic_key="x"))
    fields = entry(shelf, "a")
    link = {"rel": "relates_to", "to": "k"}
    shelf.add(
        **{**fields, "importance": 5, "tags": ["mine", "x"], "links": [link], "ts": 1767225602}
    )
    assert bring(shelf, observation("a", "old", topic_key="x")).unchanged == 1
    bring(shelf, observation("a", "new", at=9))
    new = entry(shelf, "a")
    assert (new["content"], new["importance"]) == ("new", 5)
    assert (new["tags"], new["links"]) == (["mine", "x"], [link])


def test_what_was_corrected_here_later_is_not_overwritten(shelf: Shelf) -> None:
    bring(shelf, observation("a", "old"))
    shelf.add(**{**entry(shelf, "a"), "content": "corrected", "ts": NOW})
    result = bring(shelf, observation("a", "newer, but not new enough", at=9))
    assert (result.outdated, result.updated) == (1, 0)
    assert entry(shelf, "a")["content"] == "corrected"


def test_what_engram_deleted_is_archived(shelf: Shelf) -> None:
    bring(shelf, observation("a"))
    gone = observation("a", at=5, deleted_at="2026-01-01 00:00:05")
    assert bring(shelf, gone).updated == 1
    assert not is_live(shelf, "a")
    assert bring(shelf, observation("a")).unchanged == 1
    assert not is_live(shelf, "a")
    restore(shelf.store, ["a"])
    assert bring(shelf, gone).unchanged == 1
    assert is_live(shelf, "a")


def test_a_deletion_alone_archives_what_is_here(shelf: Shelf) -> None:
    bring(shelf, observation("a"))
    deletion = {
        "entity": "observation",
        "entity_key": "a",
        "op": "delete",
        "payload": json.dumps({"sync_id": "a", "deleted": True, "hard_delete": True}),
        "occurred_at": "2026-01-01 00:00:09",
    }
    assert bring(shelf, {"sessions": [], "mutations": [deletion]}).updated == 1
    assert not is_live(shelf, "a")
    (dropped,) = bring(make_shelf(shelf.folder / "other"), deletion).dropped
    assert dropped.reason == "it deletes 'a', which is not here"


def test_what_was_archived_or_forgotten_here_stays_so(shelf: Shelf) -> None:
    bring(shelf, observation("a"), observation("b"))
    archive(shelf.store, ["a"])
    forget(shelf.store, ["b"], "wrong")
    result = bring(shelf, observation("a"), observation("b"))
    assert (result.unchanged, len(result.dropped)) == (1, 1)
    assert not is_live(shelf, "a")


def test_relations_become_links_with_their_statuses(shelf: Shelf) -> None:
    items = [
        observation("a"),
        observation("b"),
        relation("a", "supersedes", "b", reason="why"),
        relation("b", "related", "a", judgment_status="pending"),
        relation("a", "related", "nobody"),
    ]
    result = bring(shelf, *items)
    assert (result.added, result.total) == (4, 5)
    assert [drop.line for drop in result.dropped] == [5]
    a, b = entry(shelf, "a"), entry(shelf, "b")
    assert a["links"] == [{"rel": "supersedes", "to": "b"}]
    assert a["engram_relations"] == [items[2]]
    assert (b["status"], "links" in b) == ("superseded", False)
    assert b["engram_relations"] == [items[3]]


def test_a_relation_between_entries_of_before_links_them(shelf: Shelf) -> None:
    bring(shelf, observation("a"), observation("b"))
    assert bring(shelf, relation("a", "supersedes", "b")).added == 1
    assert entry(shelf, "b")["status"] == "superseded"
    assert entry(shelf, "a")["links"] == [{"rel": "supersedes", "to": "b"}]


# --- files -----------------------------------------------------------------------------------


def make_folder(path: Path) -> Path:
    chunks = path / ".engram" / "chunks"
    chunks.mkdir(parents=True)
    first = {"sessions": [session(summary="s")], "observations": [observation("a")], "prompts": []}
    second = {"sessions": None, "observations": [observation("a", "new", at=2)], "prompts": None}
    for name, chunk in (("bbbb", first), ("aaaa", second)):
        (chunks / f"{name}.jsonl.gz").write_bytes(gzip.compress(json.dumps(chunk).encode()))
    manifest = {"version": 1, "chunks": [{"id": name} for name in ("bbbb", "aaaa", "cccc")]}
    (path / ".engram" / "manifest.json").write_text(json.dumps(manifest))
    return path


def test_a_folder_of_chunks_comes_in_the_order_of_its_manifest(
    shelf: Shelf, tmp_path: Path
) -> None:
    folder = make_folder(tmp_path / "project")
    (folder / ".engram" / "chunks" / "dddd.jsonl.gz").write_bytes(b"\x1f\x8bno")
    for path in (folder, folder / ".engram"):
        result = import_file(shelf.store, "engram", str(path), now=NOW)
        assert (result.total, result.imported) == (4, 3)
        assert [item.file for item in result.noticed] == ["chunks/cccc.jsonl.gz"]
        assert [item.file for item in result.dropped] == ["chunks/dddd.jsonl.gz"]
    assert entry(shelf, "a")["content"] == "new"
    chunk = folder / ".engram" / "chunks" / "bbbb.jsonl.gz"
    assert import_file(shelf.store, "engram", str(chunk), now=NOW).unchanged == 2


def test_what_is_not_engrams_says_what_it_is(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotFoundError, match="nothing of engram"):
        import_file(shelf.store, "engram", str(tmp_path / "empty"), now=NOW)
    path = tmp_path / "x.jsonl"
    path.write_text('{"type":"relation","from":"a","to":"b","relationType":"c"}\n')
    with pytest.raises(DataError, match="this looks like mcp-memory"):
        import_file(shelf.store, "engram", str(path), now=NOW)
    path.write_text(json.dumps(observation("a")) + "\n")
    for form in ("mcp-memory", "gitkb", "drawbar"):
        with pytest.raises(DataError, match="this looks like engram"):
            import_file(shelf.store, form, str(path), now=NOW)


_times = st.integers(0, 4)
_observations = st.builds(
    lambda name, content, at, more: observation(name, content, at=at, **more),
    st.sampled_from("ab"),
    st.sampled_from("xy"),
    _times,
    st.sampled_from(
        [{}, {"deleted_at": "2026-01-01 00:00:03"}, {"type": "bugfix"}, {"sync_id": ""}]
    ),
)
_items = st.one_of(
    _observations,
    st.sampled_from([session(), session(summary="x"), {"x": 1}, relation("a", "supersedes", "b")]),
    st.builds(relation, st.sampled_from("abc"), st.just("related"), st.sampled_from("ab")),
)


@given(st.lists(st.lists(_items, max_size=6), min_size=1, max_size=3))
def test_whatever_is_imported_the_numbers_add_up_and_again_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[Any]]
) -> None:
    shelf = make_shelf(tmp_path_factory.mktemp("store"))
    for items in batches:
        bring(shelf, *items)


# --- real knowledge --------------------------------------------------------------------------


def test_a_real_store_comes_in_whole(shelf: Shelf, shared_data: Path) -> None:
    folder = shared_data / "corpora" / "engram"
    result = import_file(shelf.store, "engram", str(folder), now=NOW)
    assert (result.total, result.added, result.dropped, result.repaired) == (609, 609, [], [])
    before = shelf.tree()
    assert import_file(shelf.store, "engram", str(folder), now=NOW + 1).unchanged == 609
    assert shelf.tree() == before
    for line in (folder / "observations.jsonl").read_text(encoding="utf-8").splitlines():
        old = json.loads(line)
        fields = entry(shelf, old["sync_id"])
        assert (fields["title"], fields["content"]) == (old["title"], old["content"])
        assert fields["engram"]["session_id"] == old["session_id"]


@pytest.mark.parametrize("seed", range(4))
def test_a_mutated_real_file_never_breaks_and_loses_nothing_unsaid(
    shelf: Shelf, shared_data: Path, seed: int
) -> None:
    rng = random.Random(seed)
    data = (shared_data / "corpora" / "engram" / "observations.jsonl").read_bytes()
    lines = data.split(b"\n")[:40]
    for _ in range(40):
        place = rng.randrange(len(lines))
        line = bytearray(lines[place])
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(line) + 1)
            line[at : at + rng.randint(0, 30)] = rng.choice(
                [b"", b"\0", b'"', b"{", b"null", b"\xff", b"[]", b'","title":3,"x":"', b"\\ud800"]
            )
        lines[place] = bytes(line)
    data = b"\n".join(lines) + b"\n"
    result = bring(shelf, data=[File("", data)])
    assert result.total >= sum(bool(line.strip()) for line in data.split(b"\n"))
    assert all(item.reason for item in result.dropped)
