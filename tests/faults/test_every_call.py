"""Every verb that writes, killed and failed at every call to the kernel that changes a file.

A process that is killed leaves the files as they are at that moment. So the call runs once under a
tracer, which copies the world before each such call and in the middle of each write, and every copy
that differs is then looked at: what the next command makes of it, whether the same call again ends as
it would have, and what is left lying about. Some calls are killed for real besides, since a copy has
other inodes and times.

`GITKB_FAULTS=all` takes every moment, every call and every error; else a share of them, first those
after a name changed.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gitkb.cli.verbs import SECTIONS

from fault_check import call, check_after, check_clean, read_said
from fault_scenario import SCENARIOS, VERBS_THAT_READ, VERBS_THAT_WRITE, World, make_world
from fault_tracer import IS_POSSIBLE, can_fail, moments, trace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fault_check import Said
    from fault_scenario import Scenario
    from fault_tracer import Event, Moment, Traced

pytestmark = pytest.mark.skipif(
    not IS_POSSIBLE, reason="the tracer speaks to the kernel of Linux on x86-64 alone"
)

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
TAKES_ALL = os.environ.get("GITKB_FAULTS") == "all"
ERRORS = ("ENOSPC", "EIO", "EACCES", "EROFS", "EINTR", "SHORT", "EDQUOT")
DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 7}
SIZES = {"MOMENT": 5, "KILL": 1, "ERROR": 1}
"""How many moments of a scenario are looked at, and calls killed and failed, where not all are."""


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Iterator[World]:
    """The world before anything happens."""
    environ = dict(os.environ)
    yield make_world(tmp_path_factory.mktemp("faults") / "begin")
    os.environ.clear()
    os.environ.update(environ)


_WHOLE: dict[str, tuple[list[Event], Said]] = {}
"""What each scenario does undisturbed, since several tests ask."""


class Stage:
    """A scenario, made ready at one place, to which its world is put back again and again."""

    def __init__(self, begin: World, scenario: Scenario, folder: Path) -> None:
        self.scenario = scenario
        self.world = World(folder / "world")
        self.scratch = folder / "scratch"
        self.ready = folder / "ready"
        self.copies = folder / "copies"
        shutil.copytree(begin.folder, self.world.folder, symlinks=True)
        os.environ.update(self.world.env)
        if scenario.prepare is not None:
            scenario.prepare(self.world)
        self.before = read_said(self.world)
        shutil.copytree(self.world.folder, self.ready, symlinks=True)

    def put(self, folder: Path) -> None:
        """Put the world as it is in a folder into its place."""
        shutil.rmtree(self.world.folder)
        shutil.copytree(folder, self.world.folder, symlinks=True)

    def trace(self, fault: str = "", at: int = 0, *, lasting: bool = False) -> Traced:
        """Run the call in the world as it is now."""
        return self._trace(fault, at, lasting, None)

    def whole(self) -> tuple[list[Event], Said]:
        """Give what the call does undisturbed, and how it ends; the world is put back."""
        name = self.scenario.name
        if name not in _WHOLE:
            done = self.trace()
            assert done.exit_code == 0, done
            _WHOLE[name] = done.events, read_said(self.world)
            self.put(self.ready)
        return _WHOLE[name]

    def record(self) -> tuple[list[Event], list[Moment], Said]:
        """Run the call undisturbed, and give what it did, the moments of it, and how it ended."""
        self.copies.mkdir()
        done = self._trace("", 0, False, self.copies)
        assert done.exit_code == 0, done
        # What a killed git leaves of a file that it writes itself is not ours to mend.
        found = [
            moment
            for moment in moments(self.copies, self.scratch, done.events)
            if not moment.event.startswith("half of git:")
        ]
        return done.events, found, read_said(self.world)

    def _trace(self, fault: str, at: int, lasting: bool, copies: Path | None) -> Traced:
        words = [word.replace("{folder}", str(self.world.folder)) for word in self.scenario.command]
        return trace(
            words,
            roots=[self.world.folder],
            scratch=self.scratch,
            cwd=self.world.folder / self.scenario.at,
            stdin=self.scenario.stdin,
            fault=fault,
            at=at,
            is_lasting=lasting,
            copies=copies,
            is_thin=not TAKES_ALL,
        )


@pytest.fixture(params=SCENARIOS, ids=lambda scenario: scenario.name)
def stage(
    request: pytest.FixtureRequest, begin: World, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    """Each scenario in turn."""
    # Nothing of what was killed lives on here, so nobody has to wait for it.
    monkeypatch.setattr("gitkb.git.own_repository.REST_SECONDS", 0.0)
    # Thousands of small files are made and removed: in memory, where that can be.
    with tempfile.TemporaryDirectory(dir=MEMORY, prefix="gitkb-faults-") as folder:
        yield Stage(begin, request.param, Path(folder))


def test_every_verb_is_among_those_that_write_or_those_that_read() -> None:
    verbs = {name for _, names in SECTIONS for name in names}
    assert verbs == VERBS_THAT_WRITE | VERBS_THAT_READ


@pytest.mark.slow
def test_a_kill_at_any_call_leaves_what_the_next_command_makes_right(stage: Stage) -> None:
    events, found, after = stage.record()
    wrong = []
    for moment in found if TAKES_ALL else _chosen(events, found):
        shutil.rmtree(stage.world.folder)
        moment.folder.rename(stage.world.folder)
        by_git = moment.event.startswith("git: ")
        problems = check_after(
            stage.world, stage.scenario, stage.before, after, moment.said, by_git=by_git
        )
        wrong += [f"killed before {moment.number} ({moment.event}): {one}" for one in problems]
    assert len(found) > 1
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_a_program_that_is_really_killed_leaves_no_less(stage: Stage) -> None:
    events, after = stage.whole()
    wrong = []
    for number in _spread(len(events), SIZES["KILL"]):
        stage.put(stage.ready)
        done = stage.trace("KILL", number)
        assert done.exit_code in (-signal.SIGKILL, 0), done
        problems = check_after(stage.world, stage.scenario, stage.before, after, done.stdout)
        wrong += [f"killed at {number} {events[number - 1]}: {one}" for one in problems]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
def test_an_error_of_any_call_is_said_with_its_cure_and_leaves_the_files_whole(
    stage: Stage,
) -> None:
    whole = stage.trace()
    after = read_said(stage.world)
    pairs = [(event, error) for event in whole.events for error in ERRORS if can_fail(event, error)]
    wrong = []
    for at in [n - 1 for n in _spread(len(pairs), SIZES["ERROR"])]:
        event, error = pairs[at]
        for is_lasting in (False, True) if TAKES_ALL else (at % 2 == 0,):
            stage.put(stage.ready)
            done = stage.trace(
                error, event.number, lasting=is_lasting and error not in ("SHORT", "EINTR")
            )
            problems = check_failed(stage, done, after)
            how = f"{error}{' for good' if is_lasting else ''} at {event}"
            wrong += [f"{how}: {one}" for one in problems]
    assert not wrong, "\n".join(wrong)


def check_failed(stage: Stage, done: Traced, after: Said) -> list[str]:
    """Say what is wrong with how a call ended that the system failed once."""
    wrong = []
    if done.exit_code not in DOCUMENTED and stage.scenario.program != "git":
        wrong.append(f"ended with {done.exit_code}: {done.stderr}")
    if "Traceback" in done.stderr + done.stdout:
        wrong.append(f"a traceback: {done.stderr}")
    is_ours = stage.scenario.program == "gitkb"
    if is_ours and done.exit_code not in (0, 1):
        if "error: " not in done.stderr or "hint: " not in done.stderr:
            wrong.append(f"no message with a cure: {done.stderr!r}")
        if "nothing was changed" in done.stderr and stage.scenario.is_whole:
            if read_said(stage.world).current != stage.before.current:
                wrong.append(f"something was changed, though it says: {done.stderr}")
    if is_ours and done.exit_code == 0 and stage.scenario.verb not in ("session", "import"):
        if read_said(stage.world).current != after.current:
            wrong.append(f"ended with 0, and yet not everything is done: {done.stderr}")
    return wrong + check_after(stage.world, stage.scenario, stage.before, after, done.stdout)


@pytest.mark.slow
def test_a_file_is_on_the_disk_before_it_takes_the_place_of_another(stage: Stage) -> None:
    """Power that fails keeps names and contents in any order, but for what fsync(2) orders."""
    events, _ = stage.whole()
    dirty: set[str] = set()
    for event in events:
        if event.call in ("write", "pwrite64", "writev", "ftruncate"):
            dirty.add(event.path)
        elif event.call in ("fsync", "fdatasync"):
            dirty.discard(event.path)
        elif event.call.startswith("rename") and event.target.endswith((".jsonl", ".toml")):
            if event.program != "git":
                assert event.path not in dirty, event
                later = events[event.number :]
                folder = os.path.dirname(event.target)
                assert any(one.call == "fsync" and one.path == folder for one in later), event


def test_the_world_is_in_order_before_anything_happens(begin: World) -> None:
    assert check_clean(begin) == []
    assert call(begin, "list", "--json").code == 0


def _chosen(events: list[Event], found: list[Moment]) -> list[Moment]:
    """Leave out most of what is written bit by bit, and keep what follows on a change of names."""
    told = [
        moment
        for moment in found
        if 1 < moment.number <= len(events)
        and events[moment.number - 2].call in ("rename", "link", "unlink")
        and events[moment.number - 2].program != "git"
    ]
    size = SIZES["MOMENT"]
    named = [told[at - 1] for at in _spread(len(told), size // 2)]
    others = [moment for moment in found if moment not in named]
    named += [others[at - 1] for at in _spread(len(others), size - len(named))]
    return sorted(named, key=lambda moment: (moment.number, moment.folder.name))


def _spread(count: int, size: int) -> list[int]:
    """Give `size` numbers from 1 to `count`, spread evenly, or all of them."""
    if TAKES_ALL or count <= size:
        return list(range(1, count + 1))
    if size == 1:
        return [1 + count // 2]
    return sorted({1 + round(at * (count - 1) / (size - 1)) for at in range(size)})
