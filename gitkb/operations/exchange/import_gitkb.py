"""`import --from gitkb`: gitkb's own form: JSON lines or another store, or what `export` wrote.

Nothing is repaired here: a line that is no valid record is dropped and said. Tombstones come too,
and beat what stands here, as they do in a merge. Versions from the other store's archive go to the
archive.
"""

from __future__ import annotations

import os

from gitkb.core.canonical import encode_json
from gitkb.core.documents.json_document import is_document, parse_entries
from gitkb.core.identity import ARCHIVE
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, is_marker, split_lines
from gitkb.core.snapshot import iter_records
from gitkb.errors import DataError, NotFoundError, StateError
from gitkb.operations.exchange.import_result import Dropped
from gitkb.operations.exchange.import_versions import Import, Version, importing
from gitkb.store.layout import STORE_NAME, iter_data_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.problem import Problem
    from gitkb.operations.exchange.import_result import ImportResult
    from gitkb.store.layout import Store


def read_gitkb(path: str) -> list[tuple[str, bytes]]:
    """Read a file of JSON lines, or all data files of the store in a folder: names and bytes.

    Raises:
        OSError: when one cannot be read.
        NotFoundError: when the folder holds no store.
    """
    paths = [("", path)]
    if os.path.isdir(path):
        inside = os.path.join(path, STORE_NAME)
        paths = list(iter_data_files(inside if os.path.isdir(inside) else path))
        if not paths:
            raise NotFoundError(f"no knowledge base in '{path}'", "give the file itself")
    files = []
    for name, place in paths:
        with open(place, "rb") as file:
            files.append((name, file.read()))
    return files


def import_gitkb(
    store: Store, files: Iterable[tuple[str, bytes]], *, now: int, dry_run: bool = False
) -> ImportResult:
    """Import files given as pairs of a name and all bytes.

    Raises:
        StateError: when a file holds conflict markers, because then it is not known what it says;
            or when the store cannot be written.
        DataError: when a document of `export` is damaged.
    """
    files = [(name, _as_lines(data)) for name, data in files]
    for name, data in files:
        for number, line in enumerate(split_lines(data), 1):
            if is_marker(line):
                place = f"{name}:{number}" if name else f"line {number}"
                raise StateError(f"conflict markers at {place}", "settle that merge first")
    with importing(store, now, dry_run=dry_run) as coming:
        coming.take_all(_iter_versions(files, coming))
    return coming.result()


def _as_lines(data: bytes) -> bytes:
    """Put the entries of an exported document on the lines on which `export` writes them."""
    if not is_document(data):
        return data
    try:
        entries = parse_entries(data)
    except BadLineError as error:
        message = f"cannot read the exported document: {error.reason}"
        raise DataError(message, "export it again, or give a file of JSON lines") from None
    return b"\n" + b"".join(encode_json(entry) + b"\n" for entry in entries)


def _iter_versions(files: list[tuple[str, bytes]], coming: Import) -> Iterator[Version]:
    for name, data in files:
        problems: list[Problem] = []
        data = data.removeprefix(BYTE_ORDER_MARK)
        for at in iter_records(name, data, problems):
            is_old = name.startswith(ARCHIVE) or at.record.fields.get("status") == "archived"
            yield Version(at.record, at.number, name, is_old)
        lines = split_lines(data)
        for problem in problems:
            if lines[problem.line - 1].strip():
                reason = problem.message.removeprefix("cannot read entry: ")
                coming.dropped.append(Dropped(problem.line, reason, name))
