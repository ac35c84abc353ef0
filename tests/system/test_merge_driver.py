"""The installed merge driver under the real git: every operation that calls it, and every failure."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import Repo, run_program, script
from strategies import in_hash_order

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILE = "knowledge/all.jsonl"
ATTRIBUTES = "*.jsonl merge=kb\n"
DRIVER = "gitkb-merge-driver %O %A %B %L %P"


def entry(key: str, **fields: Any) -> dict[str, Any]:
    return {"key": key, "type": "fact", "title": key.upper(), "ts": 1, **fields}


def text(*entries: dict[str, Any]) -> bytes:
    by_key = {each["key"]: each for each in entries}
    lines = (json.dumps(by_key[key], separators=(",", ":")) for key in in_hash_order(by_key))
    return "".join(f"{line}\n" for line in lines).encode()


def entries(data: bytes) -> dict[str, dict[str, Any]]:
    return {record["key"]: record for record in map(json.loads, data.splitlines())}


def commit(repo: Repo, message: str, *lines: dict[str, Any], file: str = FILE) -> str:
    repo.write(file, text(*lines))
    return repo.commit(message)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo.init(tmp_path / "r")
    made.config("merge.kb.driver", DRIVER)
    made.write(".gitattributes", ATTRIBUTES)
    return made


@pytest.fixture
def forked(repo: Repo) -> Repo:
    """On main `a` has another title, on the branch `side` other tags, and both have added one."""
    commit(repo, "base", entry("a"), entry("b"))
    repo.branch("side")
    commit(repo, "ours", entry("a", title="Ours", ts=5), entry("b"), entry("c"))
    repo.checkout("side")
    commit(repo, "theirs", entry("a", tags=["x"], ts=4), entry("b"), entry("d"))
    repo.checkout("main")
    return repo


MERGED = text(entry("a", title="Ours", tags=["x"], ts=5), entry("b"), entry("c"), entry("d"))


def settled(data: bytes) -> dict[str, dict[str, Any]]:
    return {key: dict(sorted(record.items())) for key, record in entries(data).items()}


# --- what calls the driver -------------------------------------------------------------------


def test_a_merge_joins_both_sides(forked: Repo) -> None:
    forked.merge("side")
    assert settled(forked.read(FILE)) == settled(MERGED)
    assert not any(forked.status())


def test_merging_in_the_other_direction_gives_the_same_bytes(forked: Repo) -> None:
    forked.merge("side")
    ours = forked.read(FILE)
    forked.checkout("side")
    forked.merge("main~1")
    assert forked.read(FILE) == ours


def test_a_file_added_on_both_branches_is_merged(repo: Repo) -> None:
    repo.commit("begin")
    repo.branch("side")
    commit(repo, "ours", entry("a", tags=["x"]))
    repo.checkout("side")
    commit(repo, "theirs", entry("a", tags=["y"]), entry("b"))
    repo.merge("main")
    assert entries(repo.read(FILE))["a"]["tags"] == ["x", "y"]


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase_keeps_every_commit_of_ours(repo: Repo, backend: str) -> None:
    commit(repo, "base", entry("a"))
    repo.branch("side")
    commit(repo, "upstream", entry("a", content="up", ts=9), entry("u"))
    repo.checkout("side")
    for number in range(3):
        added = [entry(f"s{each}") for each in range(number + 1)]
        commit(repo, f"add {number}", entry("a", tags=["t"], ts=number + 2), *added)
    repo.rebase(backend, "main")
    found = entries(repo.read(FILE))
    assert sorted(found) == ["a", "s0", "s1", "s2", "u"]
    assert (found["a"]["content"], found["a"]["tags"], found["a"]["ts"]) == ("up", ["t"], 9)
    assert repo.log()[:4] == ["add 2", "add 1", "add 0", "upstream"]


def test_a_cherry_pick_takes_one_change(forked: Repo) -> None:
    forked.git("cherry-pick", "side")
    assert settled(forked.read(FILE)) == settled(MERGED)


def test_a_revert_takes_back_what_it_names_and_nothing_else(repo: Repo) -> None:
    commit(repo, "base", entry("a"))
    added = commit(repo, "add b", entry("a"), entry("b"))
    commit(repo, "later", entry("a", title="Later", ts=5), entry("b"), entry("c"))
    repo.git("revert", "--no-edit", added)
    found = entries(repo.read(FILE))
    assert sorted(found) == ["a", "c"]
    assert found["a"]["title"] == "Later"


def test_the_revert_of_a_tombstone_brings_the_entry_back(repo: Repo) -> None:
    commit(repo, "base", entry("a", content="kept"), entry("b"))
    forgotten = commit(repo, "forget", {"key": "a", "deleted": True, "ts": 5}, entry("b"))
    commit(repo, "later", {"key": "a", "deleted": True, "ts": 5}, entry("b", title="Later"))
    repo.git("revert", "--no-edit", forgotten)
    assert entries(repo.read(FILE))["a"]["content"] == "kept"


def test_stash_pop_merges_what_was_put_away(forked: Repo) -> None:
    forked.write(FILE, text(entry("a", tags=["put away"], ts=6), entry("b"), entry("s")))
    forked.git("stash", "-q")
    commit(forked, "meanwhile", entry("a", content="meanwhile", ts=7), entry("b"), entry("m"))
    forked.git("stash", "pop", "-q")
    found = entries(forked.read(FILE))
    assert {"m", "s"} <= set(found)
    assert (found["a"]["tags"], found["a"]["content"]) == (["put away"], "meanwhile")


def test_a_criss_cross_loses_nothing(repo: Repo) -> None:
    commit(repo, "base", entry("a"))
    repo.branch("side")
    one = commit(repo, "one", entry("a", title="One", ts=2), entry("x"))
    repo.checkout("side")
    two = commit(repo, "two", entry("a", title="Two", ts=3), entry("y"))
    repo.merge(one)
    commit_of_side = entries(repo.read(FILE))
    repo.write(FILE, text(*commit_of_side.values(), entry("v")))
    repo.commit("side goes on")
    repo.checkout("main")
    repo.merge(two)
    repo.write(FILE, text(*entries(repo.read(FILE)).values(), entry("w")))
    repo.commit("main goes on")
    repo.merge("side")
    found = entries(repo.read(FILE))
    assert sorted(found) == ["a", "v", "w", "x", "y"]
    assert found["a"]["title"] == "Two"
    assert found["a"]["conflicts"] == [{"field": "title", "value": "One", "ts": 2}]


def test_merge_tree_merges_without_a_worktree(forked: Repo) -> None:
    forked.write(FILE, b"an unrelated edit\n")
    tree = forked.git("merge-tree", "--write-tree", "main", "side").stdout.split()[0]
    data = forked.git("show", f"{tree}:{FILE}").stdout.encode()
    assert settled(data) == settled(MERGED)
    assert forked.read(FILE) == b"an unrelated edit\n"


def test_an_archive_is_merged_as_a_set_of_versions(repo: Repo) -> None:
    file = "archive/all.jsonl"
    repo.write(file, text(entry("a")))
    repo.commit("base")
    repo.branch("side")
    repo.write(file, text(entry("a")) + text(entry("a", ts=3)))
    repo.commit("ours")
    repo.checkout("side")
    repo.write(file, text(entry("a")) + text(entry("a", ts=2)))
    repo.commit("theirs")
    repo.merge("main")
    assert repo.read(file) == b"".join(text(entry("a", ts=ts)) for ts in (1, 2, 3))


def test_records_of_another_tool_are_merged_by_their_own_key(repo: Repo) -> None:
    repo.config("merge.kb.driver", "gitkb-merge-driver --key id --clock updated %O %A %B %L %P")
    for number, (branch, line) in enumerate(
        {
            "main": '{"id":1,"title":"T","updated":"2026-01-01T00:00:00Z"}',
            "one": '{"id":1,"title":"one","updated":"2026-01-01T00:00:00.2Z"}',
            "two": '{"id":1,"title":"two","updated":"2026-01-01T01:00:00.1+01:00"}',
        }.items()
    ):
        repo.git("checkout", "-q", *(["-b", branch, "main"] if number else ["--orphan", "main"]))
        repo.write("issues.jsonl", line + "\n")
        repo.commit(branch)
    repo.merge("one")
    merged = json.loads(repo.read("issues.jsonl"))
    assert merged["title"] == "one"
    assert merged["updated"] == "2026-01-01T00:00:00.2Z"
    assert [conflict["value"] for conflict in merged["conflicts"]] == ["two"]


def test_a_contested_field_is_said_on_standard_error_and_is_no_conflict_for_git(repo: Repo) -> None:
    commit(repo, "base", entry("a"))
    repo.branch("side")
    commit(repo, "ours", entry("a", title="One", ts=2))
    repo.checkout("side")
    commit(repo, "theirs", entry("a", title="Two", ts=3))
    said = repo.merge("main").stderr
    assert f"warning: '{FILE}': 'a' is contested: title" in said
    assert not any(repo.status())


# --- failures: both sides are left -----------------------------------------------------------


def assert_both_sides_are_left(repo: Repo) -> None:
    left = repo.read(FILE)
    assert b"<<<<<<<" in left
    assert b"Ours" in left
    assert b'"tags":["x"]' in left
    assert repo.status()[0].startswith(("UU", "AA"))


def test_a_conflict_marker_in_a_side_leaves_a_text_merge(forked: Repo) -> None:
    forked.write(FILE, forked.read(FILE) + b"<<<<<<< left behind\n")
    forked.commit("a marker")
    said = forked.merge("side", exit_code=1).stderr
    assert_both_sides_are_left(forked)
    assert f"error: cannot merge '{FILE}' by key: a conflict marker in ours" in said
    assert "hint: " in said


def test_unreadable_lines_on_both_sides_leave_a_text_merge_even_when_it_is_clean(
    repo: Repo,
) -> None:
    lines = [entry(f"k{number}") for number in range(8)]
    commit(repo, "base", *lines)
    repo.branch("side")
    repo.write(FILE, b"not json\n" + text(*lines))
    repo.commit("ours")
    repo.checkout("side")
    repo.write(FILE, text(*lines) + b'{"key":"cut o\n')
    repo.commit("theirs")
    repo.merge("main", exit_code=1)
    left = repo.read(FILE)
    assert b"not json" in left
    assert b"cut o" in left
    assert repo.status()[0].startswith("UU")


def test_a_folder_without_git_leaves_markers_around_whole_files(tmp_path: Path) -> None:
    for name, line in {"b": b"", "o": b"ours\n<<<<<<< x\n", "t": b"theirs"}.items():
        (tmp_path / name).write_bytes(line)
    driver = script("gitkb-merge-driver")
    run_program([driver, "b", "o", "t", "9"], cwd=tmp_path, exit_code=1, env={"PATH": ""})
    left = (tmp_path / "o").read_bytes()
    assert left == (b"<<<<<<<<< ours\nours\n<<<<<<< x\n=========\ntheirs\n>>>>>>>>> theirs\n")


@pytest.mark.parametrize(
    "arguments",
    [["--kee", "id"], ["--clock", "x=often", "--key", "id"], ["--clock", "x"], ["--key", ","]],
)
def test_a_wrong_option_still_leaves_both_sides(tmp_path: Path, arguments: list[str]) -> None:
    for name, line in {"b": b"1\n", "o": b"2\n", "t": b"3\n"}.items():
        (tmp_path / name).write_bytes(line)
    said = run_program(
        [script("gitkb-merge-driver"), *arguments, "b", "o", "t"], cwd=tmp_path, exit_code=1
    ).stderr
    assert said.startswith("error: ")
    left = (tmp_path / "o").read_bytes()
    assert b"2\n" in left
    assert b"3\n" in left


def test_a_killed_driver_leaves_ours_whole_and_no_half_file(forked: Repo, tmp_path: Path) -> None:
    """Killed at its first write: what stands in the place of ours is ours, byte for byte."""
    sides = [tmp_path / name for name in ("b", "o", "t")]
    for side, revision in zip(sides, ("main~1", "main", "side"), strict=True):
        side.write_bytes(forked.git("show", f"{revision}:{FILE}").stdout.encode())
    before = sides[1].read_bytes()
    trap = (
        "import os, posix, signal, sys\n"
        "from gitkb.drivers import merge_command\n"
        "write = os.write\n"
        "def die(file, data):\n"
        "    write(file, data[:20])\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "posix.write = die\n"
        f"merge_command.run({[str(side) for side in sides]!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", trap], check=False, cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL
    assert sides[1].read_bytes() == before


def test_the_mode_of_the_file_is_kept(tmp_path: Path) -> None:
    for name, line in {"b": text(), "o": text(entry("a")), "t": text(entry("b"))}.items():
        (tmp_path / name).write_bytes(line)
    (tmp_path / "o").chmod(0o640)
    run_program([script("gitkb-merge-driver"), "b", "o", "t"], cwd=tmp_path)
    assert (tmp_path / "o").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(tmp_path)) == ["b", "o", "t"]


NO_ROOM = """\
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
from gitkb.drivers.merge_command import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("theirs", ["t", "no such file"])
def test_files_that_somebody_named_by_hand_are_not_taken_for_those_that_git_makes(
    tmp_path: Path, theirs: str
) -> None:
    """git has what it made for a merge in its objects; of these there may be no other copy."""
    for name, line in {"b": text(), "o": text(entry("a")), "t": text(entry("b"))}.items():
        (tmp_path / name).write_bytes(line)
    (tmp_path / "trap.py").write_text(NO_ROOM)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = run_program([sys.executable, "trap.py", "b", "o", theirs], cwd=tmp_path, exit_code=1)
    assert "error: cannot" in done.stderr
    assert "git merge --abort" not in done.stderr
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_file_that_may_not_grow_is_removed_so_that_git_fails(forked: Repo) -> None:
    """With no room even for the text merge, git must not take ours for the result."""
    forked.write("../trap.py", NO_ROOM)
    trap = forked.path.parent / "trap.py"
    forked.config("merge.kb.driver", f"'{sys.executable}' '{trap}' %O %A %B %L %P")
    said = forked.merge("side", exit_code=None)
    assert said.exit_code not in (0, 1)
    assert "error: cannot write" in said.stderr
    assert entries(forked.read(FILE)) == entries(forked.git("show", f"main:{FILE}").stdout.encode())
    assert forked.log(form="%s")[0] == "ours"
    forked.config("merge.kb.driver", DRIVER)
    forked.git("reset", "-q", "--hard")
    forked.merge("side")
    assert settled(forked.read(FILE)) == settled(MERGED)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte; only root can mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if (
        mount is None
        or os.geteuid() != 0
        or subprocess.run(command, check=False, capture_output=True).returncode
    ):
        pytest.skip("no right to mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


BASE, OURS, THEIRS = (f".merge_file_{letters}" for letters in ("Ab1Cd2", "Ef3Gh4", "Ij5Kl6"))
"""Names as git gives the files that it makes for a merge."""


def test_on_a_full_disk_the_room_of_base_and_theirs_is_used(small_disk: Path) -> None:
    long = "x" * 200_000
    base = text(entry("a", content=long))
    for name, data in {
        BASE: base,
        OURS: text(entry("a", content=long), entry("o")),
        THEIRS: text(entry("a", content=long), entry("t")),
    }.items():
        (small_disk / name).write_bytes(data)
    free = os.statvfs(small_disk)
    (small_disk / "filler").write_bytes(b"x" * (free.f_bavail * free.f_bsize))
    run_program([script("gitkb-merge-driver"), BASE, OURS, THEIRS], cwd=small_disk)
    assert sorted(entries((small_disk / OURS).read_bytes())) == ["a", "o", "t"]


def test_where_no_room_is_enough_no_side_is_taken_for_the_whole(small_disk: Path) -> None:
    # The room of base and theirs was used, and what they said is not in their files any more.
    ours = text(*(entry(f"o{number}", content="x" * 900) for number in range(300)))
    theirs = text(*(entry(f"t{number}", content="y" * 900) for number in range(300)))
    for name, data in {BASE: b"", OURS: ours, THEIRS: theirs}.items():
        (small_disk / name).write_bytes(data)
    free = os.statvfs(small_disk)
    (small_disk / "filler").write_bytes(b"x" * (free.f_bavail * free.f_bsize))

    said = run_program(
        [script("gitkb-merge-driver"), BASE, OURS, THEIRS], cwd=small_disk, exit_code=1
    )

    assert "hint: both sides are safe in git" in said.stderr
    assert not (small_disk / OURS).exists()  # so git fails the merge


def test_a_missing_side_is_a_failure_that_git_sees(tmp_path: Path) -> None:
    (tmp_path / OURS).write_bytes(text(entry("a")))
    said = run_program(
        [script("gitkb-merge-driver"), BASE, OURS, THEIRS], cwd=tmp_path, exit_code=1
    )
    assert "error: " in said.stderr
    assert not (tmp_path / OURS).exists()


def test_escapes_in_a_key_never_reach_the_terminal(tmp_path: Path) -> None:
    for name, title in {"b": "A", "o": "B", "t": "C"}.items():
        line = {"id": "\x1b[31m\nred", "title": title}
        (tmp_path / name).write_bytes(json.dumps(line).encode() + b"\n")
    said = run_program([script("gitkb-merge-driver"), "--key", "id", "b", "o", "t"], cwd=tmp_path)
    assert "\x1b" not in said.stderr
    assert "is contested: title" in said.stderr


# --- how it is started -----------------------------------------------------------------------


def test_the_very_file_can_be_run_without_site_packages(tmp_path: Path) -> None:
    import gitkb.drivers.merge

    for name, line in {"b": text(), "o": text(entry("a")), "t": text(entry("b"))}.items():
        (tmp_path / name).write_bytes(line)
    file = gitkb.drivers.merge.__file__
    run_program([sys.executable, "-I", "-S", file, "b", "o", "t"], cwd=tmp_path)
    assert sorted(entries((tmp_path / "o").read_bytes())) == ["a", "b"]


def test_a_merge_imports_nothing_that_is_dear() -> None:
    code = (
        "import sys\n"
        "import gitkb.drivers.merge_command, gitkb.core.merge.file\n"
        "print(*sorted(sys.modules))\n"
    )
    loaded = set(run_program([sys.executable, "-c", code], cwd=_here()).stdout.split())
    bare = set(
        run_program(
            [sys.executable, "-c", "import sys; print(*sys.modules)"], cwd=_here()
        ).stdout.split()
    )
    dear = {
        "argparse",
        "dataclasses",
        "inspect",
        "pathlib",
        "subprocess",
        "typing",
        "click",
        "tempfile",
    }
    assert loaded & dear - bare == set()


def _here() -> Path:
    from pathlib import Path

    return Path.cwd()


@pytest.mark.parametrize(
    ("option", "said"), [("--help", "usage: "), ("--version", "gitkb-merge-driver ")]
)
def test_help_and_version_are_answered(tmp_path: Path, option: str, said: str) -> None:
    assert run_program([script("gitkb-merge-driver"), option], cwd=tmp_path).stdout.startswith(said)
