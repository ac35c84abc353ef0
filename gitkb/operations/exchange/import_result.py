"""What an import says about itself: the numbers, and every line that was not taken as it stood."""

from __future__ import annotations

from typing import NamedTuple


class Dropped(NamedTuple):
    """A line, or a record on it, that was not imported."""

    line: int
    reason: str
    file: str = ""
    """Set where more than one file was read."""
    is_settled: bool = False
    """Nothing is wrong with it: here its entry was forgotten, moved or redacted, and that stands."""


class Repaired(NamedTuple):
    """A record that was imported after something had been put right."""

    line: int
    key: str
    repairs: tuple[str, ...]


class Noticed(NamedTuple):
    """Something that a person should know of, and that the numbers do not say."""

    file: str
    message: str


class Renamed(NamedTuple):
    """A record whose key has not the form of ours; the old one is among its aliases."""

    line: int
    old: str
    key: str


class ImportResult(NamedTuple):
    """What an import did. `imported` = `added` + `updated` + `outdated` + `unchanged`."""

    total: int
    imported: int
    added: int
    """New keys, and links that a line of their own gave."""
    updated: int
    """Records that took the place of what stood there, which went to the archive."""
    outdated: int
    """Records that something newer replaces: they went to the archive."""
    unchanged: int
    """Records that the store already had."""
    repaired: list[Repaired]
    dropped: list[Dropped]
    renamed: list[Renamed]
    noticed: list[Noticed]

    @property
    def is_failure(self) -> bool:
        """Whether nothing came of it, and that is the fault of what was given."""
        return not self.imported and any(not one.is_settled for one in self.dropped)
