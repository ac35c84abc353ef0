"""Merges found in git: the one under way in the staging area, and HEAD when it is one.

1. Each store of the worktree is compared by itself.
2. Where the history is cut, that is said, and nothing is guessed.
3. Of the merges in a range only that counts which nobody has mended since: history cannot be changed,
   what it led to can.
"""

from __future__ import annotations

from gitkb.core.identity import KNOWLEDGE
from gitkb.core.problem import Problem
from gitkb.core.secrets.redaction import notes_of
from gitkb.git.objects import merge_bases, parents_of, staged_files, tree_files
from gitkb.git.repository import find_repository, open_repository
from gitkb.operations.checks.change import check_scrubbed
from gitkb.operations.checks.content import read_all
from gitkb.operations.checks.merge import STAGED, Tree, check_merge, find_losses, stands_alike
from gitkb.operations.checks.names import is_data, split_path, within
from gitkb.store.layout import STORE_NAME

_SHORT = 12
"""Digits of a commit in a label, so that what a hint says can be typed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.git.repository import Repository
    from gitkb.store.layout import Store


def check_head(store: Store) -> list[Problem]:
    """Say what HEAD lost of this store, when HEAD is a merge; and what it brings back that was scrubbed."""
    repository = None if store.worktree is None else find_repository(store.worktree)
    if repository is None or repository.head() is None:
        return []
    parents = parents_of(repository)
    if len(parents) < 2:
        found = _check_scrubbed(repository, store.prefix) if parents else []
        return found + _check_history(repository, len(parents))
    result = tree_of(repository, "HEAD", tree_files(repository, "HEAD", store.prefix), store.prefix)
    sides = [
        tree_of(
            repository, f"HEAD^{number}", tree_files(repository, parent, store.prefix), store.prefix
        )
        for number, parent in enumerate(parents, 1)
    ]
    return _compare(repository, store.prefix, result, sides, parents)


def check_scrubbed_head(worktree: str) -> list[Problem]:
    """Say what a HEAD that is no merge brings back that was scrubbed, in every store of a worktree."""
    repository = open_repository(worktree, own_environment=True)
    if len(parents_of(repository)) != 1:
        return []
    found: list[Problem] = []
    for prefix in prefixes_in(tree_files(repository, "HEAD")):
        found += within(prefix, _check_scrubbed(repository, prefix))
    return found


def _check_scrubbed(repository: Repository, prefix: str) -> list[Problem]:
    new, old = (
        tree_of(repository, name, tree_files(repository, name, prefix), prefix)
        for name in ("HEAD", "HEAD^")
    )
    before = [at for _, at in old.records(old.differing(new, KNOWLEDGE))]
    if not any(notes_of(at.record.fields) for at in before):
        return []
    return list(
        check_scrubbed(before, (at for _, at in new.records(new.differing(old, KNOWLEDGE))))
    )


def check_staged_merge(repository: Repository, heads: list[str]) -> Iterator[Problem]:
    """Say what the staging area loses of what HEAD and the commits that are merged into it hold."""
    commits = ["HEAD", *heads]
    labels = ["HEAD", *(head[:12] for head in heads)]
    result = staged_files(repository)
    sides = [tree_files(repository, commit) for commit in commits]
    left = prefixes_in(result)
    for prefix in prefixes_in(result, *sides):
        # A store that a side has elsewhere than the result was moved, or comes in as a subtree.
        place = left[0] if prefix not in left and len(left) == 1 else prefix
        found = _compare(
            repository,
            prefix,
            tree_of(repository, STAGED, result, place),
            [
                tree_of(repository, label, files, prefix)
                for label, files in zip(labels, sides, strict=True)
            ],
            commits,
        )
        yield from within(prefix, found)


def _compare(
    repository: Repository, prefix: str, result: Tree, sides: list[Tree], commits: list[str]
) -> list[Problem]:
    if not any(side.differing(result, KNOWLEDGE) for side in sides):
        return []
    ids: dict[str, None] = {}
    for other in commits[1:]:
        ids.update(dict.fromkeys(merge_bases(repository, commits[0], other)))
    bases = [
        tree_of(repository, base, tree_files(repository, base, prefix), prefix) for base in ids
    ]
    is_cut = not bases and repository.is_shallow()
    problems = check_merge(result, sides, bases, is_cut=is_cut)
    return problems + (_cut_history() if is_cut else [])


def check_merges(repository: Repository, commits: list[str], tip: dict[str, str]) -> list[Problem]:
    """Say what merges that are made already lost, and what the tip of the branch lacks still.

    `tip` are the files at that tip. Merges of more than two parents are judged too.
    """
    problems: list[Problem] = []
    for commit in commits:
        short = commit[:_SHORT]
        parents = parents_of(repository, commit)
        if not any(_differ(repository, parent, commit) for parent in parents):
            continue
        trees = [tree_files(repository, each) for each in (commit, *parents)]
        bases: dict[str, None] = {}
        for other in parents[1:]:
            bases.update(dict.fromkeys(merge_bases(repository, parents[0], other)))
        roots = [tree_files(repository, base) for base in bases]
        for prefix in prefixes_in(*trees):
            names = [short, *(f"{short}^{number}" for number in range(1, len(trees)))]
            result, *sides = [
                tree_of(repository, name, files, prefix)
                for name, files in zip(names, trees, strict=True)
            ]
            old = [
                tree_of(repository, base, files, prefix)
                for base, files in zip(bases, roots, strict=True)
            ]
            now = tree_of(repository, "the tip", tip, prefix)
            problems += within(
                prefix,
                [
                    loss.problem
                    for loss in find_losses(result, sides, old)
                    if stands_alike(loss.key, loss.problem.file, result, now)
                ],
            )
    return list(dict.fromkeys(problems))


def _differ(repository: Repository, one: str, other: str) -> bool:
    """Say whether the stores of two commits differ; costs what differs, not what is there."""
    stores = f":(top,glob)**/{STORE_NAME}/**"
    words = ("diff-tree", "-r", "--name-only", "--no-renames", one, other, "--", stores)
    return bool(repository.run(*words))


def prefixes_in(*trees: dict[str, str]) -> list[str]:
    """The folders of the stores that some trees have files of."""
    return sorted({place[0] for files in trees for path in files if (place := split_path(path))})


def _check_history(repository: Repository, parents: int) -> list[Problem]:
    # A shallow clone hides the parents of a commit; the commit itself still names them.
    commit = repository.run("cat-file", "commit", "HEAD").partition(b"\n\n")[0]
    named = sum(line.startswith(b"parent ") for line in commit.split(b"\n"))
    return _cut_history() if named > 1 and parents < named else []


def _cut_history() -> list[Problem]:
    message = "HEAD is a merge, but the history here is too short to see what it may have lost"
    hint = "git fetch --unshallow (in a CI job: fetch the whole history)"
    return [Problem("history-cut", message, hint, severity="warning")]


def tree_of(repository: Repository, label: str, files: dict[str, str], prefix: str) -> Tree:
    """The data files of the store at `prefix`, out of all files of a commit."""
    start = prefix + "/"
    found = {path[len(start) :]: blob for path, blob in files.items() if path.startswith(start)}
    data = {name: blob for name, blob in found.items() if is_data(name)}
    return Tree(label, data, lambda blobs: read_all(blobs, repository))
