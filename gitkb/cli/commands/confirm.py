"""gitkb confirm"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.render_text import one_line, told_line, told_title
from gitkb.operations.confirm import confirm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Write that entries are still true, and print what they were stale for."""
    notices: list[str] = []
    done = confirm(call.store, call["key"], notices)
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer(
            {
                "confirmed": [
                    {
                        "key": one.key,
                        "ts": one.ts,
                        "was_stale": list(one.was.words),
                        "still_stale": list(one.still.words),
                    }
                    for one in done
                ]
            }
        )
        return 0
    for one in done:
        call.write_lines([told_line("confirmed", one.key, told_title(one.title))])
        ended = [words for words in one.was.words if words not in one.still.words]
        for words in ended:
            call.write(f"    was stale: {one_line(words)}")
        for words in one.still.words:
            call.write(f"    still stale: {one_line(words)}")
        if one.still.in_doubt:
            call.notice(
                f"hint: gitkb unlink {one.key} depends_on {one.still.in_doubt[0]} if it no longer does"
            )
    return 0


VERB = Verb(
    "confirm",
    "Say that entries are still true, without rewriting them.",
    run,
    (Argument("KEY", many=True),),
    (),
    """
KEY is a key or another name of an entry. Its line and its author stay as they were: the confirmation is a
line of its own in .gitkb/confirmed, which you commit. Changes of the entry's files that the commit has in
its history no longer make the entry stale; later ones do again. It also ends a review date that has
passed. An entry that depends on what fell stays stale until one of the two is changed.

$ gitkb confirm dec_k3x9q2mf
""",
)
