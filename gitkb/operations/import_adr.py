"""`import --from adr`: architecture decision records, one Markdown file each.

1. Each file is imported or dropped with the reason; it counts as one record.
2. An entry belongs to its file: its `source` is ``adr:`` and the path from the top of the repository.
   A file that was renamed and says the same keeps its entry.
3. The file knows no time of its last change: `core.import_mark` tells what has changed since it was
   last read, so that a change made here stays until the file says something else.
4. An entry whose file is gone is told, and stays. Of one file alone its neighbours are read too, to
   know what it means by a number; those that are entries already and that it replaces, or that
   replace it, are brought along.
"""

from __future__ import annotations

import os
import re

from gitkb.core.adr import Adr, parse_adr
from gitkb.core.adr_folder import SOURCE, fields_of_folder
from gitkb.core.identity import mint_key
from gitkb.core.import_mark import MARKS, with_marks
from gitkb.errors import NotFoundError
from gitkb.operations.export import read_entries
from gitkb.operations.import_marked import take_marked
from gitkb.operations.import_result import Dropped, Noticed
from gitkb.operations.import_versions import importing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitkb.core.entry import Entry
    from gitkb.operations.import_result import ImportResult
    from gitkb.operations.import_versions import Import
    from gitkb.store.layout import Store

_ENDINGS = (".md", ".markdown")
_is_template = re.compile(r"(^|[-_ ])template([-_ .]|$)", re.IGNORECASE).search
_is_placeholder = re.compile(r"^[\[{<].*[|}\]>]|\|.*\|").search


def read_adrs(path: str) -> tuple[dict[str, bytes], set[str]]:
    """Read a folder and what is below it, or one file and its neighbours: bytes by path.

    The second value are the paths that were asked for.

    Raises:
        OSError: when a file cannot be read.
        NotFoundError: when there is no Markdown.
    """
    is_folder = os.path.isdir(path)
    paths = list(_iter_paths(path)) if is_folder else [path, *_neighbours(path)]
    if not paths:
        raise NotFoundError(f"no Markdown file in '{path}'", "give the folder of the records")
    files = {}
    for place in paths:
        with open(place, "rb") as file:
            files[place] = file.read()
    return files, set(paths) if is_folder else {path}


def _iter_paths(path: str) -> Iterator[str]:
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(_ENDINGS) and not name.startswith("."):
                place = os.path.join(folder, name)
                if os.path.isfile(place):
                    yield place


def _neighbours(path: str) -> list[str]:
    folder = os.path.dirname(path) or "."
    places = [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    return [
        place
        for place in places
        if place.lower().endswith(_ENDINGS)
        and os.path.isfile(place)
        and not os.path.samefile(place, path)
    ]


def import_adr(store: Store, path: str, *, now: int, dry_run: bool = False) -> ImportResult:
    """Import the records in a folder, or that in one file.

    Raises:
        StateError: when the store is locked, in conflict, full or read-only; nothing is written.
    """
    files, asked = read_adrs(path)
    names = {_name_of(place, path, store): place for place in files}
    with importing(store, now, dry_run=dry_run) as coming:
        adrs = {}
        for name, place in sorted(names.items()):
            found = _read(files[place], name)
            if isinstance(found, Adr):
                adrs[name] = found
            elif place in asked:
                coming.dropped.append(Dropped(0, found, name))
        entries = read_entries(store)
        keys = _keys_of(adrs, entries, set(names))
        folder = fields_of_folder(adrs, keys)
        wanted = {name for name in adrs if names[name] in asked}
        for one, other in sorted(folder.links):
            for name, neighbour in ((one, other), (other, one)):
                if names[name] in asked and keys[neighbour] in entries:
                    wanted.add(neighbour)
        for name in sorted(wanted):
            fields = folder.fields[name]
            if not name.startswith("../"):
                fields["files"] = [name]
            take_marked(coming, fields, file=name)
        _notice(coming, path, set(names), folder.lost, wanted, keys, entries, store)
    return coming.result()


def _name_of(place: str, path: str, store: Store) -> str:
    """Name a file from the top of the repository, or from above the folder that was given."""
    top = os.path.realpath(store.worktree or os.path.dirname(store.root))
    real = os.path.join(os.path.realpath(os.path.dirname(place) or "."), os.path.basename(place))
    name = os.path.relpath(real, top)
    if name.startswith(".." + os.sep):
        base = path if os.path.isdir(path) else os.path.dirname(path) or "."
        name = os.path.relpath(real, os.path.dirname(os.path.realpath(base)))
    return name.replace(os.sep, "/")


def _read(data: bytes, name: str) -> Adr | str:
    """Read a record; a text says why the file is none."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "not UTF-8"
    if "\0" in text:
        return "a NUL character in the text"
    base = name.rpartition("/")[2]
    adr = parse_adr(text, base)
    if _is_template(base.rpartition(".")[0]) or _is_placeholder(adr.status):
        return "a template"
    if not text.strip():
        return "the file is empty"
    if not adr.number and not adr.status:
        return "no decision record: neither a number in its name nor a status in its text"
    return adr


def _keys_of(
    adrs: Mapping[str, Adr], entries: Mapping[str, Entry], present: set[str]
) -> dict[str, str]:
    """Find the key of each record: its entry's, that of a file that was renamed, or a new one."""
    owned: dict[str, str] = {}
    for key, entry in sorted(entries.items(), reverse=True):
        source = str(entry.fields.get("source", ""))
        if source.startswith(SOURCE) and MARKS in entry.fields:
            owned[source.removeprefix(SOURCE)] = key
    keys = {name: owned[name] for name in adrs if name in owned}
    gone = {name: key for name, key in owned.items() if name not in present}
    taken = set(keys.values())
    for name in sorted(adrs.keys() - keys.keys()):
        marks = with_marks({"title": adrs[name].title, "content": adrs[name].content})[MARKS]
        renamed = [
            key
            for key in gone.values()
            if key not in taken and adrs[name].content and _has_marks(entries[key], marks)
        ]
        salt = 0
        key = renamed[0] if len(renamed) == 1 else mint_key("decision", SOURCE + name)
        while key in taken or (key in entries and key not in renamed):
            salt += 1
            key = mint_key("decision", SOURCE + name, salt)
        keys[name] = key
        taken.add(key)
    return keys


def _has_marks(entry: Entry, marks: Mapping[str, object]) -> bool:
    known = entry.fields[MARKS]
    return isinstance(known, dict) and all(known.get(name) == mark for name, mark in marks.items())


def _notice(
    coming: Import,
    path: str,
    present: set[str],
    lost: list[tuple[str, str]],
    wanted: set[str],
    keys: Mapping[str, str],
    entries: Mapping[str, Entry],
    store: Store,
) -> None:
    for name, other in lost:
        if name in wanted:
            message = f"it refers to '{other}', which is not among the records"
            coming.noticed.append(Noticed(name, message))
    if not os.path.isdir(path):
        return
    under = _name_of(os.path.join(path, "x"), path, store)[:-1]
    for key, entry in sorted(entries.items()):
        name = str(entry.fields.get("source", "")).removeprefix(SOURCE)
        is_ours = entry.fields.get("source") == SOURCE + name and MARKS in entry.fields
        is_gone = name.startswith(under) and name not in present and key not in keys.values()
        if is_ours and is_gone and entry.status != "archived":
            message = f"the file is gone, its entry stays: gitkb archive {key} puts it aside"
            coming.noticed.append(Noticed(name, message))
