"""Sessions as programs: several at once, in several worktrees and clones."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from real_tokens import real_count
from repo_builder import Repo, team

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "16")
    repo.kb_add(
        type="pitfall", title="Money was rounded twice", content="Round once.", files=["src/pay"]
    )
    repo.commit("Begin")
    return repo


def start(repo: Repo, *arguments: str) -> str:
    answer = repo.run("session", "start", *arguments, "--json").json()
    assert re.fullmatch("ses_[0-9a-z]{8}", answer["id"])
    return str(answer["id"])


def open_ids(repo: Repo) -> list[str]:
    return [one["id"] for one in repo.run("session", "list", "--json").json()]


def kept(repo: Repo) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = repo.run("list", "--type", "session", "--json").json()
    return sorted(found, key=lambda entry: str(entry["key"]))


def test_a_day_with_a_session(repo: Repo) -> None:
    started = repo.run(
        "session", "start", "Move", "payments", "--file", "src/pay/a.py", "--tag", "money"
    )
    first, how, *rest = started.lines()
    session = first.removeprefix("session ")
    assert how.startswith(f"end it:  gitkb session end {session} --done ")
    assert "### " in "".join(rest)
    assert started.stderr == ""
    assert "Money was rounded twice" in started.stdout
    assert open_ids(repo) == [session]
    assert repo.status() == []
    ended = repo.run(
        "session", "end", "--done", "Moved the cart", "--decided", "Round half up", "--open", "Refunds",
        "--next", "Ask Ben", "--summary", "Half of it.",
    )  # fmt: skip
    assert ended.stdout == f"kept {session}: Move payments\n"
    assert open_ids(repo) == []
    [found] = repo.run("recall", "half", "up", "--json").json()
    assert found["key"] == session
    assert found["files"] == ["src/pay/a.py"]
    pack = repo.run("context", "anything").lines()
    assert pack[1:3] == ["## Last session", f"### {session}: Move payments"]
    assert "    next: Ask Ben" in pack


def test_json_of_start_is_the_session_and_its_pack(repo: Repo) -> None:
    answer = repo.run("session", "start", "Money", "--budget", "500", "--json").json()
    assert answer["goal"] == "Money"
    assert isinstance(answer["started"], int)
    assert answer["tokens"] == real_count(answer["text"] + "\n") <= 500
    assert answer["full"]


@pytest.mark.parametrize("budget", [0, 1, 15, 30, 60, 200, 500, 2_000])
def test_the_budget_of_start_caps_all_that_is_printed(repo: Repo, budget: int) -> None:
    printed = repo.run("session", "start", "Money", "--budget", str(budget)).stdout
    first = printed.split("\n")[0] + "\n"
    # The id is what was asked for; where not even that fits, it is all there is.
    assert real_count(printed) <= max(budget, real_count(first))
    assert first.startswith("session ses_")


def test_dropping_keeps_nothing(repo: Repo) -> None:
    session = start(repo, "Goal")
    assert repo.run("session", "drop", session).stdout == f"dropped {session}\n"
    assert open_ids(repo) == []
    assert kept(repo) == []
    assert repo.run("session", "drop", session, exit_code=4).stdout == ""


def test_which_session_has_to_be_said_while_several_are_open(repo: Repo) -> None:
    assert "session start" in repo.run("session", "end", exit_code=5).stderr
    ids = [start(repo, "One"), start(repo, "Two")]
    refused = repo.run("session", "end", "--done", "x", exit_code=5)
    for session in ids:
        assert f"gitkb session end {session}" in refused.stderr
    assert sorted(open_ids(repo)) == sorted(ids)
    repo.run("session", "end", ids[0], "--done", "x")
    repo.run("session", "end", "--done", "y")
    assert sorted(entry["title"] for entry in kept(repo)) == ["One", "Two"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["session"], 2),
        (["session", "begin"], 2),
        (["session", "start"], 2),
        (["session", "start", ""], 2),
        (["session", "start", "x", "--done", "y"], 2),
        (["session", "end", "--budget", "5"], 2),
        (["session", "end", "a", "b"], 2),
        (["session", "list", "x"], 2),
        (["session", "drop"], 2),
        (["session", "drop", "../../HEAD"], 2),
        (["session", "end", "../../HEAD"], 2),
        (["session", "end", "ses_00000000"], 4),
    ],
)
def test_a_call_that_makes_no_sense_says_so(repo: Repo, arguments: list[str], code: int) -> None:
    done = repo.run(*arguments, exit_code=code)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "hint: " in done.stderr
    assert open_ids(repo) == []


def test_agents_that_start_and_end_at_once_do_not_hinder_each_other(repo: Repo) -> None:
    def work(number: int) -> str:
        session = start(repo, "Same goal")
        repo.run("session", "end", session, "--done", f"part {number}")
        return session

    with ThreadPoolExecutor(6) as pool:
        ids = list(pool.map(work, range(6)))
    assert [entry["key"] for entry in kept(repo)] == sorted(ids)
    assert sorted(entry["done"][0] for entry in kept(repo)) == [f"part {n}" for n in range(6)]
    assert open_ids(repo) == []


def test_one_session_ended_by_two_at_once_is_kept_once(repo: Repo) -> None:
    session = start(repo, "Goal")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: repo.run("session", "end", session, "--done", f"d{n}"), range(4)))
    [entry] = kept(repo)
    assert sorted(entry["done"]) == ["d0", "d1", "d2", "d3"]


def test_worktrees_have_sessions_of_their_own(repo: Repo, tmp_path: Path) -> None:
    other = repo.worktree(tmp_path / "other", "feature")
    here, there = start(repo, "Here"), start(other, "There")
    assert (open_ids(repo), open_ids(other)) == ([here], [there])
    repo.run("session", "end", there, exit_code=4)
    repo.run("session", "end", "--done", "x")
    assert open_ids(other) == [there]
    other.run("session", "end", "--done", "y")
    assert [entry["title"] for entry in kept(other)] == ["There"]


def test_two_clones_that_end_sessions_merge_into_both(tmp_path: Path) -> None:
    _, ada, ben = team(tmp_path)
    ids = [start(ada, "Same goal"), start(ben, "Same goal")]
    for clone, done in ((ada, "ada's"), (ben, "ben's")):
        clone.run("session", "end", "--done", done)
        clone.commit("Session")
    ada.push()
    ben.pull()
    assert [entry["key"] for entry in kept(ben)] == sorted(ids)
    ben.push()
    ada.pull()
    assert kept(ada) == kept(ben)
    texts = [clone.run("context", "goal").stdout for clone in (ada, ben)]
    assert texts[0] == texts[1]


def test_a_session_that_both_clones_end_further_loses_nothing(tmp_path: Path) -> None:
    _, ada, ben = team(tmp_path)
    session = start(ada, "Goal")
    ada.run("session", "end", "--done", "first")
    ada.commit("Session")
    ada.push()
    ben.pull()
    for clone, done in ((ada, "ada's"), (ben, "ben's")):
        clone.run("session", "end", session, "--done", done)
        clone.commit("More")
    ada.push()
    ben.pull()
    [entry] = kept(ben)
    said = json.dumps(entry)
    assert all(done in said for done in ("first", "ada's", "ben's"))


def test_the_doctor_names_the_command_for_an_orphan(repo: Repo) -> None:
    session = start(repo, "Goal")
    path = repo.path / ".git" / "gitkb" / "sessions" / f"{session}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "started": 5}))
    found = repo.run("doctor", exit_code=None).stdout
    assert f"the session {session} has been open for" in found
    assert f"gitkb session end {session}" in found
    path.write_text("{")
    assert f"gitkb session drop {session}" in repo.run("doctor", exit_code=None).stdout
    assert "cannot be read" in repo.run("session", "list").stdout
    repo.run("session", "drop", session)
    assert "session was left open" in repo.run("doctor", "--all", exit_code=None).stdout
