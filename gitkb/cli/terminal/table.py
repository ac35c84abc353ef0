"""What was found as a table that fits the screen.

1. A row an entry: what does not fit in its column is cut there. Where the title would have less than a
   third of the screen, other columns go.
2. The key is always whole, to be copied: one that is longer than its column has a row of its own.
3. Texts are made safe before they are cells, and no markup of the library is read in them.
"""

from __future__ import annotations

from io import StringIO
from typing import NamedTuple

from gitkb.cli.filters import hit_entry
from gitkb.cli.render_text import UNCOMMITTED, age, mark, mark_names, one_line
from gitkb.cli.terminal.paint import ROLES
from gitkb.cli.terminal.width import cells, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.table import Table
    from rich.text import Text

    from gitkb.cli.call import Call
    from gitkb.core.entry import Entry
    from gitkb.operations.tiers.across import Found

_UNBOUNDED = 10_000
"""Cells: in a pipe a table is as wide as what is in it."""
_LONGEST_TITLE = 100
_BETWEEN = 2


class _Column(NamedTuple):
    name: str
    role: str
    least: int
    """Cells of the screen from which on the column is shown."""
    share: int = 1
    """What part of the screen it takes at most: a third, a quarter."""
    room: int = 0
    """Cells that it takes in any case, if it needs them."""


_KEY, _STATUS, _TITLE, _AUTHOR = 0, 2, 3, 5
_COLUMNS = (
    _Column("key", "key", 0, 4, len("dec_7p2m4x8a")),
    _Column("type", "", 60),
    _Column("status", "", 0, 6, len("MUST-CHECK…")),
    _Column("title", "title", 0),
    _Column("tags", "tag", 100, 6),
    _Column("author", "author", 100, 6),
    _Column("changed", "age", 60),
)
_FIRST_TO_GO = (4, 1, 5, 6)
_URGENCY = ("alarm", "warning", "gone")
_STEADY = {0xFE0F: "", 0x200D: "", **{0x1F1E6 + at: chr(65 + at) for at in range(26)}}
"""What selects and joins pictures goes; the halves of a flag become the letters that they stand for."""


def write_table(
    call: Call, found: Sequence[Found], authors: Mapping[str, str] | None = None
) -> None:
    """Print a row an entry. `authors` are known by key, where it is known who wrote what."""
    screen = call.screen
    width = screen.width if screen is not None and screen.width else _UNBOUNDED
    rows = [_row(*hit_entry(one), authors or {}) for one in found]
    columns = [
        number
        for number, column in enumerate(_COLUMNS)
        if width >= column.least and any(row[number] for row in rows)
    ]
    has_colour = screen is not None and screen.has_colour
    call.write_drawn(_drawn(rows, _widths(rows, columns, width), width, has_colour))


def _row(entry: Entry, marks: tuple[str, ...], authors: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        _steady(text)
        for text in (
            one_line(entry.key),
            entry.type,
            one_line(", ".join(sorted(mark_names(entry, marks), key=_urgency))),
            one_line(entry.display_title, _LONGEST_TITLE),
            one_line(", ".join(entry.tags), 60),
            one_line(authors.get(entry.key, ""), 60),
            age(entry.ts),
        )
    )


def _urgency(name: str) -> int:
    """What has to be known comes first, and so is not what is cut off."""
    role = mark(name).role
    return _URGENCY.index(role) if role in _URGENCY else len(_URGENCY)


def _widths(rows: Sequence[Sequence[str]], columns: Sequence[int], width: int) -> dict[int, int]:
    """Say how wide each column is; the title takes what the others leave."""
    widths = {}
    for number in columns:
        column = _COLUMNS[number]
        most = max(width // column.share, column.room)
        fitting = [size for row in rows if (size := cells(row[number])) <= most or number != _KEY]
        widths[number] = min(max([len(column.name), *fitting]), most)
    wanted = widths.pop(_TITLE, 0)
    first_to_go = list(_FIRST_TO_GO)
    while (room := _room_beside(widths, width)) < min(wanted, width // 3) and first_to_go:
        widths.pop(first_to_go.pop(0), None)
    if wanted:
        widths[_TITLE] = max(1, min(wanted, room))
    return dict(sorted(widths.items()))


def _room_beside(widths: Mapping[int, int], width: int) -> int:
    return width - sum(widths.values()) - _BETWEEN * len(widths)


def _drawn(
    rows: Sequence[Sequence[str]], widths: Mapping[int, int], width: int, has_colour: bool
) -> str:
    from rich.console import Console
    from rich.text import Text

    paper = StringIO()
    console = Console(
        file=paper,
        width=width,
        color_system="standard" if has_colour else None,
        force_terminal=has_colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    heading = [Text(_COLUMNS[number].name, "underline") for number in widths]
    table = _table(widths)
    table.add_row(*heading)
    for row in rows:
        given = list(row)
        if cells(row[_KEY]) > widths[_KEY]:
            console.print(table)
            console.print(Text(row[_KEY], ROLES["key"]), overflow="fold")
            table, given[_KEY] = _table(widths), ""
        table.add_row(*(_cell(number, given, size) for number, size in widths.items()))
    console.print(table)
    return "\n".join(row.rstrip() for row in paper.getvalue().rstrip("\n").split("\n"))


def _table(widths: Mapping[int, int]) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, _BETWEEN, 0, 0))
    for size in widths.values():
        table.add_column(width=size, no_wrap=True)
    return table


def _cell(number: int, row: Sequence[str], size: int) -> Text:
    from rich.text import Text

    cut = _fit_names(row[number], size) if number == _STATUS else fit(row[number], size)
    made, at = Text(cut), 0
    for text, role in _parts(number, row[number]):
        made.stylize(ROLES.get(role, ""), at, at + len(text))
        at += len(text)
    return made


def _fit_names(text: str, size: int) -> str:
    """Leave out names from the end, each as a whole."""
    names = text.split(", ")
    while len(names) > 1 and cells(text) > size:
        names.pop()
        text = ", ".join(names) + "…"
    return fit(text, size)


def _parts(number: int, text: str) -> Iterator[tuple[str, str]]:
    if number == _STATUS:
        for place, name in enumerate(text.split(", ")):
            yield ", " if place else "", ""
            yield name, mark(name).role
        return
    is_nobody = number == _AUTHOR and text == UNCOMMITTED
    yield text, "gone" if is_nobody else _COLUMNS[number].role


def _steady(text: str) -> str:
    """Take out what makes the width of a picture a matter of opinion; the picture stays."""
    return text.translate(_STEADY)
