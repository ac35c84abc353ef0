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

    from gitkb.operations.exchange.import_result import ImportResult
    from gitkb.store.layout import Store


def import_file(
    store: Store, form: str, path: str | None, *, now: int, dry_run: bool = False
) -> ImportResult:
    """Import a file, or a folder in which the format has its files.

    `form` is one of `FORMATS`; without a path the format has to be one that has places of its own
    (`add`). `now`, in Unix seconds, is for records that have no time. With
    `dry_run` everything is done but the writing.

    Raises:
        UsageError: when the format is not known, or needs a path.
        NotFoundError: when there is nothing at `path`.
        DataError: when it cannot be read, or is plainly in another format.
        StateError: when the store cannot be written.
    """
    if form not in FORMATS:
        raise UsageError(f"unknown format '{form}'", f"one of {', '.join(FORMATS)}")
    if path is None and form not in _WITHOUT_PATH:
        raise UsageError(
            "nothing to import is named",
            f"gitkb import --from {form} PATH; --from is one of {', '.join(FORMATS)}",
        )
    if path is not None and not os.path.exists(path):
        raise NotFoundError(f"nothing to import at '{path}'", "give the path of a file or folder")
    try:
        if path is None:
            return _import_add(store, path, now, dry_run)
        if os.path.isfile(path):  # what comes through a pipe can be read once only
            _refuse_other_format(form, path)
        return FORMATS[form](store, path, now, dry_run)
    except NotFoundError:
        if path is not None and (os.path.isdir(path) or os.path.isfile(path)):
            _refuse_other_format(form, path)
        raise
    except OSError as error:
        place = error.filename if isinstance(error.filename, str) else path
        raise DataError(f"cannot read '{place}': {error.strerror}", "see its permissions") from None


def _refuse_other_format(form: str, path: str) -> None:
    from shlex import quote

    from gitkb.operations.exchange.import_guess import guess_formats

    guessed = guess_formats(path)
    if guessed and form not in guessed:
        raise DataError(
            f"'{path}' is not in the format '{form}': this looks like {guessed[0]}",
            f"gitkb import --from {guessed[0]} {quote(path)}",
        )


def _import_drawbar(store: Store, path: str, now: int, dry_run: bool) -> ImportResult:
    from gitkb.operations.exchange.import_drawbar import import_drawbar, read_drawbar

    return import_drawbar(store, read_drawbar(path), now=now, dry_run=dry_run)


def _import_engram(store: Store, path: str, now: int, dry_run: bool) -> ImportResult:
    from gitkb.operations.exchange.import_engram import import_engram, read_engram

    return import_engram(store, read_engram(path), now=now, dry_run=dry_run)


def _import_adr(store: Store, path: str, now: int, dry_run: bool) -> ImportResult:
    from gitkb.operations.exchange.import_adr import import_adr

    return import_adr(store, path, now=now, dry_run=dry_run)


def _import_mcp_memory(store: Store, path: str, now: int, dry_run: bool) -> ImportResult:
    from gitkb.operations.exchange.import_mcp_memory import import_mcp_memory, read_mcp_memory

    return import_mcp_memory(store, read_mcp_memory(path), now=now, dry_run=dry_run)


def _import_gitkb(store: Store, path: str, now: int, dry_run: bool) -> ImportResult:
    from gitkb.operations.exchange.import_gitkb import import_gitkb, read_gitkb

    return import_gitkb(store, read_gitkb(path), now=now, dry_run=dry_run)


def _import_add(store: Store, path: str | None, now: int, dry_run: bool) -> ImportResult:
    from gitkb.operations.exchange.import_add import import_add

    return import_add(store, path, now=now, dry_run=dry_run)


FORMATS: Mapping[str, Callable[[Store, str, int, bool], ImportResult]] = {
    "drawbar": _import_drawbar,
    "engram": _import_engram,
    "add": _import_add,
    "adr": _import_adr,
    "mcp-memory": _import_mcp_memory,
    "gitkb": _import_gitkb,
}
"""Each format with what reads it, imported only when it is asked for."""
_WITHOUT_PATH = ("add",)
