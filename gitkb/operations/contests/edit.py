"""`resolve --edit`: settle an entry in the editor, with all its values in view.

1. What was typed is never lost: see `draft_file`. The next edit goes on from it.
2. What is saved is judged as `add` judges it. A draft that nobody changed settles nothing.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.core.canonical import encode_sorted
from gitkb.core.conflicts.contest import contests_of
from gitkb.core.conflicts.draft import editable, format_draft, parse_draft
from gitkb.core.entry import Tombstone, normalise
from gitkb.core.jsonl import BadLineError
from gitkb.errors import DataError, GitkbError, StateError
from gitkb.git.editor import edit_file
from gitkb.operations.resolve import Settled, find_contested, put_settled, select
from gitkb.operations.writing import draft_file
from gitkb.operations.writing.draft import draft_fields
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from gitkb.core.canonical import Json
    from gitkb.core.conflicts.contest import Contest
    from gitkb.operations.contests.contested import Contested
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change


class _Draft(NamedTuple):
    path: str
    contested: Contested
    contests: list[Contest]
    form: bytes
    """What stood for the key when the editor was opened."""


class Edited(NamedTuple):
    """What became of it."""

    settled: Settled
    """Without fields where nothing was written."""
    is_old: bool
    """The editor opened a draft that an earlier edit had left."""


def edit(store: Store, name: str, fields: Collection[str] = ()) -> Edited:
    """Open the editor on an entry and write what is saved, once it is valid.

    Raises:
        NotFoundError, UsageError: as `take` says.
        StateError: when the entry is archived, has moved, or changed meanwhile.
        DataError: when what was saved is no entry. GitError: when the editor fails.
    """
    with changing(store) as change:
        contested = find_contested(change, name)
    contests = select(contested, fields)
    if not contests:
        return Edited(Settled(contested.key, ()), False)
    if isinstance(contested.record, Tombstone):
        raise StateError(
            f"'{contested.key}' was forgotten: there is nothing to edit",
            f"gitkb conflicts {contested.key}",
        )
    path = draft_path(store, contested.key)
    draft = _Draft(path, contested, contests, encode_sorted(contested.record.fields))
    is_old = os.path.exists(path)
    if not is_old:
        text = format_draft(contested.record.fields, contests)
        draft_file.write_draft(path, text.encode("utf-8"))
    try:
        edit_file(path, store.worktree or os.path.dirname(store.root))
        settled = _finish(store, draft, fields)
    except GitkbError as error:
        kept = f"your draft is kept: gitkb resolve {contested.key} --edit goes on from '{path}'"
        error.hint = f"{error.hint}; {kept}" if error.hint else kept
        raise
    os.unlink(path)
    return Edited(settled, is_old)


def draft_path(store: Store, key: str) -> str:
    """Give where the draft of an entry that is to be settled lies."""
    return draft_file.draft_path(store, key, ".txt")


def _finish(store: Store, draft: _Draft, fields: Collection[str]) -> Settled:
    key = draft.contested.key
    given = _read(draft)
    before = draft.contested.record.fields
    if given is None or encode_sorted(given) == encode_sorted(editable(before, draft.contests)):
        return Settled(key, ())
    if given.get("key") != key:
        raise DataError(f"the key of '{key}' cannot be changed", f'"key": "{key}"')
    for name in ("created", "revives"):
        if name in before:
            given.setdefault(name, before[name])
    with changing(store) as change:
        if encode_sorted(_standing(change, key)) != draft.form:
            raise StateError(
                f"'{key}' was changed by another program meanwhile", f"gitkb show {key}"
            )
        new = normalise(draft_fields(given, store))
        left = {contest.field for contest in contests_of(new)}
        settled = [one for one in draft.contests if one.field not in left]
        return put_settled(change, draft.contested, new, settled)


def _standing(change: Change, key: str) -> dict[str, Json]:
    return dict(find_contested(change, key).record.fields) if change.find_lines(key) else {}


def _read(draft: _Draft) -> dict[str, Json] | None:
    try:
        return parse_draft(draft_file.read_draft(draft.path))
    except BadLineError as error:
        raise DataError(f"the draft is no entry: {error.reason}", error.hint) from None
