"""Play a team of two once, for real: two people, two clones, one remote, in a temporary folder.

1. Every step is a command that a reader could type; they run through the installed programs.
2. Nothing outside of the folder is changed, and it is removed at the end unless it is to be kept.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
import tempfile
from typing import NamedTuple

from gitkb.errors import GitkbError
from gitkb.git.command import ask_git, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Step(NamedTuple):
    """One command of one person, as it is typed (after `git`), and why."""

    person: str
    words: tuple[str, ...]
    why: str = ""
    shows: bool = False
    """What it prints is worth reading."""
    heads: bool = False
    """Of that only the lines that are not set in: what is said about each is long."""
    code: int = 0
    """How it ends."""


class Played(NamedTuple):
    """A step with what it printed."""

    step: Step
    output: str


_CENTS = ("--type", "decision", "--title", "Money is kept in cents")
_ROUNDING = ("--type", "pitfall", "--title", "The tax service rounds half up", "--tag", "money")
_ROLES = ("AUTHOR", "COMMITTER")
_CENTS_KEY, _ROUNDING_KEY = "dec_r9m151bh", "pit_ra40vayt"


def _commit(person: str, message: str) -> tuple[Step, ...]:
    return (Step(person, ("add", ".gitkb")), Step(person, ("commit", "-m", message)))


def _pull(person: str, why: str, shows: bool = False) -> Step:
    return Step(person, ("pull", "--no-rebase", "--no-edit"), why, shows)


STEPS = (
    Step("ann", ("kb", "init"), "Ann starts a knowledge base in the repository of her team."),
    Step(
        "ann",
        (
            "kb",
            "add",
            *_CENTS,
            "--content",
            "Floats lost a cent in every tenth invoice.",
            "--tag",
            "money",
        ),
        "She writes down a decision and a trap. Each answer names a key.",
        True,
    ),
    Step(
        "ann",
        ("kb", "add", *_ROUNDING, "--content", "MUST-CHECK: never round before calling it."),
        shows=True,
    ),
    *_commit("ann", "Say how money is kept"),
    Step("ann", ("push", "-u", "origin", "HEAD")),
    Step("ben", ("pull",), "Ben pulls, sets up his clone once, and finds what Ann knows."),
    Step("ben", ("kb", "install")),
    Step("ben", ("kb", "recall", "how do we round"), shows=True),
    Step(
        "ben",
        ("kb", "add", *_CENTS, "--content", "Floats lost cents: use Money.", "--tag", "invoices"),
        "Ben knows the decision in other words. The same title is the same entry.",
        True,
    ),
    *_commit("ben", "Say what to use for money"),
    Step("ben", ("push",)),
    Step(
        "ann",
        (
            "kb",
            "add",
            *_CENTS,
            "--content",
            "Floats lost a cent: integers only.",
            "--importance",
            "5",
        ),
        "Meanwhile Ann changes the very same line of the same file.",
        True,
    ),
    *_commit("ann", "Rate the decision"),
    _pull(
        "ann",
        "Git merges: no markers. Tags and importance of both are kept; of two\n"
        "contents none is lost. The entry says so itself, and goes on working.",
        True,
    ),
    Step("ann", ("kb", "conflicts"), shows=True),
    Step(
        "ann",
        ("kb", "resolve", _CENTS_KEY, "--take", "1"),
        "They talk, and Ann takes the first of the two.",
        True,
    ),
    *_commit("ann", "Settle how money is kept"),
    Step("ann", ("push",)),
    Step("ann", ("kb", "recall", "money in cents"), "What both wrote is found.", True),
    Step(
        "ann",
        ("kb", "blame", _CENTS_KEY),
        "And git knows who wrote it, and when; log also says what each changed.",
        True,
    ),
    Step("ann", ("kb", "log", _CENTS_KEY), shows=True, heads=True),
    Step(
        "ann",
        ("kb", "forget", _ROUNDING_KEY, "--reason", "the service was replaced"),
        "The trap is gone, so Ann deletes it: for everybody, not only here.",
        True,
    ),
    *_commit("ann", "Forget the old tax service"),
    Step("ann", ("push",)),
    _pull("ben", "Ben pulls, and it is gone for him too; it can never come back by a merge."),
    Step("ben", ("kb", "show", _ROUNDING_KEY), shows=True, code=4),
    Step("ben", ("kb", "recall", "money"), shows=True),
)


class Demo(NamedTuple):
    """A team that is ready to play."""

    folder: str
    steps: Iterator[Played]


@contextlib.contextmanager
def playing(*, keep: bool = False) -> Iterator[Demo]:
    """Make the folder of a team, whose steps run as they are asked for; it goes at the end unless kept.

    Raises:
        GitkbError: when a step fails; that would be a bug.
    """
    if keep:
        folder = tempfile.mkdtemp(prefix="gitkb-demo-")
        yield Demo(folder, _play(folder))
        return
    with tempfile.TemporaryDirectory(prefix="gitkb-demo-", ignore_cleanup_errors=True) as folder:
        yield Demo(folder, _play(folder))


def _play(folder: str) -> Iterator[Played]:
    # `git kb` has to find the program that belongs to this installation, and a name that the environment
    # sets (as sandboxes do) would be that of both.
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", "")))
    names = " ".join(f"GIT_{role}_{part}" for role in _ROLES for part in ("NAME", "EMAIL"))
    # What the team plays stays in its folder: no store that the environment names, and no tier of yours.
    home = shlex.quote(os.path.join(folder, "home"))
    alias = f"alias.play=!unset GITKB_DIR {names}; GITKB_HOME={home} PATH={shlex.quote(path)} git"
    _make_clones(folder)
    for step in STEPS:
        clone = os.path.join(folder, step.person)
        answer = ask_git(["-c", alias, "play", *step.words], clone, write=True)
        said = answer.stderr.decode("utf-8", "replace")
        if answer.code != step.code:
            raise GitkbError(
                f"the demo failed at 'git {' '.join(step.words)}': {said.strip()}", "gitkb doctor"
            )
        printed = answer.stdout.decode("utf-8", "replace")
        yield Played(step, _worth_reading(step, printed, said))


def _worth_reading(step: Step, printed: str, said: str) -> str:
    """What a program printed, without git's reports of its progress."""
    lines = f"{printed}{said}".splitlines(keepends=True)
    if step.words[0] != "kb":
        lines = [line for line in lines if line.startswith(("Merge made", "warning:", "hint:"))]
    if step.heads:
        lines = [line for line in lines if not line.startswith(" ")]
    return "".join(lines)


def _make_clones(folder: str) -> None:
    run_git(["init", "-q", "--bare", "-b", "main", "remote.git"], folder, write=True)
    for person in ("ann", "ben"):
        run_git(["clone", "-q", "remote.git", person], folder, write=True)
        clone = os.path.join(folder, person)
        name = person.capitalize()
        for setting, value in (
            ("user.name", name),
            ("user.email", f"{person}@example.org"),
            ("commit.gpgSign", "false"),
        ):
            run_git(["config", setting, value], clone, write=True)
