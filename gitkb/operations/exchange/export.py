"""`export`: knowledge in a form that others read.

1. What holds is exported; with `include_all` also what is superseded, rejected or archived.
2. The same entries give the same bytes.
3. What a form has no word for stays behind; nothing is exported twice.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.canonical import encode_json
from gitkb.core.entry import STATUSES, TYPES, Entry, Tombstone
from gitkb.core.identity import ARCHIVE, CONFIRMED, KNOWLEDGE
from gitkb.errors import StateError, UsageError
from gitkb.operations.recall import problem_notes, refuse_unknown
from gitkb.store.durable import replace_file
from gitkb.store.layout import CONFIG_NAME
from gitkb.store.reader import read_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gitkb.store.layout import Store

    Writer = Callable[[list[Entry], Mapping[str, Entry]], "tuple[str, int]"]


class Selection(NamedTuple):
    """Which entries are exported: of any of the types and statuses, with all of the tags."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    include_all: bool = False


ACTIVE = Selection()


class Export(NamedTuple):
    """A document, and how many entries and links are in it."""

    text: str
    entries: int
    links: int


def export(
    store: Store, form: str, selection: Selection = ACTIVE, notices: list[str] | None = None
) -> Export:
    """Write the selected entries of a store in one of `FORMS`. `notices` gets what could not be read.

    `add` is the document of this project's learnings; `operations.export_add` writes all its files.

    Raises:
        UsageError: when the form, a type or a status is not known.
    """
    if form not in FORMS:
        raise UsageError(f"unknown form '{form}'", f"one of {', '.join(FORMS)}")
    refuse_unknown("type", selection.types, TYPES)
    refuse_unknown("status", selection.statuses, STATUSES)
    entries = read_entries(store, notices)
    chosen = select(entries, selection)
    if form == "add":
        from gitkb.operations.exchange.add_document import learnings_document

        text, count = learnings_document(store, chosen)
        return Export(text, count, 0)
    text, links = FORMS[form](chosen, entries)
    return Export(text, len(chosen), links)


def select(entries: Mapping[str, Entry], selection: Selection) -> list[Entry]:
    """Give the entries that are to be exported, by key."""
    return [entry for _, entry in sorted(entries.items()) if _is_chosen(entry, selection)]


def write_export(store: Store, text: str, path: str) -> None:
    """Write a document to a file, whole or not at all; to a pipe or a device as it comes.

    Raises:
        StateError: when it cannot be written.
        UsageError: when the path is a folder, in one that does not exist, or a file of the store itself.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise UsageError(f"'{path}' is a folder", "name a file")
    if not os.path.isdir(folder):
        from shlex import quote

        raise UsageError(f"there is no folder '{folder}'", f"mkdir -p {quote(folder)}")
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(store.root)).split(os.sep)
    if inside[0] in (KNOWLEDGE, ARCHIVE, CONFIRMED, CONFIG_NAME):
        raise UsageError(f"'{path}' is where the knowledge base keeps its own", "name another file")
    data = text.encode("utf-8")
    if os.path.isfile(path) or not os.path.exists(path):
        replace_file(path, data)
        return
    # What is no file cannot be replaced by one: /dev/stdout, a pipe.
    try:
        with open(path, "wb") as output:
            output.write(data)
    except BrokenPipeError:
        return  # the reader has seen enough
    except OSError as error:
        raise StateError(
            f"cannot write '{path}': {error.strerror}", "name a file, or write to stdout"
        ) from None


def read_entries(store: Store, notices: list[str] | None = None) -> dict[str, Entry]:
    """Read all entries by key: those that stand, and the latest version of those put aside."""
    snapshot = read_store(store)
    if notices is not None:
        notices += problem_notes(snapshot.problems)
    entries = {
        key: Entry({**versions[-1].record.fields, "status": "archived"})
        for key, versions in snapshot.archived.items()
    }
    for key, at in snapshot.current.items():
        entries.pop(key, None)
        if not isinstance(at.record, Tombstone):
            entries[key] = at.record
    return entries


def _is_chosen(entry: Entry, selection: Selection) -> bool:
    if selection.types and entry.type not in selection.types:
        return False
    if not set(selection.tags) <= set(entry.tags):
        return False
    if selection.statuses:
        return entry.status in selection.statuses
    return entry.is_active or selection.include_all


def _json(chosen: list[Entry], _: Mapping[str, Entry]) -> tuple[str, int]:
    from gitkb.core.documents.json_document import format_json
    from gitkb.core.link import edges_of

    return format_json(chosen), sum(len(edges_of(entry.fields)) for entry in chosen)


def _markdown(chosen: list[Entry], entries: Mapping[str, Entry]) -> tuple[str, int]:
    from gitkb.core.documents.markdown import format_document

    titles = {key: entry.display_title for key, entry in entries.items()}
    return format_document(chosen, titles), sum(len(entry.links) for entry in chosen)


def _mcp_memory(chosen: list[Entry], entries: Mapping[str, Entry]) -> tuple[str, int]:
    from gitkb.core.foreign.mcp_memory import entity_of, names_of, relations_of
    from gitkb.core.unsafe import escaped

    # Names are those among all entries, so that a part of them keeps them.
    names = names_of(entry.fields for entry in entries.values())
    named = {entry.key: names[entry.key] for entry in chosen}
    replaced = {
        link["to"] for entry in chosen for link in entry.links if link["rel"] == "supersedes"
    }
    nodes = [
        entity_of(entry.fields, named[entry.key], is_replaced=entry.key in replaced)
        for entry in sorted(chosen, key=lambda entry: named[entry.key])
    ]
    edges = [line for entry in chosen for line in relations_of(entry.fields, named)]
    lines = sorted({encode_json(line).decode("utf-8") for line in edges})
    lines = [*(encode_json(node).decode("utf-8") for node in nodes), *lines]
    return escaped("".join(f"{line}\n" for line in lines)), len(lines) - len(nodes)


def _drawbar(chosen: list[Entry], _: Mapping[str, Entry]) -> tuple[str, int]:
    from gitkb.core.foreign.drawbar import format_drawbar
    from gitkb.core.unsafe import escaped

    lines = [encode_json(format_drawbar(entry.fields)).decode("utf-8") for entry in chosen]
    return escaped("".join(f"{line}\n" for line in lines)), sum(len(e.links) for e in chosen)


def _add(chosen: list[Entry], _: Mapping[str, Entry]) -> tuple[str, int]:
    raise AssertionError("its document needs to know the project")


FORMS: Mapping[str, Writer] = {
    "json": _json,
    "markdown": _markdown,
    "add": _add,
    "drawbar": _drawbar,
    "mcp-memory": _mcp_memory,
}
"""Each form with what writes it, imported only when it is asked for."""
