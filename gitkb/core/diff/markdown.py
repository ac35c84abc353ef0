"""Changes of entries as Markdown for the comment of a pull request.

1. What entries say stands in fenced code, each line behind a sign of ours and the fence longer than any
   run of its character within; keys, titles and names stand in `<code>`, escaped, on lines that
   begin a block of HTML. In both a forge reads no Markdown and no HTML, mentions nobody, links no issue
   and loads no picture (CommonMark 0.31, sections 4.5 and 4.6; the filters of forges leave code alone).
2. What needs a person comes first, unfolded; everything else is folded.
3. The whole is within its budget, counted as forges do, in units of UTF-16. What does not fit with all its
   lines is named alone; what does not fit even so is counted.
4. The same changes give the same bytes.
"""

from __future__ import annotations

import re

from gitkb.core.diff.text import SILENT, marks, story, summary, urgent
from gitkb.core.diff.word import compare
from gitkb.core.entry_text import lines_of, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.core.diff.entry import EntryChange
    from gitkb.core.entry import Record

BUDGET = 65_536
"""What a comment on GitHub may hold, in characters; GitLab takes more."""
SMALLEST_BUDGET = 1_000
_MARK = "<!-- gitkb diff -->"
"""By which a workflow finds the comment that it wrote before."""
_CONTEXT = 2
_LONGEST_DETAILS, _LONGEST_TITLE, _LONGEST_LABEL = 6_000, 120, 80
_runs = re.compile("`+").findall
_RESERVE = 300
"""Room for the line that counts what is left out."""


def format_comment(
    changes: Sequence[EntryChange],
    *,
    old: str,
    new: str,
    notes: Sequence[str] = (),
    command: str = "gitkb diff",
    budget: int = BUDGET,
) -> str:
    """Write changes as a comment of at most `budget` characters.

    `old` and `new` name the two states, `notes` say what could not be compared, and `command` is what
    shows everything.
    """
    hurry = urgent(changes)
    text = f"{_MARK}\n### Knowledge: {summary(changes)}\n\n"
    text += f"**{hurry}**\n\n" if hurry else ""
    text += _block(f"From {_code(old)} to {_code(new)}.")
    text += "".join(_block(f"<b>Note:</b> {_code(note, 300)}") for note in notes)
    left = budget - _RESERVE - _length(text)
    details = [_details(change) for change in changes]
    # Where not all fit, a part of the room is for names: a reader sees more of what there is.
    room = left if sum(map(_length, details)) <= left else left - budget // 4
    parts, is_full = [text], True
    for number, part in enumerate(details):
        if is_full and _length(part) <= room:
            room -= _length(part)
        else:
            is_full = False
            part = _block(_heading(changes[number]))
        if _length(part) > left:
            parts.append(_rest(len(changes) - number, command))
            break
        parts.append(part)
        left -= _length(part)
    else:
        if not is_full:
            parts.append(_block(f"Some are named alone: {_code(command)} shows all of them."))
    return "".join(parts)


def _rest(count: int, command: str) -> str:
    return _block(f"… and {count} more: {_code(command)} shows all.")


def _block(html: str) -> str:
    """A paragraph in which HTML alone is read; a blank line ends it."""
    return f"<p>{html}</p>\n\n"


def _details(change: EntryChange) -> str:
    """One change with its lines, to be folded."""
    body = list(_body(change))
    needs_a_person = change.is_must_check or change.is_contested
    opening = "<details open>" if needs_a_person else "<details>"
    summary_line = f"{opening}<summary>{_heading(change)}</summary>"
    if not body:
        return f"{summary_line}</details>\n\n"
    text = "\n".join(body)
    if len(text) > _LONGEST_DETAILS:
        kept = text[:_LONGEST_DETAILS].rpartition("\n")[0] or text[:_LONGEST_DETAILS]
        text = f"{kept}\n … {len(text) - len(kept)} more characters"
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{summary_line}\n\n{fence}diff\n{text}\n{fence}\n\n</details>\n\n"


def _heading(change: EntryChange) -> str:
    entry = change.entry
    title = "" if entry is None else _cut(" ".join(entry.display_title.split()), _LONGEST_TITLE)
    words = [f"<b>{change.kind}</b>", f"<code>{_html(change.key)}</code>"]
    words += [f"<code>{_html(title)}</code>"] if title else []
    facts = marks(change)
    told = story(change)
    return (
        " ".join(words)
        + (f" · {' · '.join(facts)}" if facts else "")
        + (f" · <code>{_html(_cut(told, _LONGEST_TITLE))}</code>" if told else "")
    )


def _body(change: EntryChange) -> Iterator[str]:
    """The lines of both versions, compared; `-`, `+` or a blank stands before each."""
    runs = compare(_lines(change.before), _lines(change.after))
    for number, run in enumerate(runs):
        if run.kind == "same":
            yield from _context(run.parts, number > 0, number < len(runs) - 1)
        else:
            sign = "-" if run.kind == "removed" else "+"
            yield from (sign + line for line in run.parts)


def _context(lines: Sequence[str], is_after: bool, is_before: bool) -> Iterator[str]:
    head = lines[:_CONTEXT] if is_after else ()
    tail = lines[len(head) :][-_CONTEXT:] if is_before else ()
    yield from (f" {line}" for line in head)
    if is_after and is_before and len(head) + len(tail) < len(lines):
        yield " …"
    yield from (f" {line}" for line in tail)


def _lines(record: Record | None) -> list[str]:
    if record is None:
        return []
    fields = {name: value for name, value in record.fields.items() if name not in SILENT}
    return visible("\n".join(lines_of(fields))).split("\n")


def _code(text: str, length: int = _LONGEST_LABEL) -> str:
    return f"<code>{_html(_cut(text, length))}</code>"


def _html(text: str) -> str:
    text = visible(" ".join(text.split()))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _length(text: str) -> int:
    return len(text) + sum(letter > "\uffff" for letter in text)


def _longest_run(text: str) -> int:
    return max(map(len, _runs(text)), default=0)
