"""What works in every kind of repository, on every git that is found: the matrix.

Rows are kinds (`repository_kinds.KINDS`), columns what matters to users. A cell of the page
docs/explanation/repositories.md is `yes` because it was seen here, and says something else where a
kind declares so and that was seen. The gits are the one on PATH and those that the environment names in
GITKB_TEST_GITS, paths of programs with `:` between them; what a git cannot make is skipped by name.

To write the page's table anew after a change, run this file with the Python of `.venv`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import pytest

from repository_kinds import KINDS, Kind, Place

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "repositories.md"
BEGIN, END = "<!-- the matrix: begin -->\n", "<!-- the matrix: end -->\n"
COLUMNS = {
    "set up": "`gitkb init`, or `gitkb install` in a clone",
    "commit": "`gitkb add`, then `git commit`; nothing is left over",
    "recall": "the entry is found",
    "blame": "`gitkb blame` and `gitkb log` name author and commit",
    "merge": "two branches that changed one entry merge by the driver",
    "hooks": "a broken line is refused at the commit; a merge makes the search index ready",
    "check": "`gitkb check` is content",
    "doctor": "`gitkb doctor` finds nothing",
}
ENTRY = {"key": "tide", "type": "fact", "content": "The tide turns at noon.", "tags": ["sea"]}


class Git(NamedTuple):
    """A git program; the path is empty for the one on PATH."""

    path: str
    version: tuple[int, int]
    name: str
    programs: Path
    """The folder of what belongs to it, `git --exec-path`."""

    def why_not(self, kind: Kind) -> str:
        """What this git lacks to make a kind; empty where it can."""
        if self.version < kind.since:
            return f"git {self.name} is older than {kind.name}"
        lacking = [name for name in kind.needs if not (self.programs / name).exists()]
        return f"git {self.name} came without {', '.join(lacking)}" if lacking else ""

    def variables(self) -> dict[str, str]:
        """What a git needs that was moved since it was built, as those in Python packages are."""
        templates = self.programs.parents[1] / "share" / "git-core" / "templates"
        found = str(templates) if templates.is_dir() else ""
        return {"GIT_EXEC_PATH": str(self.programs), "GIT_TEMPLATE_DIR": found}


def find_git(path: str) -> Git:
    version = ask(path or "git", "version").removeprefix("git version ")
    major, minor = map(int, version.split(".")[:2])
    programs = Path(ask(path or "git", "--exec-path"))
    if not programs.is_dir():
        programs = Path(path).resolve().parents[1] / "libexec" / "git-core"
    return Git(path, (major, minor), version.split()[0], programs)


def ask(*words: str) -> str:
    return subprocess.run(words, capture_output=True, check=True, text=True).stdout.strip()


# Read while tests are collected: the seal takes the variable away.
GITS = [
    find_git(path) for path in ["", *filter(None, os.environ.get("GITKB_TEST_GITS", "").split(":"))]
]


@pytest.fixture(params=GITS, ids=[git.name for git in GITS])
def git(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """One of the gits, put first on PATH for whatever a test starts."""
    chosen: Git = request.param
    if chosen.path:
        # Alone in a folder: what lies beside a git must not stand before our own programs.
        folder = tmp_path / "programs"
        folder.mkdir()
        for name in ("git", "git-upload-pack", "git-receive-pack"):
            verb = name.removeprefix("git").removeprefix("-")
            text = f'#!/bin/sh\nexec {quote(chosen.path)} {verb} "$@"\n'
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        for variable, value in chosen.variables().items():
            monkeypatch.setenv(variable, value)
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_kind_of_repository_gives_what_the_page_says(
    kind: Kind, git: Git, tmp_path: Path
) -> None:
    if why_not := git.why_not(kind):
        pytest.skip(why_not)
    seen = walk_through(kind.make(tmp_path / "place"))
    expected = {column: cell_at(kind, column, git) for column in COLUMNS}
    differing = {
        column: words
        for column, words in seen.items()
        if (words == "yes") != (expected[column] == "yes")
        or (expected[column] not in ("no", words))
    }
    assert differing == {}


def cell_at(kind: Kind, column: str, git: Git) -> str:
    """What a cell promises for one git: `from 2.54` is `yes` or `no`, whatever the words."""
    words = kind.but.get(column, "yes")
    since = re.fullmatch(r"from (\d+)\.(\d+)", words)
    if since is None:
        return words
    return "yes" if git.version >= (int(since[1]), int(since[2])) else "no"


def walk_through(place: Place) -> dict[str, str]:
    """Do what a user does, column by column; `yes` or what is otherwise."""
    place.kb(*place.setup)
    place.kb("add", stdin=entry())
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "Know the tide")
    made = merge_two_branches(place)
    return {
        "set up": "yes",
        "commit": made.committed,
        "recall": recall(place),
        "blame": blame(place, made.tip),
        "merge": made.merged,
        "hooks": refuse_a_broken_line(place) if made.is_index_ready else "no index after a merge",
        "check": "yes" if place.kb("check", exit_code=None).exit_code == 0 else "no",
        "doctor": doctor(place),
    }


class Made(NamedTuple):
    """What was seen on the way to a merge."""

    committed: str
    merged: str
    is_index_ready: bool
    tip: str


def merge_two_branches(place: Place) -> Made:
    base = place.git("rev-parse", "HEAD").stdout.strip()
    branch = place.git("symbolic-ref", "-q", "--short", "HEAD", exit_code=None).stdout.strip()
    left_over = place.git("status", "--porcelain", "--untracked-files=all").stdout
    text = place.git("show", f"HEAD:{place.store}/knowledge/all.jsonl").stdout
    committed = "yes" if not left_over and "turns at noon" in text else f"left over: {left_over}"
    place.git("checkout", "-q", "-b", "moon")
    place.kb("add", stdin=entry(tags=["sea", "moon"]))
    place.git("commit", "-q", "-a", "-m", "The moon does it")
    place.git("checkout", "-q", branch or base)
    place.kb("add", stdin=entry(content="The tide turns at one."))
    place.git("commit", "-q", "-a", "-m", "An hour later")
    tip = place.git("rev-parse", "HEAD").stdout.strip()
    asked = place.git("rev-parse", "--git-path", "gitkb/index.sqlite").stdout.removesuffix("\n")
    index = place.repo.path / asked
    if index.exists():
        index.unlink()
    done = place.git("merge", "-q", "--no-edit", "moon", exit_code=None)
    parents = place.git("show", "-s", "--format=%P", "HEAD").stdout.split()
    stands = place.git("show", f"HEAD:{place.store}/knowledge/all.jsonl").stdout
    is_whole = done.exit_code == 0 and len(parents) == 2
    is_whole = is_whole and "turns at one" in stands and "moon" in stands
    return Made(committed, "yes" if is_whole else str(done), index.exists(), tip)


def recall(place: Place) -> str:
    found = place.kb("recall", "moon", "tide", "--json").json()
    return "yes" if [hit["key"] for hit in found] == ["tide"] else f"found {found}"


def blame(place: Place, tip: str) -> str:
    [found] = place.kb("blame", "tide", "--json").json()
    merge = place.git("rev-parse", "HEAD").stdout.strip()
    history = place.kb("log", "tide", "--json").json()
    if (found["author"], found["commit"]) != ("Ada Lovelace", merge) or len(history) < 4:
        return f"{found} after {tip} and {merge}: {history}"
    if place.setup != ("install",):
        return "yes"
    [older] = place.kb("blame", "older", "--json").json()
    if older.get("history") == "cut":
        return "at or before"
    return "yes" if older["author"] == "Benjamin Banneker" else str(older)


def refuse_a_broken_line(place: Place) -> str:
    good = place.data_file().read_bytes()
    place.data_file().write_bytes(good + b'{"key":"broken"\n')
    done = place.git("commit", "-q", "-a", "-m", "Broken", exit_code=None)
    if done.exit_code == 0:
        place.git("reset", "-q", "--hard", "HEAD~1")
        return "a broken line was committed"
    place.git("reset", "-q", "--hard")
    return "yes" if "not committed" in done.stderr else str(done)


def doctor(place: Place) -> str:
    findings = place.kb("doctor", "--json", exit_code=None).json()
    bad = {finding["code"] for finding in findings if finding["severity"] != "ok"}
    return f"warns: {', '.join(sorted(bad))}" if bad else "yes"


def entry(**fields: object) -> str:
    return json.dumps({**ENTRY, **fields})


# --- the page --------------------------------------------------------------------------------


def matrix() -> str:
    """The table of the page, from what the kinds declare and the test above holds them to."""
    lines = [f"| kind | git | {' | '.join(COLUMNS)} | to know |", "|---" * (len(COLUMNS) + 3) + "|"]
    for kind in KINDS:
        since = "any" if kind.since <= (2, 31) else f"{kind.since[0]}.{kind.since[1]}"
        cells = [kind.but.get(column, "yes") for column in COLUMNS]
        lines.append(f"| {kind.name} | {since} | {' | '.join(cells)} | {kind.note} |")
    lines += ["", "The columns:", ""]
    lines += [f"- **{column}**: {words}" for column, words in COLUMNS.items()]
    return "\n".join(lines) + "\n"


def with_matrix(page: str) -> str:
    """The page with its table written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + matrix() + END + after


def test_the_page_shows_the_matrix() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_matrix(page)


if __name__ == "__main__":
    PAGE.write_text(with_matrix(PAGE.read_text("utf-8")), "utf-8", newline="\n")
