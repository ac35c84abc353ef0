"""The projects that this workstation has seen: name, folder, stack. It lies in no repository.

1. Nothing is counted here: what a project knows is counted when somebody asks.
2. It is a convenience: where it cannot be read it is empty, where it cannot be written it stays.
3. Projects whose folder is gone leave it when it is written the next time.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from gitkb.core.canonical import encode_json
from gitkb.errors import StateError
from gitkb.store.durable import replace_file
from gitkb.store.home import locked_home
from gitkb.store.layout import STORE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NAME = "projects.json"


class Project(NamedTuple):
    """One project: `path` is the folder that holds its store, `stack` its technologies, sorted."""

    path: str
    name: str
    stack: tuple[str, ...]

    @property
    def is_there(self) -> bool:
        """Whether its store still stands."""
        return os.path.isdir(os.path.join(self.path, STORE_NAME))


def read_projects(home: str) -> list[Project]:
    """Read the projects, sorted by their folders."""
    try:
        with open(os.path.join(home, _NAME), "rb") as file:
            values = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return []
    rows = values.get("projects") if isinstance(values, dict) else None
    found = map(_project, rows if isinstance(rows, list) else ())
    return sorted(project for project in found if project is not None)


def remember_project(home: str, project: Project) -> None:
    """Write a project down, unless it stands there just so."""
    if project in read_projects(home):
        return
    try:
        with locked_home(home, "projects"):
            others = [other for other in read_projects(home) if other.path != project.path]
            kept = sorted([project, *(other for other in others if other.is_there)])
            rows = [{"name": one.name, "path": one.path, "stack": list(one.stack)} for one in kept]
            text = encode_json({"projects": rows})
            replace_file(os.path.join(home, _NAME), text + b"\n")
    except (StateError, UnicodeEncodeError):
        return  # a full disk, a read-only home or a path that is no text: nobody asked for this


def _project(row: Any) -> Project | None:
    if not isinstance(row, dict):
        return None
    path, name, stack = row.get("path"), row.get("name"), row.get("stack")
    if not isinstance(path, str) or not isinstance(name, str) or not isinstance(stack, list):
        return None
    return Project(path, name, tuple(word for word in stack if isinstance(word, str)))
