r"""One data file while it is changed: lines go in and out, all other bytes stay as they are.

1. A line that nobody asked to change keeps its bytes and its place, whether or not it parses.
2. A new line goes where the order of the file wants it: by the SHA-256 of its key, then `ts`, then
   its bytes.
3. Nothing is put into a file that holds conflict markers.

A change of one entry looks at the few lines that can be its own. A change of many makes the file's
lines known by key once, which costs as much as reading them all.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, parse_record
from gitkb.core.identity import order_of
from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, is_marker, split_lines
from gitkb.core.snapshot import Located
from gitkb.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.entry import Record


_FEW_QUESTIONS = 16


class FileEdit:
    """The lines of one file, in memory. `is_changed` says whether they differ from the disk's."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.is_changed = False
        self._mark = BYTE_ORDER_MARK if data.startswith(BYTE_ORDER_MARK) else b""
        self._lines = split_lines(data[len(self._mark) :])
        self._data = data
        self._questions = 0
        self._by_key: dict[str, list[bytes]] | None = None
        self._counts: dict[bytes, int] | None = None
        self._orders: dict[bytes, tuple[bytes, int, bytes] | None] = {}

    def encode(self) -> bytes:
        r"""Give the whole file: every line with its end, also a last one that had none."""
        return self._mark + b"".join(line + b"\n" for line in self._lines)

    def find(self, key: str) -> list[Located]:
        """Find all lines of a key, in the order of the file."""
        if self._by_key is None and self._is_asked_often():
            self._make_known()
        return [
            Located(record, line, self.name, number)
            for number, line in self._candidates(key)
            if (record := _read(line)) is not None and record.key == key
        ]

    def holds(self, line: bytes) -> bool:
        """Say whether the file has exactly this line."""
        if self._counts is None and self._is_asked_often():
            self._make_known()
        return line in (self._lines if self._counts is None else self._counts)

    def replace(self, at: Located, line: bytes) -> None:
        """Put a line of the same key in place of one that `find` gave."""
        self._refuse_markers()
        self._lines[self._index_of(at)] = line
        self._forget_line(at.record.key, at.line)
        self._know_line(at.record.key, line)
        self.is_changed = True

    def remove(self, at: Located) -> None:
        """Take out a line that `find` gave."""
        self._refuse_markers()
        del self._lines[self._index_of(at)]
        self._forget_line(at.record.key, at.line)
        self.is_changed = True

    def insert(self, record: Record, line: bytes) -> None:
        """Put in a new line at its place. O(log n) lines are parsed."""
        self._refuse_markers()
        order = self._orders[line] = _order(record, line)
        self._lines.insert(self._place_of(order), line)
        self._know_line(record.key, line)
        self.is_changed = True

    def _is_asked_often(self) -> bool:
        self._questions += 1
        return self._questions > _FEW_QUESTIONS

    def _make_known(self) -> None:
        self._by_key, self._counts = {}, {}
        for line in self._lines:
            record = _read(line)
            self._counts[line] = self._counts.get(line, 0) + 1
            if record is not None:
                self._by_key.setdefault(record.key, []).append(line)
                self._orders[line] = _order(record, line)
            else:
                self._orders[line] = None

    def _know_line(self, key: str, line: bytes) -> None:
        if self._by_key is not None and self._counts is not None:
            self._by_key.setdefault(key, []).append(line)
            self._counts[line] = self._counts.get(line, 0) + 1

    def _forget_line(self, key: str, line: bytes) -> None:
        if self._by_key is not None and self._counts is not None:
            self._by_key[key].remove(line)
            self._counts[line] -= 1
            if not self._counts[line]:
                del self._counts[line]

    def _candidates(self, key: str) -> Iterator[tuple[int, bytes]]:
        if self._by_key is not None:
            yield from self._places_of(self._by_key.get(key, ()))
            return
        # A key can be spelled with \u escapes in valid JSON, so such lines are looked at as well.
        name = b'"%s"' % key.encode()
        if name not in self._data and b"\\u" not in self._data and not self.is_changed:
            return
        for number, line in enumerate(self._lines, 1):
            if name in line or b"\\u" in line:
                yield number, line

    def _places_of(self, lines: Iterable[bytes]) -> list[tuple[int, bytes]]:
        places = []
        for line in dict.fromkeys(lines):
            index = -1
            for _ in range(1 if self._counts is None else self._counts[line]):
                index = self._lines.index(line, index + 1)
                places.append((index + 1, line))
        return sorted(places)

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
            while probe < high and (found := self._order_at(probe)) is None:
                probe += 1
            if probe == high:
                high = middle
            elif found is not None and found < order:
                low = probe + 1
            else:
                high = middle
        return low

    def _order_at(self, index: int) -> tuple[bytes, int, bytes] | None:
        line = self._lines[index]
        if line not in self._orders:
            record = _read(line)
            self._orders[line] = None if record is None else _order(record, line)
        return self._orders[line]

    def _refuse_markers(self) -> None:
        if not self.is_changed and any(is_marker(line) for line in self._lines):
            raise StateError(
                f"'{self.name}' holds an unfinished merge: conflict markers",
                "gitkb resolve",
            )


def _read(line: bytes) -> Record | None:
    try:
        return parse_record(line)
    except BadLineError:
        return None


def _order(record: Record, line: bytes) -> tuple[bytes, int, bytes]:
    ts = record.ts if isinstance(record, Entry) else int(record.fields.get("ts", 0))
    return order_of(record.key), ts, line
