"""`import --from drawbar`: the corpus of drawbar-kb, also an old one with damaged lines.

A line is repaired where the repair is certain (`core.repair` for its JSON, `core.drawbar` for its
fields) and dropped, with its number and the reason, where it is not. For the rest see the rules in
`operations.import_`.
"""

from __future__ import annotations

import os

from gitkb.core.foreign.drawbar import DRAWBAR_FIELDS, parse_drawbar
from gitkb.core.foreign.repair import iter_objects
from gitkb.core.jsonl import BadLineError
from gitkb.errors import NotFoundError
from gitkb.operations.exchange.import_result import Dropped, Renamed, Repaired
from gitkb.operations.exchange.import_versions import Import, Version, importing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.operations.exchange.import_result import ImportResult
    from gitkb.store.layout import Store

_PLACES = ("", ".drawbar/memory", "memory")
_NAME = "knowledge.jsonl"


def read_drawbar(path: str) -> bytes:
    """Read a corpus: the file itself, or drawbar's own in a project's or a `.drawbar` folder.

    Raises:
        OSError: when it cannot be read.
        NotFoundError: when the folder has none.
    """
    if os.path.isdir(path):
        places = [os.path.join(path, place, _NAME) for place in _PLACES]
        found = next((place for place in places if os.path.isfile(place)), None)
        if found is None:
            raise NotFoundError(f"no '{_NAME}' of drawbar in '{path}'", "give the file itself")
        path = found
    with open(path, "rb") as file:
        return file.read()


def import_drawbar(store: Store, data: bytes, *, now: int, dry_run: bool = False) -> ImportResult:
    """Import the bytes of a corpus. 10,000 records take a second or two.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only; nothing is written.
    """
    with importing(store, now, DRAWBAR_FIELDS, dry_run=dry_run) as coming:
        coming.take_all(_iter_versions(data, coming))
    return coming.result()


def _iter_versions(data: bytes, coming: Import) -> Iterator[Version]:
    for found in iter_objects(data, DRAWBAR_FIELDS):
        if found.fields is None:
            coming.dropped.append(Dropped(found.line, found.reason))
            continue
        try:
            entry, repairs = parse_drawbar(found.fields)
        except BadLineError as error:
            coming.dropped.append(Dropped(found.line, error.reason))
            continue
        repairs = [*found.repairs, *repairs]
        if repairs:
            coming.repaired.append(Repaired(found.line, entry.key, tuple(repairs)))
        old = str(found.fields["key"])
        if old != entry.key:
            coming.renamed.append(Renamed(found.line, old, entry.key))
        yield Version(entry, found.line)
