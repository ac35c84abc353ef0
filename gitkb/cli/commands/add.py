"""gitkb add"""

from __future__ import annotations

import os
import sys

from gitkb.cli.arguments import Option, Verb
from gitkb.core.entry import CATEGORIES, FIELDS, SCOPES, STATUSES, TYPES
from gitkb.errors import UsageError
from gitkb.operations.add import add, add_batch, parse_given
from gitkb.operations.writing.draft import SEVERITIES
from gitkb.operations.writing.put import Added, Refused
from gitkb.operations.writing.similar import is_almost_certain, is_double
from gitkb.store.home_path import PROJECT
from gitkb.store.secret_gate import allowing_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.store.layout import Store

_FIELD_OPTIONS = (
    Option("key", "The key; without one it is made from type and title.", metavar="KEY"),
    Option("type", f"What kind of knowledge: {', '.join(TYPES)}.", metavar="TYPE"),
    Option("title", "One line: the thing itself, not its topic.", metavar="TEXT"),
    Option("content", "The knowledge, above all the why.", metavar="TEXT"),
    Option("tag", "A topic; repeatable.", "texts", "TAG"),
    Option("file", "A path it is about, from the top; repeatable.", "texts", "PATH"),
    Option("stack", "A technology it holds for; repeatable.", "texts", "NAME"),
    Option("importance", "1 (a detail) to 5 (everything rests on it).", "number", "1-5"),
    Option(
        "severity",
        "Importance as a word: critical 5, high 4, medium 3, low 2.",
        "choice",
        choices=tuple(SEVERITIES),
    ),
    Option("category", "Its field: technical, architecture, anti-pattern, …", metavar="NAME"),
    Option("scope", "How far a learning reaches: judged unless told.", "choice", choices=SCOPES),
    Option("status", "Whether it still holds: active unless told.", "choice", choices=STATUSES),
    Option("source", "Where it comes from: agent, user, adr:PATH, …", metavar="TEXT"),
    Option("issue", "The issue it belongs to.", metavar="ID"),
    Option("review-by", "The day after which it counts as stale: YYYY-MM-DD.", metavar="DAY"),
)
_PLURALS = {"tag": "tags", "file": "files"}


def run(call: Call) -> int:
    """Write what is given, and answer with one JSON object an entry."""
    given = {
        _PLURALS.get(option.dest, option.dest): call[option.dest]
        for option in _FIELD_OPTIONS
        if call[option.dest] not in (None, [])
    }
    with allowing_secrets(call["allow_secret"]):
        return _run(call, given)


def _run(call: Call, given: dict[str, Any]) -> int:
    if call["batch"]:
        if given:
            raise UsageError(
                "--batch goes with no field option: it reads whole entries",
                "gitkb add --batch <FILE",
            )
        return _run_batch(call)
    _refuse_two_weights(given)
    if not given:
        given = parse_given(_read_stdin())
    store = _store_for(call) if given.get("category") else call.store
    added = add(store, given, strict=call["strict"], by_person=_is_by_person(call))
    call.answer(_value(added))
    for name, field in _iter_misspelt(given):
        call.notice(f"note: '{name}' is kept, but means nothing to gitkb: is it '{field}'?")
    if added.emptied:
        call.notice(f"note: it no longer has {', '.join(added.emptied)}: gitkb log {added.key}")
    if added.revived:
        call.notice(f"note: '{added.key}' had been forgotten, and lives again")
    for note in added.notes:
        call.notice(f"note: {note}")
    if store is not None and added.tier:
        _tell_of_learning(call, store, added, str(given["category"]))
    _tell_similar(call, added, str(given.get("title", "")))
    return int(added.refused)


def _refuse_two_weights(given: dict[str, Any]) -> None:
    importance, severity = given.get("importance"), given.get("severity")
    if severity is not None and importance not in (None, SEVERITIES[severity]):
        raise UsageError(
            f"--importance {importance} and --severity {severity} say two things",
            f"give one of them; {severity} is {SEVERITIES[severity]}",
        )


def _tell_of_learning(call: Call, store: Store, added: Added, category: str) -> None:
    """Say where a new learning went if colleagues do not see it there, and if nobody knows its category."""
    if not added.written or added.superseded:
        return
    if added.tier != PROJECT:
        call.notice(
            f"note: written to the tier '{added.tier}', not to this repository: "
            f"gitkb demote {added.key} brings it here"
        )
    if category not in CATEGORIES:
        from gitkb.store.config import read_config

        table = read_config(store).values.get("categories")
        extra = table.get("extra") if isinstance(table, dict) else ()
        if category not in (extra if isinstance(extra, list) else ()):
            call.notice(
                f"note: unknown category '{category}', not one of {', '.join(CATEGORIES)}; "
                "config.toml adds more: [categories] extra"
            )


def _store_for(call: Call) -> Store | None:
    """The project's store; None where there is none, since a learning may be another tier's."""
    from gitkb.errors import NotFoundError

    try:
        return call.store
    except NotFoundError:
        if call.directory or os.environ.get("GITKB_DIR"):
            raise
        return None


def _is_by_person(call: Call) -> bool:
    return bool(call["scope"]) and sys.stdin is not None and sys.stdin.isatty()


def _tell_similar(call: Call, added: Added, title: str) -> None:
    """Name what says much the same, and what to do about it."""
    for other in added.similar:
        if added.refused:
            call.notice(f"error: not added: '{other.key}' is much like it ({other.score:.2f})")
        elif is_almost_certain(other):
            call.notice(
                f"warning: '{other.key}' seems to say the same ({other.score:.2f}): {other.title}"
            )
        elif is_double("", other):
            call.notice(
                f"note: '{other.key}' says much the same ({other.score:.2f}): {other.title}"
            )
        elif is_double(title, other):
            call.notice(f"note: '{other.key}' has the same title")
        else:
            continue
        call.notice(f"hint: gitkb show {other.key}")


def _iter_misspelt(given: Iterable[str]) -> Iterator[tuple[str, str]]:
    unknown = [name for name in given if name not in FIELDS]
    if unknown:
        from difflib import get_close_matches  # dear, and seldom needed

        for name in unknown:
            for field in get_close_matches(name, FIELDS, 1, 0.8):
                yield name, field


def _run_batch(call: Call) -> int:
    code = 0
    lines = _read_stdin().split(b"\n")
    for result in add_batch(_store_for(call), lines, strict=call["strict"]):
        if isinstance(result, Refused):
            code = max(code, result.error.exit_code)
            call.notice(f"error: line {result.line}: {result.error.message}")
            if result.error.hint:
                call.notice(f"hint: {result.error.hint}")
        else:
            call.answer(_value(result))
            for note in result.notes:
                call.notice(f"note: '{result.key}': {note}")
            _tell_similar(call, result, "")
            code = max(code, int(result.refused))
    return code


def _read_stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError(
            "nothing to add: give a JSON object on stdin, or fields as options",
            "gitkb add --type decision --title 'Money is kept in cents' --content 'Because …'",
        )
    return sys.stdin.buffer.read()


def _value(added: Added) -> dict[str, Any]:
    value: dict[str, Any] = {
        "written": added.written,
        "superseded": added.superseded,
        "key": added.key,
    }
    if added.refused:
        value["refused"] = True
    if added.tier:
        value |= {"alias": added.alias, "scope": added.scope, "tier": added.tier}
        if added.reasons:
            value["reasons"] = list(added.reasons)
    if added.revived:
        value["revived"] = True
    if added.similar:
        value["similar"] = [other._asdict() for other in added.similar]
    return value


VERB = Verb(
    "add",
    "Write an entry, or correct one.",
    run,
    (),
    (
        *_FIELD_OPTIONS,
        Option("strict", "Write nothing new that an entry says already.", "flag"),
        Option(
            "allow-secret",
            "Write what looks like a secret, and keep on the entry why it is none.",
            metavar="REASON",
        ),
        Option("batch", "Read one JSON object a line; good lines are written.", "flag"),
        # The answer is JSON in any case; who asks for it is not wrong.
        Option("json", "The answer is always JSON.", "flag", hidden=True),
    ),
    """
Reads one JSON object on stdin, or takes the fields as options.

To correct an entry, say the same type and title again: what you give is new, tags and files are
added to those it has, all else stays. With its key you give the whole entry: a title, tag or file
that you leave out is gone from it. Name the key, too, where you chose it yourself or the title has
changed since. Either way the old version moves to the archive. If nothing but the time differs,
nothing is written.

With a category the entry is a learning. It gets a number, such as L-007; what concerns this project
alone is written here, and what other projects need as well to your workstation, which your team does
not see: --scope says which, else the rules of gitkb classify do.

The answer is one line of JSON: {"written":…,"superseded":…,"key":…}. A "superseded":true that you
did not expect means that you have just replaced what somebody knew: gitkb log KEY.

Under "similar" the answer names the active entries with the same title, and up to three that are
nearest in their words, each with a score from 0 to 1. From 0.55 on it is worth a look, from 0.75 on
it most likely says the same. With --strict, a new entry with such a neighbour (the same title, or
0.55 and more) is not written: the answer says "refused":true, and the exit code is 1.

What looks like a secret (a key, a token, a password) is not written. If it is none, --allow-secret says why:
the entry keeps the reason and accepts exactly that text, here and in every clone.

$ echo '{"type":"decision","title":"Money is kept in cents","content":"…"}' | gitkb add
$ gitkb add --type learned --content 'MUST-CHECK: the clock of the CI is UTC' --tag ci
""",
    reads=False,
)
