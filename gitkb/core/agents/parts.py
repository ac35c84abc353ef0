"""Which files each coding agent reads, and what of gitkb stands in them.

Sources, as of November 2026: code.claude.com/docs (mcp, hooks, skills), cursor.com/docs (mcp, rules, hooks),
developers.openai.com/codex (mcp, hooks, AGENTS.md), code.visualstudio.com/docs (mcp servers, agent hooks,
custom instructions), agents.md.

1. These files are committed: they name programs, never places on one machine.
2. What a hook calls ends with 0 where gitkb is not installed, but for Cursor, to which a hook that failed is none.
"""

from __future__ import annotations

from functools import partial

from gitkb.core.agents.block import MARKDOWN, put_block, take_block
from gitkb.core.agents.edit import Part, checked
from gitkb.core.agents.file import own_text, put_file, take_file
from gitkb.core.agents.json_edit import Wanted, put_json, show_json, take_json
from gitkb.core.agents.rules import RULE, SECTION, SKILL
from gitkb.core.agents.toml_edit import put_toml, take_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitkb.core.canonical import Json

    _Edit = Callable[[str], str | None]

AGENTS = ("claude", "cursor", "codex", "vscode", "agents")
_WORKSPACE = "${workspaceFolder}"  # what Cursor and VS Code put the project's folder in place of
_VSCODE_EDITS = ("Edit", "Write", "apply_patch", "create_file", "replace_string_in_file")
"""What the agents of VS Code call the tools that write; one of them knows matchers, the other runs every hook."""


def parts_of(agent: str, folder: str = "") -> tuple[Part, ...]:
    """Name the files of an agent.

    `folder` is where the store lies below the top of the project, with `/`; empty at the top.
    """
    return _PARTS[agent](folder)


def _claude(folder: str) -> tuple[Part, ...]:
    hooks = (
        _hook("SessionStart", "session-start", "claude", matcher="startup|clear|compact"),
        _hook("PreCompact", "before-compact", "claude"),
        _hook("PreToolUse", "before-edit", "", matcher="Edit|MultiEdit|Write|NotebookEdit"),
    )
    server: Json = {"command": "gitkb", "args": _arguments(folder)}
    return (
        _json(".mcp.json", (Wanted(("mcpServers", "gitkb"), server),)),
        _json(".claude/settings.json", hooks),
        _file(".claude/skills/gitkb/SKILL.md", SKILL),
    )


def _cursor(folder: str) -> tuple[Part, ...]:
    # Cursor starts servers elsewhere, so the project has to be named.
    server: Json = {"command": "gitkb", "args": _arguments(_join(_WORKSPACE, folder))}
    # It writes what it says to a hook behind the command, where `|| true` would get it.
    start: Json = {"command": "gitkb-hook session-start cursor"}
    edit: Json = {"command": "gitkb-hook before-edit --agent=cursor", "matcher": "Write"}
    hooks = (
        Wanted(("hooks", "sessionStart"), start, "gitkb-hook session-start"),
        Wanted(("hooks", "preToolUse"), edit, "gitkb-hook before-edit"),
    )
    return (
        _json(".cursor/mcp.json", (Wanted(("mcpServers", "gitkb"), server),)),
        _json(".cursor/hooks.json", hooks, {"version": 1}),
        _file(".cursor/rules/gitkb.mdc", RULE),
    )


def _codex(folder: str) -> tuple[Part, ...]:
    value = {"command": "gitkb", "args": _arguments(folder)}
    words = ", ".join(f'"{word}"' for word in value["args"])
    body = f'[mcp_servers.gitkb]\ncommand = "gitkb"\nargs = [{words}]\n'
    put = partial(put_toml, path=("mcp_servers", "gitkb"), value=value, body=body)
    hooks = (
        _hook("SessionStart", "session-start", "codex", matcher="startup|clear|compact"),
        _hook("PreToolUse", "before-edit", "", matcher="apply_patch"),
    )
    return (
        _part(".codex/config.toml", put, take_toml, body),
        _json(".codex/hooks.json", hooks),
        _section("codex"),
    )


def _vscode(folder: str) -> tuple[Part, ...]:
    arguments = _arguments(_join(_WORKSPACE, folder))
    server: Json = {"type": "stdio", "command": "gitkb", "args": arguments}
    # One of its agents refuses an edit whose hook failed, and its shell on Windows knows no `||`.
    start: Json = {"type": "command", "command": "gitkb-hook session-start vscode; exit 0"}
    edit: Json = {
        "type": "command",
        "command": "gitkb-hook before-edit --agent=vscode; exit 0",
        "matcher": "|".join(_VSCODE_EDITS),
    }
    hooks = (
        Wanted(("hooks", "SessionStart"), start, "gitkb-hook session-start"),
        Wanted(("hooks", "PreToolUse"), edit, "gitkb-hook before-edit"),
    )
    return (
        _json(".vscode/mcp.json", (Wanted(("servers", "gitkb"), server),)),
        _json(".github/hooks/gitkb.json", hooks, {"version": 1}),
        _section("vscode"),
    )


def _agents(_folder: str) -> tuple[Part, ...]:
    return (_section("agents"),)


_PARTS = {
    "claude": _claude,
    "cursor": _cursor,
    "codex": _codex,
    "vscode": _vscode,
    "agents": _agents,
}


def _arguments(folder: str) -> list[Json]:
    return ["mcp", "--dir", folder] if folder else ["mcp"]


def _join(top: str, folder: str) -> str:
    return f"{top}/{folder}" if folder else top


def _command(name: str, agent: str) -> str:
    # before-edit takes paths where this agent stands, and finds out itself who calls.
    return f"{' '.join(['gitkb-hook', name, *agent.split()])} || true"


def _hook(event: str, name: str, agent: str, matcher: str = "") -> Wanted:
    """Give a hook in the form that Claude Code made and Codex took over."""
    call: Json = {"type": "command", "command": _command(name, agent)}
    item: dict[str, Json] = {"matcher": matcher} if matcher else {}
    return Wanted(("hooks", event), {**item, "hooks": [call]}, f"gitkb-hook {name}")


def _json(path: str, wanted: tuple[Wanted, ...], extra: dict[str, Json] | None = None) -> Part:
    put = partial(put_json, wanted=wanted, extra=extra or {})
    take = partial(take_json, wanted=wanted, extra=extra or {})
    return _part(path, put, take, show_json(wanted, extra or {}))


def _file(path: str, content: str) -> Part:
    return _part(path, partial(put_file, content=content), take_file, own_text(content))


def _section(agent: str) -> Part:
    put = partial(put_block, form=MARKDOWN, body=SECTION, user=agent)
    take = partial(take_block, form=MARKDOWN, user=agent)
    return _part("AGENTS.md", put, take, SECTION)


def _part(path: str, put: Callable[[str | None], str], take: _Edit, paste: str) -> Part:
    def take_any(text: str | None) -> str | None:
        return None if text is None else take(text)

    return Part(path, checked(put, take_any), take_any, paste)
