"""Scrub a text from everything that a store keeps, so that no merge brings it back.

1. What is to go is said by an entry, a regular expression, or both. Of an entry alone that is what looks
   like a secret in it; where nothing does, or `whole`, all its text.
2. The mark stands where the text stood, and the entry stays; with `forget` a tombstone takes its place.
3. Every version in the archive is scrubbed as well, and each line of an entry notes what was scrubbed, which
   is how a merge with a branch that still has the text knows (`core.merge.redacted`).
4. Nothing here reaches into git's history: `redact_traces` says where the text may still be.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from gitkb.core.alias import parse_alias
from gitkb.core.entry import Entry, Tombstone
from gitkb.core.identity import ARCHIVE
from gitkb.core.secrets.allowance import ALLOWED, is_allowed
from gitkb.core.secrets.redaction import (
    MARK,
    REDACTED,
    make_notes,
    notes_of,
    scrub_fields,
    with_notes,
)
from gitkb.core.secrets.text import as_seen, joined
from gitkb.errors import StateError, UsageError
from gitkb.git.identity import user_name
from gitkb.operations.reading.time_limit import TooLongError, time_limit
from gitkb.operations.writing.absent import not_found
from gitkb.operations.writing.clock import later_than
from gitkb.store.layout import DERIVED_NAME
from gitkb.store.scrub import drop_derived, scrub_sessions, scrub_views, scrubbing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitkb.core.canonical import Fields, Json
    from gitkb.core.snapshot import Located
    from gitkb.store.layout import Store
    from gitkb.store.scrub import Scrubbing

_LEAST = 4
"""Letters of a text that is looked for beyond the entry that held it."""
_between = r"[\s\\\u200b-\u200f\u2060\ufeff\u00ad]{0,8}"


class Redacted(NamedTuple):
    """An entry from which something was scrubbed."""

    key: str
    fields: tuple[str, ...]
    lines: int
    """In how many lines, versions in the archive included."""
    forgotten: bool = False


class Redaction(NamedTuple):
    """What was scrubbed, or in a dry run would be."""

    entries: list[Redacted]
    files: list[str]
    """Views and open sessions that held it."""
    unread: list[str]
    """Lines that cannot be read, and were not scrubbed."""
    gone: tuple[str, ...]
    """The texts themselves: for finding them elsewhere, not for showing."""
    is_whole: bool
    """All text of the named entries was scrubbed."""


class _DryRunError(Exception):
    """Ends a dry run before anything is written."""


class Scrubber:
    """Takes what is to go out of texts, and remembers it."""

    def __init__(self, pattern: re.Pattern[str] | None, texts: Iterable[str] = ()) -> None:
        self._pattern = pattern
        self._texts = sorted({text for text in texts if text}, key=lambda text: (-len(text), text))
        self.gone: dict[str, None] = {}

    def __call__(self, text: str) -> str:
        for secret in self._texts:
            text = self._without(text, secret)
        return text if self._pattern is None else self._without_matches(text, self._pattern)

    def _without_matches(self, text: str, pattern: re.Pattern[str]) -> str:
        try:
            with time_limit(_PATIENCE):
                return pattern.sub(self._taken, text)
        except TooLongError:
            raise UsageError(
                f"the expression takes longer than {_PATIENCE:g} s on a text of {len(text)} characters",
                "repeat single letters and classes alone, and no group: 'ghp_[0-9a-zA-Z]+'",
            ) from None

    def _without(self, text: str, secret: str) -> str:
        if secret in text:
            self.gone[secret] = None
            return text.replace(secret, MARK)
        if len(secret) < _LONG_TEXT and secret in joined(as_seen(text)):
            spread = re.compile(_between.join(map(re.escape, secret)))
            return spread.sub(self._taken, text)
        return text

    def _taken(self, found: re.Match[str]) -> str:
        if found[0] and found[0] != MARK:
            self.gone[found[0]] = None
            return MARK
        return found[0]


_LONG_TEXT = 5_000
_PATIENCE = 5.0
"""Seconds for one text, which is some thousand times what an expression takes that does not try in vain."""


def redact(
    store: Store,
    names: Sequence[str] = (),
    match: str | None = None,
    *,
    whole: bool = False,
    forget: bool = False,
    reason: str = "",
    dry_run: bool = False,
) -> Redaction:
    """Scrub entries named by key or alias, or whatever an expression finds; all of it or nothing.

    Raises:
        UsageError: when neither is given, or the expression is none, finds the empty text or takes for ever.
        NotFoundError: when a named entry is not there.
        StateError: when a key itself holds the text; when the store is locked, in conflict, full or read-only.
    """
    pattern = _compiled(match)
    if not names and pattern is None:
        raise UsageError(
            "nothing to redact is named", "gitkb redact KEY, or gitkb redact --match REGEX"
        )
    if whole and not names:
        raise UsageError("all text of an entry goes by its key", "gitkb redact KEY --all")
    result = None
    try:
        with scrubbing(store) as work:
            result = _scrub(work, names, pattern, whole, forget, reason)
            scrub = Scrubber(None, [text for text in result.gone if len(text) >= _LEAST])
            files = scrub_views(store, scrub, dry_run=dry_run)
            result = result._replace(files=files)
            if dry_run:
                raise _DryRunError
    except _DryRunError:
        pass
    if result is None:  # the work above gives one, or raises
        raise StateError("nothing was scrubbed", "gitkb redact --help")
    sessions = scrub_sessions(store, scrub, dry_run=dry_run)  # each takes the lock itself
    result = result._replace(files=[*result.files, *sessions])
    if not dry_run and (result.entries or result.files):
        drop_derived(_derived_folders(store))
    return result


def _compiled(match: str | None) -> re.Pattern[str] | None:
    if match is None:
        return None
    try:
        pattern = re.compile(match)
    except (re.error, RecursionError, OverflowError) as error:
        raise UsageError(
            f"'--match' is no regular expression: {error}", "gitkb redact --match 'ghp_\\w+'"
        ) from None
    if pattern.search("") is not None:
        raise UsageError(
            "'--match' finds the empty text, which is everywhere",
            "say what has to be there: 'a+', not 'a*'",
        )
    return pattern


def _scrub(
    work: Scrubbing,
    names: Sequence[str],
    pattern: re.Pattern[str] | None,
    whole: bool,
    forget: bool,
    reason: str,
) -> Redaction:
    by_key: dict[str, list[Located]] = {}
    for at in work.lines:
        by_key.setdefault(at.record.key, []).append(at)
    keys = [_key_of(by_key, name) for name in dict.fromkeys(names)]
    texts: list[str] = []
    if keys and pattern is None and not whole:
        texts = [text for key in keys for text in _secrets_in(by_key[key])]
    is_whole = bool(keys) and (whole or (pattern is None and not texts))
    scrub: Callable[[str], str] = Scrubber(pattern, texts)
    everything = _Everything()
    entries = []
    for key, lines in sorted(by_key.items()):
        is_named = key in keys
        if keys and not is_named and (pattern is not None or is_whole):
            continue
        chosen = everything if is_named and is_whole else scrub
        if chosen(key) != key and chosen is not everything:
            raise StateError(
                f"the key '{key}' itself holds the text, and a key cannot be scrubbed",
                f"write it again under another key, then gitkb forget {key}, and gitkb gc when every branch "
                "knows of that; git filter-repo --replace-text takes the old key out of git's history",
            )
        done = _scrub_entry(work, key, lines, chosen, forget and is_named, reason)
        if done is not None:
            entries.append(done)
    gone = [*everything.gone, *(scrub.gone if isinstance(scrub, Scrubber) else ())]
    return Redaction(entries, [], work.unread, tuple(dict.fromkeys(gone)), is_whole)


class _Everything:
    """Takes every text whole, but for what gitkb itself says of where it comes from."""

    def __init__(self) -> None:
        self.gone: dict[str, None] = {}

    def __call__(self, text: str) -> str:
        if text in ("", MARK, "agent", "user"):
            return text
        self.gone[text] = None
        return MARK


def _key_of(by_key: dict[str, list[Located]], name: str) -> str:
    if name in by_key:
        return name
    for key, lines in sorted(by_key.items()):
        if any(name in at.record.fields.get("aliases", ()) for at in lines):
            return key
    raise not_found(name)


def _secrets_in(lines: Iterable[Located]) -> list[str]:
    """Give what looks like a secret in lines, also what somebody allowed."""
    from gitkb.schema.secret_scan import find_secrets
    from gitkb.schema.secret_settings import SecretSettings

    found = []
    for at in lines:
        fields = {name: value for name, value in at.record.fields.items() if name != ALLOWED}
        found += [one.text for one in find_secrets(fields, SecretSettings())]
    return found


def _scrub_entry(
    work: Scrubbing,
    key: str,
    lines: list[Located],
    scrub: Callable[[str], str],
    forget: bool,
    reason: str,
) -> Redacted | None:
    cleaned = [(at, *scrub_fields(at.record.fields, scrub)) for at in lines]
    changed = sorted({name for _, _, names in cleaned for name in names})
    if (not changed and not forget) or (forget and _is_gone(cleaned, scrub)):
        return None
    held = sum(bool(names) for _, _, names in cleaned)
    notes = make_notes(
        {"key": key, "lines": [fields for _, fields, _ in cleaned]}, changed or ["content"]
    )
    current = [(at, fields) for at, fields, _ in cleaned if not at.file.startswith(ARCHIVE)]
    for at, fields, _ in cleaned:
        if not at.file.startswith(ARCHIVE):
            continue
        if forget:
            work.remove(at)
        else:
            work.replace(at, _record(at, with_notes(_with_leaves(at.record.fields, fields), notes)))
    latest = max(current, key=lambda pair: pair[0].standing, default=None)
    for at, fields in current:
        noted = with_notes(_with_leaves(at.record.fields, fields), notes)
        if forget:
            work.replace(at, _tombstone(work, at, notes, reason))
        else:
            work.replace(at, _record(at, {**noted, "ts": later_than(at.record)}))
        if latest is not None and at is latest[0] and isinstance(at.record, Entry) and not forget:
            work.archive(Entry(noted))
    if forget:
        work.archive(Entry(_stub(lines, notes)))
    return Redacted(key, tuple(changed), held, forget)


def _is_gone(
    cleaned: Iterable[tuple[Located, Fields, list[str]]], scrub: Callable[[str], str]
) -> bool:
    """Whether an entry was scrubbed and forgotten before, and nothing of it is left to scrub."""
    said = {"by", "reason"} if isinstance(scrub, _Everything) else set()
    current = [at.record.fields for at, _, _ in cleaned if not at.file.startswith(ARCHIVE)]
    return (
        bool(current)
        and all("deleted" in fields and notes_of(fields) for fields in current)
        and not any(set(names) - said for _, _, names in cleaned)
    )


def _record(at: Located, fields: Fields) -> Entry | Tombstone:
    return Tombstone(fields) if isinstance(at.record, Tombstone) else Entry(fields)


def _tombstone(work: Scrubbing, at: Located, notes: list[str], reason: str) -> Tombstone:
    fields: dict[str, Json] = {"key": at.record.key, "deleted": True, "ts": later_than(at.record)}
    if REDACTED in at.record.fields:
        fields[REDACTED] = at.record.fields[REDACTED]
    by = user_name(work.store.worktree)
    fields |= {name: text for name, text in (("by", by), ("reason", reason)) if text}
    numbers = [name for name in at.record.fields.get("aliases", ()) if parse_alias(name)]
    if numbers:  # a number that was given never means another entry
        fields["aliases"] = numbers
    return Tombstone(with_notes(fields, notes))


def _stub(lines: list[Located], notes: list[str]) -> dict[str, Json]:
    """What stays in the archive of a forgotten entry, to tell a merge what is not to come back."""
    last = max(lines, key=lambda at: at.age).record.fields
    kept = {name: last[name] for name in ("key", "type", "created", "ts") if name in last}
    return with_notes(
        {"type": "note", **kept, "title": MARK, REDACTED: last.get(REDACTED, [])}, notes
    )


def _with_leaves(old: Fields, new: dict[str, Json]) -> dict[str, Json]:
    """Keep the leaves that still name a text: one for what was scrubbed would betray it."""
    leaves = new.pop(ALLOWED, None)
    if not leaves:
        return new
    from gitkb.schema.secret_scan import find_secrets
    from gitkb.schema.secret_settings import SecretSettings

    texts = [one.text for one in find_secrets(new, SecretSettings())]
    kept = [
        leave for leave in leaves if any(is_allowed({**new, ALLOWED: [leave]}, t) for t in texts)
    ]
    return {**new, ALLOWED: kept} if kept else new


def _derived_folders(store: Store) -> list[str]:
    """The folders for derived files of this worktree and of the others of its repository."""
    folders = [store.derived, store.shared]
    if os.path.basename(store.shared) == DERIVED_NAME:
        linked = os.path.join(os.path.dirname(store.shared), "worktrees")
        if os.path.isdir(linked):
            names = sorted(os.listdir(linked))
            folders += [os.path.join(linked, name, DERIVED_NAME) for name in names]
    return list(dict.fromkeys(folders))
