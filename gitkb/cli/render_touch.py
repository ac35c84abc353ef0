"""Text and JSON for what concerns what is touched."""

from __future__ import annotations

from gitkb.cli.filters import hit_entry, hit_values
from gitkb.core.touch.files import BY_FILE, BY_STACK, BY_TAG, BY_WORDS
from gitkb.operations.tiers.across import keys_of
from gitkb.operations.usage_log.record import record_shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.core.touch.files import Concern
    from gitkb.operations.reading.touched import Concerning, Reminder

BANDS = {BY_FILE: "file", BY_TAG: "tag", BY_WORDS: "words", BY_STACK: "stack"}


def answer_reminder(call: Call, reminder: Reminder, notices: list[str], limit: int) -> int:
    """Print what concerns; nothing where there is nothing."""
    record_shown(call.readable, "touch", keys_of(one.found for one in reminder.entries))
    for notice in notices:
        call.notice(f"note: {notice}")
    if call.as_json:
        call.answer(reminder_values(reminder))
    else:
        authors = _authors(call, reminder)
        for one in reminder.entries:
            call.write_lines(_lines(one, authors.get(one.entry.key, "")))
    if reminder.left_out:
        call.notice(f"{reminder.left_out} more: --limit {limit + reminder.left_out} shows all")
    if reminder.untrusted:
        from gitkb.operations.reading.trust_rule import left_out_note

        call.notice(f"note: {left_out_note(reminder.untrusted)}")
    return 0


def _authors(call: Call, reminder: Reminder) -> dict[str, str]:
    """Name on a terminal who wrote what, as in a search."""
    if not reminder.entries or not call.is_on_terminal:
        return {}
    from gitkb.cli.formats import authors_of, own_keys

    return authors_of(call)(own_keys(one.found for one in reminder.entries))


def reminder_values(reminder: Reminder) -> list[dict[str, Any]]:
    """Give one object an entry, with `must_check` and how it concerns."""
    values = hit_values([one.found for one in reminder.entries], score=False)
    for one, value in zip(reminder.entries, values, strict=True):
        if one.must_check:
            value["must_check"] = True
        value["concern"] = {"by": BANDS[one.concern.band], "name": one.concern.by}
    return values


def concern_words(concern: Concern) -> str:
    """Say how an entry concerns."""
    return f"{BANDS[concern.band]} {concern.by}"


def _lines(one: Concerning, author: str) -> Iterator[str]:
    from gitkb.cli.render_text import entry_summary, one_line
    from gitkb.cli.terminal.line import Span, line

    entry, marks = hit_entry(one.found)
    yield from entry_summary(entry, marks, author)
    yield line("    ", Span(f"by {one_line(concern_words(one.concern))}", "label"))
