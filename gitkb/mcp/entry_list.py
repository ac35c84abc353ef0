"""Entries as a list, the first and cheapest of three steps: `gitkb_get` has the bodies, `gitkb_related` the
neighbours.

1. A few entries are shown as `entry_view` shows them: asking again for them would cost more.
2. Of many each is its marks, its title and how its content begins; a must-check says more, because it is a rule,
   and of a contested entry both values stand there.
3. One fence holds them all. In it our own words begin a line, and each line of others is set in.
"""

from __future__ import annotations

from gitkb.core.entry import Entry
from gitkb.mcp.entry_view import View, contested_words, heading_words, show_entries, signed_views
from gitkb.mcp.fence import size_of, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitkb.mcp.answer import Answer
    from gitkb.store.layout import Store

FEW = 3
"""So many are shown with their contents."""
SNIPPET = 160
"""Bytes of a content in a list."""
_MUST_CHECK, _TITLE, _CONTESTED = 480, 240, 600
_ALWAYS = ("key", "type")
_WHERE_IT_SAYS_SOMETHING = ("status", "importance")


def show_list(answer: Answer, store: Store, views: Sequence[View]) -> None:
    """Add entries to an answer, in their order, as many as there is room for.

    What a trust list leaves out is counted.
    """
    if len(views) <= FEW:
        show_entries(answer, store, views)
        return
    views = signed_views(answer, store, views)
    parts: list[str] = []
    values: list[dict[str, Any]] = []
    lost = 0
    for number, view in enumerate(views):
        text, value, cut = _listed(view.entry, view.marks)
        if size_of(visible("\n".join([*parts, text]))) > answer.room:
            answer.left_out += len(views) - number
            break
        parts.append(text)
        values.append(value)
        lost += cut
    answer.cut += lost
    if parts:
        answer.quote("\n".join(parts))
    answer.values["entries"] = values


def _listed(entry: Entry, marks: dict[str, Any]) -> tuple[str, dict[str, Any], int]:
    """Give an entry as text and as values, and how many characters of it are missing."""
    title, lost = _beginning(entry.title, _TITLE)
    content, more = _beginning(entry.content, _MUST_CHECK if entry.is_must_check else SNIPPET)
    contested, most = _beginning("\n".join(contested_words(entry)), _CONTESTED)
    said = {name: mark for name, mark in marks.items() if name != "score"}
    lines = [line for line in (title, content, contested) if line]
    text = "\n    ".join([f"[{entry.key}] {' · '.join(heading_words(entry, said))}", *lines])
    value: dict[str, Any] = {name: entry.fields[name] for name in _ALWAYS}
    value.update(
        {name: entry.fields[name] for name in _WHERE_IT_SAYS_SOMETHING if name in entry.fields}
    )
    texts = {"title": title, "content": content, "or_else": contested}
    value.update({name: text for name, text in texts.items() if text}, **marks)
    return text, value, lost + more + most


def _beginning(text: str, most: int) -> tuple[str, int]:
    """Give the beginning of a text on one line, at most so many bytes, and how much was cut."""
    line = " ".join(visible(text).split())
    data = line.encode()
    if len(data) <= most:
        return line, 0
    kept = data[:most].decode("utf-8", "ignore")
    return f"{kept.rstrip()}…", len(line) - len(kept)
