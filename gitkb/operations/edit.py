"""`edit`: change an entry in the editor, as Markdown with front matter.

1. What was typed is never lost: see `draft_file`. The next edit goes on from it.
2. What is saved is judged as `add` judges it, field by field, so that the line at fault is named.
3. A draft that says what the entry said writes nothing.
4. What others wrote while the editor was open is merged by field, as git's merges are: the version that
   was opened lies beside the draft and is the base. What both changed in two ways is contested.
5. What gitkb does not know of the entry stays byte for byte.
"""

from __future__ import annotations

import contextlib
import os
from typing import NamedTuple

from gitkb.core.canonical import encode_json, encode_sorted
from gitkb.core.entry import FIELDS, Entry, Tombstone, normalise
from gitkb.core.entry_draft import DraftError, format_draft, parse_draft
from gitkb.core.entry_draft import mark_fault as marked
from gitkb.core.jsonl import BadLineError, parse_object
from gitkb.core.merge.record import merge_records
from gitkb.core.merge.rules import KNOWLEDGE as RULES
from gitkb.errors import DataError, GitkbError, StateError
from gitkb.git.editor import edit_file
from gitkb.operations.supersede import apply_supersedes
from gitkb.operations.writing.absent import gone
from gitkb.operations.writing.clock import later_than
from gitkb.operations.writing.draft import draft_fields
from gitkb.operations.writing.draft_file import draft_path, read_draft, write_draft
from gitkb.operations.writing.naming import live_entry
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.entry_draft import Draft
    from gitkb.store.layout import Store
    from gitkb.store.writer import Change

_NO_CHANGE = frozenset({"ts", "created"})


class Opened(NamedTuple):
    """A draft that waits for the editor."""

    key: str
    path: str
    base: Fields
    """What the entry said when the draft was made."""
    is_old: bool
    """An earlier edit has left it."""


class Edited(NamedTuple):
    """What became of a draft."""

    key: str
    written: bool
    fields: tuple[str, ...] = ()
    """Those that the draft changed."""
    merged: bool = False
    """Others had changed the entry meanwhile."""
    contested: tuple[str, ...] = ()
    """Fields that both changed in two ways."""


class FaultyDraftError(DataError):
    """What was saved is no entry; `line` of the draft is at fault, 0 where it is none of them."""

    slug = "draft"

    def __init__(self, reason: str, hint: str, line: int) -> None:
        place = f"line {line} of the draft: " if line else "the draft: "
        super().__init__(place + reason, hint)
        self.reason = reason
        self.line = line


def open_draft(store: Store, name: str) -> Opened:
    """Make the draft of an entry, or find the one that an earlier edit left.

    Raises:
        NotFoundError: when there is no such entry here, or it was forgotten.
        StateError: when it is archived, or the draft cannot be written.
    """
    with changing(store) as change:
        entry = live_entry(change, name)
    path = draft_path(store, entry.key, ".md")
    base = _read_base(path) if os.path.exists(path) else None
    if base is not None:
        return Opened(entry.key, path, base, True)
    # The base first: a draft without one could not be merged.
    write_draft(path + ".base", encode_json(entry.fields))
    if not os.path.exists(path):
        write_draft(path, format_draft(entry.fields).encode("utf-8", "surrogatepass"))
        return Opened(entry.key, path, entry.fields, False)
    return Opened(entry.key, path, entry.fields, True)


def run_editor(store: Store, opened: Opened) -> None:
    """Open the editor on a draft, and wait until it is closed.

    Raises:
        GitError: when the editor fails; the draft stays.
    """
    try:
        edit_file(opened.path, store.worktree or os.path.dirname(store.root))
    except GitkbError as error:
        raise _kept(error, opened) from None


def write_edited(store: Store, opened: Opened) -> Edited:
    """Write what a draft says, and remove it.

    Raises:
        FaultyDraftError: when it is no entry.
        DataError: when it holds what looks like a secret.
        NotFoundError: when the entry was forgotten meanwhile.
        StateError: when it was archived meanwhile, or the store cannot be written.
    Whichever it is, the draft stays.
    """
    try:
        given = _read(opened)
        edited = Edited(opened.key, False)
        if given is not None and (fields := _changed(opened.base, given.fields)):
            edited = _write(store, opened, _judged(store, opened, given), fields)
    except GitkbError as error:
        raise _kept(error, opened) from None
    drop_draft(opened)
    return edited


def mark_fault(opened: Opened, error: FaultyDraftError) -> None:
    """Write the fault on top of the draft; where that cannot be, it stays as it was saved."""
    with contextlib.suppress(StateError):
        text = read_draft(opened.path).decode("utf-8", "surrogateescape")
        whole = marked(text, error.reason, error.line)
        write_draft(opened.path, whole.encode("utf-8", "surrogateescape"))


def drop_draft(opened: Opened) -> None:
    """Remove a draft and its base."""
    for path in (opened.path, opened.path + ".base"):
        with contextlib.suppress(OSError):
            os.unlink(path)


def _read_base(path: str) -> Fields | None:
    try:
        return parse_object(read_draft(path + ".base"))
    except (StateError, BadLineError):
        return None  # the entry as it is now will do


def _read(opened: Opened) -> Draft | None:
    data = read_draft(opened.path)
    try:
        given = parse_draft(data.decode("utf-8"), opened.base)
    except UnicodeDecodeError:
        raise FaultyDraftError("it is not text in UTF-8", "see your editor's encoding", 0) from None
    except DraftError as error:
        raise FaultyDraftError(error.reason, "", error.line) from None
    if given is not None and given.fields.get("key") != opened.key:
        line = given.lines.get("key", 0)
        raise FaultyDraftError(f"the key of '{opened.key}' cannot be changed", "", line)
    return given


def _judged(store: Store, opened: Opened, given: Draft) -> dict[str, Json]:
    """Judge the fields one by one, and then together."""
    least = {"key": opened.key, "type": "fact", "content": "-"}
    for name in sorted(given.fields, key=lambda name: given.lines.get(name, 0)):
        if name in opened.base and given.fields[name] == opened.base[name]:
            continue
        _draft(store, {**least, name: given.fields[name]}, given.lines.get(name, 0))
    # What gitkb does not know was judged above, and is not gone over as a whole: a null in it stays.
    known = _draft(store, {name: given.fields[name] for name in given.fields if name in FIELDS}, 0)
    return {**{name: value for name, value in given.fields.items() if name not in FIELDS}, **known}


def _draft(store: Store, fields: Mapping[str, Json], line: int) -> dict[str, Json]:
    try:
        return normalise(draft_fields(fields, store))
    except DataError as error:
        reason = error.message.removeprefix("cannot add: ")
        raise FaultyDraftError(reason, "", line) from None


def _changed(before: Fields, after: Fields) -> tuple[str, ...]:
    old, new = normalise(before), normalise(after)
    return tuple(
        name
        for name in sorted((old.keys() | new.keys()) - _NO_CHANGE)
        if (name in old, encode_sorted(old.get(name)))
        != (name in new, encode_sorted(new.get(name)))
    )


def _write(store: Store, opened: Opened, given: dict[str, Json], fields: tuple[str, ...]) -> Edited:
    with changing(store) as change:
        at = change.find(opened.key)
        if at is not None and isinstance(at.record, Tombstone):
            raise gone(at.record)
        standing = live_entry(change, opened.key)
        given["ts"] = later_than(standing)
        is_merged = encode_sorted(standing.fields) != encode_sorted(opened.base)
        new: Fields = given
        if is_merged:
            new = merge_records(opened.base, standing.fields, given, RULES) or given
        if not _changed(standing.fields, new):
            return Edited(opened.key, False, fields, is_merged)
        _put(change, standing, {**new, "ts": given["ts"]})
        contested = tuple(sorted(_contested(new) - _contested(opened.base)))
        return Edited(opened.key, True, fields, is_merged, contested)


def _contested(fields: Fields) -> set[str]:
    return {str(one["field"]) for one in fields.get("conflicts", ())}


def _put(change: Change, standing: Entry, new: dict[str, Json]) -> None:
    if "category" in new:
        from gitkb.operations.writing.numbering import Row

        row = Row(change)
        row.keep(new, standing.fields)
        row.give(new)
    entry = change.judge(Entry(new))
    apply_supersedes(change, entry, standing)
    change.put(entry, keep_old=True)
    if entry.status == "archived":
        change.archive(entry)
        change.drop(entry.key)


def _kept(error: GitkbError, opened: Opened) -> GitkbError:
    if not os.path.exists(opened.path):  # the editor, or whoever sat at it, removed it
        error.hint = f"nothing was changed; gitkb edit {opened.key} begins anew"
        return error
    kept = f"your draft is kept: gitkb edit {opened.key} goes on from '{opened.path}'"
    error.hint = f"{error.hint}\n{kept}" if error.hint else kept
    return error
