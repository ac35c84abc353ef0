"""Confirmations: that an entry is still true, kept beside it so that its line and its author stay as they
were.

1. One line a key, ``{"key":…,"ts":…}``, in ``confirmed/3f.jsonl``, in the order of the entries: the merge
   driver unites them by key, and of two the later stands.
2. Names are those of 256 files, whatever number of files the entries are spread over.
3. A line that cannot be read confirms nothing, and stays where it is until `gitkb check` has been heeded.
"""

from __future__ import annotations

import os

from gitkb.core.canonical import encode_json
from gitkb.core.identity import CONFIRMED, DEFAULT_SHARDS, is_key, is_shard_name, order_of, shard_of
from gitkb.core.jsonl import BadLineError, is_marker, parse_object, split_lines
from gitkb.core.problem import Problem
from gitkb.errors import StateError
from gitkb.store.durable import remove_leftovers, replace_file, replace_files
from gitkb.store.git_lock import refuse_changed, wait_for_git
from gitkb.store.lock import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gitkb.store.layout import Store


def parse_confirmation(line: bytes) -> tuple[str, int]:
    """Read key and time of one line.

    Raises:
        BadLineError: when it is no confirmation.
    """
    fields = parse_object(line)
    key, ts = fields.get("key"), fields.get("ts")
    if not isinstance(key, str) or not is_key(key):
        raise BadLineError("no 'key' that has the form of a key", "gitkb confirm writes such lines")
    if not isinstance(ts, int) or isinstance(ts, bool) or ts < 0:
        raise BadLineError("no 'ts' in whole Unix seconds", "gitkb confirm writes such lines")
    return key, ts


def check_confirmations(name: str, data: bytes) -> list[Problem]:
    """Judge one file of confirmations."""
    problems = []
    for number, line in enumerate(split_lines(data), 1):
        try:
            parse_confirmation(line)
        except BadLineError as error:
            message = f"no confirmation: {error.reason}"
            hint = "take the line out of FILE, then gitkb confirm KEY"
            if is_marker(line):
                message, hint = (
                    "a conflict marker",
                    "git checkout --merge -- FILE, or keep both sides",
                )
            problems.append(Problem("bad-confirmation", message, hint, name, number))
    return problems


def has_confirmations(store: Store) -> bool:
    """Whether anything was ever confirmed."""
    return os.path.isdir(os.path.join(store.root, CONFIRMED))


def confirmation_files(store: Store) -> list[str]:
    """Name the files that hold confirmations, sorted."""
    if not has_confirmations(store):
        return []
    found = os.listdir(os.path.join(store.root, CONFIRMED))
    return sorted(f"{CONFIRMED}/{name}" for name in found if is_shard_name(name))


def read_confirmed(store: Store, keys: Iterable[str]) -> dict[str, int]:
    """Give the times at which some keys were last confirmed, of those that were."""
    if not has_confirmations(store):
        return {}
    wanted = set(keys)
    found: dict[str, int] = {}
    for name in {name_of_confirmations(key) for key in wanted}:
        for key, ts in parse_confirmations(read_confirmations(store, name)):
            if key in wanted:
                found[key] = max(ts, found.get(key, 0))
    return found


def confirm_keys(store: Store, moments: Mapping[str, int]) -> dict[str, int]:
    """Write of keys at which moments they are true, always later than before; give the times written.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only.
    """
    return _rewrite(store, moments, ())


def drop_confirmations(store: Store, keys: Iterable[str]) -> None:
    """Take away what was said of some keys."""
    if has_confirmations(store):
        _rewrite(store, {}, frozenset(keys))


def tidy_confirmations(store: Store, *, dry_run: bool = False) -> list[str]:
    """Bring the files of confirmations into their form, as after a merge by text: one line a key, the later;
    give the names of those that were not. One with conflict markers is left alone.

    Raises:
        StateError: when the store is locked, full or read-only.
    """
    if not has_confirmations(store):
        return []
    names = confirmation_files(store)
    untidy = [name for name in names if _is_untidy(read_confirmations(store, name))]
    if dry_run or not untidy:
        return untidy
    with locked(store):
        for name in untidy:
            path, data = store.path_to_write(name), read_confirmations(store, name)
            if _is_untidy(data):
                replace_file(path, _tidied(data))
    return untidy


def _is_untidy(data: bytes) -> bool:
    is_whole = not any(map(is_marker, split_lines(data)))
    return is_whole and _tidied(data) != data


def _tidied(data: bytes) -> bytes:
    clocks: dict[str, int] = {}
    others = []
    for line in split_lines(data):
        try:
            key, ts = parse_confirmation(line)
        except BadLineError:
            others.append(line)
            continue
        clocks[key] = max(ts, clocks.get(key, 0))
    lines = [encode_json({"key": key, "ts": clocks[key]}) for key in sorted(clocks, key=order_of)]
    return b"".join(line + b"\n" for line in [*lines, *others])


def _rewrite(store: Store, confirmed: Mapping[str, int], dropped: Iterable[str]) -> dict[str, int]:
    written: dict[str, int] = {}
    with locked(store):
        remove_leftovers(store.root)
        names = sorted({name_of_confirmations(key) for key in (*confirmed, *dropped)})
        old = {name: read_confirmations(store, name) for name in names}
        new = {}
        for name, data in old.items():
            lines: dict[tuple[bytes, bytes], bytes] = {}
            for line in split_lines(data):
                if is_marker(line):
                    raise StateError(
                        f"'{name}' holds conflict markers", f"settle them, git add '{name}'"
                    )
                try:
                    key, ts = parse_confirmation(line)
                except BadLineError:
                    lines[b"\xff" * 33, line] = line
                    continue
                if key in dropped:
                    continue
                if key in confirmed:
                    written[key] = max(written.get(key, 0), ts + 1)
                else:
                    lines[order_of(key), line] = line
            for key, moment in confirmed.items():
                if name_of_confirmations(key) == name:
                    ts = written[key] = max(moment, written.get(key, 0))
                    lines[order_of(key), b""] = encode_json({"key": key, "ts": ts})
            new[name] = b"".join(lines[place] + b"\n" for place in sorted(lines))
        changed = [name for name in names if new[name] != old[name]]
        paths = [store.path_to_write(name) for name in changed]
        if changed:
            wait_for_git(store)
            refuse_changed(store, old, changed)
            replace_files([(path, new[name]) for path, name in zip(paths, changed, strict=True)])
    return written


def parse_confirmations(data: bytes) -> Iterator[tuple[str, int]]:
    """Yield key and time of each line that is a confirmation."""
    for line in split_lines(data):
        try:
            yield parse_confirmation(line)
        except BadLineError:
            continue


def latest_confirmations(contents: Iterable[bytes]) -> dict[str, int]:
    """Give by key when it was last confirmed, of all lines of some files."""
    clocks: dict[str, int] = {}
    for data in contents:
        for key, ts in parse_confirmations(data):
            clocks[key] = max(ts, clocks.get(key, 0))
    return clocks


def read_confirmations(store: Store, name: str) -> bytes:
    """Read one file of confirmations; one that is not there is empty.

    Raises:
        StateError: when it cannot be read, or is a link that leads out of the store.
    """
    try:
        with open(store.path_to_write(name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise StateError(
            f"cannot read '{name}': {error.strerror}", "nothing was written; see gitkb check"
        ) from None


def name_of_confirmations(key: str) -> str:
    """Name the file that holds what was said of a key, such as ``confirmed/3f.jsonl``."""
    return f"{CONFIRMED}/{shard_of(key, DEFAULT_SHARDS)}"
