"""`compact`: one line a key again, after a text merge or a hand put two there.

1. The lines of one key fold into one by the rules of the merge, without a base: nothing that one of
   them says is lost, for what is not shown goes into `conflicts`.
   A line that the archive has as an older version is not asked: something replaced it already.
2. A line that is not the one that stays goes to the archive byte for byte, unless it says the same.
   Where a tombstone stays nothing does: what was deleted is not to be kept. A tombstone that an entry
   knows of goes: the entry says so, and the archive holds versions of entries alone.
3. A version in the archive that stands in its place as well, left by a change that was cut short, is
   removed from the archive.
4. Of learnings with one number, as after a merge, the older keeps it (`core.alias`).
5. A dry run gives the same counts, takes no lock and writes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import Entry, Tombstone, encode_record, is_tombstone, parse_record
from gitkb.core.identity import ARCHIVE, KNOWLEDGE, shard_of
from gitkb.core.merge.record import fold_records
from gitkb.core.merge.rules import KNOWLEDGE as RULES
from gitkb.core.snapshot import Located, iter_records
from gitkb.operations.writing.numbering import Renumbered, heal_store
from gitkb.store.file_edit import FileEdit
from gitkb.store.rewrite import read_files, rewriting, write_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store
    from gitkb.store.rewrite import Files


class CompactResult(NamedTuple):
    """What was done, or would be."""

    keys: list[str]
    """Keys that had more than one line."""
    collapsed: int
    """Lines that are gone from the knowledge files."""
    archived: int
    """Lines of these that the archive did not have yet."""
    removed: int
    """Versions taken out of the archive because they stand in their place."""
    problems: list[Problem]
    """Lines that could not be read; they stay as they are."""
    renumbered: tuple[Renumbered, ...] = ()
    """Learnings that had the number of an older one."""


class Plan(NamedTuple):
    """The files step by step, so that a kill between any two writes leaves copies and no loss:
    knowledge without what the archive has, the archive with what is added, knowledge with what
    stays, knowledge and archive without the rest."""

    steps: tuple[dict[str, bytes], ...]
    result: CompactResult


def compact(store: Store, dry_run: bool = False) -> CompactResult:
    """Fold the lines of each key that has several into one.

    Raises:
        StateError: when the store is locked, full or read-only, or a file that has to change holds
            conflict markers.
    """
    if dry_run:
        result = plan(read_files(store)).result
        return result._replace(renumbered=tuple(heal_store(store, dry_run=True)))
    with rewriting(store) as files:
        planned = plan(files)
        write_steps(store, files.data, planned.steps)
    return planned.result._replace(renumbered=tuple(heal_store(store)))


def plan(files: Files) -> Plan:
    """Work out what to write. Only lines of keys that have several are touched."""
    problems: list[Problem] = []
    lines: dict[str, list[Located]] = {}
    versions: dict[bytes, Located] = {}
    for name, data in files.data.items():
        for at in iter_records(name, data, problems):
            if name.startswith(KNOWLEDGE):
                lines.setdefault(at.record.key, []).append(at)
            else:
                versions[at.line] = at
    edits: dict[str, FileEdit] = {}

    def edit_of(name: str) -> FileEdit:
        if name not in edits:
            edits[name] = FileEdit(name, files.data.get(name, b""))
        return edits[name]

    keys = sorted(key for key, found in lines.items() if len(found) > 1)
    superseded = [at for key in keys for at in _superseded(lines[key], versions)]
    for at in superseded:
        edit_of(at.file).remove(at)
        lines[at.record.key].remove(at)
    bare = _changed(edits)
    going: list[Located] = []
    archived = 0
    for key in keys:
        kept, losers = _fold(lines[key])
        going += _put(edit_of, lines[key], kept, f"{KNOWLEDGE}/{shard_of(key, files.shards)}")
        lines[key] = [lines[key][0]._replace(line=kept)]
        for loser in losers:
            place = edit_of(f"{ARCHIVE}/{shard_of(key, files.shards)}")
            if loser.line not in versions and not place.holds(loser.line):
                place.insert(loser.record, loser.line)
                archived += 1
    added = _changed(edits)
    current = {at.line for found in lines.values() for at in found}
    copies = [at for line, at in versions.items() if line in current]
    for at in (*going, *copies):
        edit_of(at.file).remove(at)
    final = _changed(edits)
    steps = tuple(
        {name: data for name, data in files.items() if name.startswith(folder)}
        for files, folder in (
            (bare, KNOWLEDGE),
            (added, ARCHIVE),
            (added, KNOWLEDGE),
            (final, KNOWLEDGE),
            (final, ARCHIVE),
        )
    )
    collapsed = len(superseded) + len(going)
    return Plan(steps, CompactResult(keys, collapsed, archived, len(copies), problems))


def _changed(edits: dict[str, FileEdit]) -> dict[str, bytes]:
    return {name: edit.encode() for name, edit in edits.items() if edit.is_changed}


def _superseded(found: list[Located], versions: Mapping[bytes, Located]) -> list[Located]:
    """Give the lines that the archive has as older versions: they came back from a branch without
    that change, or were not taken away yet, and would contest what replaced them."""
    newest = max((_ts_of(at) for at in found if at.line not in versions), default=-1)
    return [at for at in found if at.line in versions and _ts_of(at) <= newest]


def _ts_of(at: Located) -> int:
    return int(at.record.fields.get("ts", 0))


def _fold(found: list[Located]) -> tuple[bytes, list[Located]]:
    """Give the line that stays and the lines that go to the archive, the oldest first."""
    oldest_first = sorted(found, key=lambda at: at.age)
    fields = fold_records([at.record.fields for at in oldest_first], RULES)
    record = Tombstone(fields) if is_tombstone(fields) else Entry(fields)
    form = encode_sorted(RULES.prepare(fields))
    # A spelling that is not canonical says the same and is kept as it is: nobody changed it.
    same = [at for at in oldest_first if encode_sorted(RULES.prepare(at.record.fields)) == form]
    kept = same[-1].line if same else encode_record(record)
    if isinstance(record, Tombstone):
        return kept, []
    losers = [at for at in oldest_first if at not in same and isinstance(at.record, Entry)]
    return kept, list({at.line: at for at in losers}.values())


def _put(
    edit_of: Callable[[str], FileEdit], found: list[Located], kept: bytes, place: str
) -> list[Located]:
    """Put the line that stays into its own file, and give the lines that have to go."""
    at_home = [at for at in found if at.file == place]
    stays = next((at for at in at_home if at.line == kept), at_home[-1] if at_home else None)
    if stays is None:
        edit_of(place).insert(parse_record(kept), kept)
    elif stays.line != kept:
        edit_of(place).replace(stays, kept)
    return [at for at in found if at is not stays]
