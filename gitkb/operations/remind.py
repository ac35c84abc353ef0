"""What is told unasked: to who commits, in a few lines, and to an agent before it edits a file.

1. Nothing is told twice to one agent in one session, unless the entry changed meanwhile.
2. What could not be asked for in time is left out: a reminder is worth no waiting.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.touch.files import BY_FILE, BY_TAG, BY_WORDS
from gitkb.core.touch.text import agent_text, person_line
from gitkb.errors import GitkbError
from gitkb.store.told import read_told, write_told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.core.packs.text import Origin
    from gitkb.operations.reading.touched import Concerning
    from gitkb.store.layout import Store

MOST_LINES = 3
_MOST_TOLD = 3
_LOOKED_AT = 50
_ORIGIN_SECONDS = 1.0


class Told(NamedTuple):
    """What an agent is told; empty where there is nothing new."""

    text: str
    keys: tuple[str, ...] = ()


def is_wanted_at_commit(store: Store) -> bool:
    """Whether the team wants git's own pre-commit hook to remind: `[remind] commit = true`."""
    try:
        with open(store.config_path, "rb") as file:
            if b"remind" not in file.read():
                return False
    except OSError:
        return False
    from gitkb.store.config import read_config

    table = read_config(store).values.get("remind")
    return isinstance(table, dict) and table.get("commit") is True


def remind_staged(store: Store, *, most: int = MOST_LINES) -> list[str]:
    """Give lines about what would be committed, at most so many, and log that they were shown.

    Git's variables name what would be committed.

    Raises:
        GitkbError: where it cannot be asked.
    """
    from gitkb.operations.for_diff import for_diff

    reminder = for_diff(store, staged=True, limit=most, unasked=True, own_environment=True)
    if reminder.entries:
        _record(store, "remind", reminder.entries)
    return [person_line(one.entry, _by(one), _marks(one)) for one in reminder.entries]


def before_edit(store: Store, paths: Sequence[str], session: str, cwd: str) -> Told:
    """Say what concerns files that an agent is about to edit, but for what it was told in this session."""
    from gitkb.operations.for_file import for_file

    state = _state_of(store)
    reminder = for_file(store, paths, cwd=cwd, limit=_LOOKED_AT, unasked=True)
    known = read_told(store, session) if reminder.entries and session else frozenset()
    new = [one for one in reminder.entries if _name(one) not in known]
    told = new[:_MOST_TOLD]
    if not told:
        if state is not None and not reminder.entries:
            _keep_labels(store, *state)
        return Told("")
    origins = _origins(store, told)
    text = agent_text(
        _short(paths[0], cwd),
        [(one.entry, _marks(one), origin) for one, origin in zip(told, origins, strict=True)],
        len(new) - len(told) + reminder.left_out,
    )
    if session:
        write_told(store, session, [_name(one) for one in told])
    _record(store, "before-edit", told)
    return Told(text, tuple(one.entry.key for one in told))


def _record(store: Store, verb: str, shown: Sequence[Concerning]) -> None:
    from gitkb.operations.tiers.across import keys_of
    from gitkb.operations.usage_log.record import record_shown

    record_shown(store, verb, keys_of(one.found for one in shown))


def _state_of(store: Store) -> tuple[list[str], tuple[str, float]] | None:
    """Give the stores that are looked through and the state of their files; None where not all can be."""
    from gitkb.operations.tiers.chain import find_chain
    from gitkb.store.home_path import home_folder
    from gitkb.store.touch_filter import signature_of

    troubles: list[str] = []
    roots = [one.root for _, one in find_chain(store, troubles)]
    try:
        return None if troubles else (roots, signature_of(roots, home_folder()))
    except OSError:
        return None


def _keep_labels(store: Store, roots: list[str], signature: tuple[str, float]) -> None:
    """Write down by what anything concerns at all, so that the next question needs no search index."""
    from gitkb.operations.tiers.chain import open_chain
    from gitkb.store.touch_filter import write_filter

    with open_chain(store) as chain:
        if len(chain.links) == len(roots):
            labels = set().union(*(link.opened.labels() for link in chain.links))
            write_filter(store.derived, roots, signature, labels)


def _short(path: str, cwd: str) -> str:
    """Name a path from the folder that an agent stands in, as it would: whole paths cost many tokens."""
    below = cwd.rstrip(os.sep) + os.sep
    return path[len(below) :] if path.startswith(below) else path


def _name(one: Concerning) -> str:
    return f"{one.entry.key} {one.entry.ts}"


_BANDS = {BY_FILE: "file", BY_TAG: "tag", BY_WORDS: "words"}


def _by(one: Concerning) -> str:
    return f"{_BANDS.get(one.concern.band, 'stack')} {one.concern.by}"


def _marks(one: Concerning) -> list[str]:
    hit = one.found.hit
    marks = ["contested"] if hit.contested else []
    marks += ["superseded"] if hit.superseded_by else []
    return marks + (["in doubt"] if hit.in_doubt else [])


def _origins(store: Store, told: Sequence[Concerning]) -> list[Origin]:
    from gitkb.core.packs.text import NO_ORIGIN
    from gitkb.operations.packs.origin import Origins
    from gitkb.store.home_path import PROJECT

    own = [one.entry.key for one in told if one.found.tier in ("", PROJECT)]
    origins = Origins(store, None, _ORIGIN_SECONDS) if own else None
    if origins is not None:
        try:
            origins.look_up(own)
        except (GitkbError, OSError):
            origins = None
    return [
        (
            origins.of(one.entry.key) if origins and one.found.tier in ("", PROJECT) else NO_ORIGIN
        )._replace(tier="" if one.found.tier in ("", PROJECT) else one.found.tier)
        for one in told
    ]


def folder_of(path: str, cwd: str) -> str:
    """Give the nearest folder above a path that is there, to look for a store from."""
    folder = os.path.dirname(os.path.join(cwd, path))
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
