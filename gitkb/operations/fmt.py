"""`fmt`: bring the data files into their one form.

The one command that rewrites lines which nobody changed. It costs nobody the credit for their lines:
blame goes by key and content.

1. Lines of one key, as a text merge leaves them, fold as `compact` folds them, where the whole store
   is formatted. Where files are named they are reported, for the fold may concern other files.
2. A store with conflict markers is not folded: a line between them may be half of a version.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import NamedTuple

from gitkb.core.identity import KNOWLEDGE
from gitkb.core.jsonl import is_marker, split_lines
from gitkb.core.problem import Problem
from gitkb.core.snapshot import iter_records
from gitkb.core.tidy import tidy
from gitkb.operations.compact import plan
from gitkb.operations.writing.numbering import Renumbered, heal_store
from gitkb.store.confirmation import tidy_confirmations
from gitkb.store.discover import store_at
from gitkb.store.layout import split_data_path
from gitkb.store.rewrite import read_files, rewriting, write_steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitkb.store.layout import Store
    from gitkb.store.rewrite import Files


class FormatResult(NamedTuple):
    """Files that were rewritten (or would be), and lines that are no records or in conflict."""

    changed: list[str]
    problems: list[Problem]
    renumbered: tuple[Renumbered, ...] = ()
    """Learnings that had the number of an older one; only where the whole store is formatted."""
    folded: tuple[str, ...] = ()
    """Keys that had more than one line; only where the whole store is formatted."""

    @property
    def is_fine(self) -> bool:
        """Whether everything had its form already."""
        return not self.changed and not self.problems and not self.renumbered


def format_store(
    store: Store, files: Iterable[str] | None = None, check_only: bool = False
) -> FormatResult:
    """Bring a store's files, or those named as in ``knowledge/3f.jsonl``, into their form.

    With `check_only` nothing is written and no lock is taken. A line that belongs into another file
    moves there, whether or not that file is named.

    Raises:
        StateError: when the store is locked, full or read-only.
        DataError: when config.toml does not say how many files there are.
    """
    only = None if files is None else frozenset(files)
    if check_only:
        result, _ = _format(read_files(store), only)
        healed = heal_store(store, dry_run=True) if only is None else []
        if only is None:
            result.changed.extend(tidy_confirmations(store, dry_run=True))
        return result._replace(renumbered=tuple(healed))
    with rewriting(store) as found:
        result, steps = _format(found, only)
        write_steps(store, found.data, steps)
    healed = heal_store(store) if only is None else []
    if only is None:
        result.changed.extend(tidy_confirmations(store))
    return result._replace(renumbered=tuple(healed))


def _format(
    found: Files, only: frozenset[str] | None
) -> tuple[FormatResult, list[dict[str, bytes]]]:
    """Work out what to write, step by step."""
    steps: list[dict[str, bytes]] = []
    data, folded = dict(found.data), list[str]()
    if only is None and not any(map(_has_marker, data.values())):
        planned = plan(found)
        folded = planned.result.keys
        for step in planned.steps if folded else ():
            steps.append(step)
            data.update(step)
    tidied = tidy(data, found.shards, only)
    data.update(tidied.changed)
    changed = [name for name in data if data[name] != found.data.get(name)]
    problems = tidied.problems
    if only is not None:
        problems = problems + _twice(data, only)
    result = FormatResult(sorted(changed), problems, folded=tuple(folded))
    return result, [*steps, tidied.arriving, tidied.changed]


def _twice(data: Mapping[str, bytes], names: Iterable[str]) -> list[Problem]:
    problems = []
    for name in sorted(names):
        if name.startswith(KNOWLEDGE) and name in data and not _has_marker(data[name]):
            counts = Counter(at.record.key for at in iter_records(name, data[name], []))
            problems += [
                Problem("duplicate-key", f"several lines of '{key}'", "gitkb compact", name)
                for key, count in counts.items()
                if count > 1
            ]
    return problems


def format_files(paths: Iterable[str], check_only: bool = False) -> FormatResult:
    """Bring data files into their form, each in the store that it lies in, found by its path.

    Names in the result are paths as from the current folder.

    Raises:
        UsageError: when a path is no data file of a store.
    """
    stores: dict[str, list[str]] = {}
    for path in paths:
        root, name = split_data_path(path, "formatted")
        stores.setdefault(root, []).append(name)
    changed, problems = [], []
    for root, names in sorted(stores.items()):
        result = format_store(store_at(root), names, check_only)
        shown = os.path.relpath(root)
        changed += [os.path.join(shown, name) for name in result.changed]
        problems += [
            problem._replace(file=os.path.join(shown, problem.file)) for problem in result.problems
        ]
    return FormatResult(changed, problems)


def _has_marker(data: bytes) -> bool:
    return any(is_marker(line.rstrip(b"\r")) for line in split_lines(data))
