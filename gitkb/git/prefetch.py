"""Fetch at once what a partial clone lacks for a walk through history.

A clone made with `--filter=blob:none` fetches each missing file when somebody looks at it: one
connection a commit, which takes a walk from a second to many minutes. git has no command for this
before `git backfill` (2.49), so the fetch is the one that git itself does (promisor-remote.c).
"""

from __future__ import annotations

import os

from gitkb.errors import GitError
from gitkb.git.command import run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.lineage import Commit


def fetch_missing(
    root: str, commits: Sequence[Commit], path: str, own_environment: bool = False
) -> int:
    """Fetch the files below a path that some commits have and this clone lacks; answers how many.

    Nothing happens in a clone that is not partial. GitError where the remote cannot be reached.
    """
    remote = _promisor(root, own_environment)
    if remote is None or not commits:
        return 0
    ids = {commit.id for commit in commits}
    parents = {parent for commit in commits for parent in commit.parents}
    tips = sorted(ids - parents)
    edge = sorted(parents - ids)
    listing = ["rev-list", "--objects", "--no-object-names", "--missing=print", "--stdin"]
    feed = "\n".join([*tips, *(f"^{id_}" for id_ in edge), "--", path]) + "\n"
    answer = run_git(listing, root, input=feed.encode(), own_environment=own_environment)
    missing = [line[1:] for line in answer.split(b"\n") if line.startswith(b"?")]
    if not missing:
        return 0
    fetch = ["-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags"]
    fetch += ["--no-write-fetch-head", "--no-auto-gc", "--recurse-submodules=no"]
    fetch += ["--filter=blob:none", "--stdin", remote]
    try:
        run_git(
            fetch,
            root,
            input=b"\n".join(missing) + b"\n",
            own_environment=own_environment,
            write=True,
        )
    except GitError as error:
        raise GitError(
            f"this partial clone lacks {len(missing)} old versions of the knowledge files, and they "
            f"cannot be fetched: {error.message}",
            f"make '{remote}' reachable once, then run the command again",
        ) from error
    return len(missing)


def is_partial(root: str, own_environment: bool = False) -> bool:
    """Whether a clone may lack contents, and would fetch each when somebody looks at it."""
    return _promisor(root, own_environment) is not None


def _promisor(root: str, own_environment: bool) -> str | None:
    answer = run_git(
        ["config", "--null", "--get-regexp", r"^remote\..*\.promisor$"],
        root,
        own_environment=own_environment,
        accept=(0, 1),
    )
    for setting in os.fsdecode(answer).split("\0"):
        name, _, value = setting.partition("\n")
        if value.lower() in ("true", "yes", "on", "1"):
            return name.removeprefix("remote.").removesuffix(".promisor")
    return None
