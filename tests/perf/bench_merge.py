"""How long a merge takes with the driver, against git's own text merge of the same files.

Both do the same job: each side has edited twenty entries spread over the file, far enough apart that
git merges them without a conflict. What is timed is the whole `git merge`, process and checkout
included.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gitkb.core.identity import order_of, shard_of
from gitkb.git.driver import driver_line

from perf.bench import Row
from repo_builder import Repo, run_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

EDITS = 20
TEXT_MERGE = "git's text merge"
WORDS = [
    "why",
    "the",
    "cache",
    "is",
    "kept",
    "beside",
    "the",
    "index",
    "so",
    "that",
    "a",
    "reader",
    "never",
    "waits",
    "for",
    "a",
    "writer",
]


def rows(folder: Path, sizes: Sequence[int]) -> Iterator[Row]:
    """One file of gitkb's, one of another tool's by `id`, and the default layout of 256 files."""
    for size in sizes:
        allowed = 1.6 if size <= 1_000 else 1.35
        for what, make, options, limit in (
            ("git merge of one file of entries", _one_file, "", allowed),
            ("git merge of one foreign file by id", _foreign_file, "--key id", allowed),
            ("git merge of 256 files of entries", _shards, "", 1.3),
        ):
            repo = _forked(folder / f"{size}-{make.__name__}", make, size, options)
            turns = 15 if size <= 1_000 else 9 if size <= 10_000 else 5
            driver, text = _in_turns(repo, ("gitkb", "text"), turns)
            yield Row(what, size, driver, TEXT_MERGE, text, limit)


def _forked(
    path: Path, make: Callable[[list[dict[str, Any]]], dict[str, bytes]], size: int, options: str
) -> Repo:
    """A repository with two branches that have each edited entries of one base."""
    repo = Repo.init(path)
    repo.config("merge.gitkb.driver", driver_line().replace("merge.py'", f"merge.py' {options}"))
    repo.config("gc.auto", "0")
    repo.config("core.commitGraph", "false")
    base = [_entry(number) for number in range(size)]
    step = size // EDITS
    for branch, first in (("base", None), ("ours", step // 4), ("theirs", 3 * step // 4)):
        if first is not None:
            repo.git("checkout", "-q", "-B", branch, "base")
        else:
            repo.git("checkout", "-q", "--orphan", branch)
        edited = {} if first is None else dict.fromkeys(range(first, size, step))
        for name, data in make(
            [_edited(each, at in edited) for at, each in enumerate(base)]
        ).items():
            repo.write(name, data)
        repo.commit(branch)
    repo.checkout("ours")
    return repo


def _in_turns(repo: Repo, drivers: Sequence[str], turns: int) -> list[float]:
    """The median time of a merge with each driver; undoing it between the merges does not count."""
    taken: dict[str, list[float]] = {driver: [] for driver in drivers}
    attributes = repo.path / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    for turn in range(turns + 1):
        for driver in drivers:
            attributes.write_text(f"*.jsonl merge={driver}\n", encoding="utf-8")
            start = time.perf_counter()
            run_program(["git", "merge", "-q", "--no-edit", "theirs"], cwd=repo.path)
            if turn:  # the first warms caches
                taken[driver].append(time.perf_counter() - start)
            run_program(["git", "reset", "-q", "--hard", "HEAD^"], cwd=repo.path)
    return [statistics.median(each) for each in taken.values()]


def _entry(number: int) -> dict[str, Any]:
    words = random.Random(number).choices(WORDS, k=44)
    return {"number": number, "content": " ".join(words)[:210], "is_edited": False}


def _edited(entry: dict[str, Any], is_edited: bool) -> dict[str, Any]:
    return {**entry, "is_edited": is_edited}


def _line(entry: dict[str, Any], name: str) -> bytes:
    number = entry["number"]
    stamp = 1_767_225_600 + number + 100 * entry["is_edited"]
    if name == "key":
        fields = {
            "key": _key(number),
            "type": "fact",
            "title": f"Entry {number}" + (", edited" if entry["is_edited"] else ""),
            "content": entry["content"],
            "tags": ["cache", "index"],
            "source": "user",
            "created": 1_767_225_600,
            "ts": stamp,
        }
    else:
        fields = {
            "id": f"bd-{number:06}",
            "title": f"Entry {number}" + (", edited" if entry["is_edited"] else ""),
            "description": entry["content"],
            "labels": ["cache", "index"],
            "status": "open",
            "created_at": "2026-01-01T00:00:00Z",
        }
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def _key(number: int) -> str:
    return f"fac_{number:08}"


def _one_file(entries: list[dict[str, Any]]) -> dict[str, bytes]:
    in_order = sorted(entries, key=lambda entry: order_of(_key(entry["number"])))
    return {"all.jsonl": b"".join(_line(entry, "key") for entry in in_order)}


def _foreign_file(entries: list[dict[str, Any]]) -> dict[str, bytes]:
    return {"issues.jsonl": b"".join(_line(entry, "id") for entry in entries)}


def _shards(entries: list[dict[str, Any]]) -> dict[str, bytes]:
    files: dict[str, list[bytes]] = {}
    for entry in sorted(entries, key=lambda entry: order_of(_key(entry["number"]))):
        files.setdefault(shard_of(_key(entry["number"]), 256), []).append(_line(entry, "key"))
    return {name: b"".join(lines) for name, lines in files.items()}
