"""Random histories whose truth is known: who wrote which record, worked out from the whole states.

A history is a graph of commits, each with all its records. Nothing here looks at differences, files
or git: what a commit wrote follows from its records and those of its parents alone.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

from hypothesis import strategies as st

if TYPE_CHECKING:
    from pathlib import Path

    from hypothesis.strategies import DrawFn

KEYS = ("a", "b.c", "k_1", "Z-9")
Style = Literal["canonical", "spaced", "reversed", "escaped", "carriage returns"]
STYLES: tuple[Style, ...] = ("canonical", "spaced", "reversed", "escaped", "carriage returns")
START = 1_700_000_000


@dataclass(frozen=True)
class Moment:
    """A commit: its parents by number, its records by key (a version; below nought: a tombstone)."""

    number: int
    parents: tuple[int, ...]
    records: dict[str, int]
    clock: int
    style: Style = "canonical"
    shards: int = 256
    is_sorted: bool = True

    @property
    def person(self) -> str:
        return f"Person {self.number}"


@dataclass
class Model:
    """A whole history, oldest first; the last moment is HEAD."""

    moments: list[Moment] = field(default_factory=list)

    def ancestors(self, head: int) -> list[int]:
        found = {head}
        for number in range(head, -1, -1):
            if number in found:
                found.update(self.moments[number].parents)
        return sorted(found)

    def wrote(self, number: int, key: str) -> bool:
        moment = self.moments[number]
        value = moment.records.get(key)
        befores = [self.moments[parent].records.get(key) for parent in moment.parents]
        return value not in (befores or [None])

    def last(self, head: int, key: str) -> int | None:
        """The commit that wrote what a key holds (or that it holds nothing), as git blame goes."""
        number = head
        while not self.wrote(number, key):
            moment = self.moments[number]
            value = moment.records.get(key)
            if not moment.parents:
                return None
            number = next(p for p in moment.parents if self.moments[p].records.get(key) == value)
        return number

    def writers(self, head: int, key: str) -> list[int]:
        return [number for number in self.ancestors(head) if self.wrote(number, key)]

    def rank(self, number: int) -> int:
        moment = self.moments[number]
        return max([moment.clock, *(self.rank(parent) + 1 for parent in moment.parents)])

    def keys(self, head: int) -> set[str]:
        return {key for number in self.ancestors(head) for key in self.moments[number].records}


@st.composite
def models(draw: DrawFn, *, max_size: int = 12) -> Model:
    """Histories of edits, additions, removals, tombstones, formatting, sorting, other numbers of
    shards, reverts, merges of two or three sides (criss-cross among them) and clocks that go back."""
    model = Model()
    tips: list[int] = []
    for number in range(draw(st.integers(1, max_size))):
        parents: tuple[int, ...] = ()
        if tips:
            count = draw(st.sampled_from([1, 1, 1, 2, 2, 3]))
            chosen = draw(st.lists(st.sampled_from(tips), min_size=1, max_size=count, unique=True))
            # git drops a parent that another one already has among its ancestors, and so do we.
            parents = tuple(
                p
                for p in chosen
                if not any(p != other and p in model.ancestors(other) for other in chosen)
            )
        sides = [model.moments[parent].records for parent in parents] or [{}]
        records = _records(draw, sides, model)
        clock = START + number * 60 + draw(st.sampled_from([0, 0, 0, -10_000, 10_000]))
        model.moments.append(
            Moment(
                number,
                parents,
                records,
                clock,
                draw(st.sampled_from(STYLES)),
                draw(st.sampled_from([1, 16, 256])),
                draw(st.booleans()),
            )
        )
        # A tip stays one now and then: that is how branches come about.
        tips = [tip for tip in tips if tip not in parents or draw(st.booleans())] + [number]
    return model


def _records(draw: DrawFn, sides: list[dict[str, int]], model: Model) -> dict[str, int]:
    records: dict[str, int] = {}
    for key in KEYS:
        value = draw(st.sampled_from([side.get(key) for side in sides]))
        action = draw(
            st.sampled_from(["keep"] * 6 + ["edit", "edit", "remove", "forget", "revert"])
        )
        if action == "edit":
            value = draw(st.integers(1, 4))  # few values, so that sides agree by chance
        elif action == "remove":
            value = None
        elif action == "forget":
            value = -draw(st.integers(1, 2))
        elif action == "revert" and model.moments:
            value = draw(st.sampled_from(model.moments)).records.get(key)
        if value is not None:
            records[key] = value
    return records


def encode_moment(moment: Moment) -> dict[str, bytes]:
    """The knowledge files of a commit, by name; an empty one stands for a shard without lines."""
    files: dict[str, list[bytes]] = {}
    keys = sorted(moment.records, key=lambda key: sha256(key.encode()).digest())
    for key in keys if moment.is_sorted else reversed(keys):
        digits = {1: 0, 16: 1, 256: 2}[moment.shards]
        name = sha256(key.encode()).hexdigest()[:digits] or "all"
        line = _encode(key, moment.records[key], moment.style)
        files.setdefault(f"{name}.jsonl", []).append(line)
    return {name: b"".join(lines) for name, lines in files.items()}


def _encode(key: str, value: int, style: Style) -> bytes:
    fields: dict[str, object] = {"key": key, "type": "fact", "content": f"größe {value}"}
    fields |= {"tags": ["x", "y"], "ts": value}
    if value < 0:
        fields = {"key": key, "deleted": True, "ts": -value}
    if style == "reversed":
        fields = dict(reversed(fields.items()))
        if value > 0:
            fields |= {"tags": ["y", "x", "x"], "importance": 3}  # a set, and a default spelled out
    separators = (" , ", " : ") if style == "spaced" else (",", ":")
    text = json.dumps(fields, ensure_ascii=style == "escaped", separators=separators)
    return text.encode() + (b"\r\n" if style == "carriage returns" else b"\n")


def write_history(path: Path, model: Model, store: str = ".gitkb") -> list[str]:
    """Make a repository of a history by git fast-import; answers the ids by number."""
    stream: list[bytes] = []
    for moment in model.moments:
        who = f"{moment.person} <p{moment.number}@example.org> {moment.clock} +0000"
        stream.append(f"commit refs/heads/c{moment.number}\nmark :{moment.number + 1}\n".encode())
        stream.append(f"author {who}\ncommitter {who}\ndata 1\nx\n".encode())
        for place, parent in enumerate(moment.parents):
            stream.append(f"{'merge' if place else 'from'} :{parent + 1}\n".encode())
        stream.append(b"deleteall\nM 100644 inline README\ndata 1\nx\n")
        for name, data in encode_moment(moment).items():
            stream.append(f"M 100644 inline {store}/knowledge/{name}\ndata {len(data)}\n".encode())
            stream.append(data + b"\n")
        stream.append(b"\n")
    subprocess.run(
        ["git", "fast-import", "--quiet", "--export-marks=marks"],
        cwd=path,
        input=b"".join(stream),
        check=True,
    )
    marks = dict(line.split() for line in (path / "marks").read_text().splitlines())
    (path / "marks").unlink()
    return [marks[f":{moment.number + 1}"] for moment in model.moments]
