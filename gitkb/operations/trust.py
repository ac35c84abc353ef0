"""`gitkb trust`: see and change whose knowledge agents are told.

1. The list is the team's, in config.toml; only the lines of `[trust]` change there. What is written here is
   accepted here at once, and a colleague's clone takes it over as `trust_rule` says.
2. Nothing of the knowledge changes: whoever is not trusted is still searched, shown and merged.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.trust import TrustList, parse_author
from gitkb.errors import GitError, NotFoundError
from gitkb.operations.reading.trust_rule import Judge, read_rule, read_team
from gitkb.store.layout import CONFIG_NAME
from gitkb.store.trust_record import write_accepted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.operations.reading.trust_rule import Rule
    from gitkb.store.layout import Store


class Untrusted(NamedTuple):
    """Entries that the rule leaves out, by who wrote them last."""

    author: str
    """``Name <mail>`` as .mailmap has it; empty where git does not know."""
    keys: tuple[str, ...]


class Listed(NamedTuple):
    """The rule of a store, and what comes of it."""

    rule: Rule
    untrusted: list[Untrusted]
    """Those with most entries first."""
    notices: list[str]


class Changed(NamedTuple):
    """What came of a change."""

    listed: TrustList
    written: bool
    overruled: bool
    """git's configuration has a list of the user's own, which goes before."""


def list_trust(store: Store) -> Listed:
    """Give the rule, and the active entries that it leaves out.

    Raises:
        DataError: when config.toml cannot be read.
    """
    notices: list[str] = []
    judge = Judge(store, notices)
    if not judge.is_needed:
        return Listed(judge.rule, [], notices)
    from gitkb.core.entry import Entry
    from gitkb.store.reader import read_store

    current = read_store(store).current
    alive = [
        key for key, at in current.items() if isinstance(at.record, Entry) and at.record.is_active
    ]
    groups: dict[str, list[str]] = {}
    bad = judge.left_out(alive)
    authors = judge.writers.authors
    for key in sorted(bad):
        writer = authors.get(key)
        known = writer is not None and not writer.is_cut
        name = f"{writer.name} <{writer.mail}>" if writer is not None and known else ""
        groups.setdefault(name, []).append(key)
    untrusted = [Untrusted(name, tuple(keys)) for name, keys in groups.items()]
    untrusted.sort(key=lambda one: (-len(one.keys), one.author))
    return Listed(judge.rule, untrusted, notices)


def change_trust(
    store: Store, *, add: str | None = None, remove: str | None = None, signed: bool | None = None
) -> Changed:
    """Add an author to the team's list or take one from it, or say whether a signature will do.

    Raises:
        DataError: when config.toml cannot be read, or needs a person to change it.
        NotFoundError: when the author to remove is not on the list.
        StateError: when the file cannot be written, or the store is locked.
        UsageError: when `add` names nobody.
        GitError: when git does not know who wrote what, so that no list can count.
    """
    from gitkb.store.lock import locked

    added = None if add is None else parse_author(add)
    if store.worktree is None and (added is not None or signed):
        raise _no_authors(store)  # the list would stand there and hold nobody off
    with locked(store):
        before = read_team(store)
        authors = list(before.authors)
        if added is not None and added not in authors:
            authors.append(added)
        if remove is not None:
            name = " ".join(remove.split())
            if name not in authors:
                known = ", ".join(f"'{author}'" for author in authors)
                raise NotFoundError(
                    f"'{name}' is not on the trust list of config.toml",
                    f"gitkb trust: it names {known or 'nobody'}",
                )
            authors.remove(name)
        after = TrustList(tuple(authors), before.signed if signed is None else signed)
        if after != before:
            _write(store, after)
        write_accepted(store, after)
    overruled = read_rule(store).origin == "git config"
    return Changed(after, after != before, overruled)


def accept_trust(store: Store) -> Changed:
    """Take over the list that config.toml says now, whoever wrote it there.

    Raises:
        DataError: when config.toml cannot be read.
        StateError: when that cannot be kept.
    """
    team, rule = read_team(store), read_rule(store)
    if store.worktree is None:
        raise _no_authors(store)
    if not write_accepted(store, team):
        from gitkb.errors import StateError

        raise StateError(
            "cannot keep which trust list was accepted", "see whether the git folder can be written"
        )
    return Changed(team, rule.pending is not None, rule.origin == "git config")


def _no_authors(store: Store) -> GitError:
    return GitError(
        f"cannot tell authors apart: the store at '{store.root}' lies in no git repository",
        "git init, then git add and git commit the store",
    )


def _write(store: Store, listed: TrustList) -> None:
    from gitkb.store.config import CONFIG_TEXT, with_trust
    from gitkb.store.durable import replace_file

    path = store.path_to_write(CONFIG_NAME)
    try:
        with open(path, "rb") as file:
            text = file.read()
    except FileNotFoundError:
        from gitkb.core.identity import DEFAULT_SHARDS

        text = CONFIG_TEXT.format(shards=DEFAULT_SHARDS).encode()
    replace_file(path, with_trust(text, listed.authors, listed.signed))
