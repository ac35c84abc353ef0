"""gitkb resolve"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_contest import contest_lines, contest_values, resolve_commands
from gitkb.cli.render_text import plural, told_line
from gitkb.errors import EXIT_DONE, EXIT_NO, UsageError
from gitkb.operations.conflicts import conflicts
from gitkb.operations.contests.edit import edit
from gitkb.operations.contests.file import resolve_files, resolve_store
from gitkb.operations.contests.place import sort_names
from gitkb.operations.resolve import keep_both, take, take_each
from gitkb.store.secret_gate import allowing_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.contests.contested import Contested
    from gitkb.operations.contests.file import ResolvedFiles
    from gitkb.operations.resolve import Settled

_VALUE_LENGTH = 2_000


def run(call: Call) -> int:
    """Settle entries or files, or show the choices."""
    names = sort_names(call["name"])
    ways = [
        word
        for word in ("take", "both", "edit")
        if call[word] is not None and call[word] is not False
    ]
    if len(ways) > 1:
        raise UsageError(f"--{ways[0]} and --{ways[1]} say two things", "gitkb resolve --help")
    if not names.entries:
        if ways or call["field"]:
            raise UsageError(
                f"--{ways[0] if ways else 'field'} goes with the key of an entry",
                "gitkb conflicts lists them",
            )
        return _resolve_files(call, names.files)
    with allowing_secrets(call["allow_secret"]):
        return _resolve_entries(call, names.entries, bool(ways))


def _resolve_entries(call: Call, names: Sequence[str], is_said: bool) -> int:
    if not is_said:
        return _ask(call, names)
    if call["edit"]:
        return _edit(call, names)
    if call["both"]:
        return _tell(call, keep_both(call.store, names, call["field"]))
    return _tell(call, take(call.store, names, call["take"], call["field"]))


def _edit(call: Call, names: Sequence[str]) -> int:
    if len(names) > 1:
        raise UsageError("one entry at a time can be edited", f"gitkb resolve {names[0]} --edit")
    edited = edit(call.store, names[0], call["field"])
    if edited.is_old:
        call.notice("note: the editor went on from the draft that an earlier edit had left")
    settled = edited.settled
    if not settled.fields and not call.as_json and _find(call, settled.key):
        call.notice("nothing was changed, so nothing is settled")
        call.notice(f"hint: gitkb resolve {settled.key} --take 1 keeps what is shown")
        return EXIT_NO
    return _tell(call, [settled])


def _find(call: Call, key: str) -> list[Contested]:
    return conflicts(call.store, [key]).entries


def _tell(call: Call, done: Sequence[Settled]) -> int:
    if call.as_json:
        values = [one._asdict() for one in done]
        call.answer([{name: _plain(value) for name, value in one.items()} for one in values])
        return EXIT_DONE
    for one in done:
        if not one.fields:
            call.write(f"{one.key} is not contested")
            continue
        call.write_lines([told_line("settled", one.key, f": {', '.join(one.fields)}")])
        for key in one.also:
            call.write(f"{key} holds the other value, and relates to {one.key}")
        if one.left:
            call.notice(f"note: still contested: {', '.join(one.left)}")
        call.notice(f"hint: what it said before: gitkb log {one.key}")
    return EXIT_DONE


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _ask(call: Call, names: Sequence[str]) -> int:
    """Show the choices; ask at a terminal, else name the commands."""
    found = conflicts(call.store, names)
    if call.as_json:
        call.answer(contest_values(found))
        return EXIT_NO if found.entries else EXIT_DONE
    if not found.entries:
        for name in names:
            call.write(f"{name} is not contested")
        return EXIT_DONE
    call.write_lines(contest_lines(found, _VALUE_LENGTH))
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stdout.isatty():
        for entry in found.entries:
            for command in resolve_commands(entry):
                call.notice(f"hint: {command}")
        return EXIT_NO
    for entry in found.entries:
        if not _ask_one(call, entry):
            return EXIT_NO
    return EXIT_DONE


def _ask_one(call: Call, entry: Contested) -> bool:
    chosen: dict[str, int] = {}
    for contest in entry.contests:
        if entry.is_kept_change(contest):
            call.notice(f"hint: gitkb promote {entry.key}")
            return False
        answer = _answer(call, f"{entry.key}, {contest.field}", len(contest.choices))
        if answer == "e":
            return _edit(call, [entry.key]) == EXIT_DONE
        if answer == "b":
            return _tell(call, keep_both(call.store, [entry.key])) == EXIT_DONE
        if not answer:
            call.notice(f"{entry.key} was left as it is")
            return False
        chosen[contest.field] = int(answer)
    return _tell(call, take_each(call.store, {entry.key: chosen})) == EXIT_DONE


def _answer(call: Call, what: str, last: int) -> str:
    """Ask until the answer is one of those offered; empty for leaving it."""
    allowed = {*map(str, range(1, last + 1)), "b", "e"}
    while True:
        line = call.ask(f"{what}: take 1 to {last}, (b)oth as two entries, (e)dit, (q)uit?")
        answer = line.strip().lower()[:3]
        if not line or answer in ("q", "quit"):
            return ""
        answer = answer[:1] if answer[:1] in ("b", "e") else answer
        if answer in allowed:
            return answer


def _resolve_files(call: Call, files: Sequence[str]) -> int:
    result = resolve_files(files) if files else resolve_store(call.store)
    code = EXIT_DONE if result.is_done else EXIT_NO
    if call.as_json:
        call.answer(
            {
                "files": [
                    {**one._asdict(), "contested": list(one.contested)} for one in result.files
                ],
                "problems": [problem._asdict() for problem in result.problems],
                "left": result.left,
                "next": result.next,
            }
        )
        return code
    _tell_files(call, result)
    return code


def _tell_files(call: Call, result: ResolvedFiles) -> None:
    for one in result.files:
        if one.source == "nothing":
            call.write(f"{one.file} is in no conflict")
        else:
            how = "from the three stages, staged" if one.staged else "from its markers"
            call.write(f"resolved {one.file} {how}")
    call.report(result.problems)
    contested = [key for one in result.files for key in one.contested]
    for key in contested:
        call.notice(f"note: '{key}' is contested: gitkb resolve {key}")
    staged = [one.file for one in result.files if one.staged]
    by_markers = [one.file for one in result.files if one.source == "markers"]
    if staged:
        call.notice("hint: git checkout -m -- FILE takes one back")
    if by_markers:
        call.notice("hint: git diff shows what changed, git add stages it")
    if result.left:
        call.notice(f"left in conflict: {', '.join(result.left)}")
    elif staged:
        call.notice(f"nothing else is in conflict{': ' + result.next if result.next else ''}")
    if not result.files and not result.problems:
        call.write("no file is in conflict")
        entries = conflicts(call.store).entries
        if entries:
            call.notice(
                f"note: {plural(len(entries), 'entry is', 'entries are')} contested: gitkb conflicts"
            )


VERB = Verb(
    "resolve",
    "Settle a contested entry, or a file in conflict.",
    run,
    (Argument("NAME", required=False, many=True),),
    (
        Option(
            "take", "Take this value of each contested field; 1 is the one shown.", "number", "N"
        ),
        Option("both", "Keep both, as two entries that are linked.", "flag"),
        Option("edit", "Write the entry as it should be in your editor.", "flag"),
        Option("field", "Settle this field alone; repeatable.", "texts", "FIELD"),
        Option(
            "allow-secret",
            "Write what looks like a secret, and keep on the entry why it is none.",
            metavar="REASON",
        ),
    ),
    """
NAME is the key of an entry, or the path of a data file. Without NAME, every file of the store that is in
conflict.

Of an entry: the value taken stands, and the version before goes to the archive with the values that were
not taken. With --both the other value becomes an entry with its own key, linked by relates_to. With
--edit a draft opens in the editor that git would open; what is saved is checked before it is written, and
a draft that does not pass is kept for the next --edit. Without any of these it asks; where there is no
terminal it shows the choices and the commands, exit 1.

Of a file: the merge driver's own merge, from the three stages that git keeps of a file in conflict, or
from the markers that stand in it. It works where the driver was not installed or failed, also in the
middle of a rebase, a cherry-pick or a stash pop. A file from its stages is staged; one that cannot be
merged by key is left as it is, exit 1.

$ gitkb resolve dec_k3x9q2mf --take 2
$ gitkb resolve
""",
)
