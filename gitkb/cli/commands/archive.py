"""gitkb archive"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import plural, told_line, told_title
from gitkb.operations.archive import archive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.archive import Moved
    from gitkb.operations.forget import Forgotten

_MOST_KEYS = 20


def run(call: Call) -> int:
    """Move entries to the archive, and print which."""
    moved = archive(call.store, call["key"], call["days"])
    if call.as_json:
        call.answer({"archived": [value_of(item) for item in moved]})
        return 0
    for item in moved:
        call.write_lines([told_line("archived", item.key, told_title(item.title))])
    if call["key"] and not moved:
        call.notice("nothing to archive: archived already")
    else:
        call.notice(f"{plural(len(moved), 'entry', 'entries')} archived")
    if moved:
        keys = " ".join(item.key for item in moved) if len(moved) <= _MOST_KEYS else "KEY…"
        call.notice(f"hint: undo with gitkb restore {keys}")
    tell_left(call, moved)
    return 0


def value_of(item: Moved | Forgotten) -> dict[str, Any]:
    """Turn what was put away into an object; `left_superseded` only where there is any."""
    value = item._asdict()
    if not item.left_superseded:
        del value["left_superseded"]
    return value


def tell_left(call: Call, gone: Iterable[Moved | Forgotten]) -> None:
    """Name what stays superseded by what is no longer in force."""
    for item in gone:
        for key in item.left_superseded:
            call.notice(
                f"note: '{key}' stays superseded, though nothing in force takes its place now"
            )
            call.notice(f"hint: gitkb restore {key} makes it active again")


VERB = Verb(
    "archive",
    "Put entries aside; restore brings them back.",
    run,
    (Argument("KEY", required=False, many=True),),
    (Option("days", "Every entry unchanged for more than N days.", "number", "N"),),
    """
KEY is a key or another name of an entry. An archived one is out of sight but not lost: recall --all finds
it, restore brings it back.

$ gitkb archive dec_k3x9q2mf
$ gitkb archive --days 365
""",
)
