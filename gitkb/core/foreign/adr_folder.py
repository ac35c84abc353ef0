"""Decision records that belong together, as entries: what they say of one another becomes links.

1. A record that is replaced is superseded, and its successor links to it, whichever of the two files
   says so; a record that is only proposed, or was rejected, replaces nothing unless the other agrees.
2. No circle of records replace one another; a relation in part, an amendment and the like relate.
3. A reference to a record that is not there is told, and the record's own status holds.
"""

from __future__ import annotations

import calendar
import datetime
import posixpath
from typing import NamedTuple

from gitkb.core.foreign.adr import is_day
from gitkb.core.foreign.adr_words import status_of
from gitkb.core.supersession import tenable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.core.canonical import Json
    from gitkb.core.foreign.adr import Adr
    from gitkb.core.foreign.adr_words import Kind, Reference

FIELD = "adr"
SOURCE = "adr:"
_UNDECIDED = ("proposed", "draft", "pending")


class Folder(NamedTuple):
    """The fields of an entry for each path, and the references that lead nowhere."""

    fields: dict[str, dict[str, Json]]
    links: set[tuple[str, str]]
    """Pairs of paths of which one says something of the other."""
    lost: list[tuple[str, str]]


def fields_of_folder(adrs: Mapping[str, Adr], keys: Mapping[str, str]) -> Folder:
    """Give the fields of the entries for records, both by path; `keys` has a key for each."""
    folder = Folder({path: _fields(adr, path, keys[path]) for path, adr in adrs.items()}, set(), [])
    claims: list[tuple[str, str]] = []
    edges: set[tuple[str, str, str]] = set()
    for path in sorted(adrs):
        for reference in adrs[path].references:
            other = _find(reference, path, adrs)
            if other is None:
                if reference.number or "://" not in reference.path:
                    folder.lost.append((path, reference.number or reference.path))
            elif other != path:
                folder.links.add((path, other))
                source, relation, target = _edge(reference.kind, path, other)
                is_open = reference.kind == "supersedes" and _is_open(adrs[path])
                if relation == "supersedes" and not is_open:
                    claims.append((source, target))
                else:
                    edges.add((source, "relates_to" if is_open else relation, target))
    held = tenable(claims)
    edges |= {(new, "relates_to", old) for new, old in {*claims} - held}
    for _, old in held:
        folder.fields[old]["status"] = "superseded"
    for source, relation, target in sorted({*edges, *((a, "supersedes", b) for a, b in held)}):
        link = {"rel": relation, "to": keys[target]}
        folder.fields[source].setdefault("links", []).append(link)
    return folder


def _edge(kind: Kind, path: str, other: str) -> tuple[str, str, str]:
    """Give the edge that a reference in the file at `path` means, between paths."""
    if kind == "superseded_by":
        return other, "supersedes", path
    if kind == "related_by":
        return other, "relates_to", path
    return path, kind, other


def _is_open(adr: Adr) -> bool:
    status, tag = status_of(adr.status) or ("active", "")
    return status == "rejected" or tag in _UNDECIDED


def _fields(adr: Adr, path: str, key: str) -> dict[str, Json]:
    status, tag = _status(adr)
    fields: dict[str, Json] = {
        "key": key,
        "type": "decision",
        "title": adr.title,
        "status": status,
        "tags": [word.lower() for word in (*adr.tags, *([tag] if tag else []))],
        "source": SOURCE + path,
    }
    if adr.content:
        fields["content"] = adr.content
    if adr.number and not is_day(adr.number):
        fields["aliases"] = [f"ADR-{adr.number}"]
    more: dict[str, Json] = dict(adr.more)
    if adr.status:
        more["status"] = adr.status
    if adr.day:
        more["date"] = "{:04}-{:02}-{:02}".format(*adr.day)
        seconds = _seconds(*adr.day)
        if seconds is not None:
            fields["created"] = fields["ts"] = seconds
    if more:
        fields[FIELD] = more
    return fields


def _status(adr: Adr) -> tuple[str, str]:
    """Give our status and a tag for what a record says of itself: of several words the last stop."""
    found = [status_of(line) for line in adr.status.split("\n")]
    known = [meaning for meaning in found if meaning is not None]
    partly = all(reference.kind != "superseded_by" for reference in adr.references)
    for status, tag in known:
        if status == "superseded" and not tag and partly and " in part" in adr.status.lower():
            continue
        if status != "active":
            return status, tag
    if any(reference.kind == "superseded_by" for reference in adr.references):
        return "superseded", ""
    return next((meaning for meaning in known if meaning[0] == "active"), ("active", ""))


def _seconds(year: int, month: int, day: int) -> int | None:
    try:
        datetime.date(year, month, day)
    except ValueError:
        return None
    seconds = calendar.timegm((year, month, day, 0, 0, 0))
    return seconds if seconds >= 0 else None


def _find(reference: Reference, path: str, adrs: Mapping[str, Adr]) -> str | None:
    """Find the record that a reference in the file at `path` means."""
    folder = posixpath.dirname(path)
    if reference.path and "://" not in reference.path:
        place = posixpath.normpath(posixpath.join(folder, reference.path))
        if place in adrs:
            return place
        name = posixpath.basename(place)
        named = [other for other in adrs if posixpath.basename(other) == name]
        if len(named) == 1:
            return named[0]
    if not reference.number:
        return None
    numbered = [
        other
        for other, adr in adrs.items()
        if adr.number and int(adr.number) == int(reference.number)
    ]
    beside = [other for other in numbered if posixpath.dirname(other) == folder]
    candidates = beside or numbered
    return candidates[0] if len(candidates) == 1 else None
