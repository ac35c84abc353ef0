r"""One data file while it is changed: lines go in and out, all other bytes stay as they are.

1. A line that nobody asked to change keeps its bytes and its place, whether or not it parses.
2. A new line goes where the order of the file wants it: by the SHA-256 of its key, then `ts`, then
   its bytes.
3. Nothing is put into a file that holds conflict markers.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import order_of
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, is_marker, split_lines
from gitkb.core.snapshot import Located
from gitkb.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.entry import Record


class FileEdit:
    """The lines of one file, in memory. `is_changed` says whether they differ from the disk's."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.is_changed = False
        self._mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK) else b""
        self._lines = split_lines(data[len(self._mark) :])
        self._data = data

    def encode(self) -> bytes:
        r"""Give the whole file: every line with its end, also a last one that had none."""
        return self._mark + b"".join(line + b"\n" for line in self._lines)

    def find(self, key: str) -> list[Located]:
        """Find all lines of a key, in the order of the file."""
        return [
            Located(record, line, self.name, number)
            for number, line in self._candidates(key)
            if (record := _read(line)) is not None and record.key == key
        ]

    def holds(self, line: bytes) -> bool:
        """Say whether the file has exactly this line."""
        return line in self._lines

    def replace(self, at: Located, line: bytes) -> None:
        """Put a line in place of one that `find` gave."""
        self._refuse_markers()
        self._lines[self._index_of(at)] = line
        self.is_changed = True

    def remove(self, at: Located) -> None:
        """Take out a line that `find` gave."""
        self._refuse_markers()
        del self._lines[self._index_of(at)]
        self.is_changed = True

    def insert(self, record: Record, line: bytes) -> None:
        """Put in a new line at its place. O(log n) lines are parsed."""
        self._refuse_markers()
        self._lines.insert(self._place_of(_order(record, line)), line)
        self.is_changed = True

    def _candidates(self, key: str) -> Iterator[tuple[int, bytes]]:
        # A key can be spelled with \u escapes in valid JSON, so such lines are looked at as well.
        name = key.encode()
        if name not in self._data and b"\\u" not in self._data and not self.is_changed:
            return
        for number, line in enumerate(self._lines, 1):
            if name in line or b"\\u" in line:
                yield number, line

    def _index_of(self, at: Located) -> int:
        index = at.number - 1
        # An earlier change may have moved the line.
        if index >= len(self._lines) or self._lines[index] != at.line:
            index = self._lines.index(at.line)
        return index

    def _place_of(self, order: tuple[bytes, int, bytes]) -> int:
        low, high = 0, len(self._lines)
        while low < high:
            middle = (low + high) // 2
            probe = middle
            # A line that is no record has no place of its own: the next one that has decides.
            while probe < high and (record := _read(self._lines[probe])) is None:
                probe += 1
            if probe == high:
                high = middle
            elif _order(record, self._lines[probe]) < order:  # type: ignore[arg-type]
                low = probe + 1
            else:
                high = middle
        return low

    def _refuse_markers(self) -> None:
        if not self.is_changed and any(is_marker(line) for line in self._lines):
            raise StateError(
                f"'{self.name}' holds an unfinished merge: conflict markers",
                f"gitkb resolve {self.name}",
            )


def _read(line: bytes) -> Record | None:
    try:
        return parse_record(line)
    except BadLineError:
        return None


def _order(record: Record, line: bytes) -> tuple[bytes, int, bytes]:
    ts = record.ts if isinstance(record, Entry) else int(record.fields.get("ts", 0))
    return order_of(record.key), ts, line
