"""The forms that `recall` and `list` answer in, and who wrote what they show."""

from __future__ import annotations

from gitkb.cli.arguments import Option
from gitkb.errors import UsageError
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.index.full_text import Explanation
    from gitkb.operations.tiers.across import Found

FORMATS = ("text", "table", "json", "jsonl", "markdown")
FORMAT_OPTION = Option(
    "format", "Text unless told, or table, json, jsonl or markdown.", "choice", "FORM", FORMATS
)
_PATIENCE_SECONDS = 2.0
"""An answer on a terminal is worth having without authors; `gitkb blame` takes its time."""


def format_of(call: Call) -> str:
    """Say in which of the forms a call is to be answered."""
    form = call["format"]
    if call.as_json and form not in (None, "json"):
        raise UsageError("one form at a time", f"give --json or --format {form}")
    return "json" if call.as_json else form or "text"


def authors_of(call: Call) -> Callable[[Iterable[str]], dict[str, str]]:
    """Begin to ask git who wrote what; what is given waits for the answer, and names authors by key."""
    from gitkb.cli.render_text import UNCOMMITTED
    from gitkb.operations.packs.origin import Origins

    origins = Origins(call.readable, patience=_PATIENCE_SECONDS)

    def look_up(keys: Iterable[str]) -> dict[str, str]:
        keys = list(keys)
        origins.look_up(keys)
        at = {key: origins.of(key) for key in keys}
        return {
            key: origin.author or (UNCOMMITTED if origin.branch == UNCOMMITTED else "")
            for key, origin in at.items()
        }

    return look_up


def own_keys(found: Iterable[Found]) -> list[str]:
    """Give the keys of what was found in the project itself, whose history is at hand."""
    from gitkb.core.jsonl import parse_again

    return [parse_again(one.hit.line)["key"] for one in found if one.tier in ("", PROJECT)]


def write_as(
    call: Call,
    form: str,
    found: Sequence[Found],
    values: Iterable[dict[str, Any]] = (),
    reasons: Sequence[Explanation | None] = (),
    authors: Mapping[str, str] | None = None,
) -> None:
    """Print what was found as a table, as Markdown, or its `values` as lines of JSON."""
    if form == "jsonl":
        for value in values:
            call.answer(value)
    elif form == "table" and found:
        from gitkb.cli.terminal.table import write_table

        write_table(call, found, authors)
    elif form == "markdown":
        from gitkb.cli.render_markdown import found_lines

        if found:
            call.write_lines(found_lines(found, reasons))
