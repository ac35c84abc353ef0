"""`import`: bring in what another tool, or another store, knows.

1. Whatever the format: every record that was found is imported or dropped, and every line that is
   no record is dropped, so ``imported + dropped = total``. A line that holds two records counts
   twice, a record spread over two lines once, a blank line not at all.
2. One transaction: all is written at the end, or nothing.
3. Of two versions of one key the one with the newer ``ts`` stands; at equal times the later line
   of the file, and a line of the file rather than what the store has. The other goes to the archive.
   What the store already has, in force or in the archive, changes nothing: the same import again
   leaves every byte as it is.
4. A forgotten key is not brought back; its records are dropped and say so.
"""

from __future__ import annotations

import os

from gitkb.errors import DataError, NotFoundError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitkb.operations.import_result import ImportResult
    from gitkb.store.layout import Store


def import_file(store: Store, form: str, path: str, *, now: int) -> ImportResult:
    """Import a file, or a folder in which the format has a file of a known name.

    `form` is one of `FORMATS`; `now`, in Unix seconds, is for records that have no time.

    Raises:
        UsageError: when the format is not known.
        NotFoundError: when there is nothing at `path`.
        DataError: when it cannot be read.
        StateError: when the store cannot be written.
    """
    if form not in FORMATS:
        raise UsageError(f"unknown format '{form}'", f"one of {', '.join(FORMATS)}")
    if not os.path.exists(path):
        raise NotFoundError(f"nothing to import at '{path}'", "give the path of a file or folder")
    try:
        return FORMATS[form](store, path, now)
    except OSError as error:
        raise DataError(f"cannot read '{path}': {error.strerror}", "see its permissions") from None


def _import_drawbar(store: Store, path: str, now: int) -> ImportResult:
    from gitkb.operations.import_drawbar import import_drawbar, read_drawbar

    return import_drawbar(store, read_drawbar(path), now=now)


def _import_gitkb(store: Store, path: str, now: int) -> ImportResult:
    from gitkb.operations.import_gitkb import import_gitkb, read_gitkb

    return import_gitkb(store, read_gitkb(path), now=now)


FORMATS: Mapping[str, Callable[[Store, str, int], ImportResult]] = {
    "drawbar": _import_drawbar,
    "gitkb": _import_gitkb,
}
"""Each format with what reads it, imported only when it is asked for."""
