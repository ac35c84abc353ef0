"""Read the files of a store as they stand in the work tree."""

from __future__ import annotations

from gitkb.core.identity import KNOWLEDGE, shard_of
from gitkb.core.problem import Problem
from gitkb.core.snapshot import Located, Snapshot, iter_records, read_snapshot
from gitkb.store.layout import iter_data_files
from gitkb.store.settle import settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.store.layout import Store

_ESCAPED = frozenset('"\\/')


def iter_files(store: Store, problems: list[Problem] | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of every data file; one that cannot be read becomes a problem."""
    settle(store)
    for name, path in iter_data_files(store.root):
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            if problems is not None:
                hint = "see its permissions, and what git status says"
                problems.append(Problem("unreadable", f"cannot read: {error.strerror}", hint, name))
            continue
        yield name, data


def read_store(store: Store) -> Snapshot:
    """Read a whole store: O(its size)."""
    problems: list[Problem] = []
    snapshot = read_snapshot(iter_files(store, problems))
    snapshot.problems.extend(problems)
    return snapshot


def read_named(store: Store, name: str) -> Snapshot:
    """Read what a name could mean: all lines of all keys that have it, or have it as an alias.

    Other lines may be among them, and where they stand in their files is not told. Cost: one look at the
    bytes of the store.
    """
    files = list(iter_files(store))
    keys = {key for key, aliases in _iter_names(files, name) if name in (key, *aliases)}
    return read_snapshot(
        (file, b"\n".join(_lines_with(data, {name, *keys}))) for file, data in files
    )


def _iter_names(files: Iterable[tuple[str, bytes]], name: str) -> Iterator[tuple[str, list[str]]]:
    for file, data in files:
        for at in iter_records(file, b"\n".join(_lines_with(data, {name})), []):
            yield at.record.key, at.record.fields.get("aliases", [])


def _lines_with(data: bytes, names: set[str]) -> list[bytes]:
    """Give the lines that hold one of some names as a string of JSON, or may do so with escapes."""
    if not all(map(_is_spelt_alike, names)):
        return data.split(b"\n")
    sought = [*(f'"{name}"'.encode() for name in names), b"\\u"]
    if not any(text in data for text in sought):
        return []
    return [line for line in data.split(b"\n") if any(text in line for text in sought)]


def _is_spelt_alike(name: str) -> bool:
    """Say whether JSON writes a name as it is, or else with ``\\u``."""
    return name.isprintable() and _ESCAPED.isdisjoint(name)


def read_current(store: Store, key: str, shards: int) -> Located | None:
    """Read the record of one key from the one file it belongs to; no other file is looked at."""
    settle(store)
    name = f"{KNOWLEDGE}/{shard_of(key, shards)}"
    try:
        with open(store.path_of(name), "rb") as file:
            data = file.read()
    except OSError:
        return None
    if key.encode() not in data and b"\\u" not in data:
        return None
    found = [at for at in iter_records(name, data, []) if at.record.key == key]
    return max(found, key=lambda at: at.standing) if found else None
