"""What a change touches: its paths, and the lines that it adds and takes away.

1. Nothing that a repository or a person configured changes the answer: no external program, no text
   conversion, no prefix, no colour.
2. Both names of what was renamed, and the name of what was deleted, are touched.
3. Of lines so many are read as tell something; data files of a store are left to `gitkb diff`.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from gitkb.errors import NotFoundError, UsageError
from gitkb.git.command import stream_git
from gitkb.git.objects import merge_bases, no_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.git.repository import Repository

MOST_BYTES = 2_000_000
"""Of a patch, and of files that git does not know yet."""
_MOST_LINE = 4_096
_FORMS = "gitkb for-diff, gitkb for-diff --staged, gitkb for-diff A..B"
_OPTIONS = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--find-renames")
_WITHOUT_STORES = (":(top)", ":(top,exclude,glob)**/.gitkb/**")
_NULL = b"\0"


class Change(NamedTuple):
    """What is compared, as words for `git diff`, and whether files that git does not know belong to it."""

    words: tuple[str, ...]
    has_untracked: bool = False


def resolve_change(repository: Repository, words: Sequence[str], *, staged: bool) -> Change:
    """Say what is compared. None: HEAD and the work tree; with `staged`, what would be committed; `A`:
    A and the work tree; `A..B` or `A B`: these two; `A...B`: B and where it left A.

    Raises:
        NotFoundError: for a revision that is not here.
        UsageError: for words that go together with no change.
    """
    names = list(words)
    if len(names) == 1 and ".." in names[0]:
        left, dots, right = names[0].partition("..")
        is_fork = right.startswith(".")
        old, new = left or "HEAD", right.removeprefix(".") or "HEAD"
        if staged or not dots or ".." in new:
            raise UsageError(f"cannot compare '{names[0]}'", _FORMS)
        if is_fork:
            one, other = (_resolve(repository, name, "commit") for name in (old, new))
            bases = merge_bases(repository, one, other)
            return Change((bases[0] if bases else one, other))
        return Change((_resolve(repository, old), _resolve(repository, new)))
    if len(names) > (1 if staged else 2) or any(".." in name for name in names):
        raise UsageError(f"cannot compare '{' '.join(names)}'", _FORMS)
    ids = [_resolve(repository, name) for name in names]
    if len(ids) == 2:
        return Change(tuple(ids))
    if staged:
        return Change(("--cached", *ids))
    if not ids:
        head = repository.head()
        ids = [head or _empty_tree(repository)]
    return Change((ids[0],), has_untracked=True)


def read_paths(repository: Repository, change: Change) -> list[str]:
    """Give the paths that a change touches, relative to the top, sorted."""
    words = ("diff", *_OPTIONS, "--name-status", "-z", *change.words, "--")
    fields = repository.run(*words).split(_NULL)
    paths = set()
    at = 0
    while at + 1 < len(fields):
        names = 2 if fields[at][:1] in (b"R", b"C") else 1
        paths.update(fields[at + 1 : at + 1 + names])
        at += 1 + names
    if change.has_untracked:
        paths.update(_untracked(repository))
    return sorted(os.fsdecode(path) for path in paths if path)


def iter_lines(repository: Repository, change: Change) -> Iterator[str]:
    """Give the lines that a change adds or takes away, of at most `MOST_BYTES` of it."""
    words = ("diff", *_OPTIONS, "--unified=0", "--patch", *change.words, "--", *_WITHOUT_STORES)
    left = MOST_BYTES
    is_hunk = False
    own = repository.own_environment
    with stream_git(words, repository.cwd, own_environment=own) as patch:
        for line in iter(lambda: patch.readline(_MOST_LINE), b""):
            left -= len(line)
            if left < 0:
                break
            if line.startswith((b"diff ", b"@@")):
                is_hunk = line.startswith(b"@@")
            elif is_hunk and line[:1] in (b"+", b"-"):
                yield line[1:].decode("utf-8", "replace")
    if change.has_untracked and repository.worktree is not None:
        yield from _untracked_lines(repository, repository.worktree, left)


def _untracked_lines(repository: Repository, top: str, left: int) -> Iterator[str]:
    for name in _untracked(repository):
        path = os.path.join(os.fsencode(top), name)
        if b".gitkb" in name.split(b"/") or left <= 0:
            continue
        try:
            # A link is text to git, and may lead anywhere; a pipe would never end.
            if not stat.S_ISREG(os.lstat(path).st_mode):
                continue
            with open(path, "rb") as file:
                data = file.read(left)
        except OSError:
            continue
        left -= len(data)
        if _NULL not in data[:8_000]:  # as git tells what is binary
            yield from data.decode("utf-8", "replace").splitlines()


def _untracked(repository: Repository) -> list[bytes]:
    words = ("ls-files", "--others", "--exclude-standard", "-z", "--full-name", "--", ":(top)")
    return [name for name in repository.run(*words).split(_NULL) if name]


def _resolve(repository: Repository, name: str, kind: str = "tree") -> str:
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{{kind}}}")
    answer = repository.ask(*asked)
    if answer.code != 0:
        if repository.worktree is not None and os.path.lexists(name):
            from shlex import quote  # only an error needs it

            raise NotFoundError(
                f"no commit '{name}' in this clone: that is a file", f"gitkb for-file {quote(name)}"
            )
        raise no_commit(repository, name)
    return answer.stdout.decode("ascii").strip()


def _empty_tree(repository: Repository) -> str:
    # Its id depends on the hash that the repository uses.
    return repository.run("hash-object", "-t", "tree", "--stdin", feed=b"").decode("ascii").strip()
