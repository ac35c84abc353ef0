"""Play the main job once, for real: two people, two clones, one remote, in a temporary folder.

Every step is a command that a reader could type; they run through the installed programs.
"""

from __future__ import annotations

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
    """One command of one person, as it is typed (after `git`), and what it shows."""

    person: str
    words: tuple[str, ...]
    why: str = ""


class Played(NamedTuple):
    """A step with what it printed."""

    step: Step
    output: str


_CENTS = ("--type", "decision", "--title", "Money is kept in cents")
_FLOATS = ("--content", "Floats lost a cent in every tenth invoice.")
_ROUNDING = ("--type", "pitfall", "--title", "The tax service rounds half up", "--tag", "money")
_KEY = "dec_r9m151bh"

STEPS = (
    Step("ann", ("kb", "init"), "Ann starts a knowledge base in the team's repository."),
    Step("ann", ("kb", "add", *_CENTS, *_FLOATS, "--tag", "money", "--file", "src/invoice.py")),
    Step("ann", ("add", ".gitkb")),
    Step("ann", ("commit", "-m", "Say how money is kept")),
    Step("ann", ("push", "-u", "origin", "HEAD")),
    Step("ben", ("pull",), "Ben pulls, and sets up his clone once."),
    Step("ben", ("kb", "install")),
    Step(
        "ben",
        ("kb", "add", *_CENTS, "--content", "Floats lost cents. Use Money.", "--tag", "invoices"),
        "Ben knows the same decision in other words: same title, so it is the same entry.",
    ),
    Step("ben", ("add", ".gitkb")),
    Step("ben", ("commit", "-m", "Say what to use for money")),
    Step("ben", ("push",)),
    Step(
        "ann",
        ("kb", "add", *_CENTS, *_FLOATS, "--tag", "rounding", "--importance", "5"),
        "Meanwhile Ann adds to it too, and learns something new.",
    ),
    Step(
        "ann",
        ("kb", "add", *_ROUNDING, "--content", "MUST-CHECK: never round before calling it."),
    ),
    Step("ann", ("add", ".gitkb")),
    Step("ann", ("commit", "-m", "Rate the decision, add a pitfall")),
    Step("ann", ("pull", "--no-rebase", "--no-edit"), "One entry, changed by both: it merges."),
    Step(
        "ann", ("kb", "recall", "rounding", "money"), "Right after the pull, both sides are there."
    ),
    Step("ann", ("kb", "blame"), "And git says who knew it."),
    Step("ann", ("kb", "log", _KEY)),
)


def play() -> Iterator[Played]:
    """Run the steps in a new temporary folder, which is removed at the end.

    Raises:
        GitkbError: when a step fails; that would be a bug.
    """
    with tempfile.TemporaryDirectory(prefix="gitkb-demo-") as folder:
        # `git kb` has to find the program that belongs to this installation.
        path = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", "")))
        _make_clones(folder)
        for step in STEPS:
            clone = os.path.join(folder, step.person)
            answer = ask_git(
                ["-c", f"alias.kb=!PATH={shlex.quote(path)} git-kb", *step.words], clone, write=True
            )
            if answer.code:
                said = answer.stderr.decode("utf-8", "replace").strip()
                raise GitkbError(
                    f"the demo failed at 'git {' '.join(step.words)}': {said}", "gitkb doctor"
                )
            yield Played(step, answer.stdout.decode("utf-8", "replace"))


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
