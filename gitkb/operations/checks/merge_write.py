"""The merge by key that `check --merge --write` makes: a commit with two parents, at the tip of a branch.

1. It is made only where no path is in conflict, and of the tree that was judged; only views that the
   team commits are written anew, for a merge of two views is none of the merged entries.
2. The branch moves from the tip that was judged, or not at all (`git.branch_commit`).
"""

from __future__ import annotations

import os
import shlex
from typing import NamedTuple

from gitkb.core.documents.view import format_view, read_view_settings
from gitkb.core.identity import KNOWLEDGE
from gitkb.errors import StateError
from gitkb.git.branch_commit import branch_named, move_branch, refuse_busy_branch, write_commit
from gitkb.git.objects import tree_files
from gitkb.operations.checks.commit import prefixes_in
from gitkb.operations.checks.content import read_all
from gitkb.operations.checks.names import files_below, is_data
from gitkb.operations.checks.text_merge import named
from gitkb.schema.config_file import values_in
from gitkb.store.layout import CONFIG_NAME
from gitkb.store.view import FOLDER, entries_of, file_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.git.merge import MergeRoom, TreeMerge
    from gitkb.git.repository import Repository


class Written(NamedTuple):
    """A merge commit that was made, and the branch that it is the tip of."""

    branch: str
    commit: str


def branch_to_write(repository: Repository, base: str, head: str) -> str:
    """Give the branch that a name means, if it can be moved.

    Raises:
        StateError: when it is no branch of this clone, or an operation on it is under way.
    """
    branch = branch_named(repository, head)
    if branch is None:
        made = head.rpartition("/")[2] if "/" in head else "BRANCH"
        raise StateError(
            f"'{head}' is no branch of this clone: there is nothing to write the merge onto",
            f"git branch {shlex.quote(made)} {shlex.quote(head)}, then "
            f"gitkb check --merge {shlex.quote(base)} {shlex.quote(made)} --write, then git push",
        )
    refuse_busy_branch(repository, branch)
    return branch


def write_merge(
    room: MergeRoom, merge: TreeMerge, branch: str, base: str, parents: list[str], bases: list[str]
) -> Written:
    """Commit a merge onto a branch. `base` is what a person calls the second of its parents.

    Raises:
        StateError: when paths are in conflict, or the branch or its worktree is in the way.
        GitError: when git does not know who commits.
    """
    repository, short = room.origin, branch.removeprefix("refs/heads/")
    own = f"git switch {shlex.quote(short)} && git merge {shlex.quote(base)}"
    if not bases:
        hint = f"if that is meant: {own} --allow-unrelated-histories"
        raise StateError(f"'{base}' and '{short}' share no commit: not merged", hint)
    blocked = {*merge.conflicts, *room.foreign_drivers(parents[0], parents[1], bases)}
    if blocked:
        raise StateError(
            f"cannot write the merge: the sides are in conflict in {named(blocked)}",
            f"settle it by hand: {own}",
        )
    tree = _with_views(room, merge.tree)
    room.hand_over(tree, parents)
    message = _message(repository, base, short)
    commit = write_commit(repository, tree, parents, message)
    move_branch(repository, branch, parents[0], commit, f"gitkb check --merge: {message.strip()}")
    return Written(short, commit)


def _with_views(room: MergeRoom, tree: str) -> str:
    changed: dict[str, bytes] = {}
    paths = tree_files(room.repository, tree)
    for prefix in prefixes_in(paths):
        files = files_below(paths, prefix)
        if not any(name.startswith(f"{FOLDER}/") for name in files):
            continue
        names = sorted(name for name in files if is_data(name) and name.startswith(KNOWLEDGE))
        config = files.get(CONFIG_NAME, "")
        blobs = read_all([config, *(files[name] for name in names)], room.repository, room.origin)
        settings = read_view_settings(values_in(blobs[config] or None))
        if not settings.commit:
            continue
        entries = entries_of((name, blobs[files[name]]) for name in names)
        for name in settings.names:
            if file_of(name) in files:
                text = format_view(name, entries, settings).text
                changed[f"{prefix}/{file_of(name)}"] = text.encode("utf-8")
    return room.replace(tree, changed) if changed else tree


def _message(repository: Repository, base: str, branch: str) -> str:
    answer = repository.ask("rev-parse", "--verify", "--quiet", "--symbolic-full-name", base)
    full = os.fsdecode(answer.stdout).strip()
    kind = "commit"
    for start, found in (("refs/heads/", "branch"), ("refs/remotes/", "remote-tracking branch")):
        kind = found if full.startswith(start) else kind
    # A name need not be UTF-8, a message of ours is.
    text = f"Merge {kind} '{base}' into {branch}\n"
    return text.encode("utf-8", "replace").decode("utf-8")
