"""gitkb log"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.commands.blame import author_value, author_words
from gitkb.cli.render_text import one_line
from gitkb.core.canonical import encode_json
from gitkb.core.unsafe import shown
from gitkb.operations.log import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.core.canonical import Json
    from gitkb.core.diff import FieldChange
    from gitkb.operations.log import Version


def run(call: Call) -> int:
    """Print every version of an entry, the newest first."""
    versions = log(call.store, call["key"])
    if call.as_json:
        call.answer([_value(version) for version in versions])
        return 0
    for version in versions:
        call.write("\n".join(_lines(version)))
    return 0


def _value(version: Version) -> dict[str, Any]:
    return {
        "kind": version.kind,
        **(author_value(version.author) or {"commit": None, "author": None, "uncommitted": True}),
        "merge": version.is_merge,
        "changes": [
            {"field": change.field, "before": change.before, "after": change.after}
            for change in version.changes
        ],
        "entry": dict(version.fields) if version.fields is not None else None,
    }


def _lines(version: Version) -> Iterator[str]:
    author = version.author
    if author is None:
        yield f"{version.kind}  not committed yet"
    else:
        merge = "  (by a merge)" if version.is_merge else ""
        yield f"{version.kind}  {author_words(author)}  {one_line(author.subject, 72)}{merge}"
    for change in version.changes:
        if change.field != "ts":
            yield from _change_lines(change)


def _change_lines(change: FieldChange) -> Iterator[str]:
    if change.removed or change.added:
        yield f"    {change.field}:"
        yield from (f"      - {_text(value)}" for value in change.removed)
        yield from (f"      + {_text(value)}" for value in change.added)
        return
    yield f"    {change.field}:"
    if change.before is not None:
        yield f"      - {_text(change.before)}"
    if change.after is not None:
        yield f"      + {_text(change.after)}"


def _text(value: Json) -> str:
    text = value if isinstance(value, str) else encode_json(value).decode()
    return shown(text).replace("\n", "\n        ")


VERB = Verb(
    "log",
    "Show every version of an entry and what each changed.",
    run,
    (Argument("KEY"),),
    (),
    """
Newest first, through merges, tombstones, the archive and moves between files. What has not been
committed yet comes before all else.
""",
)
