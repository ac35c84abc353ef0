"""Where a learning is written: its scope says it, or the rules of `classify` do.

1. What is known already stays where it lives, whatever is said of its scope; moving is `promote`'s.
2. project stays here; workstation and universal go to the workstation's store, which is made if need
   be and committed, without a network.
3. A tier that cannot be written costs nothing: the learning is written to this project with the scope
   that it has, and the answer says so.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.entry import Entry, Tombstone, derived_title
from gitkb.core.identity import mint_key, normal_title
from gitkb.errors import GitError, GitkbError, NotFoundError, StateError
from gitkb.operations.tier import READY, Tier, find_tier, read_tiers, tier_of
from gitkb.operations.tiers.setup import begin_tier, save_tier
from gitkb.operations.writing.draft import draft_fields, title_of
from gitkb.operations.writing.numbering import is_tier
from gitkb.operations.writing.put import Added, MovedAway, Refused, write_drafts
from gitkb.store.discover import find_store, find_worktree, store_at
from gitkb.store.home import PROJECT, WORKSTATION
from gitkb.store.layout import STORE_NAME
from gitkb.store.reader import read_current

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gitkb.core.canonical import Json
    from gitkb.core.entry import Record
    from gitkb.core.scope import Classified
    from gitkb.store.layout import Store

_MOST_SALTS = 8
_LONGEST_TITLE = 160
"""Characters of a content that may be its own title."""


class Placed(NamedTuple):
    """A draft, the tier to write it to, and why."""

    fields: dict[str, Json]
    tier: str
    scope: str = PROJECT
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def write_learnings(
    store: Store | None,
    drafts: Mapping[int, dict[str, Json]],
    learnings: Mapping[int, Mapping[str, Json]],
    *,
    strict: bool = False,
    by_person: bool = False,
    is_batch: bool = True,
) -> dict[int, Added | Refused]:
    """Write entries by number: `drafts` are this project's in any case, `learnings` go by their scope.

    Each store is changed once. Errors as `add`, beside those of single entries.
    """
    placer = _Placer(store, by_person)
    results: dict[int, Added | Refused] = {}
    placed = {number: Placed(fields, PROJECT) for number, fields in drafts.items()}
    for number, given in learnings.items():
        try:
            placed[number] = placer.place(given)
        except GitkbError as error:
            results[number] = Refused(number, error)
    results |= _write_placed(store, placed, strict, is_batch)
    return dict(sorted(results.items()))


def write_moved(
    store: Store,
    drafts: Mapping[int, dict[str, Json]],
    moved: Mapping[int, MovedAway],
    *,
    strict: bool = False,
    is_batch: bool = True,
) -> dict[int, Added | Refused]:
    """Write corrections of what has moved to other tiers, there or, where that cannot be, here."""
    placed = {}
    for number, away in moved.items():
        fields = {**drafts[number], "key": away.key} if "key" in drafts[number] else drafts[number]
        place = Placed(fields, away.tier)
        place = _scoped(place, _live_in(away.tier, away.key))
        placed[number] = place
    return _write_placed(store, placed, strict, is_batch)


class _Placer:
    """Says for one learning after another where it belongs."""

    def __init__(self, store: Store | None, by_person: bool) -> None:
        self._given = store
        here = find_worktree(os.getcwd()) or os.getcwd()
        self._store = store or store_at(os.path.join(here, STORE_NAME), "the current folder")
        self._is_tier = store is not None and is_tier(store)
        self._by_person = by_person
        self._judge: Callable[[Mapping[str, Json]], Classified] | None = None
        self._name: str | None = None
        self._seen: dict[str, str] = {}
        """Keys that this call has placed already, and where."""

    def place(self, given: Mapping[str, Json]) -> Placed:
        fields = draft_fields(given, self._store)
        if "category" not in fields:
            return Placed(fields, PROJECT)
        fields, notes = _titled(fields)
        key = fields.get("key") or mint_key(fields["type"], title_of(fields), 0)
        known = self._known(fields)
        if known is not None:
            return _scoped(Placed(fields, known[0], notes=notes), known[1])
        scope = fields.get("scope")
        reasons: tuple[str, ...] = ()
        stack: tuple[str, ...] = ()
        by = "human" if fields.get("source") == "user" else "agent"
        if scope is not None:
            by = "human" if self._by_person else by
        elif key in self._seen:
            scope = self._seen[key]
        else:
            scope, reasons, stack = self._classify(fields)
        if self._is_tier and scope == PROJECT:
            scope = WORKSTATION  # here it is in nobody's project
        self._seen[key] = scope
        fields = {**fields, "scope": scope}
        fields.setdefault("classified_by", by)
        if stack:
            fields["stack"] = list(stack)
            notes += (f"its stack is taken from its text: {', '.join(stack)}",)
        tier = PROJECT if scope == PROJECT or self._is_tier else WORKSTATION
        if tier != PROJECT and self._project_name():
            fields.setdefault("project", self._project_name())
        return Placed(fields, tier, scope, reasons, notes)

    def _known(self, fields: Mapping[str, Json]) -> tuple[str, Entry] | None:
        """Find what a learning corrects: the tier that it lives in, and what it says there."""
        for salt in range(_MOST_SALTS):
            key = fields.get("key") or mint_key(fields["type"], title_of(fields), salt)
            here = _record_in(self._given, key)
            if isinstance(here, Entry):
                if "key" in fields or _is_meant(here, fields):
                    return PROJECT, here
                continue
            tier = here.moved if isinstance(here, Tombstone) and here.moved else WORKSTATION
            there = _live_in(tier, key) if not self._is_tier else None
            if there is not None and ("key" in fields or _is_meant(there, fields)):
                return tier, there
            if here is None or "key" in fields:
                return None
        return None

    def _classify(self, fields: Mapping[str, Json]) -> Classified:
        if self._judge is None:
            from gitkb.operations.classify import classifier

            self._judge = classifier(self._store)
        return self._judge(fields)

    def _project_name(self) -> str:
        if self._name is None:
            self._name = ""
            if self._store.worktree is not None or self._given is not None:
                from gitkb.operations.reading.stack import project_folder, project_name
                from gitkb.store.config import read_config

                try:
                    values = read_config(self._store).values
                except GitkbError:
                    values = {}
                self._name = project_name(project_folder(self._store), values)
        return self._name


def _write_placed(
    store: Store | None, placed: Mapping[int, Placed], strict: bool, is_batch: bool
) -> dict[int, Added | Refused]:
    results: dict[int, Added | Refused] = {}
    here = {number: place for number, place in placed.items() if place.tier == PROJECT}
    for name in dict.fromkeys(place.tier for place in placed.values()):
        if name != PROJECT:
            group = {number: place for number, place in placed.items() if place.tier == name}
            try:
                results |= _write_to(begin_tier(name), group, strict, is_batch)
            except (StateError, GitError, NotFoundError) as error:
                if store is None:
                    raise
                note = (
                    f"written to this project, for the tier '{name}' cannot be: {error.message}; "
                    "gitkb review moves it there once it can"
                )
                here |= {number: _kept_here(place, note) for number, place in group.items()}
    if here and store is None:
        find_store()  # which says that there is none
        raise NotFoundError("no knowledge base here", "gitkb init makes one")
    if here and store is not None:
        # Who works in a tier's own folder commits there, as in a project.
        tier = read_tiers(store)[0] if is_tier(store) else Tier(PROJECT, store, True)
        results |= _write_to(tier, here, strict, is_batch, is_saved=False)
    return results


def _write_to(
    tier: Tier,
    placed: Mapping[int, Placed],
    strict: bool,
    is_batch: bool,
    *,
    is_saved: bool = True,
) -> dict[int, Added | Refused]:
    drafts = {number: place.fields for number, place in placed.items()}
    # Where it is meant to go was decided: a redirect that leads away from there is overruled.
    done = write_drafts(tier.store, drafts, strict=strict, follow=False, is_batch=is_batch)
    notices: list[str] = []
    if is_saved:
        try:
            save_tier(tier, _message(placed, done.values()), notices)
        except GitkbError as error:
            notices.append(
                f"what was written to the tier '{tier.name}' is not committed: {error.message}"
            )
    results: dict[int, Added | Refused] = {}
    for number, result in done.items():
        place = placed[number]
        if isinstance(result, Added):
            is_learning = bool(result.alias) or "category" in place.fields or tier.name != PROJECT
            results[number] = result._replace(
                tier=tier.name if is_learning else "",
                scope=place.scope if is_learning else "",
                reasons=place.reasons,
                notes=(*place.notes, *notices),
            )
        elif isinstance(result, Refused):
            results[number] = result
    return results


def _message(placed: Mapping[int, Placed], done: Iterable[Added | Refused | MovedAway]) -> str:
    keys = [result.key for result in done if isinstance(result, Added) and result.written]
    if len(keys) != 1:
        return f"Learn {len(keys)} entries"
    fields = next(iter(placed.values())).fields if len(placed) == 1 else {}
    title = fields.get("title") or derived_title(fields.get("content", ""))
    return f"Learn {keys[0]}: {title}" if title else f"Learn {keys[0]}"


def _scoped(place: Placed, entry: Entry | None) -> Placed:
    """Say of a correction that the entry stays in its tier."""
    if entry is None:
        return place
    tier, fields = place.tier, dict(place.fields)
    wanted = fields.get("scope")
    fits = wanted is None or (wanted == PROJECT) == (tier == PROJECT)
    notes = place.notes
    if not fits:
        del fields["scope"]
        verb = "demote" if wanted == PROJECT else "promote"
        notes += (f"'{entry.key}' stays in the tier '{tier}': gitkb {verb} {entry.key} moves it",)
    scope = fields.get("scope") or entry.fields.get("scope", PROJECT)
    if "category" in fields and "classified_by" not in entry.fields:
        fields.setdefault("classified_by", "human" if fields.get("source") == "user" else "agent")
    reasons = () if "scope" in fields else (f"it is known already, in the tier '{tier}'",)
    return place._replace(fields=fields, scope=str(scope), reasons=reasons, notes=notes)


def _kept_here(place: Placed, note: str) -> Placed:
    fields = {name: value for name, value in place.fields.items() if name != "project"}
    return place._replace(fields=fields, tier=PROJECT, notes=(*place.notes, note))


def _record_in(store: Store | None, key: str) -> Record | None:
    if store is None:
        return None
    from gitkb.store.config import read_shards

    at = read_current(store, key, read_shards(store))
    return at.record if at is not None else None


def _live_in(tier: str, key: str) -> Entry | None:
    listed = find_tier(tier)
    if listed is None or listed.state != READY:
        return None
    try:
        record = _record_in(tier_of(listed).store, key)
    except GitkbError:
        return None
    return record if isinstance(record, Entry) else None


def _is_meant(entry: Entry, fields: Mapping[str, Json]) -> bool:
    return (
        entry.status == fields.get("status", "active")
        and entry.type == fields["type"]
        and normal_title(title_of(entry.fields)) == normal_title(title_of(fields))
    )


def _titled(fields: dict[str, Json]) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Take the only line of a short content as the title that a learning needs to be found.

    The key stays what it is: without a title it is made from the content. A longer content has no
    such line, and its beginning may be that of another learning. Who names a key gives all of an
    entry.
    """
    if fields.get("title"):
        return fields, ()
    content = str(fields.get("content", ""))
    line = content.strip()
    if line and "key" not in fields and len(line) <= _LONGEST_TITLE and len(line.splitlines()) == 1:
        return {**fields, "title": line}, ()
    shown = derived_title(content)
    return fields, (
        f"a learning needs a title to be found by gitkb learnings; until it has one, '{shown}' is shown",
    )
