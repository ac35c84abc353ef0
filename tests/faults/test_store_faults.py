"""The store survives what happens to programs and disks.

After each fault every data file is whole (the lines that were there before are there, each line
parses, nothing is half written), and the next command works and leaves no trace of the fault.

The faults come from outside, see `fault_builder`. No product code knows of them.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.entry import parse_record
from gitkb.errors import StateError
from gitkb.store.discover import store_at
from gitkb.store.lock import locked

from fault_builder import copies, data_lines, fault_at, said_in, set_modes, unprivileged
from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


OLD = {"key": "queue", "type": "decision", "content": "Use one queue.", "ts": 1}
NEW = {**OLD, "content": "Use two queues.", "ts": 2}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a store that holds two entries, one of them corrected once."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init")
    repo.kb_add(key="other", type_="fact", content="Stays as it is.", ts=1)
    repo.kb_add(**OLD)
    repo.commit("Begin")
    return repo


def check_whole(repo: Repo, before: dict[str, list[bytes]]) -> None:
    """Nothing that stood in the store is lost, and what nobody touched keeps its bytes."""
    after = data_lines(repo)
    assert said_in(before) <= said_in(after)
    others = [line for lines in after.values() for line in lines if b'"other"' in line]
    assert others == [line for lines in before.values() for line in lines if b'"other"' in line]


def check_recovers(repo: Repo) -> None:
    """The next command works, and no trace of the fault is left."""
    assert repo.kb_add(**NEW)["key"] == "queue"
    assert not [name for name in repo.tree() if name.endswith(".tmp")]
    lines = data_lines(repo)
    old = [line for name, found in lines.items() if "archive" in name for line in found]
    assert len(old) == len(set(old)) == 1
    assert repo.run("recall", "two queues", "--json").json()[0]["key"] == "queue"
    repo.run("check")


# --- killed ----------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_add_killed_at_any_call_that_reaches_the_disk_leaves_the_store_whole(
    repo: Repo, tmp_path: Path
) -> None:
    before = data_lines(repo)
    for number, copy in copies(repo, tmp_path):
        environment = fault_at(tmp_path / "fault", number, "kill")
        done = copy.run("add", stdin=json.dumps(NEW), env=environment, exit_code=None)
        check_whole(copy, before)
        shown = copy.run("show", "queue", "--json").json()
        assert shown["content"] in (OLD["content"], NEW["content"])
        check_recovers(copy)
        if done.exit_code == 0:
            break
        assert done.exit_code == -signal.SIGKILL
    assert number > 12


@pytest.mark.slow
def test_an_archive_killed_at_any_call_that_reaches_the_disk_can_be_done_again(
    repo: Repo, tmp_path: Path
) -> None:
    before = data_lines(repo)
    for number, copy in copies(repo, tmp_path):
        environment = fault_at(tmp_path / "fault", number, "kill")
        done = copy.run("archive", "queue", env=environment, exit_code=None)
        check_whole(copy, before)
        copy.run("archive", "queue", exit_code=None)
        assert copy.run("show", "queue", "--json").json()["archived"] is True
        copy.run("restore", "queue")
        assert copy.run("show", "queue", "--json").json()["content"] == OLD["content"]
        if done.exit_code == 0:
            break
        assert done.exit_code == -signal.SIGKILL
    assert number > 12


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 3, 7, 40, 200, 333])
def test_a_killed_import_is_finished_by_the_same_import(
    repo: Repo, tmp_path: Path, number: int
) -> None:
    legacy = tmp_path / "legacy.jsonl"
    records = [{**NEW, "key": f"k{n}", "ts": 5} for n in range(40)] + [NEW]
    legacy.write_text("".join(json.dumps(item) + "\n" for item in records), encoding="utf-8")
    before = data_lines(repo)
    environment = fault_at(tmp_path / "fault", number, "kill")
    killed = repo.run("import", "--from", "drawbar", legacy, env=environment, exit_code=None)
    assert killed.exit_code in (-signal.SIGKILL, 0)
    check_whole(repo, before)
    answer = repo.run("import", "--from", "drawbar", legacy, "--json").json()
    assert answer["imported"] == answer["total"] == 41
    check_recovers(repo)
    assert len(repo.run("list", "--json").json()) == 42


@pytest.mark.slow
def test_a_kill_at_any_moment_of_a_reshard_loses_no_line(repo: Repo, tmp_path: Path) -> None:
    repo.kb_add(**NEW)
    before = data_lines(repo)
    lines_before = sorted(line for found in before.values() for line in found)
    for number, copy in copies(repo, tmp_path, 2):
        environment = fault_at(tmp_path / "fault", number, "kill")
        done = copy.run("reshard", "16", env=environment, exit_code=None)
        assert {*lines_before} <= {line for found in data_lines(copy).values() for line in found}
        copy.run("reshard", "16")
        assert sorted(line for found in data_lines(copy).values() for line in found) == lines_before
        if done.exit_code == 0:
            break
        assert done.exit_code == -signal.SIGKILL
    assert number > 10
    assert copy.run("show", "queue", "--json", cwd=repo.path).json()["content"] == NEW["content"]


def test_the_next_writer_removes_what_a_killed_one_left(repo: Repo) -> None:
    left = repo.write(".gitkb/knowledge/.3f.jsonl.tmp", b'{"half')
    beside = repo.write(".gitkb/knowledge/notes.tmp", b"not ours")
    repo.kb_add(**NEW)
    assert not left.exists()
    assert beside.exists()


def test_temporary_files_are_no_data_and_never_committed(repo: Repo) -> None:
    repo.write(".gitkb/knowledge/.3f.jsonl.tmp", b'{"half')
    repo.write(".gitkb/archive/.3f.jsonl.tmp", b'{"half')
    assert len(repo.run("list", "--json").json()) == 2
    assert repo.git("status", "--porcelain").stdout == ""


# --- the disk is full ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_full_disk_at_any_call_changes_nothing_or_everything(repo: Repo, tmp_path: Path) -> None:
    before = data_lines(repo)
    failures = 0
    for number, copy in copies(repo, tmp_path):
        environment = fault_at(tmp_path / "fault", number, "full")
        done = copy.run("add", stdin=json.dumps(NEW), env=environment, exit_code=None)
        check_whole(copy, before)
        if done.exit_code:
            failures += 1
            assert done.exit_code == 5, done
            assert "error: cannot write" in done.stderr
            assert "hint: " in done.stderr
            if "nothing was changed" in done.stderr:
                assert data_lines(copy) == before
        check_recovers(copy)
        if not (tmp_path / "fault" / "log").exists():
            break  # the fault came no more
        (tmp_path / "fault" / "log").unlink()
    assert failures >= 8


def test_a_file_that_may_not_grow_is_left_as_it_was(repo: Repo) -> None:
    before = data_lines(repo)
    big = json.dumps({**NEW, "content": "x" * 200_000})
    code = (
        "import resource, os, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    done = run_program(
        [sys.executable, "-c", code, script("gitkb"), "add"],
        cwd=repo.path,
        stdin=big,
        exit_code=5,
    )
    assert "error: cannot write" in done.stderr
    assert data_lines(repo) == before
    check_recovers(repo)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of half a megabyte; only root can mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)]
    if os.name == "nt" or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this system does not let us mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_really_full_changes_nothing(small_disk: Path) -> None:
    store = small_disk / ".gitkb"
    repo = Repo(small_disk)
    run_program([script("gitkb"), "init", "--shards", "1"], cwd=small_disk, exit_code=None)
    if not store.is_dir():
        store.mkdir()
    many = [{**OLD, "key": f"k{n}", "content": "x" * 2_000} for n in range(60)]
    repo.run("add", "--batch", stdin="".join(json.dumps(entry) + "\n" for entry in many))
    before = data_lines(repo)
    (small_disk / "filler").write_bytes(b"\0" * (shutil.disk_usage(small_disk).free - 20_000))
    done = repo.run("add", stdin=json.dumps(NEW), exit_code=5)
    assert "No space left" in done.stderr
    assert "nothing was changed" in done.stderr
    assert data_lines(repo) == before
    (small_disk / "filler").unlink()
    repo.kb_add(**NEW)
    assert len(repo.run("list", "--json").json()) == sum(map(len, before.values())) + 1


# --- no permission ---------------------------------------------------------------------------


@pytest.fixture
def guarded(repo: Repo) -> Iterator[Repo]:
    """The repository, for tests that take rights away."""
    if sys.platform != "linux" and (os.name == "nt" or os.geteuid() == 0):
        pytest.skip("root's rights can be laid down only on Linux")
    if unprivileged(repo, "--version").exit_code == 99:
        pytest.skip("this system does not let us lay root's rights down")
    yield repo
    set_modes(repo.path, writable=True)


def test_a_store_that_may_only_be_read_is_read_and_refuses_to_be_written(guarded: Repo) -> None:
    set_modes(guarded.path, writable=False)
    before = guarded.tree()
    shown = unprivileged(guarded, "show", "queue", "--json")
    assert json.loads(shown.stdout)["content"] == OLD["content"], shown
    found = unprivileged(guarded, "recall", "one queue", "--json")
    assert [item["key"] for item in json.loads(found.stdout)] == ["queue"], found
    done = unprivileged(guarded, "add", stdin=json.dumps(NEW))
    assert done.exit_code == 5, done
    assert "error: cannot" in done.stderr
    assert "hint: " in done.stderr
    assert guarded.tree() == before
    set_modes(guarded.path, writable=True)
    check_recovers(guarded)


@pytest.mark.parametrize("what", ["knowledge", "archive", "file"])
def test_one_part_that_may_not_be_written_leaves_all_as_it_was(guarded: Repo, what: str) -> None:
    set_modes(guarded.path, writable=True)
    store = guarded.path / ".gitkb"
    holder = next(path for path in store.rglob("*.jsonl") if b'"queue"' in path.read_bytes())
    part = holder if what == "file" else store / what
    before = data_lines(guarded)
    part.chmod(0o555 if part.is_dir() else 0o444)
    done = unprivileged(guarded, "add", stdin=json.dumps(NEW))
    assert done.exit_code == 5, done
    assert "nothing was changed" in done.stderr
    assert data_lines(guarded) == before
    part.chmod(0o777 if part.is_dir() else 0o666)
    check_recovers(guarded)


def test_a_file_that_may_not_be_read_stops_writers_and_is_named_by_readers(guarded: Repo) -> None:
    set_modes(guarded.path, writable=True)
    store = guarded.path / ".gitkb"
    holder = next(path for path in store.rglob("*.jsonl") if b'"queue"' in path.read_bytes())
    holder.chmod(0)
    listed = unprivileged(guarded, "list", "--json")
    assert [item["key"] for item in json.loads(listed.stdout)] == ["other"], listed
    done = unprivileged(guarded, "add", stdin=json.dumps(NEW))
    assert done.exit_code == 5, done
    assert "cannot read" in done.stderr
    holder.chmod(0o666)
    check_recovers(guarded)


# --- others at work --------------------------------------------------------------------------


def test_a_lock_that_is_held_is_waited_for_and_then_said(repo: Repo) -> None:
    store = store_at(str(repo.path / ".gitkb"))
    code = (
        "import sys, time; from gitkb.store.discover import store_at; "
        "from gitkb.store.lock import locked\n"
        "with locked(store_at(sys.argv[1])):\n print('held', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, store.root], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StateError, match="locked") as refusal, locked(store, patience=0.2):
            pytest.fail("two held the lock")
        assert refusal.value.exit_code == 5
        assert refusal.value.hint
        # Readers do not wait for writers.
        assert repo.run("show", "queue", "--json").json()["content"] == OLD["content"]
        assert repo.run("recall", "queue", "--json").json()
        holder.kill()
    # The lock died with its process.
    with locked(store, patience=5):
        pass
    check_recovers(repo)


@pytest.mark.slow
def test_a_command_gives_up_on_a_held_lock_after_its_patience(repo: Repo) -> None:
    with locked(store_at(str(repo.path / ".gitkb"))):
        before = data_lines(repo)
        done = repo.run("add", stdin=json.dumps(NEW), exit_code=5)
        assert "error: the store is locked" in done.stderr
        assert "hint: " in done.stderr
        assert data_lines(repo) == before
    check_recovers(repo)


@pytest.mark.slow
def test_twenty_parallel_adds_lose_nothing(repo: Repo) -> None:
    def add(number: int) -> dict[str, Any]:
        return repo.kb_add(key=f"k{number % 15}", type_="fact", content=f"said by {number}")

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(add, range(20)))
    assert all(answer["written"] for answer in answers)
    lines = data_lines(repo)
    said = {
        str(parse_record(line).fields.get("content")) for found in lines.values() for line in found
    }
    assert {f"said by {number}" for number in range(20)} <= said
    assert len(repo.run("list", "--json").json()) == 17
    assert repo.run("stats", "--json").json()["duplicateKeys"] == 0
    repo.run("check")


@pytest.mark.slow
def test_parallel_adds_to_one_file_lose_nothing(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    with ThreadPoolExecutor(20) as pool:
        list(
            pool.map(
                lambda n: repo.kb_add(key=f"k{n}", type_="fact", content=f"said by {n}"), range(20)
            )
        )
    assert len(data_lines(repo)["knowledge/all.jsonl"]) == 20
    repo.run("check")


# --- what stood there before -----------------------------------------------------------------


def test_a_truncated_last_line_is_kept_and_named_and_the_rest_works(repo: Repo) -> None:
    store = repo.path / ".gitkb"
    holder = next(path for path in store.rglob("*.jsonl") if b'"other"' in path.read_bytes())
    holder.write_bytes(holder.read_bytes() + b'{"key":"cut","type":"fact","content":"half a')
    listed = repo.run("list", "--json")
    assert {item["key"] for item in listed.json()} == {"queue", "other"}
    (problem,) = repo.run("stats", "--json").json()["problems"]
    assert (problem["file"], problem["line"]) == (f"knowledge/{holder.name}", 2)
    repo.kb_add(key="other", type_="fact", content="Corrected.")
    assert holder.read_bytes().endswith(b'{"key":"cut","type":"fact","content":"half a\n')
    repo.run("check", exit_code=1)
