"""An entry as an answer shows it: a heading of ours, its words between fences, and the same as
values with its author and commit from git."""

from __future__ import annotations

import time
from typing import NamedTuple

from gitkb.core.canonical import encode_json
from gitkb.core.conflicts.value import other_values
from gitkb.core.entry import FIELDS, Entry
from gitkb.errors import GitError, NotFoundError
from gitkb.mcp.answer import ROOM
from gitkb.mcp.fence import one_line
from gitkb.operations.blame import blame
from gitkb.operations.reading.trust_rule import judge_of, left_out_note
from gitkb.operations.tiers.chain import find_chain
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitkb.core.canonical import Json
    from gitkb.core.link import Edge
    from gitkb.mcp.answer import Answer
    from gitkb.operations.blame import Provenance
    from gitkb.operations.history.provenance import Author
    from gitkb.store.layout import Store

PREVIEW = 1_200
"""Bytes of a content in a list."""
_FACTS = 1_500
"""Bytes of what is not content: tags, files, links, and fields that gitkb does not know."""
_TITLE = 300
_NAME_LENGTH, _SUBJECT_LENGTH = 60, 120
_COMMIT = 10
_BRIEF = ("key", "type", "title", "content", "status", "importance", "tags", "files", "conflicts")
_IN_HEADING = ("key", "type", "title", "content", "status", "importance", "created", "ts")


class View(NamedTuple):
    """An entry, and what is known about it beside its fields."""

    entry: Entry
    marks: dict[str, Any]
    """Such as score, archived, contested, superseded_by, in_doubt."""


def show_entries(
    answer: Answer, store: Store, views: Sequence[View], *, whole: bool = False
) -> None:
    """Add entries to an answer, in their order, as many as there is room for.

    What a trust list leaves out is counted.
    """
    views = signed_views(answer, store, views)
    values = []
    for number, view in enumerate(views):
        if answer.is_full:
            answer.left_out += len(views) - number
            break
        values.append(_show(answer, view.entry, view.marks, whole))
    answer.values["entries"] = values


def signed_views(answer: Answer, store: Store, views: Sequence[View]) -> list[View]:
    """Leave out what a trust list leaves out, and add to the marks who wrote the rest, as git knows it."""
    views = trusted_views(answer, store, views)
    authors = _authors_by_tier(store, views)
    signed = []
    for view in views:
        marks = dict(view.marks)
        known = authors.get(marks.get("tier", ""))
        if known is not None and "read_from" not in marks:
            marks.update(author_values(known.get(view.entry.key)))
        signed.append(View(view.entry, marks))
    return signed


def trusted_views(answer: Answer, store: Store, views: Sequence[View]) -> list[View]:
    """Leave out what a trust list leaves out, and say how many."""
    homes: dict[str, Store] = {}
    kept, judges = [], {}
    for view in views:
        tier = view.marks.get("tier", "")
        if tier and not homes:
            homes = dict(find_chain(store))
        if tier not in judges:
            judges[tier] = judge_of(tier, homes.get(tier, store), answer.notices)
        judge = judges[tier]
        # What is read from another tool's file was judged where it was read.
        if judge is None or "read_from" in view.marks or not judge.left_out((view.entry.key,)):
            kept.append(view)
    if len(kept) < len(views):
        answer.notices.append(left_out_note(len(views) - len(kept)))
    return kept


def _authors_by_tier(
    store: Store, views: Sequence[View]
) -> dict[str, dict[str, Provenance] | None]:
    """Ask git of each tier who wrote its entries."""
    keys: dict[str, list[str]] = {}
    for view in views:
        if "read_from" not in view.marks:  # what stands in no store yet was committed by nobody
            keys.setdefault(view.marks.get("tier", ""), []).append(view.entry.key)
    homes = dict(find_chain(store)) if keys.keys() - {""} else {}
    return {tier: find_authors(homes.get(tier, store), own) for tier, own in keys.items()}


def _show(answer: Answer, entry: Entry, marks: dict[str, Any], whole: bool) -> dict[str, Any]:
    names = [name for name in (entry.fields if whole else _BRIEF) if name in entry.fields]
    before = answer.cut
    contested = answer.shorten("\n".join(contested_words(entry)), ROOM if whole else PREVIEW)
    facts = answer.shorten("\n".join(_facts(entry, names)), _FACTS)
    are_small = answer.cut == before
    title = answer.shorten(entry.title, _TITLE)
    content = answer.shorten(entry.content, ROOM if whole else PREVIEW)
    answer.head(f"[{entry.key}] {' · '.join(heading_words(entry, marks))}")
    answer.quote("\n\n".join(part for part in (title, content, contested, facts) if part))
    answer.head("")
    values = {
        name: entry.fields[name]
        for name in names
        if name not in ("title", "content") and (are_small or name in _IN_HEADING)
    }
    texts = {"title": title, "content": content, "or_else": "" if are_small else contested}
    values.update({name: text for name, text in texts.items() if text}, **marks)
    if answer.cut > before:
        values["cut"] = answer.cut - before
    return values


def heading_words(entry: Entry, marks: dict[str, Any]) -> list[str]:
    """Say in words of ours what an entry is, and what is known of it."""
    words = [entry.type, *_tier_words(marks)]
    if not entry.is_active:
        words.append(entry.status)
    if "severity" in marks:
        words += [marks["severity"], one_line(marks["category"], _NAME_LENGTH)]
    elif entry.importance != 3:
        words.append(f"importance {entry.importance}")
    if entry.is_must_check:
        words.append("MUST-CHECK")
    if "created" in marks and entry.created:
        words.append(day(entry.created))
    if "depth" in marks:
        words.append(f"{marks['depth']} away")
    words += [_edge_words(edge, entry.key) for edge in marks.get("relations", ())]
    if "score" in marks:
        words.append(f"score {marks['score']:.2f}")
    if marks.get("archived") and entry.status != "archived":
        words.append("archived")
    if marks.get("contested"):
        words.append("contested: a merge left two values")
    if marks.get("superseded_by"):
        words.append(f"superseded by {', '.join(marks['superseded_by'])}")
    if marks.get("in_doubt"):
        words.append(f"in doubt: it depends on {', '.join(marks['in_doubt'])}, no longer true")
    because = [
        reason
        for reason in marks.get("stale_because", ())
        if not (marks.get("in_doubt") and reason.startswith("depends on "))  # said already
    ]
    if because:
        words.append(f"may be out of date: {one_line('; '.join(because), 200)}")
    if "author" in marks:
        words.append(f'by "{marks["author"]}" in {marks["commit"]}')
    elif "commit" in marks:
        words.append(f"author unknown: history is cut at {marks['commit']}")
    if marks.get("uncommitted"):
        words.append("changed, not committed" if "commit" in marks else "not committed")
    return words


def _tier_words(marks: dict[str, Any]) -> list[str]:
    words = [] if marks.get("tier", PROJECT) == PROJECT else [f"tier {marks['tier']}"]
    if marks.get("read_from"):
        words.append(f"not imported yet, from {one_line(marks['read_from'], _NAME_LENGTH)}")
    if marks.get("shadows"):
        words.append(f"shadows the one in {', '.join(marks['shadows'])}")
    if marks.get("shadowed_by"):
        words.append(f"shadowed by the one in {marks['shadowed_by']}")
    if marks.get("moved"):
        words.append(f"moved to {marks['moved']}")
    return words


def tier_values(tier: str, shadows: Sequence[str] = ()) -> dict[str, Any]:
    """Say which tier an entry is from, and which others say something else under its key."""
    values: dict[str, Any] = {"tier": tier} if tier else {}
    if shadows:
        values["shadows"] = list(shadows)
    return values


def _edge_words(edge: dict[str, Any], key: str) -> str:
    if edge["source"] == key:
        return f"{edge['relation']} {edge['target']}"
    return (
        f"{edge['source']} {edge['relation']} {'it' if edge['target'] == key else edge['target']}"
    )


def day(moment: int) -> str:
    """Write a moment as a day of UTC."""
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(moment))
    except (OverflowError, ValueError, OSError):  # beyond what the C library can say
        return f"{moment} seconds after 1970"


def edge_values(edge: Edge) -> dict[str, Any]:
    """Give an edge as values."""
    values: dict[str, Any] = {
        "source": edge.source,
        "relation": edge.relation,
        "target": edge.target,
    }
    if edge.derived:
        values["derived"] = True
    return values


def _facts(entry: Entry, names: Sequence[str]) -> list[str]:
    order = [name for name in FIELDS if name in names]
    order += [name for name in names if name not in FIELDS]
    apart = (*_IN_HEADING, "conflicts")
    return [f"{name}: {_words(entry.fields[name])}" for name in order if name not in apart]


def contested_words(entry: Entry) -> list[str]:
    """Say what the entry does not show of what a merge left."""
    return [
        f"contested {one_line(field, _NAME_LENGTH)}, or else: {value}"
        for field, value in other_values(entry.fields)
    ]


def _words(value: Json) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        texts = [str(item) for item in value]
        return ("; " if any("," in text for text in texts) else ", ").join(texts)
    return encode_json(value).decode("utf-8")


# --- authors ---------------------------------------------------------------------------------


def find_authors(store: Store, keys: Sequence[str]) -> dict[str, Provenance] | None:
    """Find who wrote entries, by key; None where git cannot be asked."""
    if store.worktree is None:
        return None
    found: dict[str, Provenance] = {}
    try:
        found = {item.key: item for item in blame(store, keys)} if keys else {}
    except GitError:
        return None
    except NotFoundError:  # one of them was archived before anybody committed it
        if len(keys) > 1:
            for key in keys:
                found.update(find_authors(store, [key]) or {})
    return found


def author_values(item: Provenance | None) -> dict[str, Any]:
    """Say who wrote an entry, as values."""
    if item is None:
        return {"uncommitted": True}
    values = commit_values(item.last)
    if item.uncommitted or item.last is None:
        values["uncommitted"] = True
    return values


def commit_values(author: Author | None, *, whole: bool = False) -> dict[str, Any]:
    """Give a commit and its author; where history is cut, nobody is named. A whole hash costs as much as a title."""
    if author is None:
        return {}
    values: dict[str, Any] = {"commit": author.commit if whole else author.commit[:_COMMIT]}
    if not author.is_cut:
        values["author"] = one_line(author.name, _NAME_LENGTH)
    if whole:
        values["time"] = author.time
        values["subject"] = one_line(author.subject, _SUBJECT_LENGTH)
    return values
