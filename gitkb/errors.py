"""Everything that makes an operation stop, in one tree, with the one table of exit codes.

An exception means that this operation cannot go on. Bad data that can be passed over is a value
(`core.problem.Problem`), and so is a conflict.
"""

from __future__ import annotations

EXIT_DONE = 0
EXIT_NO = 1
EXIT_USAGE = 2
EXIT_DATA = 3
EXIT_NOT_FOUND = 4
EXIT_STATE = 5
EXIT_GIT = 6
EXIT_SEARCH_INDEX = 7
EXIT_BUG = 70
EXIT_INTERRUPTED = 130


class GitkbError(Exception):
    """The root: a stable slug, what failed, and a command that helps."""

    slug = "error"
    exit_code = EXIT_NO
    general_hint: str | None = None
    """What helps where the error itself knows of nothing."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(GitkbError):
    """The call itself is wrong: an unknown type, a limit of nought, too few words."""

    slug = "usage"
    exit_code = EXIT_USAGE


class DataError(GitkbError):
    """What was given, or what stands in a file, is not what it has to be."""

    slug = "data"
    exit_code = EXIT_DATA


class NotFoundError(GitkbError):
    """There is no such entry, store, file or revision."""

    slug = "not-found"
    exit_code = EXIT_NOT_FOUND


class StateError(GitkbError):
    """The store is in a state in which this cannot be done: locked, read-only, full, conflicted."""

    slug = "state"
    exit_code = EXIT_STATE


class GitError(GitkbError):
    """Git refused, failed, or is not there."""

    slug = "git"
    exit_code = EXIT_GIT
    general_hint = "see whether git works here: git status; then gitkb doctor"


class OwnerError(GitError):
    """Git refuses a repository that belongs to another user; whoever trusts it has to say so."""

    slug = "git-owner"


class SearchIndexError(GitkbError):
    """The search index cannot be built at all, not even in memory."""

    slug = "search-index"
    exit_code = EXIT_SEARCH_INDEX
