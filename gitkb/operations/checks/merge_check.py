"""`check --merge`: what a merge of two commits does to the knowledge, before anybody makes it.

A forge's merge button merges text. Here the two commits are merged as the driver would, beside the
repository, and as text, and the two are compared.

1. Without `write` nothing in the repository changes, and with it only one branch (and the worktree
   that has it checked out), to a commit with two parents of which the first is its tip.
2. The answer is the same in every clone that has the history: with or without our driver, bare,
   detached. A history that is too short is an error, never a guess.
3. The answer is no if a merge of the text would conflict in the knowledge, lose of it or spoil it; if
   what the branch brings is wrong whoever merges; or if a merge that is in the branch already lost
   something that nobody brought back since.
4. Nothing is written where a path is in conflict, or where the result would be wrong.
"""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from gitkb.core.problem import Problem
from gitkb.errors import GitError, NotFoundError
from gitkb.git.branch_commit import branch_named
from gitkb.git.merge import MergeRoom, TreeMerge, fetch_for_merge
from gitkb.git.objects import merge_bases, no_commit, tree_files
from gitkb.git.repository import open_repository
from gitkb.operations.checks.commit import check_merges, prefixes_in
from gitkb.operations.checks.content import read_all
from gitkb.operations.checks.merge import Tree
from gitkb.operations.checks.merge_write import Written, branch_to_write, write_merge
from gitkb.operations.checks.names import files_below, is_data, within
from gitkb.operations.checks.outcome import check_outcome, contested
from gitkb.operations.checks.text_merge import check_text_merge
from gitkb.schema.config_file import shards_in
from gitkb.store.layout import CONFIG_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from gitkb.git.repository import Repository

    Files: TypeAlias = dict[str, str]
    State: TypeAlias = Literal["open", "up-to-date", "merged"]

_WHOLE = 'git fetch --unshallow (in a CI job: fetch-depth: 0, or GIT_DEPTH: "0")'


class MergeCheck(NamedTuple):
    """What a merge of `head` into `base` would do. Both are ids of commits."""

    base: str
    head: str
    state: State
    """``open``: there is something to merge; ``up-to-date``: head holds base; ``merged``: base holds head."""
    problems: list[Problem]
    files: int
    """Files of stores that differ between base and the result."""
    conflicts: list[str]
    """Other paths than those of stores in which the sides are in conflict."""
    written: Written | None = None

    @property
    def is_fine(self) -> bool:
        """Whether whoever merges, by text or by key, gets the right thing."""
        return not any(problem.is_error for problem in self.problems)


def check_merge_of(place: str, base: str, head: str, *, write: bool = False) -> MergeCheck:
    """Judge the merge of a branch (or commit) `head` into `base`, in the repository of a folder.

    With `write` the merge by key is committed onto the branch `head`.

    Raises:
        NotFoundError: when a name is none of a commit here.
        GitError: when the history is too short, or git fails.
        StateError: when there is nowhere to write it, or paths are in conflict.
    """
    repository = open_repository(place, own_environment=True)
    commits = [_commit(repository, name) for name in (base, head)]
    branch = branch_to_write(repository, base, head) if write else ""
    bases = _bases(repository, commits)
    if bases == [commits[1]] and commits[0] != commits[1]:
        return MergeCheck(commits[0], commits[1], "merged", [], 0, [])
    fetch_for_merge(repository, commits, bases)
    walk = ("rev-list", "--merges", "--reverse", commits[1], f"^{commits[0]}", "--")
    merges = os.fsdecode(repository.run(*walk)).split()
    tip = tree_files(repository, commits[1])
    made = check_merges(repository, merges, tip)
    if bases == [commits[0]]:
        found = _Judge((repository,), commits, bases)
        problems, count = found.judge_tree(tip)
        return MergeCheck(*_ids(commits), "up-to-date", _sorted([*problems, *made]), count, [])
    with MergeRoom(repository) as room:
        by_text = room.merge_by_text(*commits)
        by_key = room.merge_by_key(commits[1], commits[0])
        judge = _Judge((room.repository, repository), commits, bases)
        problems, count = judge.judge_merge(by_text, by_key)
        problems = _sorted([*problems, *made])
        others = [path for path in by_key.conflicts if not prefixes_in({path: ""})]
        hint = _cure(repository, base, head)
        problems = [
            problem._replace(hint=hint) if problem.code.startswith("text-") else problem
            for problem in problems
        ]
        if not bases:
            problems.append(_unrelated(base, head))
        result = MergeCheck(*_ids(commits), "open", problems, count, others)
        if not write:
            return result
        wrong = any(one.is_error and not one.code.startswith("text-") for one in problems)
        if wrong and not by_key.conflicts:
            return result
        written = write_merge(room, by_key, branch, base, commits[::-1], bases)
    # What a merge by text would have done is settled now.
    settled = [one for one in problems if not one.code.startswith("text-")]
    return result._replace(problems=settled, written=written)


class _Judge:
    """The two commits and what they have in common, for each store in them.

    Of the repositories the first has every tree; what content it lacks, as the room of a partial clone
    may, the next one is asked for.
    """

    def __init__(
        self, repositories: tuple[Repository, ...], commits: list[str], bases: list[str]
    ) -> None:
        self._repositories = repositories
        self._sides = [self._files(commit) for commit in commits]
        self._bases = [self._files(base) for base in bases]

    def _files(self, revision: str) -> Files:
        return tree_files(self._repositories[0], revision)

    def _tree(self, label: str, files: Files, prefix: str) -> Tree:
        data = {name: blob for name, blob in files_below(files, prefix).items() if is_data(name)}
        return Tree(label, data, self._read)

    def judge_tree(self, tip: Files) -> tuple[list[Problem], int]:
        """Judge what a branch that holds the other already brings into it."""
        problems, count = [], 0
        for prefix in prefixes_in(tip, self._sides[0]):
            before, after = (files_below(files, prefix) for files in (self._sides[0], tip))
            found, _ = check_outcome(before, after, (), self._read)
            problems += within(prefix, found)
            count += _differing(before, after)
        return problems, count

    def judge_merge(self, by_text: TreeMerge, by_key: TreeMerge) -> tuple[list[Problem], int]:
        """Judge the merge by key for itself, and what one by text would make of it."""
        text, keyed = (self._files(found.tree) for found in (by_text, by_key))
        problems, count = [], 0
        for prefix in prefixes_in(text, keyed, *self._sides):
            before, after = (files_below(files, prefix) for files in (self._sides[0], keyed))
            refused = _namesfiles_below(by_key.conflicts, prefix)
            found, records = check_outcome(before, after, refused, self._read)
            found += [_refusal(name) for name in refused]
            lines = [self._lines(side, prefix, {at.file for at in records}) for side in self._sides]
            found += contested(records, lines)
            trees = [
                self._tree("the merge", text, prefix),
                self._tree("the merge by key", keyed, prefix),
            ]
            labels = ("BASE", "HEAD")
            sides = [
                self._tree(label, files, prefix)
                for label, files in zip(labels, self._sides, strict=True)
            ]
            bases = [self._tree("", files, prefix) for files in self._bases]
            config = after.get(CONFIG_NAME, "")
            shards = shards_in(self._read([config])[config] or None)
            conflicts = _namesfiles_below(by_text.conflicts, prefix)
            found += check_text_merge(
                trees[0], trees[1], sides, bases, conflicts, shards, self._read
            )
            problems += within(prefix, found)
            count += _differing(before, after)
        return problems, count

    def _lines(self, side: Files, prefix: str, names: set[str]) -> set[bytes]:
        blobs = {name: blob for name, blob in files_below(side, prefix).items() if name in names}
        found = self._read(list(blobs.values()))
        return {line for data in found.values() for line in data.split(b"\n")}

    def _read(self, blobs: list[str]) -> dict[str, bytes]:
        return read_all(blobs, *self._repositories)


def _commit(repository: Repository, name: str) -> str:
    if name and not name.startswith("-"):
        answer = repository.ask("rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if answer.code == 0:
            return os.fsdecode(answer.stdout).strip()
    if name and not name.strip("0"):
        hint = "a branch that is new has no commit before it: name the branch that it goes into"
        raise NotFoundError(f"no commit '{name}' in this clone", hint)
    raise no_commit(repository, name)


def _bases(repository: Repository, commits: list[str]) -> list[str]:
    bases = merge_bases(repository, *commits)
    if repository.is_shallow():
        words = ["rev-list", *commits, "--not", *bases, "--"]
        between = set(repository.run(*words).split())
        with open(repository.path("shallow"), "rb") as file:
            cut = set(file.read().split())
        if between & cut:
            raise GitError("the history in this clone is too short to merge the two", _WHOLE)
    return bases


def _cure(repository: Repository, base: str, head: str) -> str:
    branch = branch_named(repository, head)
    onto = shlex.quote(branch.removeprefix("refs/heads/")) if branch else "BRANCH"
    from_ = shlex.quote(base)
    return (
        f"merge by key before anybody uses the button: gitkb check --merge {from_} {onto} --write, "
        f"or git switch {onto} && gitkb install && git merge {from_}"
    )


def _refusal(name: str) -> Problem:
    message = "the two sides cannot be merged by key here: "
    if is_data(name):
        message += "conflict markers, lines that cannot be read, or a file that one side removed"
    else:
        message += "both changed the file"
    hint = "mend FILE on its side (gitkb check names the lines, gitkb resolve settles markers)"
    return Problem("merge-conflict", message, hint, name)


def _unrelated(base: str, head: str) -> Problem:
    message = f"'{base}' and '{head}' share no commit: git merges them only if told to"
    return Problem(
        "unrelated", message, "git merge --allow-unrelated-histories", severity="warning"
    )


def _ids(commits: list[str]) -> tuple[str, str]:
    return commits[0], commits[1]


def _sorted(problems: list[Problem]) -> list[Problem]:
    found = dict.fromkeys(problems)
    return sorted(found, key=lambda one: (not one.is_error, one.file, one.line, one.code))


def _namesfiles_below(paths: list[str], prefix: str) -> list[str]:
    return list(files_below(dict.fromkeys(paths, ""), prefix))


def _differing(before: Files, after: Files) -> int:
    names = before.keys() | after.keys()
    return sum(is_data(name) and before.get(name) != after.get(name) for name in names)
