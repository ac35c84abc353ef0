"""What this project is built with: what somebody wrote down, or else what its files say.

1. The first of these that says anything holds: `[project] stack` in config.toml, the architecture in
   `.add/config.json`, the manifests.
2. What cannot be read is a problem beside the answer and never stops anything.
"""

from __future__ import annotations

import os

from gitkb.core.manifest import NAMING, ManifestError, name_in, read_json
from gitkb.core.stack import Stack, declared_stack, detect_stack, find_manifest, unreadable
from gitkb.store.project_file import iter_project_files, read_project_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitkb.core.problem import Problem
    from gitkb.store.layout import Store

_ADD_CONFIG = ".add/config.json"


def project_folder(store: Store) -> str:
    """Give the folder that a store is about: the one it lies in."""
    return os.path.dirname(store.root)


def project_stack(folder: str, values: Mapping[str, Any]) -> Stack:
    """Say what the project in a folder is built with; `values` are the settings of its store."""
    declared = _declared(values)
    if declared is not None:
        return declared_stack(declared)
    problems: list[Problem] = []
    named = list(_named_by_add(folder, problems))
    if named:
        return declared_stack(named, problems)
    files: list[tuple[str, bytes]] = []
    for path, data in iter_project_files(folder, _is_manifest):
        if isinstance(data, str):
            problems.append(unreadable(path, data))
        files.append((path, data if isinstance(data, bytes) else b""))
    unread = {problem.file for problem in problems}
    found = detect_stack(files)
    # One that could not be opened is told of once, not as an empty file as well.
    more = [problem for problem in found.problems if problem.file not in unread]
    return found._replace(problems=(*problems, *more))


def project_name(folder: str, values: Mapping[str, Any]) -> str:
    """Give the name of the project in a folder: that of its settings, of a manifest, of the folder.

    A folder is called differently in every clone, so it has the last word.
    """
    table = values.get("project")
    name = table.get("name") if isinstance(table, dict) else None
    if isinstance(name, str) and name.strip():
        return name
    return _name_in_manifest(folder) or os.path.basename(folder) or "project"


def _name_in_manifest(folder: str) -> str:
    for name in NAMING:
        path = os.path.join(folder, name)
        data = read_project_file(path) if os.path.lexists(path) else b""
        try:
            found = name_in(name, data) if data and isinstance(data, bytes) else ""
        except ManifestError:
            continue  # told of where the stack is asked for
        if found:
            return found
    return ""


def _is_manifest(path: str) -> bool:
    return find_manifest(path) is not None


def _declared(values: Mapping[str, Any]) -> list[str] | None:
    table = values.get("project")
    stack = table.get("stack") if isinstance(table, dict) else None
    if not isinstance(stack, list):
        return None
    return [name for name in stack if isinstance(name, str)]


def _named_by_add(folder: str, problems: list[Problem]) -> Iterator[str]:
    """`architecture.languages[].name`, and the `framework` of each part of the architecture."""
    path = os.path.join(folder, *_ADD_CONFIG.split("/"))
    if not os.path.lexists(path):
        return
    data = read_project_file(path)
    if isinstance(data, str):
        problems.append(unreadable(_ADD_CONFIG, data))
        return
    try:
        architecture = read_json(data).get("architecture")
    except ManifestError as error:
        problems.append(unreadable(_ADD_CONFIG, str(error)))
        return
    for name, part in architecture.items() if isinstance(architecture, dict) else ():
        if name == "languages" and isinstance(part, list):
            for language in part:
                text = language.get("name") if isinstance(language, dict) else language
                if isinstance(text, str):
                    yield text
        elif isinstance(part, dict) and isinstance(part.get("framework"), str):
            yield part["framework"]
