"""Cut the order of the lines into another number of files.

1. New files are written first, then the setting, then the old files are emptied, all as one change:
   a kill in between leaves copies, and the next command of any kind finishes it.
2. Every line keeps its bytes. One that is no record stays in the file it is in.
3. A file that becomes empty stays, because git calls no merge driver for a deleted file.
"""

from __future__ import annotations

from gitkb.core.entry import parse_record
from gitkb.core.identity import order_of, shard_of
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, is_marker, split_lines
from gitkb.errors import StateError
from gitkb.store.config import CONFIG_TEXT, with_shards
from gitkb.store.durable import remove_leftovers, replace_files
from gitkb.store.git_lock import refuse_changed, wait_for_git
from gitkb.store.journal import Journal
from gitkb.store.layout import CONFIG_NAME
from gitkb.store.lock import locked
from gitkb.store.reader import iter_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store


def reshard(store: Store, shards: int) -> list[str]:
    """Move every line to the file that `shards` wants; give the names of the files that changed.

    Raises:
        StateError: when a file holds conflict markers, changed meanwhile or cannot be read or written.
        DataError: when config.toml is broken; nothing is moved then.
    """
    with locked(store):
        problems: list[Problem] = []
        old = dict(iter_files(store, problems))
        for problem in problems:
            raise StateError(problem.located, problem.hint)
        new = _new_files(old, shards)
        before, setting = _setting(store, shards)
        changed = [name for name, data in new.items() if old.get(name) != data]
        paths = {name: store.path_to_write(name) for name in changed}
        wait_for_git(store)
        refuse_changed(store, old, changed)
        old[CONFIG_NAME], new[CONFIG_NAME] = before, setting
        paths[CONFIG_NAME] = store.path_to_write(CONFIG_NAME)
        gaining = [name for name in changed if new[name]]
        losing = [name for name in changed if not new[name]]
        order = [*gaining, *([CONFIG_NAME] if before != setting else []), *losing]
        remove_leftovers(store.root)
        journal = Journal(store, [(name, old.get(name, b""), new[name]) for name in order])
        replace_files([(paths[name], new[name]) for name in order], journal if order else None)
        return sorted(changed)


def _new_files(old: dict[str, bytes], shards: int) -> dict[str, bytes]:
    records: dict[str, set[tuple[bytes, int, bytes]]] = {name: set() for name in old}
    others: dict[str, list[bytes]] = {name: [] for name in old}
    for name, data in old.items():
        folder = name.partition("/")[0]
        for line in split_lines(data.removeprefix(BYTE_ORDER_MARK)):
            if is_marker(line):
                raise StateError(f"'{name}' holds conflict markers", "gitkb resolve")
            try:
                record = parse_record(line)
            except BadLineError:
                others[name].append(line)
                continue
            place = f"{folder}/{shard_of(record.key, shards)}"
            order = (order_of(record.key), int(record.fields.get("ts", 0)), line)
            records.setdefault(place, set()).add(order)
    new = {}
    for name, found in records.items():
        lines = [line for _, _, line in sorted(found)] + others.get(name, [])
        new[name] = b"".join(line + b"\n" for line in lines)
    return new


def _setting(store: Store, shards: int) -> tuple[bytes, bytes]:
    """Give config.toml as it is and as it is to be."""
    try:
        with open(store.config_path, "rb") as file:
            old = file.read()
    except FileNotFoundError:
        return b"", CONFIG_TEXT.format(shards=shards).encode()
    return old, with_shards(old, shards)
