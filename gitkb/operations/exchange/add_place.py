"""Where the ADD learning library has its files, and what becomes of the originals.

1. A project's learnings are the project's, a library the workstation's.
2. JSON comes before Markdown: without it the Markdown is what ADD itself falls back on.
3. An original stays where it is; beside it a copy is kept as ``.bak``, and one that is there already is
   never written over. Files outside of ADD's own folders get none: nothing ever takes their place.
"""

from __future__ import annotations

import contextlib
import os
from itertools import count
from typing import NamedTuple

from gitkb.errors import NotFoundError
from gitkb.operations.reading.stack import project_folder
from gitkb.store.config import read_config
from gitkb.store.durable import sync_folder, temporary_of, write_new
from gitkb.store.home import PROJECT, WORKSTATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.store.layout import Store

LEARNINGS, LIBRARY = "learnings", "library"
PROJECT_FOLDER = ".add"
HOME_FOLDER = "~/.claude/add"
_TIERS = {LEARNINGS: PROJECT, LIBRARY: WORKSTATION}


class Place(NamedTuple):
    """One file to read, for one tier."""

    tier: str
    path: str
    is_json: bool
    beside: str = ""
    """The Markdown beside the JSON that is read, if there is any."""

    @property
    def name(self) -> str:
        """The file as a person names it."""
        return shown_path(self.path)

    @property
    def is_own(self) -> bool:
        """Whether it is in a folder of ADD's."""
        folder = os.path.dirname(os.path.abspath(self.path))
        return os.path.basename(folder) == PROJECT_FOLDER or _is_same(
            folder, os.path.expanduser(HOME_FOLDER)
        )


def find_places(store: Store, path: str | None) -> list[Place]:
    """Find what to read: at a path, or without one in this project and in the user's home.

    Raises:
        NotFoundError: when there is nothing of ADD's.
        OSError: when a file cannot be read.
    """
    if path is not None and not os.path.isdir(path):
        stem = os.path.basename(path).lower()
        tier = WORKSTATION if stem.startswith(LIBRARY) else PROJECT
        return [Place(tier, path, _is_json(path))]
    if path is not None:
        inner = os.path.join(path, PROJECT_FOLDER)
        folder = inner if os.path.isdir(inner) else path
        found = [place for stem in _TIERS if (place := _place_in(folder, stem)) is not None]
        if not found:
            names = f"'{LEARNINGS}.json', '{LEARNINGS}.md', '{LIBRARY}.json' or '{LIBRARY}.md'"
            raise NotFoundError(f"no {names} in '{path}'", "give the file itself")
        return found
    tops = tops_of(store)
    found = own_places(tops)
    if not found:
        where = shown_path(os.path.join(tops[0], PROJECT_FOLDER))
        raise NotFoundError(
            f"no learnings of ADD: neither in '{where}' nor in '{HOME_FOLDER}'",
            "gitkb import --from add PATH, with a file or a folder",
        )
    return found


def tops_of(store: Store) -> list[str]:
    """Give the folders in which a project may have ADD's, the nearest first."""
    return list(dict.fromkeys(filter(None, (project_folder(store), store.worktree))))


def own_places(tops: Iterable[str]) -> list[Place]:
    """Find what ADD keeps where it does so itself: for a project, the first of `tops` that has
    something, and for the user."""
    candidates = (_place_in(os.path.join(top, PROJECT_FOLDER), LEARNINGS) for top in tops)
    first = next((place for place in candidates if place is not None), None)
    library = _place_in(os.path.expanduser(HOME_FOLDER), LIBRARY)
    return [place for place in (first, library) if place is not None]


def keep_original(path: str, data: bytes) -> None:
    """Keep a copy of a file that was read beside it, under the first free name or one that has it.

    Raises:
        OSError: when none can be written.
    """
    for number in count():
        copy = f"{path}.bak" + (f".{number}" if number else "")
        temporary = temporary_of(copy)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)  # what a killed call left
        if os.path.lexists(copy):
            with contextlib.suppress(OSError), open(copy, "rb") as file:
                if file.read() == data:
                    return
            continue
        try:
            write_new(temporary, data, None)
            os.link(temporary, copy)  # unlike a rename, it never takes another file's place
        except FileExistsError:
            continue
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        sync_folder(os.path.dirname(copy) or ".")
        return


def is_kept(path: str, data: bytes) -> bool:
    """Whether an import has kept a copy of just these bytes beside a file."""
    for number in count():
        copy = f"{path}.bak" + (f".{number}" if number else "")
        if not os.path.lexists(copy):
            return False
        with contextlib.suppress(OSError):
            if os.path.isfile(copy) and os.path.getsize(copy) == len(data):
                with open(copy, "rb") as file:
                    if file.read() == data:
                        return True
    raise AssertionError(path)


def project_of(store: Store) -> str:
    """Give the name that config.toml declares for the project, or an empty text.

    The folder's name would make one clone say otherwise than another.
    """
    table = read_config(store).values.get("project")
    name = table.get("name") if isinstance(table, dict) else None
    return name.strip() if isinstance(name, str) else ""


def shown_path(path: str) -> str:
    """Name a file as from here or from the user's home, whichever holds it."""
    home = os.path.expanduser("~")
    real = os.path.abspath(path)
    here = os.getcwd()
    if real.startswith(here + os.sep):
        return os.path.relpath(real, here).replace(os.sep, "/")
    if real.startswith(home + os.sep):
        return "~/" + os.path.relpath(real, home).replace(os.sep, "/")
    return path.replace(os.sep, "/")


def _place_in(folder: str, stem: str) -> Place | None:
    data, text = (os.path.join(folder, f"{stem}{ending}") for ending in (".json", ".md"))
    has_text = os.path.isfile(text)
    if os.path.isfile(data):
        return Place(_TIERS[stem], data, True, text if has_text else "")
    return Place(_TIERS[stem], text, False) if has_text else None


def _is_json(path: str) -> bool:
    if path.lower().endswith((".md", ".markdown")):
        return False
    with open(path, "rb") as file:
        head = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
    return path.lower().endswith(".json") or head[:1] in (b"{", b"[")


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
