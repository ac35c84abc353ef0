"""A damaged, foreign, locked or unwritable search index: the answer is right, the next one too."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitkb.errors import SearchIndexError
from gitkb.index.database import Lock, OutOfTimeError
from gitkb.index.freshness import RACY
from gitkb.index.sync import open_synced

from index_builder import ALL, World, entry_line, keys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENTRIES = 400
_NOBODY = 65534
NAME = "knowledge/all.jsonl"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Enough entries for a database of many pages, one of them about a zebra; the index is built."""
    world = World(tmp_path)
    world.write(NAME, *_lines(ENTRIES))
    assert world.found("zebra") == ["k7"]
    return world


def _lines(number: int) -> list[bytes]:
    word = random.Random(1)
    return [
        entry_line(
            f"k{n}",
            " ".join(f"{word.getrandbits(24):x}" for _ in range(30)) + " zebra" * (n == 7),
        )
        for n in range(number)
    ]


def _assert_heals(world: World) -> None:
    notices: list[str] = []
    assert world.found("zebra", notices=notices) == ["k7"]
    assert len(notices) == 1
    assert "built anew" in notices[0]
    again: list[str] = []
    assert world.found("zebra", notices=again) == ["k7"]
    assert again == []


# --- damage ----------------------------------------------------------------------------------


def _noise(data: bytearray, start: int, size: int) -> bytes:
    data[start : start + size] = random.Random(start).randbytes(len(data[start : start + size]))
    return bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="emptied"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut in the middle"),
        pytest.param(lambda data: data[:100], id="cut after the header"),
        pytest.param(lambda data: _noise(bytearray(data), 0, len(data)), id="all noise"),
        pytest.param(lambda data: _noise(bytearray(data), 0, 100), id="noise over the header"),
        pytest.param(lambda data: data + b"more", id="longer"),
        pytest.param(lambda data: b"not a database\n" * 50, id="another file"),
        pytest.param(lambda data: data.replace(b"zebra", b"okapi"), id="another word"),
    ],
)
def test_a_damaged_database_is_built_anew(world: World, damage: Callable[[bytes], bytes]) -> None:
    world.database.write_bytes(damage(world.database.read_bytes()))
    _assert_heals(world)


def test_noise_over_any_page_is_noticed(world: World) -> None:
    whole = world.database.read_bytes()
    for start in range(0, len(whole), max(4096, len(whole) // 4096 // 16 * 4096)):
        world.database.write_bytes(_noise(bytearray(world.database.read_bytes()), start, 512))
        _assert_heals(world)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE state SET version = version + 1",
        "DELETE FROM state",
        "DROP TABLE entry",
        "INSERT INTO words (words) VALUES ('delete-all')",
        "DROP TABLE words_data",
        "CREATE TABLE other (x)",
    ],
)
def test_a_database_that_another_program_changed_is_built_anew(
    world: World, statement: str
) -> None:
    with closing(sqlite3.connect(world.database)) as connection:
        connection.execute(statement)
        connection.commit()
    _assert_heals(world)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE state SET version = version + 1",
        "DROP TABLE entry",
        "DROP TABLE file",
        "INSERT INTO words (words) VALUES ('delete-all')",
        "DELETE FROM words_docsize",
        "DELETE FROM entry",
        "DELETE FROM entry WHERE key = 'k7'",
        "UPDATE words_data SET block = zeroblob(40)",
        "UPDATE words_data SET block = zeroblob(40) WHERE id > 10",
    ],
)
def test_damage_that_keeps_size_and_time_is_noticed_by_those_who_read_it(
    world: World, statement: str
) -> None:
    with closing(sqlite3.connect(world.database)) as connection:
        connection.execute(statement)
        connection.commit()
    _seal(world)
    _assert_heals(world)


def _seal(world: World) -> None:
    at = world.database.stat()
    seal = world.database.with_name("index.sqlite.seal")
    token = seal.read_text().split()[0]
    seal.write_text(f"{token} {at.st_size} {at.st_mtime_ns}\n")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"x y z\n"])
def test_a_seal_that_says_something_else_is_no_seal(world: World, content: bytes) -> None:
    world.database.with_name("index.sqlite.seal").write_bytes(content)
    _assert_heals(world)


def test_a_journal_of_a_killed_writer_never_reaches_a_new_database(world: World) -> None:
    with closing(sqlite3.connect(world.database, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE entry SET text = 'lost'")
        journal = world.database.with_name("index.sqlite-journal").read_bytes()
        half = world.database.read_bytes()
    world.database.write_bytes(half)
    world.database.with_name("index.sqlite-journal").write_bytes(journal)
    _assert_heals(world)
    assert not world.database.with_name("index.sqlite-journal").exists()


def test_leftovers_of_a_killed_build_do_not_matter(world: World) -> None:
    new = world.database.with_name("index.sqlite.new")
    new.write_bytes(b"half")
    world.write(NAME, *_lines(ENTRIES), entry_line("new", "okapi"))
    assert world.found("okapi") == ["new"]
    world.database.unlink()
    assert world.found("okapi") == ["new"]
    assert not new.exists()


# --- no way to write -------------------------------------------------------------------------


def _assert_answers_from_memory(world: World) -> None:
    notices: list[str] = []
    assert world.found("okapi zebra", notices=notices) == ["new", "k7"]
    assert len(notices) == 1
    assert "from memory" in notices[0]


@pytest.fixture
def changed(world: World) -> World:
    """The same, with an entry that the index does not hold."""
    world.write(NAME, *_lines(ENTRIES), entry_line("new", "okapi"))
    return world


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, and a user for whom nothing in it can be written once it is read-only.

    The superuser may write anywhere, so for the time of the test we are nobody.
    """
    if sys.platform == "win32":
        pytest.skip("needs permissions of folders")
    with tempfile.TemporaryDirectory(
        dir="/tmp"
    ) as folder:  # a test's own folder is closed to nobody
        os.chmod(folder, 0o755)
        user = os.geteuid()
        if user == 0:
            os.chown(folder, _NOBODY, -1)
            os.seteuid(_NOBODY)
        try:
            yield Path(folder)
        finally:
            for path in Path(folder).rglob("derived"):
                path.chmod(0o755)
            os.seteuid(user)


def _make_read_only(world: World) -> None:
    for path in [*world.database.parent.iterdir(), world.database.parent]:
        path.chmod(path.stat().st_mode & 0o555)


@pytest.mark.parametrize("kept", [True, False])
def test_a_folder_that_cannot_be_written_is_answered_from_memory(
    unprivileged: Path, kept: bool
) -> None:
    world = World(unprivileged)
    world.write(NAME, *_lines(ENTRIES))
    assert world.found("zebra") == ["k7"]
    world.write(NAME, *_lines(ENTRIES), entry_line("new", "okapi"))
    if not kept:
        world.database.unlink()
    _make_read_only(world)
    _assert_answers_from_memory(world)


def test_an_unchanged_index_in_a_read_only_folder_needs_no_memory(unprivileged: Path) -> None:
    world = World(unprivileged)
    world.write(NAME, entry_line("k7", "zebra"))
    assert world.found("zebra") == ["k7"]
    _make_read_only(world)
    time.sleep(RACY / 10**9 + 0.1)  # now there would be something to note
    _assert_healthy(world)


def test_a_folder_that_cannot_be_made_is_answered_from_memory(world: World) -> None:
    world.write(NAME, *_lines(ENTRIES), entry_line("new", "okapi"))
    for path in world.database.parent.iterdir():
        path.unlink()
    world.database.parent.rmdir()
    world.database.parent.write_bytes(b"a file, not a folder")
    _assert_answers_from_memory(world)


def test_a_lock_that_others_hold_is_waited_for_once_and_not_for_long(changed: World) -> None:
    with Lock(str(changed.database)):
        start = time.monotonic()
        _assert_answers_from_memory(changed)
        assert time.monotonic() - start < 4
    notices: list[str] = []
    assert changed.found("okapi", notices=notices) == ["new"]
    assert notices == []


@pytest.mark.parametrize("begin", ["BEGIN", "BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
def test_a_database_that_others_hold_is_waited_for_once_and_not_for_long(
    changed: World, begin: str
) -> None:
    with closing(sqlite3.connect(changed.database, isolation_level=None)) as holder:
        holder.execute(begin)
        holder.execute("SELECT * FROM state").fetchone()
        start = time.monotonic()
        notices: list[str] = []
        assert changed.found("okapi zebra", notices=notices) == ["new", "k7"]
        assert time.monotonic() - start < 6
    again: list[str] = []
    assert changed.found("okapi zebra", notices=again) == ["new", "k7"]
    assert again == []


_FULL_DISK = """
import resource, signal, sys
from gitkb.index.search import Filters
from gitkb.index.freshness import RACY
from gitkb.index.sync import DataFile, open_synced
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
notices = []
index = open_synced(sys.argv[1], [DataFile("knowledge/all.jsonl", sys.argv[2])], notices=notices)
print(len(index.search("okapi zebra", Filters())), *notices, sep="|")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of file sizes")
@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("size", [0, 1, 4096, 20_000])
def test_a_full_disk_is_answered_from_memory(changed: World, kept: bool, size: int) -> None:
    if not kept:
        changed.database.unlink()
    arguments = [str(changed.database), str(changed.path(NAME)), str(size)]
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, *arguments], capture_output=True, text=True, check=False
    )
    found, *notices = done.stdout.strip().split("|")
    assert (done.stderr, found) == ("", "2")
    assert [notice for notice in notices if "from memory" in notice]
    assert changed.found("okapi zebra") == ["new", "k7"]
    assert changed.found("okapi zebra") == ["new", "k7"]


# --- out of time, killed ---------------------------------------------------------------------


@pytest.mark.parametrize("force", [True, False])
def test_a_preparation_out_of_time_leaves_the_index_as_it_was(changed: World, force: bool) -> None:
    before = changed.database.read_bytes()
    with pytest.raises(OutOfTimeError):
        open_synced(
            str(changed.database), changed.files(), force=force, deadline=time.monotonic() - 1
        )
    assert changed.database.read_bytes() == before
    assert not changed.database.with_name("index.sqlite.new").exists()
    notices: list[str] = []
    assert changed.found("okapi", notices=notices) == ["new"]
    assert notices == []


def test_a_preparation_ends_soon_after_its_time_wherever_it_is(changed: World) -> None:
    changed.write(NAME, *_lines(20 * ENTRIES), entry_line("new", "okapi"))
    ended = 0
    for step in range(1, 20):
        deadline = time.monotonic() + step * 0.01
        try:
            open_synced(
                str(changed.database), changed.files(), force=True, deadline=deadline
            ).close()
        except OutOfTimeError:
            ended += 1
        assert not changed.database.with_name("index.sqlite.new").exists()
    assert ended
    notices: list[str] = []
    assert changed.found("okapi", notices=notices) == ["new"]
    assert notices == []


def test_a_preparation_does_not_wait_for_others(changed: World) -> None:
    with Lock(str(changed.database)):
        start = time.monotonic()
        with pytest.raises(SearchIndexError):
            open_synced(str(changed.database), changed.files(), deadline=time.monotonic() + 60)
        assert time.monotonic() - start < 1


_ENDLESS = """
import sys
from gitkb.index.search import Filters
from gitkb.index.freshness import RACY
from gitkb.index.sync import DataFile, open_synced
while True:
    open_synced(sys.argv[1], [DataFile("knowledge/all.jsonl", sys.argv[2])], force="force" in sys.argv).close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a signal that cannot be caught")
@pytest.mark.parametrize("mode", ["force", "update"])
def test_a_killed_writer_leaves_an_index_that_heals(world: World, mode: str) -> None:
    arguments = [str(world.database), str(world.path(NAME)), mode]
    pause = random.Random(mode)
    for turn in range(12):
        with subprocess.Popen([sys.executable, "-c", _ENDLESS, *arguments]) as process:
            end = time.monotonic() + 0.25 + pause.random() / 10
            changes = _changes(turn)
            while time.monotonic() < end:
                world.write(NAME, *next(changes))
            process.send_signal(signal.SIGKILL)
        world.write(NAME, *_lines(ENTRIES), entry_line(f"new{turn}", "okapi"))
        assert world.found("okapi zebra") == [f"new{turn}", "k7"]


def _changes(seed: int) -> Iterator[list[bytes]]:
    draw = random.Random(seed)
    lines = _lines(ENTRIES)
    while True:
        yield [line for line in lines if draw.random() < 0.9]


def test_an_index_that_turns_out_damaged_while_open_is_healed_once(world: World) -> None:
    notices: list[str] = []
    with closing(open_synced(str(world.database), world.files(), notices=notices)) as index:
        with open(world.database, "r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * (world.database.stat().st_size - 4096))
        assert keys_of(index.search("zebra", ALL)) == ["k7"]
        assert keys_of(index.list(ALL))[:1] == ["k0"]
    assert len(notices) == 1
    _assert_healthy(world)


def _assert_healthy(world: World) -> None:
    notices: list[str] = []
    assert world.found("zebra", notices=notices) == ["k7"]
    assert notices == []
