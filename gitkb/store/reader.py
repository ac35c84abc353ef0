"""Read the files of a store as they stand in the work tree."""

from __future__ import annotations

from gitkb.core.identity import KNOWLEDGE, shard_of
from gitkb.core.problem import Problem
from gitkb.core.snapshot import Located, Snapshot, iter_records, read_snapshot
from gitkb.store.layout import iter_data_files
from gitkb.store.settle import settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.store.layout import Store


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
