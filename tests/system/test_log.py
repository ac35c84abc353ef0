"""The versions of one key, in real repositories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitkb.errors import GitError, NotFoundError
from gitkb.operations.blame import blame
from gitkb.operations.log import Version, log
from gitkb.store.discover import store_at

from repo_builder import ADA, BEN, CHI, Repo

ALL = ".gitkb/knowledge/all.jsonl"
ARCHIVE = ".gitkb/archive/all.jsonl"


def line(key: str, content: str, ts: int = 1, **more: object) -> str:
    return json.dumps({"key": key, "type": "fact", "content": content, "ts": ts, **more}) + "\n"


def tombstone(key: str, ts: int = 2, **more: object) -> str:
    return json.dumps({"key": key, "deleted": True, "ts": ts, **more}) + "\n"


def versions(repo: Repo, key: str = "a") -> list[Version]:
    return log(store_at(str(repo.path / ".gitkb")), key)


def told(repo: Repo, key: str = "a") -> list[tuple[str, str]]:
    """Each version, newest first: what happened and through whom."""
    return [(v.kind, v.author.name if v.author else "not committed") for v in versions(repo, key)]


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repository")
    repo.write(ALL, line("a", "one", tags=["x", "y"]) + line("b", "other"))
    repo.commit("Ada begins", by=ADA)
    return repo


def test_a_correction_tells_what_changed_field_by_field(repo: Repo) -> None:
    repo.write(ALL, line("a", "two", 5, tags=["z", "x"], note="n") + line("b", "other"))
    repo.commit("Ben corrects a", by=BEN)
    newest, oldest = versions(repo)
    assert newest.author is not None
    assert (newest.kind, newest.author.name, newest.author.subject) == (
        "changed",
        BEN.name,
        "Ben corrects a",
    )
    assert [(c.field, c.before, c.after) for c in newest.changes] == [
        ("content", "one", "two"),
        ("tags", ["x", "y"], ["x", "z"]),
        ("ts", 1, 5),
        ("note", None, "n"),
    ]
    assert (newest.changes[1].removed, newest.changes[1].added) == (("y",), ("z",))
    assert newest.fields is not None
    assert newest.fields["content"] == "two"
    assert (oldest.kind, oldest.author and oldest.author.name) == ("written", ADA.name)
    assert ("content", None, "one") in [(c.field, c.before, c.after) for c in oldest.changes]


def test_a_life_through_archive_tombstone_and_revival(repo: Repo) -> None:
    rest = line("b", "other")
    repo.write(ALL, rest)
    repo.write(ARCHIVE, line("a", "one", 3, status="archived"))
    repo.commit("Archive", by=BEN)
    repo.write(ALL, rest + line("a", "one", 4))
    repo.commit("Restore", by=CHI)
    repo.write(ALL, rest + tombstone("a", 5, reason="wrong"))
    repo.commit("Forget", by=ADA)
    repo.write(ALL, rest + line("a", "again", 6, revives=5))
    repo.commit("Revive", by=BEN)
    repo.write(ALL, rest + tombstone("a", 7, moved="workstation"))
    repo.commit("Move", by=CHI)
    repo.write(ALL, rest)
    repo.commit("Collect", by=ADA)
    assert told(repo) == [
        ("removed", ADA.name),
        ("moved", CHI.name),
        ("revived", BEN.name),
        ("forgotten", ADA.name),
        ("restored", CHI.name),
        ("archived", BEN.name),
        ("written", ADA.name),
    ]


def test_formatting_sorting_and_resharding_are_no_versions(repo: Repo) -> None:
    repo.write(ALL, line("b", "other") + line("a", "one", tags=["y", "x"], status="active"))
    repo.commit("Format", by=BEN)
    (repo.path / ALL).unlink()
    repo.write(".gitkb/knowledge/ca.jsonl", line("a", "one", tags=["x", "y"]))
    repo.write(".gitkb/knowledge/3e.jsonl", line("b", "other"))
    repo.commit("Reshard", by=CHI)
    repo.write(".gitkb/knowledge/ca.jsonl", line("a", "two", 2, tags=["x", "y"]))
    repo.commit("Edit", by=CHI)
    assert told(repo) == [("changed", CHI.name), ("written", ADA.name)]
    assert [change.field for change in versions(repo)[0].changes] == ["content", "ts"]


def test_versions_of_both_sides_and_of_the_merge_that_settled_them(repo: Repo) -> None:
    repo.checkout("side", new=True)
    repo.write(ALL, line("a", "side", 5, tags=["x", "y"]) + line("b", "other"))
    repo.commit("Ben on the side", by=BEN)
    repo.checkout("main")
    repo.write(ALL, line("a", "main", 6, tags=["x", "y"]) + line("b", "other"))
    repo.commit("Chi on main", by=CHI)
    repo.git("merge", "side", exit_code=1)
    conflict = {"field": "content", "value": "side", "ts": 5}
    repo.write(
        ALL, line("a", "main", 6, tags=["x", "y"], conflicts=[conflict]) + line("b", "other")
    )
    repo.commit("Ada merges", by=ADA)
    merged = versions(repo)[0]
    assert told(repo) == [
        ("changed", ADA.name),
        ("changed", CHI.name),
        ("changed", BEN.name),
        ("written", ADA.name),
    ]
    assert merged.is_merge
    assert [(c.field, c.added) for c in merged.changes] == [("conflicts", (conflict,))]


def test_a_line_doubled_by_a_text_merge_and_collapsed_again(repo: Repo) -> None:
    old = line("a", "one", tags=["x", "y"])
    repo.write(ALL, old + line("b", "other") + line("a", "two", 4))
    repo.commit("Double", by=BEN)
    repo.write(ALL, line("b", "other") + line("a", "two", 4))
    repo.commit("Collapse", by=CHI)
    assert [kind for kind, _ in told(repo)] == ["collapsed", "doubled", "written"]


def test_what_is_not_committed_comes_first(repo: Repo) -> None:
    repo.write(ALL, line("a", "mine", 9, tags=["x", "y"]) + line("b", "other") + line("c", "new"))
    assert told(repo) == [("changed", "not committed"), ("written", ADA.name)]
    assert told(repo, "b") == [("written", ADA.name)]
    assert told(repo, "c") == [("written", "not committed")]
    repo.write(".gitkb/knowledge/9.jsonl", line("d", "a key in a file of another layout"))
    assert told(repo, "d") == [("written", "not committed")]


def test_before_the_first_commit_the_one_version_is_not_committed(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repository")
    repo.write(ALL, line("a", "one"))
    assert told(repo) == [("written", "not committed")]


def test_the_edge_of_a_shallow_clone_is_marked(repo: Repo, tmp_path: Path) -> None:
    repo.write(ALL, line("a", "two", 2) + line("b", "other"))
    repo.commit("Ben edits", by=BEN)
    clone = Repo.clone(f"file://{repo.path}", tmp_path / "clone", "--depth", "1")
    (only,) = versions(clone)
    assert only.author is not None
    assert only.author.is_cut


def test_an_unknown_key_and_a_missing_repository_have_their_errors(
    repo: Repo, tmp_path: Path
) -> None:
    with pytest.raises(NotFoundError, match="'nowhere'"):
        versions(repo, "nowhere")
    (tmp_path / ".gitkb").mkdir()
    with pytest.raises(GitError, match="no git repository"):
        log(store_at(str(tmp_path / ".gitkb")), "a")


def test_keys_that_contain_one_another_are_told_apart(repo: Repo) -> None:
    repo.write(ALL, line("a", "one", tags=["x", "y"]) + line("ab", "mentions a") + line("b", "a"))
    repo.commit("Add ab", by=BEN)
    assert told(repo, "a") == [("written", ADA.name)]
    assert told(repo, "ab") == [("written", BEN.name)]


def test_an_alias_is_as_good_as_the_key(repo: Repo) -> None:
    repo.write(ALL, line("a", "one", aliases=["L-007"]))
    repo.commit("name it")

    assert versions(repo, "L-007") == versions(repo, "a")
    [found] = blame(store_at(str(repo.path / ".gitkb")), ["L-007"])
    assert found.key == "a"
