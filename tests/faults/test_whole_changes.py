"""A change of several files happens as a whole, whatever happens to the program that makes it."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest

from gitkb.core.identity import shard_of
from gitkb.store.discover import store_at
from gitkb.store.lock import locked

from fault_builder import copies, data_lines, fault_at, said_in, set_modes, unprivileged
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

BOTH, NEITHER = ("superseded", True), ("active", False)
EVERYWHERE = "gitkb"  # the store and its folder in the git directory
NEXT = (
    ("show", "old", "--json"),
    ("recall", "queue", "--json"),
    ("list", "--json"),
    ("why", "old", "--json"),
    ("related", "new", "--json"),
    ("stats", "--json"),
    ("check",),
    ("add", "--key", "third", "--type", "fact", "--content", "x"),
    ("archive", "other"),
    ("supersede", "old", "new"),
)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with two entries in two files, and one beside them."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    repo.kb_add(key="other", type_="fact", content="Stays as it is.", ts=1)
    repo.kb_add(key="old", type_="decision", content="Use one queue.", ts=1)
    repo.kb_add(key="new", type_="decision", content="Use two queues.", ts=1)
    repo.commit("Begin")
    assert shard_of("old", 256) != shard_of("new", 256)
    return repo


def state(repo: Repo) -> tuple[str, bool]:
    """The status of the old entry in its file, and whether the new one has the edge in its."""
    lines = {
        fields["key"]: fields
        for name, data in repo.tree().items()
        if name.startswith("knowledge/") and name.endswith(".jsonl")
        for fields in map(json.loads, data.splitlines())
    }
    links = lines["new"].get("links", [])
    return lines["old"].get("status", "active"), {"rel": "supersedes", "to": "old"} in links


def leftovers(repo: Repo) -> list[str]:
    found = [name for name in repo.tree() if name.endswith(".tmp")]
    journal = repo.path / ".git" / "gitkb" / "journal"
    return [*found, *(["journal"] if journal.exists() else [])]


def half_done(repo: Repo, folder: Path) -> Repo:
    """A copy in which a supersession was killed between its two files."""
    for number, copy in copies(repo, folder, 1):
        fault = fault_at(folder / "fault", number, "kill", EVERYWHERE)
        copy.run("supersede", "old", "new", env=fault, exit_code=-signal.SIGKILL)
        if state(copy) not in (BOTH, NEITHER):
            return copy
    raise AssertionError


@pytest.mark.slow
def test_after_a_kill_at_any_call_the_next_command_sees_both_or_neither(
    repo: Repo, tmp_path: Path
) -> None:
    before = data_lines(repo)
    states = {"half": 0, "both": 0, "neither": 0}
    for number, copy in copies(repo, tmp_path):
        fault = fault_at(tmp_path / "fault", number, "kill", EVERYWHERE)
        done = copy.run("supersede", "old", "new", env=fault, exit_code=None)
        states["half"] += state(copy) not in (BOTH, NEITHER)
        command = NEXT[number % len(NEXT)]
        answer = copy.run(*command)
        assert state(copy) in (BOTH, NEITHER), (number, command)
        if command[0] == "show":
            assert answer.json().get("status", "active") == state(copy)[0]
        assert said_in(before) <= said_in(data_lines(copy))
        states["both" if state(copy) == BOTH else "neither"] += 1
        copy.run("supersede", "old", "new")
        assert state(copy) == BOTH
        assert leftovers(copy) == []
        assert "all is well" in copy.run("check").stderr
        archived = [
            line for name, lines in data_lines(copy).items() if "arch" in name for line in lines
        ]
        assert len(archived) == len(set(archived))
        if done.exit_code == 0:
            break
        assert done.exit_code == -signal.SIGKILL
    assert number > 30
    assert min(states.values()) >= 2, states


@pytest.mark.slow
def test_an_entry_that_brings_its_link_is_whole_too(repo: Repo, tmp_path: Path) -> None:
    links = [{"rel": "supersedes", "to": "old"}]
    given = {"key": "new", "type": "decision", "content": "Use two.", "links": links}
    seen = set()
    for number, copy in copies(repo, tmp_path, 3):
        fault = fault_at(tmp_path / "fault", number, "kill", EVERYWHERE)
        done = copy.run("add", stdin=json.dumps(given), env=fault, exit_code=None)
        copy.run("list", "--json")
        seen.add(state(copy))
        if done.exit_code == 0:
            break
        assert done.exit_code == -signal.SIGKILL
    assert seen == {BOTH, NEITHER}


@pytest.mark.slow
def test_a_full_disk_at_any_call_leaves_both_or_neither(repo: Repo, tmp_path: Path) -> None:
    before = data_lines(repo)
    failures = 0
    for number, copy in copies(repo, tmp_path):
        fault = fault_at(tmp_path / "fault", number, "full", EVERYWHERE)
        done = copy.run("supersede", "old", "new", env=fault, exit_code=None)
        if done.exit_code:
            failures += 1
            assert done.exit_code == 5, done
            assert "hint: " in done.stderr
            if "nothing was changed" in done.stderr:
                assert data_lines(copy) == before
                assert leftovers(copy) == []
        copy.run("list", "--json")
        assert state(copy) in (BOTH, NEITHER), (number, done)
        copy.run("supersede", "old", "new")
        assert (state(copy), leftovers(copy)) == (BOTH, [])
        if not (tmp_path / "fault" / "log").exists():
            break
        (tmp_path / "fault" / "log").unlink()
    assert failures >= 10


def test_a_checkout_in_between_undoes_the_change_and_nothing_else(
    repo: Repo, tmp_path: Path
) -> None:
    copy = half_done(repo, tmp_path)
    copy.git("checkout", "-q", "--", ".gitkb/knowledge")
    before = copy.tree()
    assert copy.run("show", "old", "--json").json().get("status", "active") == "active"
    assert state(copy) == NEITHER
    after = copy.tree()
    assert {name: data for name, data in before.items() if not name.endswith(".tmp")} == after
    assert leftovers(copy) == []


def test_what_somebody_wrote_in_between_is_kept_and_check_names_the_half(
    repo: Repo, tmp_path: Path
) -> None:
    copy = half_done(repo, tmp_path)
    waiting = "new" if state(copy)[0] == "superseded" else "old"
    name = f"knowledge/{shard_of(waiting, 256)}"
    line = copy.read(f".gitkb/{name}").replace(b"queue", b"QUEUE")
    copy.write(f".gitkb/{name}", line)
    assert copy.run("list", "--json").json()
    assert copy.read(f".gitkb/{name}") == line
    assert leftovers(copy) == []
    assert state(copy) not in (BOTH, NEITHER)
    said = copy.run("check").stderr
    cure = "gitkb supersede old new" if waiting == "old" else "gitkb restore old"
    assert f"hint: {cure}" in said
    copy.run(*cure.split()[1:])
    assert state(copy) in (BOTH, NEITHER)
    assert "all is well" in copy.run("check").stderr


def test_half_a_change_that_was_committed_is_named_in_a_clone(repo: Repo, tmp_path: Path) -> None:
    copy = half_done(repo, tmp_path)
    copy.git("commit", "-q", "-a", "-m", "half", "--no-verify")
    clone = Repo.clone(copy, tmp_path / "clone")
    assert "hint: gitkb " in clone.run("check").stderr
    copy.run("list", "--json")  # here the other half comes, uncommitted
    assert state(copy) == BOTH
    assert copy.status() != []
    clone.run("supersede", "old", "new")
    assert "all is well" in clone.run("check").stderr


def test_a_journal_that_is_none_is_dropped(repo: Repo) -> None:
    before = repo.tree()
    for text in ("", "{", "[]", '{"renames":[["../../README","",""]]}', '{"renames":7}'):
        repo.write(".git/gitkb/journal", text)
        repo.run("list", "--json")
        assert leftovers(repo) == []
        assert repo.tree() == before


def test_a_batch_is_whole_too(repo: Repo, tmp_path: Path) -> None:
    batch = "".join(
        json.dumps({"key": f"k{number}", "type": "fact", "content": "x"}) + "\n"
        for number in range(12)
    )
    counts = set()
    for number, copy in copies(repo, tmp_path, 9):
        fault = fault_at(tmp_path / "fault", number, "kill", EVERYWHERE)
        done = copy.run("add", "--batch", stdin=batch, env=fault, exit_code=None)
        counts.add(len(copy.run("list", "--json").json()))
        if done.exit_code == 0:
            break
    assert counts == {3, 15}


def test_half_a_change_in_a_store_that_can_only_be_read_is_read_as_it_is(
    repo: Repo, tmp_path: Path
) -> None:
    if unprivileged(repo, "--version").exit_code == 99:
        pytest.skip("this system does not let us lay root's rights down")
    copy = half_done(repo, tmp_path)
    set_modes(copy.path, writable=False)
    before = copy.tree()
    shown = unprivileged(copy, "show", "new", "--json")
    assert shown.exit_code == 0, shown
    listed = unprivileged(copy, "list", "--json")
    assert len(json.loads(listed.stdout)) >= 2, listed
    refused = unprivileged(copy, "archive", "other")
    assert refused.exit_code == 5, refused
    assert copy.tree() == before
    set_modes(copy.path, writable=True)
    copy.run("list", "--json")
    assert (state(copy), leftovers(copy)) == (BOTH, [])


def test_a_reader_waits_for_a_writer_between_two_renames_but_not_for_ever(
    repo: Repo, tmp_path: Path
) -> None:
    copy = half_done(repo, tmp_path)
    half = state(copy)
    with locked(store_at(str(copy.path / ".gitkb")), 1):
        pass  # which finishes it
    assert half != state(copy) == BOTH
    journal = copy.path / ".git" / "gitkb" / "journal"
    with locked(store_at(str(copy.path / ".gitkb"))):
        journal.write_bytes(b'{"renames":[]}')  # as a writer at work would have it
        assert len(copy.run("list", "--json").json()) == 2
        assert journal.exists()
    copy.run("list", "--json")
    assert not journal.exists()
