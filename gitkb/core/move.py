"""An entry that goes from one tier to another: what it becomes there, and what it leaves behind.

1. Key, creation, links and every field that gitkb does not know go along.
2. What says where it lives (scope, the project it came from, who decided) is the new tier's. A number of
   the old store's row stays with the redirect there, and comes back when the entry comes home; other
   aliases go along.
3. Where the other tier knows something under the same key, the two become one entry as in a merge:
   nothing that either says is lost.
"""

from __future__ import annotations

from gitkb.core.alias import parse_alias
from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import TOMBSTONE_FIELDS, Entry, Tombstone, normalise
from gitkb.core.merge.form import is_unchanged
from gitkb.core.merge.record import merge_records
from gitkb.core.merge.rules import KNOWLEDGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Json
    from gitkb.core.entry import Record

_LIVING = ("scope", "project", "classified_by")
"""What says where an entry lives rather than what it says."""


def moved_entry(
    entry: Entry, *, scope: str, prefix: str, project: str, there: Record | None, ts: int
) -> Entry:
    """Give the entry as the other tier will hold it.

    `there` is what stands under its key there; `prefix` names the row of numbers there; `project` is
    where it came from, or empty where it comes home. `ts` has to be later than both.
    """
    fields = {**entry.fields, "scope": scope, "classified_by": "human", "ts": ts}
    names = [*entry.aliases, *(there.fields.get("aliases", ()) if there is not None else ())]
    fields["aliases"] = [name for name in names if (parse_alias(name) or (prefix,))[0] == prefix]
    fields.pop("revives", None)
    fields.setdefault("created", entry.created)
    if project:
        fields.setdefault("project", project)
    else:
        fields.pop("project", None)
    if isinstance(there, Tombstone):
        fields["revives"] = there.ts
    if not isinstance(there, Entry):
        return Entry(normalise(fields))
    other = {**there.fields, "classified_by": "human"}
    for name in ("scope", "project"):
        fields.pop(name, None)
        if name in other:
            fields[name] = other[name]
    if "revives" in other:
        fields["revives"] = other["revives"]
    merged = merge_records(None, other, fields, KNOWLEDGE)
    return Entry(normalise({**(merged or fields), "ts": ts}))


def says_the_same(one: Entry, other: Entry) -> bool:
    """Say whether two entries of one key differ only in where they live, and in aliases."""
    without = {*_LIVING, "aliases", "ts", "created", "revives"}
    first, second = (
        {name: value for name, value in normalise(entry.fields).items() if name not in without}
        for entry in (one, other)
    )
    return is_unchanged(first, second, KNOWLEDGE)


def take_changes(there: Entry, before: Record | None, kept: list[dict[str, Json]]) -> Entry:
    """Give an entry with the changes that a redirect kept, merged one after the other.

    `before` is what the entry said when it moved: what has changed here since is contested. `kept`
    are the redirect's `conflicts`.
    """
    fields = dict(there.fields)
    base = before.fields if isinstance(before, Entry) else None
    known = base if base is not None else there.fields
    paths = [one for one in kept if one["field"].startswith("/") or "value" not in one]
    for one in sorted(kept, key=encode_sorted):
        if one in paths or one["field"] in _LIVING or one["field"] == "aliases":
            continue
        edited = {**known, one["field"]: one["value"], "ts": one.get("ts", there.ts)}
        # What it said when it moved is what both sides know; without that, both values are kept.
        merged = merge_records(base, fields, edited, KNOWLEDGE)
        fields = dict(merged or fields)
    if paths:
        fields["conflicts"] = [*fields.get("conflicts", ()), *paths]
    return Entry(normalise({**fields, "ts": there.ts}))


def kept_changes(redirect: Tombstone) -> list[str]:
    """Name the fields that a redirect keeps a change of."""
    kept = redirect.fields.get("conflicts", ()) if redirect.moved else ()
    fields = {str(one.get("field")) for one in kept if isinstance(one, dict)}
    return sorted(fields - set(TOMBSTONE_FIELDS))


def has_number(entry: Entry, prefix: str) -> bool:
    """Whether an entry has a numbered alias of this row already."""
    return any(parts[0] == prefix for parts in map(parse_alias, entry.aliases) if parts)


def redirect(entry: Entry, tier: str, by: str, ts: int) -> Tombstone:
    """What an entry leaves in its old store: whoever looks for it there, by any name, is told."""
    fields = {"key": entry.key, "moved": tier, "ts": ts}
    if by:
        fields["by"] = by
    if entry.aliases:
        fields["aliases"] = entry.aliases
    return Tombstone(fields)
