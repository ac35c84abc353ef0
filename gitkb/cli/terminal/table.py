"""What was found as a table that fits the screen.

1. A narrow screen shows fewer columns, never a broken one; the key is always whole, to be copied.
2. Texts are made safe before they are cells, and no markup of the library is read in them.
"""

from __future__ import annotations

from io import StringIO
from typing import NamedTuple

from gitkb.cli.filters import hit_entry
from gitkb.cli.render_text import age, mark, mark_names, one_line
from gitkb.cli.terminal.paint import ROLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.call import Call
    from gitkb.core.entry import Entry
    from gitkb.operations.tiers.across import Found

_UNBOUNDED = 10_000
"""Cells: in a pipe a table is as wide as what is in it."""
_LONGEST_TITLE = 100


class _Column(NamedTuple):
    name: str
    role: str
    least: int
    """Cells of the screen from which on the column is shown."""


_COLUMNS = (
    _Column("key", "key", 0),
    _Column("type", "", 60),
    _Column("status", "", 0),
    _Column("title", "title", 0),
    _Column("tags", "tag", 100),
    _Column("changed", "age", 80),
)


def write_table(call: Call, found: Sequence[Found]) -> None:
    """Print a row an entry."""
    screen = call.screen
    width = screen.width if screen is not None else None
    rows = [_row(*hit_entry(one)) for one in found]
    columns = [
        number
        for number, column in enumerate(_COLUMNS)
        if (width or _UNBOUNDED) >= column.least and any(row[number] for row in rows)
    ]
    call.write_drawn(_drawn(rows, columns, width, screen is not None and screen.has_colour))


def _row(entry: Entry, marks: tuple[str, ...]) -> tuple[str, ...]:
    return (
        one_line(entry.key),
        entry.type,
        one_line(", ".join(mark_names(entry, marks))),
        one_line(entry.display_title, _LONGEST_TITLE),
        one_line(", ".join(entry.tags), 60),
        age(entry.ts),
    )


def _drawn(
    rows: Sequence[Sequence[str]], columns: Sequence[int], width: int | None, has_colour: bool
) -> str:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="underline", pad_edge=False, padding=(0, 2, 0, 0))
    for number in columns:
        name = _COLUMNS[number].name
        table.add_column(Text(name), no_wrap=name in ("type", "changed"), overflow="fold")
    for row in rows:
        table.add_row(
            *(Text(_steady(row[number]), ROLES.get(_role(number, row), "")) for number in columns)
        )
    paper = StringIO()
    console = Console(
        file=paper,
        width=width or _UNBOUNDED,
        color_system="standard" if has_colour else None,
        force_terminal=has_colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},
    )
    console.print(table, soft_wrap=False)
    return "\n".join(row.rstrip() for row in paper.getvalue().rstrip("\n").split("\n"))


def _role(number: int, row: Sequence[str]) -> str:
    name = _COLUMNS[number].name
    return mark(row[number]).role if name == "status" else _COLUMNS[number].role


def _steady(text: str) -> str:
    """Take out what makes the width of a picture a matter of opinion; the picture stays."""
    return text.replace("\ufe0f", "").replace("\u200d", "")
