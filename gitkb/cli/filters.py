"""The filter options that `recall` and `list` share."""

from __future__ import annotations

import os
import time

from gitkb.cli.arguments import LARGEST_NUMBER, Option
from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_again
from gitkb.errors import DataError, UsageError
from gitkb.index.search import Filters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.tiers.across import Found

TIER_OPTION = Option("tier", "Only from this tier, shadowed or not; repeatable.", "texts", "NAME")

FILTER_OPTIONS = (
    Option("type", "Only this type; repeatable.", "texts", "TYPE"),
    Option("tag", "Only entries with exactly this tag; repeatable: all of them.", "texts", "TAG"),
    Option("file", "Only entries about this path, what is below it, or a glob.", "texts", "PATH"),
    Option("since", "Only what changed since then: Unix seconds or YYYY-MM-DD.", metavar="WHEN"),
    Option("limit", "At most so many answers; recall gives 10 unless told.", "number", "N"),
    Option("status", "Only this status; repeatable.", "texts", "STATUS"),
    Option("stack", "Only this technology, or none named; repeatable.", "texts", "NAME"),
    Option("category", "Only this category; repeatable.", "texts", "NAME"),
    Option(
        "must-check",
        "Only must-checks: learned or pitfall, and the content begins with MUST-CHECK:.",
        "flag",
    ),
    Option("all", "Archived, inactive and shadowed entries too.", "flag"),
    TIER_OPTION,
)


def filters_of(call: Call, limit: int | None) -> Filters:
    """Read the filter options of a call; `limit` is what holds when none is given."""
    return Filters(
        types=tuple(call["type"]),
        tags=tuple(tag.lower() for tag in call["tag"]),
        files=tuple(_path(call, path) for path in call["file"]),
        since=parse_moment(call["since"]),
        limit=limit if call["limit"] is None else call["limit"],
        statuses=tuple(call["status"]),
        stacks=tuple(name.lower() for name in call["stack"]),
        categories=tuple(call["category"]),
        must_check=call["must_check"],
        include_all=call["all"],
    )


def hit_values(found: Iterable[Found], *, score: bool) -> list[dict[str, Any]]:
    """Turn hits into the objects of a JSON answer."""
    values = []
    for one in found:
        hit = one.hit
        value = parse_again(hit.line)
        if score:
            value["score"] = hit.score
        if hit.archived:
            value["archived"] = True
        if hit.contested:
            value["contested"] = True
        if hit.superseded_by:
            value["superseded_by"] = list(hit.superseded_by)
        if hit.in_doubt:
            value["in_doubt"] = list(hit.in_doubt)
        if one.tier:
            value["tier"] = one.tier
        if one.shadows:
            value["shadows"] = list(one.shadows)
        if one.stale:
            value.update(stale=True, stale_because=list(one.stale))
        if one.shadowed_by:
            value.update(shadowed=True, shadowed_by=one.shadowed_by)
        values.append(value)
    return values


def hit_entry(found: Found) -> tuple[Entry, tuple[str, ...]]:
    """Turn a hit into its entry and the marks that a list shows."""
    from gitkb.cli.render_text import stale_mark, tier_marks  # an answer in JSON does without

    hit = found.hit
    marks = list(tier_marks(found.tier, found.shadows))
    if found.shadowed_by:
        marks.append(f"shadowed by the one in {found.shadowed_by}")
    if hit.archived:
        marks.append("archived")
    if hit.contested:
        marks.append("contested")
    if hit.superseded_by:
        marks.append(f"superseded by {', '.join(hit.superseded_by)}")
    if hit.in_doubt:
        marks.append(f"in doubt: {', '.join(hit.in_doubt)}")
    if found.stale:
        marks.append(stale_mark(found.stale))
    return Entry(parse_again(hit.line)), tuple(marks)


def _path(call: Call, path: str) -> str:
    if not os.path.isabs(path) and not os.path.normpath(path).startswith(os.pardir):
        return path
    from gitkb.operations.writing.draft import relative_file

    try:
        return relative_file(path, call.readable)
    except DataError as error:
        raise UsageError(error.message, error.hint) from None


def parse_moment(text: str | None) -> int | None:
    """Read what `--since` says: Unix seconds, or the beginning of a day here. UsageError else."""
    if text is None:
        return None
    if text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_NUMBER)):
        return int(text)
    try:
        return int(time.mktime(time.strptime(text, "%Y-%m-%d")))
    except (ValueError, OverflowError):
        raise UsageError(
            f"cannot read the time '{text}'", "Unix seconds, or a day such as 2026-01-31"
        ) from None
