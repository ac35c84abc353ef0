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

from gitkb.core.foreign.adr import Adr, parse_adr
from gitkb.core.foreign.adr_folder import SOURCE, fields_of_folder
from gitkb.core.foreign.import_mark import MARKS, with_marks
from gitkb.core.identity import mint_key
from gitkb.errors import NotFoundError
from gitkb.operations.exchange.export import read_entries
from gitkb.operations.exchange.import_marked import take_marked
from gitkb.operations.exchange.import_result import Dropped, Noticed
from gitkb.operations.exchange.import_versions import importing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitkb.core.canonical import Json
    from gitkb.core.entry import Entry
    from gitkb.operations.exchange.import_result import ImportResult
    from gitkb.operations.exchange.import_versions import Import
    from gitkb.store.layout import Store

_ENDINGS = (".md", ".markdown")
_USUAL_PLACES = (
    "adr",
    "adrs",
    "decisions",
    "doc/adr",
    "doc/architecture/decisions",
    "docs/adr",
    "docs/adrs",
    "docs/architecture/adr",
    "docs/architecture/decisions",
    "docs/decisions",
)
_is_template = re.compile(r"(^|[-_ ])template([-_ .]|$)", re.IGNORECASE).search
_is_placeholder = re.compile(r"^[\[{<].*[|}\]>]|\|.*\|").search


def read_adrs(path: str) -> tuple[dict[str, bytes], set[str]]:
    """Read a folder and what is below it, or one file and its neighbours: bytes by path.

    Of a whole project only the folders are read in which records usually are, or that of adr-tools.

    The second value are the paths that were asked for.

    Raises:
        OSError: when a file cannot be read.
        NotFoundError: when there is no Markdown.
    """
    is_folder = os.path.isdir(path)
    paths = [place for folder in _folders(path) for place in _iter_paths(folder)]
    paths = paths if is_folder else [path, *_neighbours(path)]
    if not paths:
        raise NotFoundError(f"no Markdown file in '{path}'", "give the folder of the records")
    files = {}
    for place in paths:
        with open(place, "rb") as file:
            files[place] = file.read()
    return files, set(paths) if is_folder else {path}


def _folders(path: str) -> list[str]:
    """Give the folders to look in: of a whole project those where such records usually are."""
    if os.path.isfile(os.path.join(path, ".adr-dir")):
        with open(os.path.join(path, ".adr-dir"), encoding="utf-8", errors="replace") as file:
            named = os.path.join(path, file.read().strip())
        if os.path.isdir(named):
            return [named]
    if os.path.exists(os.path.join(path, ".git")):
        usual = [os.path.join(path, *place.split("/")) for place in _USUAL_PLACES]
        return [place for place in usual if os.path.isdir(place)] or [path]
    return [path]


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
        gone = _gone(entries, set(names), store)
        keys = _keys_of(adrs, entries, gone)
        folder = fields_of_folder(adrs, keys)
        _keep_aliases_apart(folder.fields, entries)
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
        for name, other in folder.lost:
            if name in wanted:
                message = f"it refers to '{other}', which is not among the records"
                coming.noticed.append(Noticed(name, message))
        if os.path.isdir(path):
            under = _name_of(os.path.join(path, "x"), path, store)[:-1]
            left = {name: key for name, key in gone.items() if key not in keys.values()}
            _notice_gone(coming, under, left, entries)
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
    adrs: Mapping[str, Adr], entries: Mapping[str, Entry], gone: Mapping[str, str]
) -> dict[str, str]:
    """Find the key of each record: its entry's, that of a file that was renamed, or a new one."""
    owned = _owned(entries)
    keys = {name: owned[name] for name in adrs if name in owned}
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


def _owned(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Give the key of the entry that came from each file."""
    owned: dict[str, str] = {}
    for key, entry in sorted(entries.items(), reverse=True):
        source = str(entry.fields.get("source", ""))
        if source.startswith(SOURCE) and MARKS in entry.fields:
            owned[source.removeprefix(SOURCE)] = key
    return owned


def _gone(entries: Mapping[str, Entry], present: set[str], store: Store) -> dict[str, str]:
    """Give the files from which entries came and that are no more, with the keys."""
    top = store.worktree or os.path.dirname(store.root)
    return {
        name: key
        for name, key in _owned(entries).items()
        if name not in present and not os.path.exists(os.path.join(top, *name.split("/")))
    }


def _has_marks(entry: Entry, marks: Mapping[str, object]) -> bool:
    known = entry.fields[MARKS]
    return isinstance(known, dict) and all(known.get(name) == mark for name, mark in marks.items())


def _keep_aliases_apart(
    records: Mapping[str, dict[str, Json]], entries: Mapping[str, Entry]
) -> None:
    """Take an alias from a record where another entry, or a record before it, answers to it."""
    owners = {alias: key for key in sorted(entries, reverse=True) for alias in entries[key].aliases}
    for name in sorted(records):
        fields = records[name]
        for alias in fields.get("aliases", ()):
            if owners.setdefault(alias, fields["key"]) != fields["key"]:
                del fields["aliases"]


def _notice_gone(
    coming: Import, under: str, gone: Mapping[str, str], entries: Mapping[str, Entry]
) -> None:
    for name, key in sorted(gone.items()):
        if name.startswith(under) and entries[key].status != "archived":
            message = f"the file is gone, its entry stays: gitkb archive {key} puts it aside"
            coming.noticed.append(Noticed(name, message))
