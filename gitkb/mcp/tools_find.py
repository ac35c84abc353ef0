"""The tools that find and read entries."""

from __future__ import annotations

import os

from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_object
from gitkb.core.relevance import MOST, SEVERITY_NAMES
from gitkb.errors import NotFoundError, UsageError
from gitkb.index.search import Filters
from gitkb.mcp.argument_names import (
    FILES,
    INCLUDE_INACTIVE,
    KEY,
    KEYS,
    LIMIT,
    OPERATION,
    QUERY,
    TAGS,
    TYPE,
)
from gitkb.mcp.entry_list import show_list
from gitkb.mcp.entry_view import View, commit_values, day, show_entries, tier_values
from gitkb.mcp.tool import Tool
from gitkb.operations.for_file import for_file
from gitkb.operations.learnings import learnings
from gitkb.operations.reading.trust_rule import left_out_note
from gitkb.operations.show import show
from gitkb.operations.tiers.across import list_across, recall_across
from gitkb.operations.tiers.history import blame_across
from gitkb.operations.usage_log.record import record_opened, record_shown
from gitkb.operations.writing.draft import relative_file
from gitkb.operations.writing.numbering import is_tier
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from gitkb.mcp.answer import Answer
    from gitkb.operations.tiers.across import Found as Across
    from gitkb.operations.tiers.history import Written
    from gitkb.store.layout import Store

    Found = TypeVar("Found")

_MOST_COUNTED = 200
"""How far what was left out is counted."""


def _recall(store: Store, given: dict[str, Any], answer: Answer) -> None:
    limit = given["limit"]
    filters = Filters(
        types=(given["type"],) if given["type"] else (),
        tags=tuple(tag.lower() for tag in given["tags"]),
        files=tuple(
            relative_file(path, store) if os.path.isabs(path) else path for path in given["files"]
        ),
        limit=limit + _MOST_COUNTED,
        include_all=given["include_inactive"],
    )
    if given["query"]:
        hits = recall_across(store, given["query"], filters, answer.notices)
    elif filters.files and not (filters.types or filters.tags or filters.include_all):
        top = store.worktree or os.path.dirname(store.root)
        limited = limit + _MOST_COUNTED
        reminder = for_file(store, filters.files, cwd=top, limit=limited, notices=answer.notices)
        hits = [one.found for one in reminder.entries]
        if reminder.untrusted:
            answer.notices.append(left_out_note(reminder.untrusted))
    elif filters.types or filters.tags or filters.files:
        hits = list_across(store, filters, answer.notices)
    else:
        raise UsageError("gitkb_recall needs a 'query', or a type, tags or files to list")
    answer.left_out = max(0, len(hits) - limit)
    answer.at_least = answer.left_out == _MOST_COUNTED
    if not hits:
        answer.say("Nothing found. Try other words, or include_inactive for what no longer holds.")
    show_list(answer, store, [_view(hit, bool(given["query"])) for hit in hits[:limit]])
    shown = _shown(answer)
    if given["query"] and (shown or not hits):
        record_shown(store, "recall", shown, given["query"], filters)


def _shown(answer: Answer) -> list[tuple[str, str]]:
    """Give tier and key of the entries that an answer has room for, and that stand in a store."""
    entries = answer.values.get("entries", ())
    return [(one.get("tier", ""), one["key"]) for one in entries if "read_from" not in one]


def _view(found: Across, is_scored: bool) -> View:
    hit = found.hit
    marks: dict[str, Any] = {"score": round(hit.score, 4)} if is_scored else {}
    marks.update({name: True for name in ("archived", "contested") if getattr(hit, name)})
    for name, keys in (("superseded_by", hit.superseded_by), ("in_doubt", hit.in_doubt)):
        if keys:
            marks[name] = list(keys)
    marks.update(tier_values(found.tier, found.shadows))
    if found.stale:
        marks.update(stale=True, stale_because=list(found.stale))
    if found.shadowed_by:
        marks.update(shadowed=True, shadowed_by=found.shadowed_by)
    return View(Entry(parse_object(hit.line)), marks)


def _get(store: Store, given: dict[str, Any], answer: Answer) -> None:
    views = []
    for shown in _each(given, answer, lambda name: show(store, name, answer.notices)):
        marks: dict[str, Any] = {"archived": True} if shown.archived else {}
        if shown.entry.conflicts:
            marks["contested"] = True
        if shown.older:
            marks["older"] = shown.older
        marks.update(tier_values(shown.tier, shown.shadows))
        if shown.moved:
            marks["moved"] = shown.moved
        if shown.stale:
            marks.update(stale=True, stale_because=list(shown.stale))
        views.append(View(shown.entry, marks))
    answer.more = "ask for them in another call"
    answer.longer = "ask for one key at a time, or `gitkb show KEY` in a shell"
    show_entries(answer, store, views, whole=True)
    record_opened(store, _shown(answer))


def _learnings(store: Store, given: dict[str, Any], answer: Answer) -> None:
    # Without a project the other tiers still speak, to the stack of the folder that we are in.
    found = learnings(None if is_tier(store) else store, given["operation"], limit=given["limit"])
    answer.notices += found.notices
    views = []
    for one in found.found:
        marks = tier_values(one.tier, one.shadows)
        marks.update(
            severity=SEVERITY_NAMES[one.entry.importance],
            category=one.entry.category,
            stack=list(one.entry.stack),
        )
        if one.read_from:
            marks["read_from"] = one.read_from
        if one.entry.conflicts:
            marks["contested"] = True
        if one.stale:
            marks.update(stale=True, stale_because=list(one.stale))
        views.append(View(one.entry, marks))
    # Where nothing fits nothing is said: an agent's context is not filled with that.
    show_entries(answer, store, views)
    record_shown(store, "learnings", _shown(answer))


def _provenance(store: Store, given: dict[str, Any], answer: Answer) -> None:
    found = _each(given, answer, lambda name: blame_across(store, [name], answer.notices)[0])
    answer.values["entries"] = [_provenance_values(item) for item in found]
    for one in found:
        item = one.provenance
        answer.head(_provenance_words(one))
        subjects = [author.subject for author in (item.last, item.first) if author is not None]
        if subjects:
            answer.quote(answer.shorten("\n".join(dict.fromkeys(subjects)), 1_000))


def _provenance_values(written: Written) -> dict[str, Any]:
    item = written.provenance
    values: dict[str, Any] = {"key": item.key, **commit_values(item.last, whole=True)}
    if item.first is not None:
        values["first"] = commit_values(item.first, whole=True)
    if item.uncommitted:
        values["uncommitted"] = True
    if not item.present:
        values["present"] = False
    return {**values, **tier_values(written.tier)}


def _provenance_words(written: Written) -> str:
    item = written.provenance
    if item.last is None:
        return f"[{item.key}] not committed yet"
    words = [f"[{item.key}] last written {_commit_words(commit_values(item.last, whole=True))}"]
    if item.first is not None and item.first.commit != item.last.commit:
        words.append(f"first written {_commit_words(commit_values(item.first, whole=True))}")
    if item.uncommitted:
        words.append("changed since, not committed")
    if not item.present:
        words.append("no longer in the work tree")
    words += [f"tier {written.tier}"] if written.tier not in ("", PROJECT) else []
    return "; ".join(words)


def _commit_words(values: dict[str, Any]) -> str:
    commit = f"in {values['commit'][:10]} on {day(values['time'])}"
    if "author" not in values:
        return f"{commit} or before: history is cut there"
    return f'by "{values["author"]}" {commit}'


def _each(given: dict[str, Any], answer: Answer, find: Callable[[str], Found]) -> list[Found]:
    """Find what the keys name. One that is missing is told of, unless nothing at all is found."""
    names = list(dict.fromkeys([*([given["key"].strip()] if given["key"] else []), *given["keys"]]))
    if not names:
        raise UsageError("give 'key', or several 'keys'", "gitkb_recall finds them")
    found, missing = [], []
    for name in names:
        try:
            found.append(find(name))
        except NotFoundError as error:
            missing.append(error)
    if not found:
        raise missing[0]
    answer.notices += [error.message for error in missing]
    return found


RECALL = Tool(
    "gitkb_recall",
    "Search the team's knowledge (decisions, pitfalls, facts and their why), best first. "
    "Any word is enough. Without query: lists by type, tags; files alone: what concerns them.",
    _recall,
    (QUERY, TYPE, TAGS, FILES, LIMIT, INCLUDE_INACTIVE),
    "reads",
    {"entries": "array"},
)
LEARNINGS = Tool(
    "gitkb_learnings",
    "What was learned that a piece of work needs: by its category and this project's stack, at most "
    "ten, from all tiers. Call it as the work begins.",
    _learnings,
    (
        OPERATION._replace(
            required=True,
            help="plan, tdd-cycle, test-writer, implementer, deploy, verify, optimize, reviewer",
        ),
        LIMIT._replace(high=MOST, default=MOST),
    ),
    "reads",
    {"entries": "array"},
)
GET = Tool(
    "gitkb_get",
    "Read entries in full by key or alias.",
    _get,
    (KEY, KEYS),
    "reads",
    {"entries": "array"},
)
PROVENANCE = Tool(
    "gitkb_provenance",
    "Who wrote entries, first and last, in which git commit.",
    _provenance,
    (KEY, KEYS),
    "reads",
    {"entries": "array"},
)
