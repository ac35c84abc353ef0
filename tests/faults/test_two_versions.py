"""Two versions of gitkb on one store: neither loses what the other wrote, and their indexes do not fight.

The older one is built from this repository's history, as it was before sessions, tiers and diffs; where
the history is not there (a source archive, a shallow clone) a copy of this version stands in for it, with
another version of the index.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fault_builder import data_lines, said_in
from repo_builder import Repo, run_program
from seal import ROOT

if TYPE_CHECKING:
    from repo_builder import Result

_START = "import sys; sys.path[:0] = [{path!r}]; from gitkb.cli.main import main; main()"


class Old:
    """The older version, from a folder of its own in front of everything that is installed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, repo: Repo, *words: str, stdin: str = "", code: int | None = 0) -> Result:
        start = _START.format(path=str(self.path))
        return run_program(
            [sys.executable, "-c", start, *words], cwd=repo.path, stdin=stdin, exit_code=code
        )


def _older_commit() -> str:
    """The commit of a third of the way to today, along the first parents."""
    words = ["git", "rev-list", "--first-parent", "HEAD", "--", "gitkb/index/database.py"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, check=False).stdout.split()
    return found[len(found) * 2 // 3].decode() if len(found) > 3 else ""


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Old:
    folder = tmp_path_factory.mktemp("older")
    commit = _older_commit()
    if commit:
        archive = subprocess.run(
            ["git", "archive", commit, "gitkb", "hooks"], cwd=ROOT, capture_output=True, check=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
        if (folder / "hooks").is_dir():
            (folder / "hooks").rename(folder / "gitkb" / "hooks" / "scripts")
    else:
        installed = Path(sysconfig.get_path("purelib")) / "gitkb"
        subprocess.run(["cp", "-R", str(installed), str(folder)], check=True)
        path = folder / "gitkb" / "index" / "database.py"
        text = path.read_text()
        path.write_text(text.replace("\nVERSION = ", "\nVERSION = 900"))
    return Old(folder)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "16")
    return repo


def keys(done: Result) -> list[str]:
    return sorted(value["key"] for value in done.json())


def test_each_reads_what_the_other_wrote_and_no_index_is_in_the_way(repo: Repo, old: Old) -> None:
    for number in range(4):
        entry = json.dumps({"key": f"k{number}", "type": "fact", "content": f"Queue {number}."})
        if number % 2:
            old.run(repo, "add", stdin=entry)
        else:
            repo.run("add", stdin=entry)
        wanted = [f"k{n}" for n in range(number + 1)]
        for _ in range(2):
            assert keys(old.run(repo, "list", "--json")) == wanted
            assert keys(repo.run("list", "--json")) == wanted
            assert keys(old.run(repo, "recall", "queue", "--json")) == wanted
            assert keys(repo.run("recall", "queue", "--json")) == wanted
    assert "all is well" in repo.run("check").stderr


def test_both_at_once_lose_nothing(repo: Repo, old: Old) -> None:
    start = _START.format(path=str(old.path))
    programs = {
        "old": [sys.executable, "-c", start],
        "new": [os.path.join(sysconfig.get_path("scripts"), "gitkb")],
    }
    children = []
    for number in range(6):
        for name, words in programs.items():
            fields = ["--key", f"{name}{number}", "--type", "fact", "--content", f"{name} queue."]
            for more in (["add", *fields], ["recall", "queue", "--json"]):
                child = subprocess.Popen(
                    [*words, *more],
                    cwd=repo.path,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                )
                children.append(child)
    for child in children:
        _, told = child.communicate(timeout=120)
        assert child.returncode == 0, told
    wanted = sorted(f"{name}{number}" for name in programs for number in range(6))
    assert keys(repo.run("list", "--json")) == wanted
    assert keys(old.run(repo, "list", "--json")) == wanted


def test_what_a_newer_version_wrote_is_kept_by_an_older_one(repo: Repo, old: Old) -> None:
    """Fields, types and lines of tomorrow: both of today's readers keep them, byte for byte."""
    newer = {
        "key": "tomorrow",
        "type": "prophecy",
        "title": "Of another version",
        "content": "Kept.",
        "x_new": {"a": [1, {"b": None}]},
        "links": [{"rel": "foretells", "to": "k", "weight": 2}],
        "status": "dormant",
        "ts": 1,
    }
    marker = '{"key":"later","renounced":true,"ts":2,"why":{"a":1}}'
    name = ".gitkb/knowledge/0.jsonl"
    text = (json.dumps(newer) + "\n" + marker + "\n").encode()
    repo.write(name, text)
    for number, is_old in enumerate((False, True)):
        for words in (
            ("add", "--key", f"k{number}", "--type", "fact", "--content", "Beside it."),
            ("list", "--json"),
            ("recall", "kept", "--json"),
        ):
            old.run(repo, *words) if is_old else repo.run(*words)
        lines = [line for found in data_lines_anyhow(repo).values() for line in found]
        assert all(line in lines for line in text.splitlines()), lines


def data_lines_anyhow(repo: Repo) -> dict[str, list[bytes]]:
    return {
        name: data.splitlines() for name, data in repo.tree().items() if name.endswith(".jsonl")
    }


def test_a_journal_of_one_is_finished_or_dropped_by_the_other(repo: Repo, old: Old) -> None:
    repo.kb_add(key="old", type_="decision", title="One queue", content="Use one queue.")
    repo.kb_add(key="new", type_="decision", title="Two queues", content="Use two queues.")
    before = said_in(data_lines(repo))
    for text in ('{"renames":[["a","b","c","d"]]}', '{"version":9,"steps":{}}', "\0\0"):
        repo.write(".git/gitkb/journal", text)
        old.run(repo, "list", "--json")
        repo.write(".git/gitkb/journal", text)
        repo.run("list", "--json")
        assert said_in(data_lines(repo)) == before
    old.run(repo, "archive", "old")
    assert keys(repo.run("list", "--json")) == ["new"]
