"""Text and JSON for what is contested: each value with its number and who wrote it."""

from __future__ import annotations

from gitkb.cli.commands.blame import author_value
from gitkb.cli.render_text import day, one_line
from gitkb.cli.terminal.line import Span, joined, line
from gitkb.cli.terminal.width import cells, pad
from gitkb.core.canonical import encode_json
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.terminal.line import Line
    from gitkb.core.conflicts.contest import Choice, Contest
    from gitkb.operations.conflicts import Conflicts
    from gitkb.operations.contests.contested import Contested
    from gitkb.operations.history.provenance import Author

_LONGEST = 2_000
_PREVIEW = 100


def contest_values(found: Conflicts) -> list[dict[str, Any]]:
    """Give one object a contested field."""
    return [
        {
            "key": entry.key,
            "type": entry.record.fields.get("type"),
            "title": entry.record.fields.get("title"),
            "field": contest.field,
            "values": [
                _value(choice, found.author(entry, contest, choice.number))
                for choice in contest.choices
            ],
            **({"moved": entry.record.fields["moved"]} if "moved" in entry.record.fields else {}),
            **({"lines": entry.lines} if entry.lines > 1 else {}),
        }
        for entry in found.entries
        for contest in entry.contests
    ]


def contest_lines(found: Conflicts, length: int = _PREVIEW) -> Iterator[str]:
    """Give a table: under each key and field its values, numbered, with their authors."""
    for entry in found.entries:
        yield joined(" · ", _heading(entry))
        for contest in entry.contests:
            yield line("  ", Span(one_line(contest.field), "alarm"))
            values = [_text(choice, entry, contest, length) for choice in contest.choices]
            width = min(max(map(cells, values)), 60)
            for choice, value in zip(contest.choices, values, strict=True):
                author = found.author(entry, contest, choice.number)
                about = _about(choice, author)
                text = f"{choice.number}  {pad(value, width)}"
                yield line("    ", f"{text}  " if about else text.rstrip(), about, hang=7)


def resolve_commands(entry: Contested) -> Iterator[str]:
    """Give the commands that settle an entry, one for each choice."""
    start = f"gitkb resolve {entry.key}"
    fields = [""]
    if len(entry.contests) > 1:
        from shlex import quote

        fields = [f" --field {quote(contest.field)}" for contest in entry.contests]
    if any(map(entry.is_kept_change, entry.contests)):
        yield f"gitkb promote {entry.key}"
        return
    if len(fields) > 1:
        for number in range(1, 1 + min(len(contest.choices) for contest in entry.contests)):
            yield f"{start} --take {number}"
    for contest, field in zip(entry.contests, fields, strict=True):
        for choice in contest.choices:
            yield f"{start}{field} --take {choice.number}"
    if "deleted" not in entry.record.fields and "moved" not in entry.record.fields:
        yield f"{start} --both"
        yield f"{start} --edit"


def _heading(entry: Contested) -> Iterator[str | Span]:
    fields = entry.record.fields
    yield line(Span(entry.key, "key"), f"  {fields.get('type', 'forgotten')}")
    if "moved" in fields:
        yield f"moved to {one_line(str(fields['moved']))}"
    if entry.lines > 1:
        yield f"{entry.lines} lines of one key"
    if fields.get("title"):
        yield Span(one_line(str(fields["title"])), "title")


def _text(choice: Choice, entry: Contested, contest: Contest, length: int) -> str:
    if choice.is_absent:
        is_elsewhere = choice.is_shown and entry.is_kept_change(contest)
        return "(what it says where it went)" if is_elsewhere else "(no such field)"
    value = choice.value
    return one_line(value if isinstance(value, str) else encode_json(value).decode(), length)


def _about(choice: Choice, author: Author | None) -> Line:
    """Say what there is to say behind a value: whether it is shown, and who wrote it."""
    words: list[str | Span] = [Span("shown", "label")] if choice.is_shown else []
    if author is not None and not author.is_cut:
        name, commit = Span(shown(author.name), "author"), Span(author.commit[:10], "commit")
        words.append(line(name, ", ", commit, ", ", Span(day(author.time), "age")))
    elif type(choice.ts) is int:
        words.append(Span(f"written {day(choice.ts)}, in no commit that is here", "label"))
    return joined(" · ", words)


def _value(choice: Choice, author: Author | None) -> dict[str, Any]:
    value: dict[str, Any] = {"number": choice.number, "shown": choice.is_shown}
    if choice.is_absent:
        value["absent"] = True
    else:
        value["value"] = choice.value
    if type(choice.ts) is int:
        value["ts"] = choice.ts
    known = author_value(author) or {"commit": None, "author": None}
    return {**value, **known}
