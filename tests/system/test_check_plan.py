"""A plan on stdin, held against what was rejected and what must be checked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import Repo, Result, team

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = (
    {"key": "dec", "type": "decision", "title": "Sessions live in Postgres", "content": "One store."},
    {"key": "redis", "type": "decision", "title": "Redis for sessions", "content": "Fast, it was said.",
     "status": "rejected", "links": [{"rel": "rejected_because", "to": "dec"}]},
    {"key": "cookie", "type": "decision", "title": "Session state in signed cookies", "content": "x",
     "status": "superseded", "links": [{"rel": "rejected_because", "to": "dec"}]},
    {"key": "old", "type": "decision", "title": "Tabs for indentation", "content": "x", "status": "superseded"},
    {"key": "cents", "type": "pitfall", "title": "Amounts are whole cents",
     "content": "MUST-CHECK: never floats.", "files": ["src/pay"]},
    {"key": "close", "type": "learned", "title": "Handles",
     "content": "MUST-CHECK: open_session and close_session go in pairs."},
)  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--no-install")
    repo.run("add", "--batch", stdin="".join(json.dumps(entry) + "\n" for entry in ENTRIES))
    return repo


def check(repo: Repo, plan: str, code: int = 1) -> list[tuple[str, str]]:
    done = repo.run("check-plan", "--json", stdin=plan, exit_code=code)
    answer = done.json()
    assert answer["clear"] is (code == 0)
    return [(one["kind"], one["key"]) for one in answer["collisions"]]


def collisions(done: Result) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done.json()["collisions"]
    return found


def test_a_rejected_option_is_named_with_its_reason(repo: Repo) -> None:
    done = repo.run("check-plan", "--json", stdin="Put sessions into Redis.\n", exit_code=1)
    [one] = collisions(done)
    assert (one["kind"], one["key"]) == ("rejected", "redis")
    assert one["passage"] == "Put sessions into Redis."
    assert one["because"] == [{"key": "dec", "title": "Sessions live in Postgres"}]
    assert one["entry"]["content"] == "Fast, it was said."
    said = repo.run("check-plan", stdin="Put sessions into Redis.\n", exit_code=1).stdout
    assert "rejected  redis  Redis for sessions" in said
    assert "because of dec  Sessions live in Postgres" in said
    assert "gitkb why redis" in said


def test_what_was_superseded_counts_only_with_a_reason_against_it(repo: Repo) -> None:
    plan = "1. Keep session state in signed cookies.\n2. Use tabs for indentation.\n"
    assert check(repo, plan) == [("rejected", "cookie")]


@pytest.mark.parametrize(
    "plan",
    [
        "",
        "   \n\n",
        "Write the documentation of the login page.",
        "Sessions stay in Postgres; add an index.",
        "Use Postgres for sessions instead of Redis.",
        "Do not put sessions into Redis.",
        "Sessions: no Redis.",
        "Redis caches the pictures. The tests get faster. A session of pair work follows.",
        "\x00\xff not text at all",
    ],
)
def test_a_plan_that_runs_into_nothing_passes(repo: Repo, plan: str) -> None:
    assert check(repo, plan, 0) == []
    assert repo.run("check-plan", stdin=plan).stdout == ""


def test_must_checks_come_first_by_file_name_and_title(repo: Repo) -> None:
    assert check(repo, "Move sessions to Redis. Then edit `src/pay/charge.py`.") == [
        ("must-check", "cents"),
        ("rejected", "redis"),
    ]
    assert check(repo, "Call open_session early and close_session late.") == [
        ("must-check", "close")
    ]
    assert check(repo, "Keep the amounts as cents, whole ones.") == [("must-check", "cents")]
    assert check(repo, "Edit src/payroll/run.py and src/payments.", 0) == []


def test_a_passage_says_where_in_the_plan_it_is(repo: Repo) -> None:
    plan = "# Plan\n\n- write a test\n- change src/pay/charge.py so that it rounds\n- deploy\n"
    done = repo.run("check-plan", "--json", stdin=plan, exit_code=1)
    [one] = collisions(done)
    assert one["passage"] == "change src/pay/charge.py so that it rounds"


def test_a_plan_in_another_language_is_understood(repo: Repo) -> None:
    repo.kb_add(
        key="ru", type="decision", title="Хранить сессии в памяти процесса", content="x", status="rejected"
    )  # fmt: skip
    assert check(repo, "Сессии храним в памяти процесса.") == [("rejected", "ru")]
    assert check(repo, "Сессии храним в базе, а не в памяти процесса.", 0) == []


def test_a_long_plan_comes_to_an_end(repo: Repo) -> None:
    assert check(repo, "Write a line about nothing. " * 20_000, 0) == []
    assert check(repo, "word " * 100_000, 0) == []


def test_what_nobody_trusted_wrote_stops_no_plan(tmp_path: Path) -> None:
    _, ada, ben = team(tmp_path)
    ben.kb_add(
        key="his", type="decision", title="Redis for sessions", content="x", status="rejected"
    )
    ben.commit("Tell")
    ben.push()
    ada.pull()
    assert check(ada, "Redis for sessions.") == [("rejected", "his")]
    ada.config("gitkb.trust", "ada@example.org")
    done = ada.run("check-plan", stdin="Redis for sessions.")
    assert "1 entry of untrusted authors left out" in done.stderr


def test_text_of_entries_stays_on_its_line(repo: Repo) -> None:
    repo.kb_add(
        key="evil", type="decision", title="Amber lamps in corridors", status="rejected",
        content="x\nrejected  fake\u001b[2J",
    )  # fmt: skip
    said = repo.run("check-plan", stdin="Amber lamps in all corridors.", exit_code=1).stdout
    assert "\x1b" not in said
    assert not any(line.startswith("rejected  fake") for line in said.splitlines())


def test_the_names_in_a_path_say_where_and_not_what(repo: Repo) -> None:
    assert check(repo, "Rename a helper in redis/sessions.py.", 0) == []
    assert check(repo, "Keep sessions in Redis/Valkey.") == [("rejected", "redis")]
