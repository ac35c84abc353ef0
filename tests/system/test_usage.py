"""The log of what was used, as a user and an agent leave it behind."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.usage import parse_uses
from gitkb.store.usage_log import LOG, MOST_BYTES, OLDER

from mcp_client import RawServer
from repo_builder import Repo, run_program, script
from secret_samples import KINDS, Maker
from tier_builder import make_world

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    for key, title in (
        ("cents", "Money is kept in cents"),
        ("round", "Money is rounded to even"),
    ):
        repo.kb_add(key=key, type="decision", title=title, files=["src/pay.py"], ts=1_000_000)
    repo.commit("Begin")
    return repo


def log_of(repo: Repo) -> Path:
    return repo.path / ".git" / "gitkb" / LOG


def uses(repo: Repo) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Verb, keys and words of each call."""
    return [(use.verb, use.keys, use.words) for use in parse_uses(log_of(repo).read_bytes())]


def usage(repo: Repo, *options: str) -> dict[str, Any]:
    answer: dict[str, Any] = repo.run("usage", "--json", *options).json()
    return answer


def test_searches_packs_reminders_and_openings_are_logged_and_never_committed(repo: Repo) -> None:
    repo.run("recall", "how is money kept")
    repo.run("context", "money", "--json")
    repo.run("for-file", "src/pay.py")
    run_program([script("gitkb-hook"), "before-edit", "src/pay.py"], cwd=repo.path)
    repo.write("src/pay.py", "pass\n")
    repo.add("src")
    run_program([script("gitkb-hook"), "remind"], cwd=repo.path)
    repo.git("rm", "-q", "-f", "src/pay.py")
    repo.run("check-plan", stdin="Rewrite src/pay.py.", exit_code=0)
    repo.run("show", "cents")
    both = {"cents", "round"}
    said = [(verb, set(keys), words) for verb, keys, words in uses(repo)]
    assert said == [
        ("recall", both, ("money", "kept")),
        ("context", both, ()),
        ("touch", both, ()),
        ("before-edit", both, ()),
        ("remind", both, ()),
        ("show", {"cents"}, ()),
    ]
    assert repo.status() == []
    assert log_of(repo).stat().st_mode & 0o077 == 0
    assert usage(repo)["calls"] == {
        "before-edit": 1, "context": 1, "recall": 1, "remind": 1, "show": 1, "touch": 1,
    }  # fmt: skip


def test_what_an_agent_recalls_and_gets_is_logged(repo: Repo) -> None:
    with RawServer(repo.path) as server:
        server.shake_hands("2025-06-18")
        server.call("gitkb_recall", query="money", limit=1)
        server.call("gitkb_recall", query="kubernetes")
        server.call("gitkb_recall", type="decision")
        server.call("gitkb_context", task="money")
        server.call("gitkb_get", keys=["round", "cents"])
    said = [(verb, sorted(keys), words) for verb, keys, words in uses(repo)]
    assert [len(said[0][1]), *said[1:]] == [
        1,
        ("recall", [], ("kubernetes",)),
        ("context", ["cents", "round"], ()),
        ("show", ["cents", "round"], ()),
    ]


def test_what_helps_what_nobody_found_and_what_was_missed(repo: Repo) -> None:
    repo.kb_add(key="new", type="fact", title="Written just now")
    repo.run("recall", "cents")
    repo.run("show", "cents")
    repo.run("show", "cents")
    for words in ("deployment night", "night deployments", "nights", "the lock"):
        repo.run("recall", words)
    repo.run("recall", "zebra", "--type", "fact")
    found = usage(repo)
    assert [
        (one["key"], one["helped"], one["opened"], one["shown"]) for one in found["helped"]
    ] == [("cents", 1, 2, 1)]
    assert [one["key"] for one in found["unseen"]] == ["round"]
    missed = [(sorted(one["words"]), one["times"]) for one in found["missed"]]
    assert missed[0] == (["deployments", "night"], 2)
    assert sorted(missed[1:]) == [(["lock"], 1), (["nights"], 1)]
    text = repo.run("usage")
    assert "cents  1 time of 1 · Money is kept in cents" in text.stdout
    assert "the log of this clone alone" in text.stderr


def test_what_was_missed_is_no_longer_when_somebody_wrote_it(repo: Repo) -> None:
    repo.run("recall", "kubernetes")
    assert [one["words"] for one in usage(repo)["missed"]] == [["kubernetes"]]
    repo.kb_add(key="k8s", type="fact", title="Kubernetes is not used")
    assert usage(repo)["missed"] == []


def test_only_calls_since_a_moment_are_looked_at(repo: Repo) -> None:
    repo.run("recall", "money")
    assert usage(repo, "--since", str(int(time.time()) + 100))["first"] is None
    assert usage(repo, "--since", "1000")["calls"] == {"recall": 1}
    repo.run("usage", "--since", "yesterday", exit_code=2)
    repo.run("usage", "--limit", "0", exit_code=2)


def test_what_was_opened_comes_first_among_equals_and_says_so(repo: Repo) -> None:
    before = repo.run("recall", "money", "--json").json()
    repo.run("show", before[1]["key"])
    [first, _] = repo.run("recall", "money", "--json", "--explain").json()
    assert first["key"] == before[1]["key"]
    assert 1 < first["explain"]["factors"]["usage"] <= 1.05
    assert "× usage 1.02" in repo.run("recall", "money", "--explain").stdout


@pytest.mark.parametrize("way", ["rank", "log", "git", "environment"])
def test_ranking_is_as_without_a_log_where_it_is_switched_off(repo: Repo, way: str) -> None:
    before = repo.run("recall", "money", "--json", "--explain").stdout
    second = json.loads(before)[1]["key"]
    repo.run("show", second)
    assert repo.run("recall", "money", "--json", "--explain").stdout != before
    environment = switch_off(repo, way)
    assert repo.run("recall", "money", "--json", "--explain", env=environment).stdout == before


def switch_off(repo: Repo, way: str) -> dict[str, str]:
    """Switch it off, and give what the environment has to say."""
    if way in ("rank", "log"):
        config = repo.path / ".gitkb" / "config.toml"
        config.write_text(f"{config.read_text()}\n[usage]\n{way} = false\n")
    if way == "git":
        repo.git("config", "gitkb.usage", "false")
    return {"GITKB_USAGE": "0"} if way == "environment" else {}


@pytest.mark.parametrize("way", ["log", "git", "environment"])
def test_switched_off_no_byte_is_written(repo: Repo, way: str) -> None:
    environment = switch_off(repo, way)
    for words in (
        ["recall", "money"],
        ["show", "cents"],
        ["context", "money"],
        ["for-file", "src/pay.py"],
    ):
        repo.run(*words, env=environment)
    assert not log_of(repo).exists()
    said = repo.run("usage", env=environment)
    assert "note: nothing is logged: " in said.stderr
    assert repo.run("usage", "--json", env=environment).json()["logging"] is False
    good = repo.run("doctor", "--all", "--json", env=environment).json()
    assert [one["severity"] for one in good if one["code"] == "usage"] == ["ok"]


def test_a_broken_setting_switches_it_off(repo: Repo) -> None:
    config = repo.path / ".gitkb" / "config.toml"
    config.write_text(f"{config.read_text()}\n[usage]\nlog = 'perhaps'\n")
    repo.run("recall", "money")
    assert not log_of(repo).exists()
    assert any("log" in line for line in repo.run("check", exit_code=1).stderr.splitlines())


def test_a_user_may_keep_what_the_team_does_not(repo: Repo) -> None:
    switch_off(repo, "log")
    repo.git("config", "gitkb.usage", "true")
    repo.run("recall", "money")
    assert len(uses(repo)) == 1


def test_no_secret_of_a_query_stands_in_the_log(repo: Repo) -> None:
    maker = Maker(7)
    secrets = [maker.make(kind) for kind in list(KINDS)[:4]] + [maker.key_block()]
    for secret in [*secrets, "password: hunter2", "the password hunter2"]:
        repo.run("recall", "--", f"where is {secret} used")
        repo.run("show", "--", secret.replace("\n", " "), exit_code=4)
    assert [words for _, _, words in uses(repo) if words] == [("password", "used")]


def test_worktrees_share_one_log_and_parallel_readers_lose_no_line(
    repo: Repo, tmp_path: Path
) -> None:
    other = repo.worktree(tmp_path / "other", "side")

    def read(number: int) -> None:
        (repo, other)[number % 2].run("show", ("cents", "round")[number % 2])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(read, range(16)))
    assert sorted(uses(repo)) == [("show", ("cents",), ())] * 8 + [("show", ("round",), ())] * 8
    assert usage(other) == usage(repo)
    assert not (repo.path / ".git" / "worktrees" / "other" / "gitkb" / LOG).exists()


def test_two_stores_of_a_repository_are_told_apart(repo: Repo) -> None:
    inner = Repo(repo.path / "sub")
    (repo.path / "sub" / ".gitkb").mkdir(parents=True)
    inner.run("recall", "money")
    repo.run("recall", "money")
    assert [use.store for use in parse_uses(log_of(repo).read_bytes())] == ["sub/.gitkb", ""]
    assert usage(repo)["calls"] == {"recall": 1}


def test_the_log_is_turned_over_and_stays_bounded(repo: Repo) -> None:
    repo.run("show", "cents")
    line = log_of(repo).read_bytes()
    log_of(repo).write_bytes(line * (MOST_BYTES // len(line) + 1))
    repo.run("show", "round")
    older = log_of(repo).with_name(OLDER)
    assert not log_of(repo).exists()
    assert older.stat().st_size < MOST_BYTES + 200
    repo.run("recall", "money")
    assert uses(repo)[0][0] == "recall"
    found = usage(repo)
    assert found["bytes"] < MOST_BYTES + 400
    assert found["calls"]["show"] == MOST_BYTES // len(line) + 2
    [first, second] = repo.run("recall", "money", "--json", "--explain").json()
    assert "usage" in first["explain"]["factors"]
    assert "usage" in second["explain"]["factors"]


def test_entries_of_other_tiers_stand_under_their_tiers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("GITKB_HOME", str(home))
    world = make_world(tmp_path, home)
    world.add("org", key="vpn", title="The vpn drops at night")
    world.add("project", key="own", title="The vpn of the project")
    world.project.run("recall", "vpn")
    world.project.run("show", "vpn")
    [(_, recalled, _), (_, opened, _)] = uses(world.project)
    assert set(recalled) == {"own", "org:vpn"}
    assert opened == ("org:vpn",)
    [helped] = usage(world.project)["helped"]
    assert (helped["key"], helped["tier"], helped["title"]) == (
        "vpn",
        "org",
        "The vpn drops at night",
    )
    hits = world.project.run("recall", "vpn", "--json", "--explain").json()
    assert {hit["key"]: "usage" in hit["explain"]["factors"] for hit in hits} == {
        "vpn": True, "own": False,
    }  # fmt: skip


def test_uninstall_takes_the_log_away(repo: Repo) -> None:
    repo.run("show", "cents")
    log_of(repo).with_name("usage-opened.json").write_text("{}")
    repo.run("uninstall")
    assert not log_of(repo).parent.exists() or not list(log_of(repo).parent.glob("usage*"))
