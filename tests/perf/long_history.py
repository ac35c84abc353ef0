"""A long history of a team, made by git fast-import, with known truth.

Every commit edits, adds or deletes one to three entries of about 370 bytes; a side branch is merged
some forty times in a thousand commits.
"""

from __future__ import annotations

import json
import random
import subprocess
from hashlib import sha256
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_WORDS = [
    "merge",
    "driver",
    "index",
    "shard",
    "cache",
    "commit",
    "branch",
    "lock",
    "retry",
    "timeout",
    "schema",
    "record",
    "field",
    "value",
    "stream",
    "parser",
    "queue",
    "token",
    "budget",
    "replica",
]
_START = 1_700_000_000


class LongHistory:
    """The state of one branch, file by file, and the stream that it is written to."""

    def __init__(self, stream: IO[bytes], shards: int, seed: int) -> None:
        self.random = random.Random(seed)
        self.stream = stream
        self.shards = shards
        self.files: dict[str, dict[str, bytes]] = {}
        self.owners: dict[str, int] = {}
        """By key, the number of the commit that wrote what main holds."""
        self.keys: list[str] = []
        self.commits = 0

    def line(self, key: str, ts: int) -> bytes:
        def words(count: int) -> str:
            return " ".join(self.random.choices(_WORDS, k=count))

        fields = {"key": key, "type": "decision", "title": words(6), "content": words(28)}
        tags = sorted(set(self.random.choices(_WORDS, k=3)))
        more = {"tags": tags, "files": [f"src/{words(1)}/{words(1)}.py"], "created": _START}
        return json.dumps({**fields, **more, "ts": _START + ts}, separators=(",", ":")).encode()

    def file_of(self, key: str) -> str:
        return "all" if self.shards == 1 else sha256(key.encode()).hexdigest()[:2]

    def edit(self, state: dict[str, dict[str, bytes]]) -> dict[str, bytes | None]:
        """What one commit does: a line, or None for a deletion, by key."""
        edits: dict[str, bytes | None] = {}
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            key = self.random.choice(self.keys)
            if kind < 0.25:
                key = f"key_{len(self.keys):06}"
                self.keys.append(key)
            elif key not in state.get(self.file_of(key), {}):
                continue
            edits[key] = None if kind > 0.97 else self.line(key, self.commits + 1)
        return edits

    def apply(
        self, state: dict[str, dict[str, bytes]], edits: dict[str, bytes | None], *parents: int
    ) -> int:
        """Write a commit of some edits to a state; answers its number."""
        self.commits += 1
        person = self.commits % 9
        who = f"Person {person} <p{person}@example.org> {_START + 60 * self.commits} +0000"
        out = [f"commit refs/heads/main\nmark :{self.commits}\nauthor {who}\ncommitter {who}\n"]
        out.append("data 1\nx\n")
        out += [f"{'merge' if n else 'from'} :{parent}\n" for n, parent in enumerate(parents)]
        self.stream.write("".join(out).encode())
        for key, line in edits.items():
            records = state.setdefault(self.file_of(key), {})
            if line is None:
                records.pop(key, None)
            else:
                records[key] = line
        for name in sorted({self.file_of(key) for key in edits}):
            records = state[name]
            keys = sorted(records, key=lambda key: sha256(key.encode()).digest())
            data = b"".join(records[key] + b"\n" for key in keys)
            path = f".gitkb/knowledge/{name}.jsonl"
            self.stream.write(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
        return self.commits


def write_long_history(
    folder: Path, *, entries: int, commits: int, shards: int, seed: int = 1
) -> dict[str, int]:
    """Make a repository; answers which commit (by number, oldest first) wrote each key at HEAD."""
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", "."], cwd=folder, check=True)
    importer = subprocess.Popen(
        ["git", "fast-import", "--quiet", "--export-marks=.git/marks"],
        cwd=folder,
        stdin=subprocess.PIPE,
    )
    assert importer.stdin is not None
    history = LongHistory(importer.stdin, shards, seed)
    history.keys = [f"key_{number:06}" for number in range(entries)]
    tip = history.apply(history.files, {key: history.line(key, 0) for key in history.keys})
    history.owners = dict.fromkeys(history.keys, tip)
    while history.commits < commits:
        tip = _round(history, tip)
    importer.stdin.close()
    if importer.wait():
        raise RuntimeError("git fast-import failed")
    subprocess.run(["git", "reset", "-q", "--hard"], cwd=folder, check=True)
    return history.owners


def _round(history: LongHistory, tip: int) -> int:
    """Some commits on main, some on a side branch, and the merge of the two: about 27 commits."""
    side = {name: dict(records) for name, records in history.files.items()}
    side_tip, from_side, owners = tip, dict[str, bytes | None](), dict[str, int]()
    for _ in range(history.random.randint(3, 13)):
        edits = history.edit(side)
        side_tip = history.apply(side, edits, side_tip)
        from_side.update(edits)
        owners |= dict.fromkeys(edits, side_tip)
    for _ in range(history.random.randint(10, 23)):
        edits = history.edit(history.files)
        tip = history.apply(history.files, edits, tip)
        for key in edits:
            from_side.pop(key, None)  # main keeps its own where both changed a key
            history.owners[key] = tip
    history.owners |= {key: owners[key] for key in from_side}
    return history.apply(history.files, from_side, tip, side_tip)
