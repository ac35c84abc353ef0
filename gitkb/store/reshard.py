"""Cut the order of the lines into another number of files.

1. New files are written first, then the setting, then the old files are emptied: a kill leaves
   copies, and the same command again puts an end to them.
2. Every line keeps its bytes. One that is no record stays in the file it is in.
3. A file that becomes empty stays, because git calls no merge driver for a deleted file.
"""

from __future__ import annotations

from gitkb.core.entry import parse_record
from gitkb.core.identity import order_of, shard_of
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, is_marker, split_lines
from gitkb.errors import StateError
from gitkb.store.config import CONFIG_TEXT, with_shards
from gitkb.store.durable import replace_file, replace_files
from gitkb.store.git_lock import refuse_changed, wait_for_git
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
            raise StateError(f"{problem.message}: '{problem.file}'", "nothing was moved")
        new = _new_files(old, shards)
        setting = _new_setting(store, shards)
        changed = [name for name, data in new.items() if old.get(name) != data]
        paths = {name: store.path_to_write(name) for name in changed}
        wait_for_git(store)
        refuse_changed(store, old, changed)
        gaining = [name for name in changed if new[name]]
        replace_files([(paths[name], new[name]) for name in gaining])
        replace_file(store.path_to_write(CONFIG_NAME), setting)
        losing = [name for name in changed if name not in gaining]
        replace_files([(paths[name], new[name]) for name in losing])
        return sorted(changed)


def _new_files(old: dict[str, bytes], shards: int) -> dict[str, bytes]:
    records: dict[str, set[tuple[bytes, int, bytes]]] = {name: set() for name in old}
    others: dict[str, list[bytes]] = {name: [] for name in old}
    for name, data in old.items():
        folder = name.partition("/")[0]
        for line in split_lines(data.removeprefix(BYTE_ORDER_MARK)):
            if is_marker(line):
                raise StateError(
                    f"'{name}' holds conflict markers", "gitkb check says how to settle it"
                )
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


def _new_setting(store: Store, shards: int) -> bytes:
    try:
        with open(store.config_path, "rb") as file:
            return with_shards(file.read(), shards)
    except FileNotFoundError:
        return CONFIG_TEXT.format(shards=shards).encode()
