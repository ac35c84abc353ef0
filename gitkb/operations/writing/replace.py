"""Write the entry that replaces another: the new line, its edge and the old one's status, together.

1. All of it is written in one change, or nothing: who is killed in between has not replaced
   anything, and may do it again.
2. The new entry has another title or type than the old one, or it would be the old one, corrected.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.identity import normal_title
from gitkb.errors import StateError
from gitkb.operations.supersede import SUPERSEDES, Superseded, apply_supersedes, successors
from gitkb.operations.writing.draft import draft_fields, title_of
from gitkb.operations.writing.naming import live_entry
from gitkb.operations.writing.put import put_entry
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.core.canonical import Json
    from gitkb.core.entry import Entry
    from gitkb.operations.writing.put import Added
    from gitkb.store.layout import Store


class Replaced(NamedTuple):
    """What became of the new entry, and of the old one."""

    added: Added
    superseded: Superseded


def replace(store: Store, old: str, given: Mapping[str, Json]) -> Replaced:
    """Write an entry that supersedes one named by key or alias; its type is the old one's unless told.

    Raises:
        DataError: when a field is wrong.
        NotFoundError: when the old entry is not there, or was forgotten.
        StateError: when it is archived, when the new one would be the old one or supersede itself, or
            as `add` says.
    """
    with changing(store) as change:
        before = live_entry(change, old)
        links = [*_list_of(given.get("links")), {"rel": SUPERSEDES, "to": before.key}]
        fields = draft_fields({"type": before.type, **given, "links": links}, store)
        _refuse_same(before, fields)
        added = put_entry(change, fields)
        new = live_entry(change, added.key)
        if not new.is_active:
            raise StateError(f"'{new.key}' is {new.status}, not active", f"gitkb restore {new.key}")
        is_marked = bool(apply_supersedes(change, new)) or before.status != "superseded"
        also: tuple[str, ...] = ()
        if not is_marked:
            others = successors(change.read_all(), before.key)
            also = tuple(key for key in others if key != new.key)
    done = Superseded(before.key, new.key, added.written or is_marked, also)
    return Replaced(added, done)


def _refuse_same(old: Entry, fields: Mapping[str, Json]) -> None:
    # Of an entry without a title the content is what its key is made from.
    is_same = normal_title(title_of(fields)) == normal_title(title_of(old.fields))
    if fields.get("key") == old.key or (is_same and fields["type"] == old.type):
        raise StateError(
            f"the new entry would be '{old.key}' itself, with another content",
            "say in its title what is true now; to correct the old one: gitkb add",
        )


def _list_of(links: Json) -> list[Json]:
    return list(links) if isinstance(links, list) else []
