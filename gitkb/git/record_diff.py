"""Which records differ between two commits, read from git's own diff.

1. Lines are compared within a whole commit, not within a file: a line that left one file and stands
   in another has not changed. Order never counts.
2. Of two different lines of one key the values are compared, not the bytes.
3. What is no JSON object with a key belongs to no record and is passed over; so is every file
   that is not a data file.
4. A person's configuration (of diffs, colours, names, external programs) does not reach the
   stream: `DIFF_OPTIONS` names everything that has a flag.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.diff.record import is_same_record
from gitkb.core.identity import SHARD_NAME_FORM, is_key
from gitkb.core.jsonl import BadLineError, parse_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from gitkb.core.canonical import Fields

# --relative: names are seen from the store, whatever folder of the repository holds it.
# --text: an attribute such as -diff or binary must not hide the lines.
DIFF_OPTIONS = (
    "-p",
    "--unified=0",
    "--inter-hunk-context=0",
    "--no-function-context",
    "--diff-algorithm=myers",
    "--no-indent-heuristic",
    "--text",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--no-color-moved",
    "--ws-error-highlight=none",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--line-prefix=",
    "--output-indicator-new=+",
    "--output-indicator-old=-",
    "--relative",
    "--ignore-submodules=all",
)
CONFIGURATION = ("-c", "diff.orderFile=")
"""What has no flag: an order file that does not exist would end git."""

_is_data_file = re.compile(rb"[ab]/(?:knowledge|archive)/" + SHARD_NAME_FORM.encode()).fullmatch
_hunk = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@").match
_MOST_LINES_KEPT = 50_000


class Section(NamedTuple):
    """The lines that one comparison took away and added. Without line ends, `\r` included."""

    removed: list[bytes]
    added: list[bytes]
    archived: list[bytes]
    """Lines added in the archive; only the knowledge files count for the other two."""


def iter_sections(stream: IO[bytes]) -> Iterator[Section]:
    """Read one section for each line of the stream that begins with NUL (see `--format`)."""
    section = Section([], [], [])
    wanted, archive, started = False, False, False
    for line in stream:
        if line.startswith(b"@@ "):
            if not wanted:
                section_lines = Section([], [], [])
                _read_hunk(line, stream, section_lines.removed, section_lines.added)
            elif archive:
                _read_hunk(line, stream, [], section.archived)
            else:
                _read_hunk(line, stream, section.removed, section.added)
        elif line.startswith(b"\0"):
            if started:
                yield section
                section = Section([], [], [])
            started, wanted = True, False
        elif line.startswith(b"diff "):
            wanted = False
        elif line.startswith((b"--- ", b"+++ ")):
            name = line[4:-1]
            if _is_data_file(name):
                wanted, archive = True, name[2:].startswith(b"archive/")
    if started:
        yield section


def _read_hunk(header: bytes, stream: IO[bytes], removed: list[bytes], added: list[bytes]) -> None:
    # By count, because a line of the file may itself look like a header.
    found = _hunk(header)
    if found is None:
        return
    old, new = (1 if count is None else int(count) for count in found.groups())
    while old or new:
        line = stream.readline()
        if line.startswith(b"-"):
            old -= 1
            removed.append(line[1:].rstrip(b"\r\n"))
        elif line.startswith(b"+"):
            new -= 1
            added.append(line[1:].rstrip(b"\r\n"))
        elif not line:
            return  # git ended early; leaving the stream raises its error


class RecordReader:
    """Finds the key of a line, and remembers: a line added by one commit is removed by the next."""

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        self._keys: dict[bytes, str | None] = {}

    def key_of(self, line: bytes) -> str | None:
        """The key of the record in a line, None where there is none."""
        try:
            return self._keys[line]
        except KeyError:
            pass
        if len(self._keys) > _MOST_LINES_KEPT:
            self._keys.clear()
        fields = fields_of(line)
        key = None if fields is None else str(fields["key"])
        self._keys[line] = key
        return key

    def by_key(self, lines: list[bytes]) -> dict[str, list[bytes]]:
        """The lines that hold records, by key."""
        found: dict[str, list[bytes]] = {}
        for line in lines:
            key = self.key_of(line)
            if key is not None:
                found.setdefault(key, []).append(line)
        return found

    def changed_keys(self, section: Section) -> dict[str, int]:
        """The keys whose record differs, each with how many lines more it has than before."""
        before, after = self.by_key(section.removed), self.by_key(section.added)
        changed = {}
        for key in before.keys() | after.keys():
            old, new = before.get(key, []), after.get(key, [])
            if not _is_same(old, new):
                changed[key] = len(new) - len(old)
        return changed


def fields_of(line: bytes) -> Fields | None:
    """The object in a line, if it is one with a key."""
    try:
        fields = parse_object(line)
    except BadLineError:
        return None
    key = fields.get("key")
    return fields if isinstance(key, str) and is_key(key) else None


def _is_same(old: list[bytes], new: list[bytes]) -> bool:
    if len(old) != len(new):
        return False
    if len(old) == 1:
        one, other = old[0], new[0]
        if one == other:
            return True
        before, after = fields_of(one), fields_of(other)
        return before is not None and after is not None and is_same_record(before, after)
    rest = list(new)
    for line in old:
        match = next((other for other in rest if _is_same([line], [other])), None)
        if match is None:
            return False
        rest.remove(match)
    return True
