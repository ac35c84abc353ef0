"""gitkb classify"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import one_line
from gitkb.errors import UsageError
from gitkb.operations.classify import classify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call

_FIELDS = {
    "title": "title", "content": "content", "category": "category", "file": "files", "stack": "stack",
}  # fmt: skip


def run(call: Call) -> int:
    """Say how far a learning reaches, and why."""
    store = call.store
    answer = classify(store, _fields(call))
    if call.as_json:
        call.answer({"scope": answer.scope, "reasons": list(answer.reasons)})
        return 0
    call.write(answer.scope)
    for reason in answer.reasons:
        call.write(f"    {one_line(reason, 500)}")
    return 0


def _fields(call: Call) -> dict[str, Any]:
    given = {
        field: call[option] for option, field in _FIELDS.items() if call[option] not in (None, [])
    }
    key = call["key"]
    if key is not None and given:
        raise UsageError("give a KEY or the fields, not both", "gitkb classify --help")
    if key is not None:
        from gitkb.operations.show import show

        return dict(show(call.store, key).entry.fields)
    if given:
        return given
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "nothing to classify: give a KEY, fields as options, or a JSON object on stdin",
            "gitkb classify --title 'FastAPI lifespan handlers must yield'",
        )
    from gitkb.operations.add import parse_given

    return parse_given(sys.stdin.buffer.read(), "classify")


VERB = Verb(
    "classify",
    "Say how far a learning reaches, and why.",
    run,
    (Argument("KEY", required=False),),
    (
        Option("title", "Its title.", metavar="TEXT"),
        Option("content", "What it says.", metavar="TEXT"),
        Option("category", "Its category.", metavar="NAME"),
        Option("file", "A file that it is about; repeatable.", "texts", "PATH"),
        Option("stack", "A technology that it is about; repeatable.", "texts", "NAME"),
    ),
    """
Takes the KEY of an entry, fields as options, or one JSON object on stdin. Nothing is written.

Files that exist here, tables, schemas and settings of this project, and its own name make it
project. A library, framework or tool makes it workstation. Method and collaboration without any
technology make it universal. What is none of these is project. The rules are fixed: the same words
in the same project get the same answer.

$ gitkb classify --title 'The users table has a composite primary key'
$ gitkb classify --title 'FastAPI lifespan handlers must yield' --json
""",
)
