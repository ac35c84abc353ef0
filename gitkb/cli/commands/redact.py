"""gitkb redact"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import one_line, plural
from gitkb.errors import EXIT_DONE, EXIT_NO, GitError, UsageError
from gitkb.operations.history.redact_traces import Held, find_traces
from gitkb.operations.redact import Redaction, redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.call import Call
    from gitkb.store.layout import Store

_SHOWN = 20


def run(call: Call) -> int:
    """Scrub, after a person agreed, and print where the text may still be."""
    stores = [("", call.store), *(_tiers(call) if call["tiers"] else ())]
    planned = [(name, _redact(call, store, dry_run=True)) for name, store in stores]
    if not any(done.entries or done.files for _, done in planned):
        if call.as_json:
            call.answer(_values(planned, [], is_dry=call["dry_run"]))
        else:
            call.write("nothing holds it: nothing was written")
        return EXIT_DONE
    is_dry = bool(call["dry_run"])
    if not is_dry:
        if not call["yes"]:
            _show(call, planned, "would be scrubbed")
        if not _is_agreed(call):
            call.notice("nothing was written")
            return EXIT_NO
    done = planned if is_dry else [(name, _redact(call, store)) for name, store in stores]
    traces, is_seen = _traces(call, stores, done)
    if call.as_json:
        call.answer(_values(done, traces, is_dry=is_dry))
        return EXIT_DONE
    if is_dry or call["yes"]:
        _show(call, done, "would be scrubbed" if is_dry else "scrubbed")
    call.notice("Make the secret invalid where it opens something: that comes before all else.")
    _show_traces(call, traces, is_seen)
    if is_dry:
        call.notice("nothing was written")
    elif call.store.worktree is not None:
        call.notice(
            "hint: git add .gitkb, commit and push; every branch that is merged later stays scrubbed"
        )
    return EXIT_DONE


def _tiers(call: Call) -> list[tuple[str, Store]]:
    from gitkb.operations.tier import read_tiers

    return [(tier.name, tier.store) for tier in read_tiers(call.store)[1:] if tier.writable]


def _redact(call: Call, store: Store, *, dry_run: bool = False) -> Redaction:
    from gitkb.errors import NotFoundError

    try:
        return redact(
            store,
            call["key"],
            call["match"],
            whole=call["all"],
            forget=call["forget"],
            reason=call["reason"] or "",
            dry_run=dry_run,
        )
    except NotFoundError:
        if store is call.store:
            raise
        return Redaction([], [], [], (), False)  # another tier need not know the entry


def _is_agreed(call: Call) -> bool:
    if call["yes"]:
        return True
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            "redact wants to be confirmed, and there is no terminal",
            "look at it with --dry-run, then do it with --yes",
        )
    answer = call.ask("What was not committed cannot be brought back. Scrub it? [y/N]")
    return answer.strip().lower() in ("y", "yes")


def _traces(
    call: Call, stores: Sequence[tuple[str, Store]], done: Sequence[tuple[str, Redaction]]
) -> tuple[list[Held], bool]:
    """Look where the text may still be; false where git could not be asked everywhere."""
    traces: list[Held] = []
    is_seen = True
    for (_, store), (_, redaction) in zip(stores, done, strict=True):
        try:
            traces += find_traces(store, redaction.gone)
        except GitError as error:
            is_seen = False
            call.notice(f"warning: cannot look into git's history: {error.message}")
            first = error.hint or error.general_hint
            call.notice(f"hint: {first}; then look there: git log --all -S TEXT")
    return traces, is_seen


def _show(call: Call, done: Sequence[tuple[str, Redaction]], what: str) -> None:
    for tier, redaction in done:
        where = f" in the tier {tier}" if tier else ""
        for entry in redaction.entries:
            fields = ", ".join(entry.fields) or "all"
            fate = ", and a tombstone takes its place" if entry.forgotten else ""
            call.write(
                f"{what}{where}: {entry.key}  {one_line(fields)} ({plural(entry.lines, 'line')}){fate}"
            )
        if redaction.is_whole:
            call.write("nothing in it looks like a secret, or --all was said: all its text")
        for name in redaction.files:
            call.write(f"{what}{where}: {name}")
        if redaction.unread:
            places = ", ".join(redaction.unread[:5])
            call.notice(f"warning: lines that cannot be read were not looked at: {places}")


def _show_traces(call: Call, traces: Sequence[Held], is_seen: bool) -> None:
    if not traces:
        call.notice(
            "No commit that this clone knows holds it."
            if is_seen
            else "Whether a commit still holds it is not known."
        )
        return
    call.notice("It may still be in:")
    for held in traces[:_SHOWN]:
        call.notice(f"  {held.kind} {one_line(held.name)}: {one_line(held.command)}")
    if len(traces) > _SHOWN:
        call.notice(f"  … and {len(traces) - _SHOWN} more places: --json names them all")


def _values(
    done: Sequence[tuple[str, Redaction]], traces: Sequence[Held], *, is_dry: bool
) -> dict[str, object]:
    return {
        "redacted": [
            {**entry._asdict(), "fields": list(entry.fields), **({"tier": tier} if tier else {})}
            for tier, redaction in done
            for entry in redaction.entries
        ],
        "files": [name for _, redaction in done for name in redaction.files],
        "unread": [place for _, redaction in done for place in redaction.unread],
        "dry_run": is_dry,
        "held": [held._asdict() for held in traces],
    }


VERB = Verb(
    "redact",
    "Scrub a text from everything that is kept.",
    run,
    (Argument("KEY", required=False, many=True),),
    (
        Option(
            "match",
            "Scrub what this regular expression finds, in all entries or in KEY.",
            metavar="REGEX",
        ),
        Option("all", "Scrub all text of KEY, not only what looks like a secret.", "flag"),
        Option("forget", "Leave a tombstone in place of KEY, and nothing in the archive.", "flag"),
        Option("reason", "With --forget: why, for those who look for it.", metavar="TEXT"),
        Option("tiers", "In the workstation's store and other tiers as well.", "flag"),
        Option("dry-run", "Say what would be done, and write nothing.", "flag"),
        Option("yes", "Do not ask.", "flag"),
    ),
    """
Of KEY goes what looks like a secret, wherever it stands in the store; if nothing in it does, all its text.
[redacted] takes its place, in every field and every archived version; the search index is built anew, and views
and open sessions are scrubbed too. All is written, or nothing. A merge with a branch that still has the text does
not bring it back, and what that branch changed in the same field is lost.

It asks first; without a terminal it wants --yes. It cannot be undone, but what was committed is in git's history:
commits, branches, tags, stashes, remotes and worktrees that hold the text are listed, each with the command for it.

$ gitkb redact pit_qk3w6rnm
$ gitkb redact --match 'ghp_[A-Za-z0-9]{36}' --dry-run
$ gitkb redact pit_qk3w6rnm --forget --yes
""",
)
