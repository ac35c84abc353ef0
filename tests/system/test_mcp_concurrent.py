"""Several servers on one store: together, and when one dies while it writes."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from mcp_client import HANDSHAKES, RawServer, parse_message
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

STEPS = (1, 3, 5, 8, 11)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    repo.commit("Begin")
    return repo


def serve(repo: Repo, code: str = "") -> RawServer:
    server = RawServer(repo.path, code=code)
    server.shake_hands(HANDSHAKES[-1])
    return server


def keys_of(repo: Repo) -> set[str]:
    return {entry["key"] for entry in repo.run("list", "--all", "--json").json()}


def said(message: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = message["result"]
    assert not result.get("isError"), result
    values: dict[str, Any] = result["structuredContent"]
    return values


def test_two_servers_write_one_store_at_once_and_lose_nothing(repo: Repo) -> None:
    with serve(repo) as one, serve(repo) as other:
        for number in range(15):
            for name, server in (("one", one), ("other", other)):
                # Every third is the same on both sides, and becomes one entry.
                who = "both" if number % 3 == 0 else name
                title = f"Fact {number} of {who}"
                server.send_call("gitkb_remember", type="fact", title=title, tags=[name])
        written = set()
        for server in (one, other):
            code, out = server.finish(60)
            assert code == 0
            messages = [parse_message(line) for line in out.splitlines(keepends=True)]
            assert len(messages) == 15
            written |= {said(message)["key"] for message in messages}
    assert len(written) == 25
    assert keys_of(repo) == written
    repo.run("check")
    both = [entry for entry in repo.run("list", "--json").json() if "both" in entry["title"]]
    assert [entry["tags"] for entry in both] == [["one", "other"]] * 5


def test_what_one_writes_the_other_finds_at_once(repo: Repo) -> None:
    with serve(repo) as one, serve(repo) as other:
        for number in range(3):
            key = one.call("gitkb_remember", type="fact", content=f"cents {number}")
            found = other.call("gitkb_recall", query=f"cents {number}")["structuredContent"]
            assert key["structuredContent"]["key"] in [entry["key"] for entry in found["entries"]]


def killed_at(step: int) -> str:
    """A server that dies, as by SIGKILL, before it renames or flushes for the n-th time."""
    return f"""
import os, signal, sys
from gitkb.cli.main import main
left = {step}
def dying(real):
    def run(*words, **more):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*words, **more)
    return run
os.replace, os.fsync, os.unlink = dying(os.replace), dying(os.fsync), dying(os.unlink)
sys.argv = ["gitkb", "mcp"]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("step", STEPS)
def test_one_that_dies_while_it_writes_leaves_the_store_whole(repo: Repo, step: int) -> None:
    old = repo.kb_add(type="decision", title="Floats", content="Fast.")["key"]
    with serve(repo) as living, serve(repo, killed_at(step)) as dying:
        living.send_call("gitkb_remember", type="fact", content="before")
        dying.send_call("gitkb_supersede", old=old, title="Cents", content="Exact.")
        assert living.read_message()["result"].get("isError") is not True
        answer = dying.process.stdout.readline() if dying.process.stdout else b""
        if answer:  # it came further than this call
            said(parse_message(answer))
        else:
            assert dying.process.wait(10) == -9

        after = living.call("gitkb_remember", type="fact", content="after")
        assert said({"result": after})["written"] is True
        story = said({"result": living.call("gitkb_recall", query="Floats", include_inactive=True)})
        statuses = {entry["key"]: entry.get("status", "active") for entry in story["entries"]}
        assert old in statuses
        # Again, as a model does that got no answer: now both are there, whatever was there before.
        again = living.call("gitkb_supersede", old=old, title="Cents", content="Exact.")
        new = said({"result": again})["new"]
        assert living.finish()[0] == 0
    entries = {entry["key"]: entry for entry in repo.run("list", "--all", "--json").json()}
    assert entries[old]["status"] == "superseded"
    assert entries[new]["links"] == [{"rel": "supersedes", "to": old}]
    assert {"before", "after"} <= {entry.get("content") for entry in entries.values()}
    repo.run("check")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("answers", [0, 4])
def test_what_a_killed_server_acknowledged_is_there(repo: Repo, answers: int) -> None:
    with serve(repo) as living, serve(repo) as dying:
        for number in range(12):
            dying.send_call("gitkb_remember", type="fact", content=f"{number} " + "x" * 5_000)
            living.send_call("gitkb_remember", type="fact", content=f"living {number}")
        known = {said(dying.read_message())["key"] for _ in range(answers)}
        dying.process.kill()
        assert dying.process.stdout is not None
        # Lines that were on their way; the last one may be cut.
        for line in dying.process.stdout.read().splitlines(keepends=True):
            if line.endswith(b"\n"):
                known.add(said(json.loads(line))["key"])
        code, out = living.finish(60)
        assert code == 0
        messages = [parse_message(line) for line in out.splitlines(keepends=True)]
        assert len(messages) == 12
        known |= {said(message)["key"] for message in messages}
    assert known <= keys_of(repo)
    repo.run("check")
