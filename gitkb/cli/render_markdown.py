"""What was found as a list in Markdown, to be pasted into a pull request or an issue.

Nothing that an entry says is syntax there (`core.documents.plain_markdown`).
"""

from __future__ import annotations

import time

from gitkb.cli.filters import hit_entry
from gitkb.cli.render_text import mark_names
from gitkb.core.documents.plain_markdown import format_inline
from gitkb.core.search.snippet import cut_snippet
from gitkb.core.unsafe import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.index.full_text import Explanation
    from gitkb.operations.tiers.across import Found

_LENGTH = 200


def found_lines(
    found: Sequence[Found], reasons: Sequence[Explanation | None] = ()
) -> Iterator[str]:
    """An item an entry: title, key, marks, tags, day; then where the words stand in its content."""
    for number, one in enumerate(found):
        entry, marks = hit_entry(one)
        facts = [entry.type, *marks]
        facts += [name for name in mark_names(entry) if name not in marks]
        facts += [", ".join(entry.tags)] if entry.tags else []
        facts += [_day(entry.ts)] if entry.ts else []
        told = " · ".join(_inline(fact) for fact in facts)
        yield f"- **{_inline(entry.display_title)}** ({_inline(entry.key)}): {told}"
        why = reasons[number] if reasons else None
        if why is not None and entry.title and entry.content:
            words = {word.word for word in why.words.get("content", ())}
            text = shown(" ".join(entry.content.split()))
            yield f"  <br>{format_inline(cut_snippet(text, words, _LENGTH).text)}"


def _inline(text: str) -> str:
    return format_inline(shown(" ".join(text.split())))


def _day(ts: int) -> str:
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(ts))
    except (OverflowError, ValueError, OSError):  # beyond what the C library can say
        return f"{ts} seconds after 1970"
