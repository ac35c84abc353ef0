"""A store in a folder without git, and what its files say: for tests of single operations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from gitkb.operations.add import add
from gitkb.operations.clone.setup import make_store
from gitkb.operations.writing.put import Added

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store


class Shelf(NamedTuple):
    """A store of one file, and its folder."""

    store: Store
    folder: Path

    def add(self, **fields: Any) -> Added:
        """Add an entry, a fact called `k` where nothing else is said."""
        return add(self.store, {"key": "k", "type": "fact", "content": "x", **fields})

    def lines(self, folder: str = "knowledge") -> list[dict[str, Any]]:
        """The lines of the knowledge file, or of the archive."""
        path = self.folder / folder / "all.jsonl"
        return (
            [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        )

    def write(self, *lines: bytes, folder: str = "knowledge") -> None:
        """Write a file of these lines, whatever they are."""
        (self.folder / folder / "all.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))

    def tree(self) -> dict[str, bytes]:
        """Every data file by its name."""
        paths = sorted(self.folder.glob("*/*.jsonl"))
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in paths}


def make_shelf(folder: Path) -> Shelf:
    """Make an empty store of one file in a folder."""
    store = make_store(str(folder), 1).store
    return Shelf(store, folder / ".gitkb")
