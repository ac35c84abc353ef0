"""Deletions stand: through every command that writes, through time, cut histories and any process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import BEN, Repo, run_program, script, team
from strategies import in_hash_order

if TYPE_CHECKING:
    from pathlib import Path

    Command = tuple[str, ...]


def records(repo: Repo, folder: str = "knowledge") -> dict[str, dict[str, Any]]:
    """The records of the knowledge files, or of the archive, by key."""
    paths = sorted((repo.path / ".gitkb" / folder).glob("*.jsonl"))
    lines = [line for path in paths for line in path.read_bytes().splitlines()]
    return {record["key"]: record for record in map(json.loads, lines)}


WRITERS: list[Command] = [
    ("add", "--key", "a", "--type", "fact", "--content", "Corrected."),
    ("add", "--type", "decision", "--title", "New", "--content", "New."),
    ("link", "a", "depends_on", "b"),
    ("unlink", "a", "depends_on", "b"),
    ("supersede", "a", "b"),
    ("unlink", "b", "supersedes", "a"),
    ("reject", "a", "--because", "b"),
    ("restore", "a"),
    ("archive", "c"),
    ("restore", "c"),
    ("archive", "--days", "3000"),
    ("forget", "d"),
    ("fmt",),
    ("compact",),
    ("reindex",),
    ("doctor", "--fix"),
    ("gc", "--days", "1"),
    ("reshard", "16"),
    ("reshard", "1"),
    ("session", "start", "A goal"),
    ("session", "end", "--done", "It."),
]


def test_a_tombstone_outlives_every_command_that_writes(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    for key in ("a", "b", "c", "d", "gone"):
        repo.kb_add(key=key, type_="fact", content=f"What {key} says.")
    repo.run("forget", "gone")
    repo.commit("Base")
    stone = records(repo)["gone"]
    for command in WRITERS:
        repo.run(*command, exit_code=None)
        assert records(repo)["gone"] == stone, command
        assert "gone" not in {hit["key"] for hit in repo.run("list", "--all", "--json").json()}


def test_what_gc_swept_stays_away_whatever_is_written_and_indexed_afterwards(
    tmp_path: Path,
) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    repo.kb_add(key="gone", type_="fact", content="Deleted long ago.", ts=1)
    repo.kb_add(key="a", type_="fact", content="Stays.")
    repo.run("recall", "deleted")
    repo.run("forget", "gone")
    repo.commit("Forgotten")
    repo.run("gc", "--days", "0")
    for command in (("reindex",), ("recall", "deleted"), WRITERS[0], ("compact",), ("fmt",)):
        repo.run(*command)
        assert "gone" not in records(repo), command
        assert "gone" not in records(repo, "archive"), command
    assert repo.run("recall", "deleted", "--all", "--json").json() == []


def test_no_deletion_is_inferred_where_the_history_is_cut(tmp_path: Path) -> None:
    remote, ada, _ = team(tmp_path)
    for key in ("a", "b"):
        ada.kb_add(key=key, type_="fact", content=f"What {key} says.")
        ada.commit(key)
    ada.push()
    shallow = Repo.clone(f"file://{remote.path}", tmp_path / "shallow", "--depth", "1", person=BEN)
    shallow.run("install")
    before = shallow.tree()
    shallow.kb_add(key="fresh", type_="fact", content="Nobody else has it yet.")
    shallow.run("doctor", "--fix", exit_code=None)
    assert sorted(records(shallow)) == ["a", "b", "fresh"]
    assert all("deleted" not in record for record in records(shallow).values())
    assert before.items() <= shallow.tree().items()


@pytest.mark.parametrize("is_edited", [False, True], ids=["untouched", "edited"])
def test_a_tombstone_of_any_age_beats_a_branch_that_was_away_for_longer(
    tmp_path: Path, is_edited: bool
) -> None:
    _, ada, ben = team(tmp_path)
    ada.kb_add(key="a", type_="fact", content="Old.", ts=10)
    ada.commit("Base")
    ada.push()
    ben.pull()
    ada.write(f".gitkb/knowledge/{_shard(ada)}", '{"key":"a","deleted":true,"ts":11}\n')
    ada.commit("Deleted in 1970")
    ada.push()
    if is_edited:
        ben.kb_add(key="a", type_="fact", content="Edited decades later.")
    ben.kb_add(key="b", type_="fact", content="Another.")
    ben.commit("Away")
    ben.pull()
    assert records(ben)["a"] == {"key": "a", "deleted": True, "ts": 11}
    assert "b" in records(ben)


def _shard(repo: Repo) -> str:
    (path,) = (
        path
        for path in (repo.path / ".gitkb" / "knowledge").glob("*.jsonl")
        if b'"key":"a"' in path.read_bytes()
    )
    return path.name


def test_a_merge_is_the_same_in_every_process_and_at_every_time(tmp_path: Path) -> None:
    """Neither the seed of Python's hashes, the zone nor the words of the environment change a byte."""

    def file(**fields: Any) -> bytes:
        entry = {"key": "a", "type": "fact", "content": "x", "ts": 1, **fields}
        more = {key: {**entry, "key": key} for key in fields.get("more", ())}
        every = {"a": {name: entry[name] for name in entry if name != "more"}, **more}
        lines = (json.dumps(every[key]) for key in in_hash_order(every))
        return "".join(f"{line}\n" for line in lines).encode()

    sides = {
        "b": file(tags=["p", "q"], x={"m": 1, "n": [1, 2]}),
        "o": file(tags=["q", "r", "s"], x={"m": 2, "n": [2, 3]}, title="T", more=["c", "d"]),
        "t": file(tags=["p", "t", "u"], x={"m": 3, "k": 4}, title="U", more=["e", "f"], ts=2),
    }
    results = set()
    for seed, zone in (("0", "UTC"), ("1", "Asia/Tokyo"), ("2", "UTC"), ("4294967295", "UTC")):
        for name, data in sides.items():
            (tmp_path / name).write_bytes(data)
        environment = {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"}
        run_program([script("gitkb-merge-driver"), "b", "o", "t"], cwd=tmp_path, env=environment)
        results.add((tmp_path / "o").read_bytes())
    assert len(results) == 1
    assert b'"conflicts"' in results.pop()


def test_resolve_leaves_the_bytes_that_the_driver_leaves(tmp_path: Path) -> None:
    _, ada, ben = team(tmp_path, "--shards", "1")
    for key in ("a", "b", "c"):
        ada.kb_add(key=key, type_="fact", title=key, content="Base.", tags=["x", "y"], ts=10)
    ada.commit("Base")
    ada.push()
    ben.pull()
    ada.kb_add(key="a", type_="fact", title="Ada's", content="Base.", tags=["x", "y", "z"], ts=30)
    ada.run("forget", "b")
    ada.commit("Ada")
    ada.push()
    ben.kb_add(key="a", type_="fact", title="Ben's", content="Base.", tags=["y"], ts=20)
    ben.kb_add(key="b", type_="fact", title="b", content="Edited.", tags=["x", "y"], ts=20)
    ben.run("archive", "c")
    ben.commit("Ben")
    ben.git("fetch", "-q")
    ben.merge("origin/main")
    by_driver = ben.tree()
    ben.git("reset", "-q", "--hard", "HEAD~1")
    ben.run("uninstall")
    ben.merge("origin/main", exit_code=1)
    ben.run("resolve")
    assert ben.tree() == by_driver


def test_a_rebuild_reads_the_files_and_changes_none_of_them(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    for key in ("a", "b", "c", "gone"):
        repo.kb_add(key=key, type_="fact", content=f"What {key} says.", tags=["kept"])
    repo.run("link", "a", "depends_on", "gone")
    repo.run("archive", "c")
    repo.run("forget", "gone", "--reason", "It was never so.")
    repo.write(".gitkb/knowledge/00.jsonl", b'{"key":"torn","type":"fa\n')
    before = repo.tree(".gitkb")
    for command in [("reindex",), ("doctor", "--fix"), ("recall", "says"), ("check",)]:
        for path in (repo.path / ".git" / "gitkb").glob("*.sqlite*"):
            path.unlink()
        repo.run(*command, exit_code=None)
        assert repo.tree(".gitkb") == before, command


def test_an_index_from_before_a_pull_erases_nothing_when_the_next_entry_is_written(
    tmp_path: Path,
) -> None:
    pair = team(tmp_path)
    ada, ben = pair.ada, pair.ben
    ada.kb_add(key="mine", type_="fact", content="What Ada knew.")
    ada.commit("Ada")
    for number in range(5):
        ben.kb_add(key=f"b{number}", type_="fact", content=f"What Ben learned, {number}.")
    ben.run("forget", "b0")
    ben.commit("Ben")
    ben.push()
    ada.run("recall", "knew")
    derived = ada.path / ".git" / "gitkb"
    old = {path: path.read_bytes() for path in derived.iterdir() if path.is_file()}
    ada.git(
        "-c", f"core.hooksPath={tmp_path / 'nowhere'}", "pull", "-q", "--no-rebase", "--no-edit"
    )
    for path, data in old.items():
        path.write_bytes(data)
    ada.kb_add(key="next", type_="fact", content="Written upon an index that is old.")
    ada.commit("Next")
    assert {hit["key"] for hit in ada.run("list", "--json").json()} == {
        "mine", "next", "b1", "b2", "b3", "b4",
    }  # fmt: skip
    assert records(ada)["b0"]["deleted"] is True
    assert ada.run("check", "--json").json()["problems"] == []


def test_an_edit_that_is_staged_and_edited_again_is_one_entry_in_every_worktree(
    tmp_path: Path,
) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    repo.kb_add(key="a", type_="fact", content="As committed.")
    repo.commit("Begin")
    linked = repo.worktree(tmp_path / "linked", "topic")
    linked.kb_add(key="a", type_="fact", content="As on the branch.")
    linked.commit("Change")
    repo.kb_add(key="a", type_="fact", content="As staged.")
    repo.add()
    repo.kb_add(key="a", type_="fact", content="As it stands.")
    for here, content in ((repo, "As it stands."), (linked, "As on the branch.")):
        assert here.run("show", "a", "--json").json()["content"] == content
        assert [hit["key"] for hit in here.run("list", "--json").json()] == ["a"]
        assert here.run("check", "--json").json()["problems"] == []
        assert here.run("check", "--staged", "--json").json()["problems"] == []
        stats = here.run("stats", "--json").json()
        assert (stats["duplicateKeys"], stats["contested"]) == (0, 0)
