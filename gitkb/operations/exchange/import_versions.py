"""What an import does to one key: which version stands, which go to the archive.

The rules are those of `operations.import_`; here they are for one key at a time, whatever the
format that its versions came in.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import Entry, Tombstone, normalise
from gitkb.core.progress import begin
from gitkb.core.secrets.redaction import notes_of
from gitkb.errors import DataError
from gitkb.operations.exchange.import_result import (
    Dropped,
    ImportResult,
    Noticed,
    Renamed,
    Repaired,
)
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.entry import Record
    from gitkb.core.snapshot import Located
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

_TIMES = frozenset({"ts", "created"})
GROWING = ("aliases", "links")
"""Sets to which a format adds, but from which it takes nothing away."""


class Version(NamedTuple):
    """A record that was found, and where."""

    record: Record
    line: int
    file: str = ""
    is_old: bool = False
    """Whether it stood in an archive: it was replaced before it came here."""
    is_put_aside: bool = False
    """Whether it was archived where it comes from, and so is archived here."""
    name: str = ""
    """Where it stands in a document that has all on one line."""

    @property
    def has_time(self) -> bool:
        return "ts" in self.record.fields


class _DryRunError(Exception):
    """Ends a dry run before anything is written."""


@contextmanager
def importing(
    store: Store,
    now: int,
    fields: frozenset[str] | None = None,
    *,
    growing: tuple[str, ...] = GROWING,
    dry_run: bool = False,
) -> Iterator[Import]:
    """Open a store for an import (see `Import`); with `dry_run` all is done but the writing.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only; nothing is written.
    """
    try:
        with changing(store) as change:
            yield Import(change, now, fields, growing)
            if dry_run:
                raise _DryRunError
    except _DryRunError:
        pass


class Import:
    """An import under way: takes the versions of a key in, and counts."""

    def __init__(
        self,
        change: Change,
        now: int,
        fields: frozenset[str] | None = None,
        growing: tuple[str, ...] = GROWING,
    ) -> None:
        """`fields` are those of a format that has no others: what a store says beyond them about a
        key stays as it is. None stands for a format that has all. To the sets in `growing` such a
        format adds, but it takes nothing away."""
        self.change = change
        self.now = now
        self._fields = fields
        self._growing = growing
        self._counts = {"added": 0, "updated": 0, "outdated": 0, "unchanged": 0}
        self._forgotten: set[str] = set()
        self.repaired: list[Repaired] = []
        self.dropped: list[Dropped] = []
        self.renamed: list[Renamed] = []
        self.noticed: list[Noticed] = []

    def result(self) -> ImportResult:
        """Count what happened; the reports in the order of the lines."""
        imported = sum(self._counts.values())
        repaired = [item for item in self.repaired if item.key not in self._forgotten]
        renamed = [item for item in self.renamed if item.key not in self._forgotten]
        return ImportResult(
            total=imported + len(self.dropped),
            imported=imported,
            **self._counts,
            repaired=sorted(repaired),
            dropped=sorted(self.dropped, key=lambda drop: (drop.file, drop.line)),
            renamed=sorted(renamed),
            noticed=sorted(self.noticed),
        )

    def count(self, fate: str, number: int = 1) -> None:
        """Count records that another record speaks for: `fate` is a field of the result."""
        self._counts[fate] += number

    def take_all(self, versions: Iterable[Version]) -> None:
        """Take in all versions that were found, in the order of their lines."""
        by_key: dict[str, list[Version]] = {}
        for version in versions:
            by_key.setdefault(version.record.key, []).append(version)
        advance = begin("importing", "entries", len(by_key))
        for key, found in by_key.items():
            self._take(key, found)
            advance(1)

    def refuses(self, record: Record, line: int = 0, file: str = "", name: str = "") -> bool:
        """Drop a record that brings in what looks like a secret."""
        if isinstance(record, Tombstone):
            return False  # whoever writes it judges its reason
        try:
            self.change.judge(record)
        except DataError as error:
            place = f"{name}: " if name else ""
            self.dropped.append(Dropped(line, f"{place}{error.message}", file))
            return True
        return False

    def _is_scrubbed_here(self, key: str, version: Version) -> bool:
        """Drop a version that does not know of what was redacted here: it may still hold the text."""
        at = self.change.find(key)
        known = [at.record] if at is not None else []
        known += [one.record for one in self.change.find_archived(key)]
        notes = set().union(*(notes_of(record.fields) for record in known))
        if notes <= notes_of(version.record.fields):
            return False
        reason = f"'{key}' was redacted here, and this version does not know of it"
        self.dropped.append(Dropped(version.line, reason, version.file, True))
        return True

    def _take(self, key: str, found: list[Version]) -> None:
        found = [one for one in found if not self.refuses(one.record, one.line, one.file, one.name)]
        found = [one for one in found if not self._is_scrubbed_here(key, one)]
        if not found:
            return
        standing = self.change.find(key)
        chain = self._in_order(found)
        if standing is not None and isinstance(standing.record, Tombstone):
            chain = self._without_forgotten(chain, standing.record)
        if not chain:
            return
        archived = self.change.find_archived(key)
        known = [at.record for at in (standing, *archived) if at is not None]
        created = _earliest([*known, *(version.record for version in chain)])
        newest = chain.pop()
        if newest.is_old:
            chain.append(newest)
        elif isinstance(newest.record, Tombstone):
            self._forget(newest.record, standing)
        elif newest.is_put_aside:
            self._put_aside(newest, standing, archived, created)
        else:
            self._stand(newest, standing, archived, created)
        for version in chain:
            if self._is_known(version, standing, archived, is_newest=False):
                self._counts["unchanged"] += 1
            else:
                self.change.archive(_with_times(version.record, None, created))
                self._counts["outdated"] += 1

    def _in_order(self, found: list[Version]) -> list[Version]:
        """Order versions from the oldest; one that says the same as that before it is nothing new."""
        if all(version.has_time for version in found):
            # Without a time a line is as old as its place says, and then so are the others.
            found = sorted(found, key=lambda version: int(version.record.fields["ts"]))
        found = sorted(found, key=lambda version: not version.is_old)
        chain: list[Version] = []
        for version in found:
            if chain and self._says_no_more(version.record, chain[-1].record):
                self._counts["unchanged"] += 1
            else:
                chain.append(version)
        return chain

    def _without_forgotten(self, chain: list[Version], tombstone: Tombstone) -> list[Version]:
        kept = []
        for version in chain:
            revives = version.record.fields.get("revives", -1)
            if isinstance(version.record, Tombstone) or revives >= tombstone.ts:
                kept.append(version)
                continue
            self._forgotten.add(tombstone.key)
            fate = f"was moved to '{tombstone.moved}'" if tombstone.moved else "was forgotten"
            place = f"{version.name}: " if version.name else ""
            reason = f"{place}'{tombstone.key}' {fate}: gitkb add with this very key brings it back"
            self.dropped.append(Dropped(version.line, reason, version.file, True))
        return kept

    def _forget(self, tombstone: Tombstone, standing: Located | None) -> None:
        if standing is not None:
            known = standing.record
            revives = known.fields.get("revives", -1)
            if revives >= tombstone.ts or (
                isinstance(known, Tombstone) and known.ts >= tombstone.ts
            ):
                self._counts["unchanged"] += 1
                return
        self.change.put(tombstone, keep_old=True)
        self._counts["added" if standing is None else "updated"] += 1

    def _stand(
        self,
        version: Version,
        standing: Located | None,
        archived: list[Located],
        created: int | None,
    ) -> None:
        if self._is_known(version, standing, archived, is_newest=True):
            self._counts["unchanged"] += 1
            return
        known = standing or (archived[-1] if archived else None)
        before = int(known.record.fields.get("ts", 0)) if known else -1
        ts = version.record.ts if version.has_time else max(self.now, before + 1)
        first = [
            time for time in (created, known and _earliest([known.record])) if time is not None
        ]
        record = _with_times(version.record, ts, min([ts, *first]))
        if ts < before:
            self.change.archive(record)
            self._counts["outdated"] += 1
            return
        if known is not None and isinstance(known.record, Entry):
            record = self._keeping(known.record, record)
        self.change.put(record, keep_old=True)
        self._counts["added" if known is None else "updated"] += 1

    def _put_aside(
        self,
        version: Version,
        standing: Located | None,
        archived: list[Located],
        created: int | None,
    ) -> None:
        """Archive an entry that is archived where it comes from, unless it changed here since."""
        record = _with_times(version.record, None, created)
        old = standing.record if standing is not None else None
        if isinstance(old, Entry) and old.ts <= record.ts:
            record = self._keeping(old, record)
            self.change.put(record, keep_old=True)
            self.change.archive(record)
            self.change.drop(record.key)
            self._counts["updated"] += 1
        elif self._is_known(version, standing, archived, is_newest=False):
            self._counts["unchanged"] += 1
        else:
            self.change.archive(record)
            self._counts["outdated" if standing or archived else "added"] += 1

    def _is_known(
        self,
        version: Version,
        standing: Located | None,
        archived: list[Located],
        *,
        is_newest: bool,
    ) -> bool:
        if standing is not None and self._says_no_more(version.record, standing.record):
            return True
        # What is newer than all that the store has may be a return to what was said before; what is
        # older was said, whenever it was.
        newest = standing or (archived[-1] if archived else None)
        ts = version.record.fields.get("ts")
        is_return = (
            is_newest
            and ts is not None
            and newest is not None
            and ts > newest.record.fields.get("ts", 0)
        )
        return not is_return and any(
            self._says_no_more(version.record, at.record) for at in archived
        )

    def _says_no_more(self, new: Record, old: Record) -> bool:
        """Say whether a record says nothing, apart from times, that an older one does not say."""
        if isinstance(new, Tombstone) or isinstance(old, Tombstone):
            return type(new) is type(old) and new.fields == old.fields
        one, other = normalise(new.fields), normalise(old.fields)
        names = one.keys() | (other.keys() if self._fields is None else self._fields)
        ignored = _TIMES | ({"status"} if _is_archived(old) else frozenset())
        if self._fields is not None:
            ignored |= set(self._growing)
            if any(_adds_to(one, other, name) for name in self._growing):
                return False
        return _extract(one, names - ignored) == _extract(other, names - ignored)

    def _keeping(self, old: Entry, new: Entry) -> Entry:
        """Keep what the format cannot say: an older entry's links, importance, title and the like."""
        if self._fields is None:
            return new
        kept = {
            name: value
            for name, value in old.fields.items()
            if name not in self._fields and name not in _TIMES
        }
        if _is_archived(old):
            kept.pop("status", None)
        grown = {name: _grown(name, old.fields, new.fields) for name in self._growing}
        fields = {**kept, **new.fields, **grown}
        return Entry(normalise({name: value for name, value in fields.items() if value != []}))


def _grown(name: str, old: Fields, new: Fields) -> list[Json]:
    items = [*old.get(name, ()), *new.get(name, ())]
    return list({encode_sorted(item): item for item in items}.values())


def _adds_to(new: Fields, old: Fields, name: str) -> bool:
    known = [encode_sorted(item) for item in old.get(name, ())]
    return any(encode_sorted(item) not in known for item in new.get(name, ()))


def _is_archived(record: Record) -> bool:
    return record.fields.get("status") == "archived"


def _earliest(records: list[Record]) -> int | None:
    times = [int(r.fields[name]) for r in records for name in _TIMES if name in r.fields]
    return min(times, default=None)


def _with_times(record: Record, ts: int | None, created: int | None) -> Entry:
    fields = dict(record.fields)
    if ts is not None:
        fields["ts"] = ts
    if created is not None:
        fields["created"] = min(created, fields.get("created", created))
    return Entry(fields)


def _extract(fields: Fields, names: Iterable[str]) -> bytes:
    return encode_sorted({name: fields[name] for name in names if name in fields})
