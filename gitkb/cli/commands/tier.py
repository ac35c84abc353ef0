"""gitkb tier"""

from __future__ import annotations

import os

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import plural, problem_lines
from gitkb.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.tier import Listed

_WORDS = {
    "add": "a NAME and the URL of a repository",
    "list": "no word",
    "remove": "a NAME",
    "pull": "one NAME, or none for all",
}
_USAGE = "gitkb tier add NAME URL [--push] | list | remove NAME | pull [NAME]"


def run(call: Call) -> int:
    """List the tiers, add or remove one, or bring them up to date."""
    action = call["action"] or "list"
    given = [word for word in (call["name"], call["url"]) if word is not None]
    wanted = {"add": (2, 2), "list": (0, 0), "remove": (1, 1), "pull": (0, 1)}.get(action)
    if wanted is None:
        raise UsageError(f"no such action '{action}'", _USAGE)
    if not wanted[0] <= len(given) <= wanted[1]:
        raise UsageError(f"'tier {action}' takes {_WORDS[action]}", _USAGE)
    if call["push"] and action != "add":
        raise UsageError("--push goes with add", _USAGE)
    if call["projects"] and action != "list":
        raise UsageError("--projects goes with list", _USAGE)
    return _ACTIONS[action](call)


def _add(call: Call) -> int:
    from gitkb.operations.tiers.setup import add_tier

    tier = add_tier(call["name"], call["url"], push=call["push"], cwd=os.getcwd())
    if call.as_json:
        call.answer(tier._asdict())
    else:
        call.write(f"added    {_line(tier)}")
    return 0


def _remove(call: Call) -> int:
    from gitkb.operations.tiers.setup import remove_tier

    tier = remove_tier(call["name"])
    if call.as_json:
        call.answer(tier._asdict())
    else:
        call.write(f"removed  {tier.name}; to have it again: gitkb tier add {tier.name} {tier.url}")
    return 0


def _list(call: Call) -> int:
    from gitkb.operations.learnings import seen_projects
    from gitkb.operations.tier import find_project, list_tiers

    notices: list[str] = []
    tiers = list_tiers(find_project(call.directory), notices)
    projects = seen_projects() if call["projects"] else []
    if call.as_json:
        values: Any = [tier._asdict() for tier in tiers]
        if call["projects"]:
            values = {"tiers": values, "projects": [project._asdict() for project in projects]}
        call.answer(values)
    else:
        for tier in tiers:
            call.write(_line(tier))
        for project in projects:
            stack = ", ".join(project.stack) or "no stack"
            count = plural(project.learnings, "learning")
            call.write(f"{project.name:12} a project, {count}, {stack}: {project.path}")
    for notice in notices:
        call.notice(f"warning: {notice}")
    return 0


def _pull(call: Call) -> int:
    from gitkb.core.problem import Problem
    from gitkb.operations.tiers.pull import pull_tiers

    code = 0
    values = []
    for pulled in pull_tiers(call["name"]):
        error = pulled.error
        value: dict[str, Any] = {
            "name": pulled.name,
            "changed": pulled.changed,
            "sent": pulled.sent,
        }
        if error is not None:
            code = code or error.exit_code
            message = f"cannot bring the tier '{pulled.name}' up to date: {error.message}"
            value["error"] = error.message
            for line in problem_lines(Problem(error.slug, message, error.hint or "")):
                call.notice(line)
        elif not call.as_json:
            sent = f", {plural(pulled.sent, 'commit')} sent" if pulled.sent else ""
            call.write(f"{'pulled' if pulled.changed else 'kept':8} {pulled.name}{sent}")
        values.append(value)
    if call.as_json:
        call.answer(values)
    return code


def _line(tier: Listed) -> str:
    facts = ["may be written" if tier.writable else "only read"]
    if tier.state != "ready":
        facts.append(tier.state)
    place = f"{tier.url} in {tier.path}" if tier.url else tier.path
    return f"{tier.name:12} {', '.join(facts)}: {place}"


_ACTIONS = {"add": _add, "list": _list, "remove": _remove, "pull": _pull}

VERB = Verb(
    "tier",
    "List, add, remove or update the tiers.",
    run,
    (
        Argument("ACTION", required=False, choices=tuple(_ACTIONS)),
        Argument("NAME", required=False),
        Argument("URL", required=False),
    ),
    (
        Option("push", "With add: you may write there, and gitkb sends it.", "flag"),
        Option("projects", "With list: also the projects seen here.", "flag"),
    ),
    """
ACTION is list (also when left out), add NAME URL, remove NAME, or pull [NAME].

Tiers are stores that reading looks through: this project's, your workstation's, and any that you
add, each a git repository with a .gitkb at its top, for a team or a community. The nearer wins. A
further tier is cloned into your data folder (GITKB_HOME names another) and only read, unless you
say --push. Nothing is fetched but by add and pull.

$ gitkb tier add org https://example.org/knowledge.git
$ gitkb tier pull
""",
)
