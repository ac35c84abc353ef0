"""What every operation of git leaves of knowledge, with the driver and hooks and without them.

Each operation runs on a copy of one world (`history_world`, `history_operations`), and what it left is
compared with its row in docs/reference/git-operations.md. To write the page anew after a change, run this
file with the Python of `.venv`; rows that need a command which this git lacks stay as they are.

1. Whatever the operation and however it ends, a search right afterwards answers as a new index would.
2. Where the driver ran, nothing that a branch wrote is lost, and `gitkb check` names no error.
3. A conflict that came about without the driver is merged by it afterwards, with the same outcome.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from gitkb.store.discover import find_store

from history_operations import OPERATIONS, Ended, Operation, add_branches, has_command
from history_world import CONFLICT, Findings, build_world, read_findings
from index_builder import World, keys_of
from repo_builder import Repo

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "git-operations.md"
ALL_OPERATIONS = [operation for section in OPERATIONS.values() for operation in section]
JOINED = Findings(
    "both", "both", "contested", "both", "deleted", "redirect with the edit", "both", "entry"
)
RECIPE = "git checkout -m"


class Seen(NamedTuple):
    """What an operation left."""

    ended: str
    """`done`, `stops` or `refuses`."""
    driver_ran: bool
    findings: Findings
    codes: tuple[str, ...]
    """What `gitkb check` names."""
    errors: tuple[str, ...]
    is_ready: bool
    """Whether the search index was right before anything of gitkb was run."""


class Worlds(NamedTuple):
    """A folder with a remote and a clone in which gitkb is installed, and one without."""

    installed: Path
    bare: Path


def make_worlds(folder: Path) -> Worlds:
    """Build both, in an empty folder."""
    worlds = Worlds(folder / "installed", folder / "bare")
    worlds.installed.mkdir()
    build_world(worlds.installed)
    ada = Repo(worlds.installed / "ada")
    add_branches(ada)
    ada.run("recall", "base")
    shutil.copytree(worlds.installed, worlds.bare, symlinks=True)
    Repo(worlds.bare / "ada").run("uninstall")
    return worlds


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Worlds:
    return make_worlds(tmp_path_factory.mktemp("worlds"))


def take(world: Path, folder: Path) -> Repo:
    """A copy of a world, as git left it: it knows again which files are unchanged."""
    shutil.copytree(world, folder, symlinks=True)
    ada = Repo(folder / "ada")
    ada.git("update-index", "-q", "--refresh")
    return ada


def observe(operation: Operation, repo: Repo, scratch: Path) -> Seen:
    """Do it, and look at what it left."""
    ended, trace = traced(operation, repo, scratch)
    unmerged = unmerged_files(repo)
    is_cut_short = bool(unmerged) or is_under_way(repo)
    store = repo.path / ended.store
    is_tree = ended.store.startswith("tree:")
    if is_tree:
        store = scratch / "tree" / ".gitkb"
        index = {"GIT_INDEX_FILE": str(scratch / "index")}
        repo.git("read-tree", ended.store.removeprefix("tree:"), env=index)
        repo.git("checkout-index", "-a", f"--prefix={scratch / 'tree'}/", env=index)
        is_cut_short = ended.exit_code != 0
    below = {path.partition(".gitkb/")[2] for path in unmerged}
    findings = read_findings(store, below)
    is_ready = is_index_right(repo.path / (".gitkb" if is_tree else ended.store), scratch)
    where = ("--dir", ".gitkb" if is_tree else ended.store)
    problems = repo.run("check", "--json", *where, exit_code=None).json()["problems"]
    return Seen(
        "stops" if is_cut_short else "refuses" if ended.exit_code else "done",
        "gitkb-driver 1" in trace,
        findings,
        tuple(sorted({problem["code"] for problem in problems})),
        tuple(sorted({one["code"] for one in problems if one["severity"] == "error"})),
        is_ready,
    )


def traced(operation: Operation, repo: Repo, scratch: Path) -> tuple[Ended, str]:
    """Do it, and give what git says it ran."""
    trace = scratch / "trace"
    os.environ["GIT_TRACE"] = str(trace)
    try:
        return operation.run(repo), trace.read_text("utf-8", "replace")
    finally:
        del os.environ["GIT_TRACE"]


def unmerged_files(repo: Repo) -> list[str]:
    """The paths that git holds in several stages."""
    lines = repo.git("ls-files", "-z", "-u").stdout.split("\0")
    return sorted({line.partition("\t")[2] for line in lines if line})


def is_under_way(repo: Repo) -> bool:
    """Whether git waits for a person to go on."""
    git = repo.path / ".git"
    names = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
    return any((git / name).exists() for name in names)


def is_index_right(store: Path, scratch: Path) -> bool:
    """Say whether the index was right by itself; that it is right once it is asked is asserted."""
    fresh = World(scratch / "fresh")
    shutil.copytree(store, fresh.folder)
    answer = fresh.ask("base")
    rows = fresh.rows()
    found = find_store(str(store))
    before = World(scratch / "before")
    before.database.parent.mkdir(parents=True)
    is_ready = False
    if os.path.exists(found.database_path):
        shutil.copy(found.database_path, before.database)
        is_ready = before.rows() == rows
    kept = World(store)
    said = Repo(store.parent).run("recall", "base", "--all", "--json", "--limit", "99").json()
    assert [hit["key"] for hit in said] == keys_of(answer), (said, answer)
    assert kept.folder == store
    shutil.copy(found.database_path, before.database)
    assert before.rows() == rows
    return is_ready


# --- each operation --------------------------------------------------------------------------


def _named(operation: Operation) -> str:
    return operation.name.replace("git ", "", 1)


@pytest.mark.parametrize("operation", ALL_OPERATIONS, ids=_named)
def test_with_driver_and_hooks_an_operation_does_what_the_page_says(
    operation: Operation, worlds: Worlds, tmp_path: Path
) -> None:
    repo = take(worlds.installed, tmp_path / "world")
    _skip_without(operation, repo)
    seen = observe(operation, repo, tmp_path)
    assert row(operation, seen, is_installed=True) in page_lines()
    if seen.driver_ran and seen.ended == "done":
        assert seen.errors == ()
        assert CONFLICT not in seen.findings


@pytest.mark.parametrize("operation", ALL_OPERATIONS, ids=_named)
def test_without_driver_and_hooks_an_operation_does_what_the_page_says(
    operation: Operation, worlds: Worlds, tmp_path: Path
) -> None:
    repo = take(worlds.bare, tmp_path / "world")
    _skip_without(operation, repo)
    seen = observe(operation, repo, tmp_path)
    assert not seen.driver_ran
    assert row(operation, seen, is_installed=False) in page_lines()


CURABLE = [operation for operation in ALL_OPERATIONS if operation.goes_on]


@pytest.mark.parametrize("operation", CURABLE, ids=_named)
def test_a_conflict_without_the_driver_is_merged_by_it_afterwards_to_the_same_end(
    operation: Operation, worlds: Worlds, tmp_path: Path
) -> None:
    with_driver = take(worlds.installed, tmp_path / "installed")
    store = operation.run(with_driver).store
    repo = take(worlds.bare, tmp_path / "bare")
    operation.run(repo)
    assert unmerged_files(repo)
    repo.run("install", "--dir", store)
    for _ in range(5):
        torn = unmerged_files(repo)
        if not torn:
            break
        repo.git("checkout", "-q", "-m", "--", *torn)
        repo.add()
        repo.git(*operation.goes_on, exit_code=None)
    assert not unmerged_files(repo)
    assert not is_under_way(repo)
    ends = [read_findings(one.path / store, set()) for one in (repo, with_driver)]
    assert ends[0] == ends[1]
    assert repo.run("check", "--dir", store, exit_code=None).exit_code == 0


def _skip_without(operation: Operation, repo: Repo) -> None:
    for name in operation.needs:
        if not has_command(name, repo):
            pytest.skip(f"this git has no {name}")


def test_what_joins_both_branches_leaves_the_same_wherever_the_driver_runs() -> None:
    """Merge, squash, rebase, pick, patch, stash: one outcome, whichever way the changes came."""
    lines = [line for line in page_lines(True) if "| done | ran |" in line]
    outcomes = {tuple(line.split(" | ")[3:8]) for line in lines if "revert" not in line}
    joined = tuple(cells(JOINED))
    assert joined in outcomes
    assert len(outcomes - {joined}) <= 1  # without a base, what one archived stays


# --- the page --------------------------------------------------------------------------------

HEAD = """\
# What every operation of git does to knowledge

Generated by `tests/system/test_git_operations.py`, which does each of these in a real repository and compares
what is left with this page.

Two branches began at `base`. On both, entries were corrected, deleted, archived and added: some the same on
both, some on one. `main` gave an entry one title and `topic` another; `topic` deleted an entry, archived one
and moved one to another tier, and `main` corrected each of these three.

- **git**: *done*, it went through · *stops*, it waits for a person · *refuses*, nothing was changed.
- **driver**: whether git called `gitkb-merge-driver` at all. It does so for a file that both sides changed,
  and never for one that only one side changed.
- **entries**, **deletions**, **archive**: *both*, what either branch did is there · *main* or *topic*, only
  what this one did · *neither* · *conflict*, git left both sides in the file, or in its three stages.
- **edited:** what became of the entry that `topic` deleted, or archived, and `main` corrected. A deletion
  stands against an edit that did not know of it; an archived entry that was corrected is alive again.
- **title**: what the entry with two titles shows. *contested*: one of them, and the other is kept in it as a
  question (`gitkb conflicts`).
- **moved**: *redirect*, the entry is in its tier · *redirect with the edit*, and what `main` corrected waits
  for `gitkb promote`.
- **check**: what `gitkb check` names then; a warning is no error.

The recipe, where git stopped because the driver was missing, gives the same as if it had run:

```sh
gitkb install
git checkout -m -- FILE…      # merges the conflicted files anew, now with the driver
git add .gitkb                # then go on: git commit, git rebase --continue, …
```
"""
WITH = """
## In a clone with `gitkb install`

**index**: *ready*, a hook of git made the search index ready · *next search*, git runs no hook there, and the
next search brings it up to date first. A search is right in both cases.

| operation | git | driver | entries | title | deletions | moved | archive | check | index | what to do |
|---|---|---|---|---|---|---|---|---|---|---|
"""
WITHOUT = """
## In a clone without driver and hooks

A fresh clone before `gitkb install`, a forge's merge button, a program that merges without git's. Every
search is right here too: it looks at the files.

| operation | git | entries | title | deletions | moved | archive | check | what to do |
|---|---|---|---|---|---|---|---|---|
"""


def cells(findings: Findings) -> list[str]:
    """What is left, in the words and the order of the page."""
    edits, additions = findings.edits, findings.additions
    entries = edits if edits == additions else f"{edits}; new: {additions}"
    return [
        entries,
        findings.contested,
        f"{findings.deletions}; edited: {findings.deleted_edit}",
        findings.redirect,
        f"{findings.archive}; edited: {findings.archived_edit}",
    ]


def row(operation: Operation, seen: Seen, *, is_installed: bool) -> str:
    """The row of an operation."""
    check = ", ".join(seen.codes) or "fine"
    words = [f"`{operation.name}`", seen.ended]
    if is_installed:
        words.append("ran" if seen.driver_ran else "no")
    words += [*cells(seen.findings), check]
    if is_installed:
        words.append("ready" if seen.is_ready else "next search")
    words.append(operation.advice if is_installed else operation.bare_advice)
    return "| " + " | ".join(words) + " |"


def page_lines(is_installed: bool | None = None) -> list[str]:
    """The lines of the page, or those of one of its halves."""
    text = PAGE.read_text("utf-8") if PAGE.exists() else ""
    first, _, second = text.partition("## In a clone without")
    chosen = text if is_installed is None else first if is_installed else second
    return chosen.splitlines()


def test_the_page_has_a_row_for_each_operation_and_nothing_else() -> None:
    text = PAGE.read_text("utf-8")
    assert text.startswith(HEAD + WITH)
    assert WITHOUT in text
    for half in (True, False):
        rows = [line for line in page_lines(half) if line.startswith("| `")]
        assert [line.split("`")[1] for line in rows] == [each.name for each in ALL_OPERATIONS]


def write_page(folder: Path) -> None:
    """Do everything, and write the page."""
    worlds = make_worlds(folder)
    text = HEAD
    for world, title in ((worlds.installed, WITH), (worlds.bare, WITHOUT)):
        text += title
        is_installed = world == worlds.installed
        for number, operation in enumerate(ALL_OPERATIONS):
            scratch = folder / f"{world.name}-{number}"
            repo = take(world, scratch / "world")
            if all(has_command(name, repo) for name in operation.needs):
                seen = observe(operation, repo, scratch)
                text += row(operation, seen, is_installed=is_installed) + "\n"
            else:
                text += _row_before(operation, is_installed)
    PAGE.write_text(text, "utf-8", newline="\n")


def _row_before(operation: Operation, is_installed: bool) -> str:
    start = f"| `{operation.name}` |"
    return "".join(line + "\n" for line in page_lines(is_installed) if line.startswith(start))


if __name__ == "__main__":
    from seal import sealed_environment

    with tempfile.TemporaryDirectory() as temporary:
        sealed = sealed_environment(Path(temporary))
        os.environ.clear()
        os.environ.update(sealed)
        (Path(temporary) / "worlds").mkdir()
        write_page(Path(temporary) / "worlds")
    sys.stdout.write(f"{PAGE} is written anew\n")
