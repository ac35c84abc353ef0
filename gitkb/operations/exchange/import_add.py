"""`import --from add`: what the ADD learning library keeps, as JSON or in freeform Markdown.

1. Every entry of a file is imported, or dropped with the reason; whatever is inferred is said.
2. A file's tier is where its entries go: a project's own to its store, a library to the workstation.
3. The files know no time of their last change: `core.import_mark` tells what has changed since they were
   last read, so that a change made here stays until a file says something else.
4. Originals are kept first, then the stores are written, each as a whole, then their views; whatever ends
   a call in between, the same call does the rest.
5. What would come back otherwise than it came is said, entry by entry.
"""

from __future__ import annotations

import os
import tempfile
from typing import NamedTuple

from gitkb.core.foreign.add_file import parse_document
from gitkb.core.foreign.add_markdown import parse_learnings
from gitkb.core.identity import ARCHIVE, KNOWLEDGE
from gitkb.core.jsonl import BadLineError
from gitkb.errors import DataError
from gitkb.operations.exchange.add_place import (
    Place,
    find_places,
    keep_original,
    project_of,
    shown_path,
)
from gitkb.operations.exchange.import_add_entries import Source, take_source
from gitkb.operations.exchange.import_result import Dropped, ImportResult, Noticed
from gitkb.operations.exchange.import_versions import importing
from gitkb.operations.tier import READY, Tier, find_tier, tier_of
from gitkb.operations.tiers.setup import begin_tier, save_tier
from gitkb.operations.view import make_views
from gitkb.store.discover import store_at
from gitkb.store.home import PROJECT, WORKSTATION
from gitkb.store.layout import STORE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.store.layout import Store


class _File(NamedTuple):
    place: Place
    data: bytes
    source: Source


def import_add(store: Store, path: str | None, *, now: int, dry_run: bool = False) -> ImportResult:
    """Import a file or a folder, or, without a path, all that ADD keeps for this project and user.

    Raises:
        NotFoundError: when there is nothing of ADD's.
        DataError: when the only file that there is cannot be read.
        StateError: when a store is locked, in conflict, full or read-only; that one is not written.
    """
    files, unread = _read_all(store, path)
    noticed: list[Noticed] = []
    if not dry_run:
        for file in files:
            if file.place.is_own:
                try:
                    keep_original(file.place.path, file.data)
                except OSError as error:
                    message = f"no copy of it is kept: {error.strerror}; the file itself stays"
                    noticed.append(Noticed(file.place.name, message))
    results = [
        _import_tier(store, tier, found, now, dry_run=dry_run)
        for tier in (PROJECT, WORKSTATION)
        if (found := [file for file in files if file.place.tier == tier])
    ]
    return _sum(results, unread, noticed)


def _read_all(store: Store, path: str | None) -> tuple[list[_File], list[Dropped]]:
    """Read every file; what is wrong with one does not keep the others."""
    files: list[_File] = []
    unread: list[Dropped] = []
    places = find_places(store, path)
    for place in places:
        try:
            with open(place.path, "rb") as opened:
                data = opened.read()
            own = project_of(store) if place.tier == PROJECT else ""
            files.append(_File(place, data, parse_place(place, data, own)))
        except BadLineError as error:
            if len(places) == 1:
                hint = (
                    "mend it; its Markdown can be read by its name" if place.beside else "mend it"
                )
                raise DataError(f"cannot read '{place.name}': {error.reason}", hint) from None
            unread.append(Dropped(0, error.reason, place.name))
        except OSError as error:
            if len(places) == 1:
                raise
            unread.append(Dropped(0, f"cannot read: {error.strerror}", place.name))
    return files, unread


def parse_place(place: Place, data: bytes, own_project: str) -> Source:
    """Read what is in one file; `own_project` is what its project is called where it does not say so.

    Raises:
        BadLineError: when it cannot be read at all.
    """
    if place.is_json:
        document = parse_document(data)
        notes = [(0, _unread_beside(place.beside))] if place.beside else []
        return Source(
            place.name,
            place.tier,
            document.entries,
            document.project,
            True,
            notes=[note for note in notes if note[1]],
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLineError(f"it is not UTF-8 at byte {error.start}") from None
    log = parse_learnings(text)
    notes = [(line, f"{what}, no learning: left in the file") for line, what in log.skipped]
    return Source(
        place.name,
        place.tier,
        [found.record for found in log.found],
        log.project or own_project,
        False,
        lines=[found.line for found in log.found],
        around=[found.around for found in log.found],
        notes=[] if log.is_view else notes,
    )


def _unread_beside(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            log = parse_learnings(file.read())
    except OSError:
        return ""
    if log.is_view or not log.found:
        return ""
    name = shown_path(path)
    return f"'{name}' is no view of it and was not read: gitkb import --from add '{name}'"


def _import_tier(
    store: Store, name: str, files: Sequence[_File], now: int, *, dry_run: bool
) -> ImportResult:
    for tier in _tiers(store, name, dry_run=dry_run):
        project = project_of(store) if name == PROJECT else ""
        with importing(tier.store, now, dry_run=dry_run) as coming:
            for file in files:
                take_source(coming, tier, file.source, project)
        if not dry_run:
            make_views(tier.store, write=True)
            save_tier(tier, f"Import learnings from {', '.join(file.place.name for file in files)}")
        return coming.result()
    raise AssertionError(name)


def _tiers(store: Store, name: str, *, dry_run: bool) -> Iterator[Tier]:
    """Give the tier to write to; a dry run makes none, and holds up an empty one instead."""
    listed = find_tier(WORKSTATION)
    if name == PROJECT:
        yield Tier(PROJECT, store, True)
    elif not dry_run:
        yield begin_tier(WORKSTATION)
    elif listed is not None and listed.state == READY:
        yield tier_of(listed)
    else:
        with tempfile.TemporaryDirectory() as folder:
            yield Tier(WORKSTATION, _empty_store(folder), True)


def _empty_store(folder: str) -> Store:
    """Hold up a store that leaves nothing behind, its lock included."""
    store = store_at(os.path.join(folder, STORE_NAME), "for a dry run")
    for name in (KNOWLEDGE, ARCHIVE):
        os.makedirs(store.path_of(name))
    return store._replace(derived=os.path.join(folder, "derived"))


def _sum(
    results: Sequence[ImportResult], unread: list[Dropped], noticed: list[Noticed]
) -> ImportResult:
    counts = {
        name: sum(getattr(result, name) for result in results)
        for name in ("imported", "added", "updated", "outdated", "unchanged")
    }
    dropped = [*unread, *(item for result in results for item in result.dropped)]
    return ImportResult(
        total=counts["imported"] + len(dropped),
        **counts,
        repaired=[item for result in results for item in result.repaired],
        dropped=dropped,
        renamed=[item for result in results for item in result.renamed],
        noticed=[*noticed, *(item for result in results for item in result.noticed)],
    )
