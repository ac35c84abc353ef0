"""Many at once: writers, readers and git on one store, and nothing that was acknowledged is lost.

Four seconds; with `GITKB_FAULTS=all` a minute.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from typing import TYPE_CHECKING

import pytest

from fault_builder import data_lines, said_in
from repo_builder import Repo, script, team

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from repo_builder import Result

SECONDS = 60.0 if os.environ.get("GITKB_FAULTS") == "all" else 4.0
WRITERS, READERS = 20, 5
FINE = {0, 5}
"""Done, or a state that is said: locked for too long, changed at the same moment."""


class Crowd:
    """Threads that each start one command after the other until the time is over."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self.kept: dict[str, str] = {}
        """What was acknowledged: key to content."""
        self.wrong: list[str] = []
        self.counts = {"written": 0, "read": 0, "git": 0}
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._end = time.monotonic() + SECONDS

    def start(self, work: Callable[[int, int], None], count: int) -> None:
        def loop(number: int) -> None:
            turn = 0
            try:
                while time.monotonic() < self._end:
                    work(number, turn)
                    turn += 1
            except Exception as error:  # noqa: BLE001  it is told by the test
                self.wrong.append(f"{work.__name__} {number}, {turn}: {error!r}")

        self._threads += [threading.Thread(target=loop, args=(number,)) for number in range(count)]

    def run(self) -> None:
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join(SECONDS + 120)
        assert not self.wrong, "\n".join(self.wrong[:10])

    def note(self, done: Result, key: str, content: str) -> None:
        with self._lock:
            if done.exit_code == 0:
                assert done.json()["key"] == key
                self.kept[key] = content
                self.counts["written"] += 1
            elif done.exit_code not in FINE or "hint: " not in done.stderr:
                self.wrong.append(str(done))

    def write(self, number: int, turn: int) -> None:
        """Each writer has keys of its own, and all write the shared one."""
        key = f"w{number}-{turn % 7}"
        content = f"{number} {turn}"
        entry = json.dumps({"key": key, "type": "fact", "content": content})
        self.note(self.repo.run("add", stdin=entry, exit_code=None), key, content)

    def read(self, number: int, turn: int) -> None:
        words = (
            *(("list", "--json"), ("recall", "shared", "--json"), ("stats", "--json"), ("check",)),
            ("show", "shared", "--json"),
        )[(number + turn) % 5]
        done = self.repo.run(*words, exit_code=None)
        with self._lock:
            self.counts["read"] += 1
            if done.exit_code not in ({0, 1} if words[0] == "check" else {0}):
                self.wrong.append(str(done))
            elif words[0] == "list":
                found = [value["key"] for value in done.json()]
                if len(found) != len(set(found)) or "shared" not in found:
                    self.wrong.append(f"the list holds {sorted(found)}")


def check_kept(crowd: Crowd, repo: Repo) -> None:
    """Everything that was acknowledged is there, and the store is in order."""
    lines = data_lines(repo)
    said = said_in(lines)
    lost = {(key, content) for key, content in crowd.kept.items() if (key, content) not in said}
    assert not lost, f"{len(lost)} of {len(crowd.kept)} are lost: {sorted(lost)[:5]}"
    assert "all is well" in repo.run("check").stderr
    assert not [name for name in repo.tree() if name.endswith(".tmp")]
    found = {value["key"]: value["content"] for value in repo.run("list", "--json").json()}
    assert crowd.kept.items() <= found.items()
    assert crowd.counts["written"] >= 10, crowd.counts


@pytest.mark.slow
@pytest.mark.parametrize("shards", ["1", "16"])
def test_twenty_writers_and_five_readers_lose_nothing_and_see_no_half(
    tmp_path: Path, shards: str
) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", shards)
    repo.kb_add(key="shared", type_="fact", content="Everybody reads it.")
    repo.commit("Begin")
    crowd = Crowd(repo)

    def commit(_number: int, _turn: int) -> None:
        repo.git("add", ".gitkb", exit_code=None)
        repo.git("commit", "-q", "-m", "Some", exit_code=None)
        crowd.counts["git"] += 1
        time.sleep(0.2)

    crowd.start(crowd.write, WRITERS)
    crowd.start(crowd.read, READERS)
    crowd.start(commit, 1)
    crowd.run()
    assert crowd.counts["read"] >= 5
    check_kept(crowd, repo)


@pytest.mark.slow
def test_writers_beside_pulls_and_pushes_lose_nothing(tmp_path: Path) -> None:
    """The other side writes other keys, so that every pull is a merge that succeeds."""
    pair = team(tmp_path, "--shards", "256")
    pair.ada.kb_add(key="shared", type_="fact", content="Everybody reads it.")
    pair.ada.commit("Begin")
    pair.ada.push()
    pair.ben.pull()
    crowd = Crowd(pair.ada)
    theirs: dict[str, str] = {}
    random_ = random.Random(7)

    def exchange(_number: int, turn: int) -> None:
        key = f"ben-{turn}"
        pair.ben.kb_add(key=key, type_="fact", content=f"Ben {turn}")
        pair.ben.commit(f"Ben {turn}")
        pair.ben.git("pull", "-q", "--rebase", exit_code=None)
        if pair.ben.push(exit_code=None).exit_code == 0:
            theirs[key] = f"Ben {turn}"
        pair.ada.git("add", ".gitkb", exit_code=None)
        pair.ada.git("commit", "-q", "-m", f"Ada {turn}", exit_code=None)
        pair.ada.git("pull", "-q", "--no-rebase", "--no-edit", exit_code=None)
        if random_.random() < 0.5:
            pair.ada.push(exit_code=None)
        crowd.counts["git"] += 1

    crowd.start(crowd.write, 6)
    crowd.start(crowd.read, 2)
    crowd.start(exchange, 1)
    crowd.run()
    for repo in (pair.ada, pair.ben):
        (repo.path / ".git" / "index.lock").unlink(missing_ok=True)
    pair.ada.git("add", ".gitkb")
    pair.ada.git("commit", "-q", "-m", "Last", exit_code=None)
    pair.ada.git("pull", "-q", "--no-rebase", "--no-edit")
    check_kept(crowd, pair.ada)
    found = {value["key"] for value in pair.ada.run("list", "--json").json()}
    assert theirs.keys() <= found


def test_what_is_written_between_the_two_steps_of_a_stash_git_takes_back_from_anybody(
    tmp_path: Path,
) -> None:
    """git keeps the files, then resets them, and has no lock in between: no writer could wait for it."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    repo.write("plain.txt", "Committed.\n")
    repo.commit("Begin")
    repo.write("plain.txt", "Changed.\n")
    repo.kb_add(key="before", type_="fact", content="Written before.")
    # Git runs this when the stash is kept and the worktree is not reset yet.
    hook = repo.write(
        ".git/hooks/reference-transaction",
        "#!/bin/sh\n"
        'test "$1" = committed && grep -q refs/stash || exit 0\n'
        "test ! -e .git/index.lock || touch locked\n"
        "echo Between. >>plain.txt\n"
        "unset GIT_DIR GIT_INDEX_FILE\n"
        f"'{script('gitkb')}' add --key between --type fact --content 'Written between.' >said\n",
    )
    hook.chmod(0o755)
    repo.git("stash", "push", "-q")
    hook.unlink()
    assert b'"written":true' in repo.read("said")
    assert not (repo.path / "locked").exists()
    assert repo.read("plain.txt") == b"Committed.\n"
    repo.git("stash", "pop", "-q")
    assert repo.read("plain.txt") == b"Changed.\n"  # a file of nobody's store, lost alike
    assert [hit["key"] for hit in repo.run("list", "--json").json()] == ["before"]
