"""Clocks that are wrong, zones that change, days that are odd: a change is always later than before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fault_builder import data_lines
from in_process import run_here
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

ZONES = ("UTC", "Pacific/Kiritimati", "Etc/GMT+12", "Asia/Kathmandu", "Europe/Berlin", "No/Where")
FAR = 4_102_444_800  # 2100-01-01
LEAP_DAY, LEAP_SECOND = 1_709_164_800, 1_483_228_800  # 2024-02-29, and 2016-12-31T23:59:60


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    return repo


def times(repo: Repo, key: str = "k") -> list[int]:
    """The times of every version of a key, the archived ones first."""
    found = []
    for name in ("archive", "knowledge"):
        data = repo.tree().get(f"{name}/all.jsonl", b"")
        values = [json.loads(line) for line in data.splitlines()]
        found += sorted(value["ts"] for value in values if value["key"] == key)
    return found


def test_a_clock_that_goes_back_makes_no_change_earlier_than_what_it_changes(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter([2_000, 1_000, 0, -50, 1_999, 1])
    monkeypatch.setattr("gitkb.operations.writing.clock.time.time", lambda: next(moments, 5))
    words = ("add", "--key", "k", "--type", "fact", "--content")
    for number in range(5):
        assert run_here([*words, f"Version {number}."], repo.path).code == 0
    found = times(repo)
    assert found == sorted(set(found))
    assert len(found) == 5
    shown = json.loads(run_here(["show", "k", "--json"], repo.path).out)
    assert shown["content"] == "Version 4."


def test_every_verb_that_changes_an_entry_is_later_than_a_time_in_the_future(repo: Repo) -> None:
    line = {"key": "k", "type": "decision", "title": "K", "content": "x", "created": FAR, "ts": FAR}
    other = {**line, "key": "l", "title": "L"}
    repo.write(
        ".gitkb/knowledge/all.jsonl", "".join(json.dumps(one) + "\n" for one in (line, other))
    )
    last = FAR
    for words in (
        ("link", "k", "part_of", "l"),
        ("unlink", "k", "part_of", "l"),
        ("supersede", "k", "l"),
        ("unlink", "l", "supersedes", "k"),
        ("reject", "k"),
        ("restore", "k"),
        ("archive", "k"),
        ("restore", "k"),
        ("forget", "k"),
    ):
        repo.run(*words)
        now = max(times(repo))
        assert now >= last, words
        last = now
    assert times(repo)[-1] > FAR
    data_lines(repo)


def test_the_zone_of_a_machine_changes_no_byte_and_no_answer(repo: Repo) -> None:
    for key, moment in (("leap-day", LEAP_DAY), ("leap-second", LEAP_SECOND), ("first", 0)):
        repo.kb_add(key=key, type_="fact", content="x", ts=moment, created=moment, category="ops")
    repo.commit("Begin")
    words = (
        *(("list", "--json"), ("recall", "x", "--since", str(LEAP_DAY), "--json"), ("export",)),
        *(("view", "knowledge", "--stdout"), ("context", "x"), ("log", "leap-day", "--json")),
    )
    for question in words:
        said = {
            zone: repo.run(*question, env={"TZ": zone}, exit_code=None).stdout for zone in ZONES
        }
        assert len(set(said.values())) == 1, (question, said)
    before = repo.tree()
    for zone in ZONES:
        repo.kb_add(key="leap-day", type_="fact", content="x", ts=LEAP_DAY, category="ops")
        repo.run("fmt", env={"TZ": zone})
    assert repo.tree() == before


@pytest.mark.parametrize("given", ["2024-02-29", "1483228800", "2016-12-31"])
def test_odd_days_can_be_asked_for(repo: Repo, given: str) -> None:
    assert repo.run("recall", "x", "--since", given, "--json").json() == []


@pytest.mark.parametrize("given", ["2023-02-29", "2024-02-30", "0000-01-01", "99999-01-01", "-1"])
def test_days_that_are_none_are_refused_with_the_form(repo: Repo, given: str) -> None:
    done = repo.run("recall", "x", f"--since={given}", exit_code=2)
    assert "hint: " in done.stderr


@pytest.mark.parametrize("moment", [-1, 0, 2**31, 2**53, 10**18, 10**30])
def test_times_of_any_size_are_read_or_refused_and_never_end_a_reader(
    repo: Repo, moment: int
) -> None:
    repo.kb_add(key="fine", type_="fact", content="x")
    text = json.dumps({"key": "k", "type": "fact", "content": "x", "created": 0, "ts": moment})
    data = repo.read(".gitkb/knowledge/all.jsonl")
    repo.write(".gitkb/knowledge/all.jsonl", data + text.encode() + b"\n")
    for words in (
        *(("list", "--json"), ("recall", "x", "--json"), ("view", "knowledge", "--stdout")),
        *(("context", "x"), ("export", "--to", "markdown"), ("stats",), ("log", "fine")),
    ):
        done = repo.run(*words, exit_code=None)
        assert done.exit_code == 0, done
    done = repo.run("archive", "--days", "1", exit_code=None)
    assert done.exit_code in (0, 3, 5), done
