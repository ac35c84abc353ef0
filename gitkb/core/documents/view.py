"""Knowledge as Markdown for people: which entries a view holds, and how it looks.

1. A view is a function of the entries alone: no clock, no locale, no author, the same bytes everywhere.
2. Its headings are its own: one for the view, one a group, one an entry. What entries say stands under
   them as text (`core.documents.plain_markdown`).
3. Categories come in the order of the seed, then the team's own by name, then entries without one;
   within each the newest (by the time at which it was first written) comes first, then by key.
4. An active view is within its budget, whole: headings, and the line that says what it left out. More
   budget never loses an entry.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import NamedTuple

from gitkb.core.alias import PROJECT_PREFIX, TIER_PREFIX, parse_alias
from gitkb.core.documents.markdown import HEADINGS
from gitkb.core.documents.plain_markdown import format_blocks, format_inline
from gitkb.core.entry import CATEGORIES, TYPES
from gitkb.core.relevance import SEVERITY_NAMES, order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from gitkb.core.entry import Entry

LEARNINGS, KNOWLEDGE, ACTIVE = "learnings", "knowledge", "active"
SMALLEST_BUDGET = 300
"""Characters: a heading and a line that says what is left out fit in, whatever they say."""
BUDGET = 8_000

_LARGEST_TITLE, _LARGEST_BODY = 160, 600
_TITLES = {LEARNINGS: "Learnings", KNOWLEDGE: "Knowledge", ACTIVE: "Active learnings"}
_CATEGORY_HEADINGS = {"anti-pattern": "Anti-patterns"}
_OTHER = "Other"
# `decision` and `decisions` name one view.
_TYPE_NAMES = {name: name for name in TYPES} | {
    heading.lower(): name for name, heading in HEADINGS.items()
}
_LAST_DAY = 253_402_300_799  # 9999-12-31, the last one that has a date
_NOTE = (
    "Written by `gitkb view` from the entries of this knowledge base. Change those, not this file:"
    " it is written anew."
)
_is_name = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}").fullmatch


class ViewSettings(NamedTuple):
    """`[views]` of config.toml."""

    commit: bool = False
    """Whether the team commits them, so that they have to be right at every moment."""
    names: tuple[str, ...] = (LEARNINGS,)
    budget: int = BUDGET
    """How many characters the active view may have."""
    categories: tuple[str, ...] = CATEGORIES
    """All that there are, the team's own after the seed's."""


class View(NamedTuple):
    """A document, how many entries it shows, and how many did not fit in."""

    text: str
    entries: int
    left_out: int = 0


def read_view_settings(values: Mapping[str, Any]) -> ViewSettings:
    """Read the settings; what is not as it has to be counts as not said (`check` tells)."""
    table = values.get("views")
    table = table if isinstance(table, dict) else {}
    names = map(view_name, _texts(table, "names"))
    budget = table.get("budget")
    if not isinstance(budget, int) or budget < SMALLEST_BUDGET:
        budget = BUDGET
    own = _texts(values.get("categories"), "extra")
    return ViewSettings(
        table.get("commit") is True,
        tuple(filter(is_view_name, dict.fromkeys(names))) or (LEARNINGS,),
        budget,
        tuple(dict.fromkeys((*CATEGORIES, *own))),
    )


def _texts(table: Any, name: str) -> list[str]:
    found = table.get(name) if isinstance(table, dict) else None
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []


def view_name(text: str) -> str:
    """``learnings.md`` is the file of ``learnings``."""
    return text.removesuffix(".md")


def is_view_name(name: str) -> bool:
    """Say whether a view can be called so: it is the name of a file, and of no hidden one."""
    return _is_name(name) is not None


def is_known_view(name: str, settings: ViewSettings) -> bool:
    """Say whether a name stands for a choice of entries; every other is another file of `learnings`."""
    return name in _TITLES or name in _TYPE_NAMES or bool(_category_of(name, settings))


def format_view(name: str, entries: Iterable[Entry], settings: ViewSettings) -> View:
    """Write a view of those of the entries that hold and belong in it.

    `learnings` has the entries with a category and what else was written down as a learning, `knowledge`
    all, `active` what weighs most within the budget; the name of a type or of a category has those.
    Any other name is another file of `learnings`.
    """
    chosen = [entry for entry in entries if entry.is_active]
    if name == ACTIVE:
        return format_active(filter(is_learning, chosen), settings.budget)
    heading = _TITLES.get(name, _TITLES[LEARNINGS])
    type_, category = _TYPE_NAMES.get(name), _category_of(name, settings)
    if type_ is not None:
        heading, chosen = HEADINGS[type_], [entry for entry in chosen if entry.type == type_]
    elif category:
        heading = _category_heading(category)
        chosen = [entry for entry in chosen if entry.category == category]
    elif name != KNOWLEDGE:
        chosen = list(filter(is_learning, chosen))
    groups: dict[str, list[Entry]] = {}
    for entry in sorted(chosen, key=_age):
        groups.setdefault(_group(entry, name), []).append(entry)
    parts = [f"# {heading}", _NOTE]
    for group in _in_order(groups):
        parts.append(f"## {group}")
        parts += [_block(entry) for entry in groups[group]]
    if not chosen:
        parts.append("No entries.")
    return View("\n\n".join(parts) + "\n", len(chosen))


def format_active(entries: Iterable[Entry], budget: int) -> View:
    """Write the entries that weigh most, as many as fit within `budget` characters, in that order.

    Long bodies are cut, by a measure that does not depend on the budget. O(n log n).
    """
    ranked = sorted(entries, key=order)
    size, fitting = 0, 0
    blocks: list[str] = []
    for count in range(len(ranked) + 1):
        if count:
            blocks.append(_block(ranked[count - 1], is_short=True))
            size += len(blocks[-1]) + 2
        if size > budget:
            break
        if size + len(_frame(len(ranked) - count)) <= budget:
            fitting = count
    left_out = len(ranked) - fitting
    head, foot = _frame(left_out).split("\n\n", 1) if left_out else (_frame(0)[:-1], "")
    text = "\n\n".join([head, *blocks[:fitting], *([foot] if left_out else [])])
    return View(text if left_out else text + "\n", fitting, left_out)


def is_learning(entry: Entry) -> bool:
    """Say whether an entry was written down as a learning, with a category or without."""
    fields = entry.fields
    is_marked = "category" in fields or "checkpoint" in fields or "classified_by" in fields
    return is_marked or any(parse_alias(alias) for alias in entry.aliases)


def _frame(left_out: int) -> str:
    """What an active view says beside its entries."""
    head = f"# {_TITLES[ACTIVE]}\n"
    if not left_out:
        return head
    what = "1 more learning is" if left_out == 1 else f"{left_out} more learnings are"
    return f"{head}\n{what} left out; `gitkb view {LEARNINGS} --stdout` shows all.\n"


def _age(entry: Entry) -> tuple[int, str]:
    return -entry.created, entry.key


def _group(entry: Entry, name: str) -> str:
    if entry.category.strip():
        return _category_heading(entry.category)
    return HEADINGS[entry.type] if name in _TYPE_NAMES or name == KNOWLEDGE else _OTHER


def _category_of(name: str, settings: ViewSettings) -> str:
    found = (one for one in settings.categories if name in (one, _category_heading(one).lower()))
    return next(found, "")


def _category_heading(category: str) -> str:
    text = format_inline(_CATEGORY_HEADINGS.get(category, category))
    return text[:1].upper() + text[1:]


def _in_order(groups: Mapping[str, object]) -> list[str]:
    first = [_category_heading(category) for category in CATEGORIES]
    last = [*HEADINGS.values(), _OTHER]
    own = sorted(groups.keys() - {*first, *last})
    return [group for group in (*first, *own, *last) if group in groups]


def _block(entry: Entry, *, is_short: bool = False) -> str:
    """One entry: its heading, its badges and what it says."""
    title, content = entry.display_title, entry.content
    if is_short:
        title, content = _cut(title, _LARGEST_TITLE), _cut(content, _LARGEST_BODY)
    title, body = format_inline(title), format_blocks(content)
    lines = [f"### {format_inline(_identity(entry))}" + (f": {title}" if title else "")]
    lines.append(" · ".join(_badges(entry)))
    return "\n\n".join([*lines, body] if body else lines)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _identity(entry: Entry) -> str:
    """The number that people say aloud, of the row that the entry's reach gives it, or else the key."""
    rows: dict[str, list[tuple[int, str]]] = {}
    for alias in entry.aliases:
        parts = parse_alias(alias)
        if parts:
            rows.setdefault(parts[0], []).append((parts[1], alias))
    wanted = [PROJECT_PREFIX, TIER_PREFIX]
    if entry.fields.get("scope", "project") != "project":
        wanted.reverse()
    return next((min(rows[row])[1] for row in wanted if row in rows), entry.key)


def _badges(entry: Entry) -> list[str]:
    badges = [f"`{SEVERITY_NAMES[entry.importance]}`", f"`{entry.fields.get('scope', 'project')}`"]
    if "created" in entry.fields or "ts" in entry.fields:
        moment = datetime.fromtimestamp(min(entry.created, _LAST_DAY), UTC)
        badges.append(moment.date().isoformat())
    if entry.stack:
        badges.append(format_inline(_cut(", ".join(entry.stack), _LARGEST_TITLE)))
    badges += ["**must-check**"] if entry.is_must_check else []
    badges += ["**contested**"] if entry.conflicts else []
    return badges
