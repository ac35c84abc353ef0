"""`export --to add`: the files of the ADD learning library, written back.

1. The project's learnings are ``learnings.json``, those of the workstation ``library.json``; beside each
   stands its Markdown view.
2. What came from ADD goes back as it came (`core.add_form`), under the numbers that it has here.
3. A file of another origin whose place is taken is kept as ``.bak``, which is never written over.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.documents.view import is_learning
from gitkb.core.foreign.add_file import format_document, format_markdown
from gitkb.core.foreign.add_form import record_of
from gitkb.core.foreign.add_markdown import parse_learnings
from gitkb.errors import StateError, UsageError
from gitkb.operations.exchange.add_document import records_of
from gitkb.operations.exchange.add_place import LEARNINGS, LIBRARY, keep_original
from gitkb.operations.exchange.export import read_entries, select
from gitkb.operations.tier import READY, find_tier, tier_of
from gitkb.store.durable import replace_file
from gitkb.store.home import WORKSTATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.operations.exchange.export import Selection
    from gitkb.store.layout import Store


class Library(NamedTuple):
    """All files by their names, and how many learnings are in them."""

    files: Mapping[str, str]
    entries: int


def library_files(store: Store, selection: Selection, notices: list[str] | None = None) -> Library:
    """Write all files: those of this project, and of the workstation if it has learned anything."""
    records, project = records_of(store, select(read_entries(store, notices), selection))
    files = {
        f"{LEARNINGS}.json": format_document(records, project),
        f"{LEARNINGS}.md": format_markdown(records, project),
    }
    count = len(records)
    listed = find_tier(WORKSTATION)
    if listed is not None and listed.state == READY:
        chosen = select(read_entries(tier_of(listed).store), selection)
        library = [record_of(entry.fields) for entry in chosen if is_learning(entry)]
        if library:
            files[f"{LIBRARY}.json"] = format_document(library, "")
            files[f"{LIBRARY}.md"] = format_markdown(library, "", is_library=True)
        count += len(library)
    return Library(files, count)


def write_library(library: Library, folder: str) -> None:
    """Write the files to a folder, each whole or not at all; what has its bytes is left alone.

    Raises:
        UsageError: when there is a file in the folder's place.
        StateError: when one cannot be written.
    """
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise UsageError(f"'{folder}' is no folder", "name the folder for its files")
    for name, text in library.files.items():
        path, data = os.path.join(folder, name), text.encode("utf-8")
        try:
            with open(path, "rb") as file:
                there = file.read()
            if there != data and _is_original(path, there):
                keep_original(path, there)
        except FileNotFoundError:
            there = None
        except OSError as error:
            raise StateError(
                f"cannot keep a copy of '{path}': {error.strerror}", "nothing was written over it"
            ) from None
        if there != data:
            replace_file(path, data)


def _is_original(path: str, data: bytes) -> bool:
    """Whether a file is somebody's, and not one that was written from its JSON or kept already."""
    if path.endswith(".md"):
        return not parse_learnings(data.decode("utf-8", "replace")).is_view
    return not os.path.lexists(f"{path}.bak")
