"""gitkb setup"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.core.agents.rules import NEXT_STEPS, TITLES
from gitkb.errors import EXIT_DONE, EXIT_NO, NotFoundError
from gitkb.operations.agents.setup import apply_plan, plan_setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.agents.setup import Item, Plan
    from gitkb.store.layout import Store


def run(call: Call) -> int:
    """Show what changes in the agents' files, ask, and write it."""
    plan = plan_setup(_store(call), call["agent"], remove=call["remove"])
    is_refused = any(item.action == "refused" for item in plan.items)
    dry = call["dry_run"]
    if not call.as_json:
        for item in plan.changes:
            _show_diff(call, item)
    if not dry and plan.changes:
        if not _is_agreed(call):
            call.notice("nothing was changed")
            return EXIT_NO
        apply_plan(plan)
    if call.as_json:
        call.answer(_value(plan, written=not dry and bool(plan.changes)))
        return EXIT_NO if is_refused else EXIT_DONE
    for line in _summary(plan, call["remove"], dry):
        call.write(line)
    for note in plan.notes:
        call.notice(f"note: {note}")
    return EXIT_NO if is_refused else EXIT_DONE


def _store(call: Call) -> Store | None:
    """Give the store. Who takes gitkb out may have removed it first."""
    try:
        return call.store
    except NotFoundError:
        if call["remove"] and not call.directory:
            return None
        raise


def _is_agreed(call: Call) -> bool:
    """Ask, where there is a person to ask; without one the call itself is the answer."""
    if (
        call["yes"]
        or call.as_json
        or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())
    ):
        return True
    call.write("")
    sys.stdout.write("Write this? [Y/n] ")
    sys.stdout.flush()
    said = sys.stdin.readline()
    if not said:  # the end of the input agrees to nothing
        return False
    return said.strip().lower() in ("", "y", "yes")


def _show_diff(call: Call, item: Item) -> None:
    lines = _diff(item)
    if call.screen is not None:
        from gitkb.cli.terminal.diff_paint import unified_lines

        call.write_document(unified_lines(lines))
    else:
        call.write("\n".join(lines))


def _diff(item: Item) -> Iterator[str]:
    from difflib import unified_diff

    old, new = (_lines(data) for data in (item.before, item.after))
    name = "/dev/null" if item.before is None else f"a/{item.path}"
    other = "/dev/null" if item.after is None else f"b/{item.path}"
    for line in unified_diff(old, new, name, other):
        text = line.removesuffix("\n").removesuffix("\r")
        yield text
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _lines(data: bytes | None) -> list[str]:
    text = (data or b"").decode("utf-8", "replace")
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def _summary(plan: Plan, remove: bool, dry: bool) -> Iterator[str]:
    if plan.changes:
        yield ""
    for item in plan.items:
        names = ", ".join(TITLES[agent] for agent in item.agents)
        if item.action == "refused":
            yield f"left     {item.path} ({names}): {item.why}"
            if item.paste:
                yield "         to have it all the same, put this there:"
                yield from (f"    {line}".rstrip() for line in item.paste.splitlines())
        elif item.before is None and item.after is None:
            yield f"no       {item.path} ({names}): nothing to take out"
        else:
            word = "kept" if item.action == "kept" else item.action
            yield f"{word:8} {item.path} ({names})"
    if dry and plan.changes:
        yield "Nothing was written: this was a dry run."
    elif plan.changes and not remove:
        yield "Commit these files, and everybody who works here with the agent has it."
        yield from _next_steps(plan)
    elif not plan.changes and not any(item.action == "refused" for item in plan.items):
        yield "Nothing to do."


def _next_steps(plan: Plan) -> Iterator[str]:
    changed = {agent for item in plan.changes for agent in item.agents}
    for agent, step in NEXT_STEPS.items():
        if agent in changed:
            yield f"Next, in {TITLES[agent]}: {step}"


def _value(plan: Plan, *, written: bool) -> dict[str, Any]:
    files = []
    for item in plan.items:
        value: dict[str, Any] = {
            "path": item.path,
            "agents": list(item.agents),
            "action": item.action,
        }
        if item.why:
            value["why"] = item.why
        if item.paste:
            value["paste"] = item.paste
        if item.before != item.after:
            value["diff"] = "\n".join(_diff(item)) + "\n"
        files.append(value)
    return {"written": written, "files": files, "notes": list(plan.notes)}


VERB = Verb(
    "setup",
    "Put gitkb into the files of a coding agent.",
    run,
    (Argument("AGENT", many=True),),
    (
        Option("remove", "Take it out again, byte for byte.", "flag"),
        Option("dry-run", "Only show what would change.", "flag"),
        Option("yes", "Do not ask.", "flag"),
    ),
    """
AGENT is claude (Claude Code), cursor, codex, vscode or agents (AGENTS.md, which most others read);
several may be named. Written are the MCP server, rules that say how to use it, and, where the agent has such
hooks, a briefing as a session begins and a word on what to keep before a long conversation is shortened.

The change is shown first, and asked about on a terminal. Everything else in these files stays as it is: comments,
order, indentation, line ends. What cannot be edited safely is left alone, with what to put there by hand. A
second call changes nothing. With --remove, files and folders that hold nothing else go too.

$ gitkb setup claude --dry-run
$ gitkb setup claude codex
$ gitkb setup claude --remove
""",
)
