"""One operation, many faces: each verb has a tool of MCP or a reason, and both call the same function."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import gitkb
from gitkb.cli.verbs import SECTIONS, load_verb
from gitkb.mcp.tools import TOOLS, VERBS

if TYPE_CHECKING:
    from types import ModuleType

OPERATIONS = Path(gitkb.__file__).parent / "operations"
ALSO = {"list": "gitkb_recall", "for-file": "gitkb_recall", "session": "gitkb_session_start"}
"""Verbs that share a tool with another one, or have two."""

_SETUP = "a person sets up a clone, once"
_CARE = "care for the store is a person's, or git's, or the CI's"
_STATE = "an agent supersedes; which states an entry goes through beside is a person's to say"
_FILES = "it reads or writes files that an agent has a shell for"
_SETTLE = (
    "every answer marks a contested entry and shows both values; "
    "and which of two colleagues is right is a person's to say"
)
_TIERS = "which knowledge leaves the project is a person's to say"
_AT_THE_TOUCH = "gitkb-hook before-edit tells an agent by itself; in a shell it is one command"
NO_TOOL = {
    "init": _SETUP,
    "install": _SETUP,
    "uninstall": _SETUP,
    "setup": _SETUP,
    "doctor": _SETUP,
    "where": "every answer names the store",
    "stats": "an agent has no use for counts",
    "demo": "a person watches it",
    "completion": "a shell asks it",
    "edit": "an agent has no editor; gitkb_add corrects",
    "mcp": "it is the server",
    "archive": _STATE,
    "restore": _STATE,
    "reject": _STATE,
    "unlink": _STATE,
    "graph": "a picture, for people",
    "log": "gitkb_provenance names the first and the last author; all between is for people",
    "diff": "a review is a person's; what an agent changed itself, it knows",
    "import": _FILES,
    "redact": "what cannot be undone is a person's decision",
    "export": _FILES,
    "view": _FILES,
    "check": _CARE,
    "fmt": _CARE,
    "compact": _CARE,
    "reshard": _CARE,
    "gc": _CARE,
    "reindex": _CARE,
    "conflicts": _SETTLE,
    "resolve": _SETTLE,
    "classify": _TIERS,
    "promote": _TIERS,
    "demote": _TIERS,
    "review": _TIERS,
    "tier": _TIERS,
    "stale": "every answer marks what is stale",
    "usage": "an agent has no use for counts; what nobody found is a person's to mend",
    "confirm": "that something is still true is a person's to say",
    "for-diff": _AT_THE_TOUCH,
    "check-plan": "gitkb_context tells the must-checks of a task; an exit code is for scripts",
    "trust": "whom an agent is told of is a person's to say",
}


def all_verbs() -> set[str]:
    return {name for _, names in SECTIONS for name in names}


def tools_by_verb() -> dict[str, str]:
    return {**{verb.split()[0]: tool for verb, tool in VERBS.items()}, **ALSO}


def operations_in(module: ModuleType) -> set[object]:
    """The functions of operations that a module of a face calls by name."""
    return {
        value
        for value in vars(module).values()
        if callable(value)
        and not isinstance(value, type)
        and getattr(value, "__module__", "").startswith("gitkb.operations.")
    }


def test_each_verb_has_a_tool_or_a_reason() -> None:
    with_tool = tools_by_verb().keys()
    assert not with_tool & NO_TOOL.keys()
    missing = all_verbs() - with_tool - NO_TOOL.keys()
    assert not missing, f"say in NO_TOOL why there is no tool for {sorted(missing)}"
    assert NO_TOOL.keys() <= all_verbs()


def test_each_tool_does_what_a_verb_does() -> None:
    assert {tool.name for tool in TOOLS} == set(VERBS.values())
    assert tools_by_verb().keys() <= all_verbs()


def test_a_verb_and_its_tool_call_the_same_function() -> None:
    runs = {tool.name: tool.run for tool in TOOLS}
    for verb, tool in tools_by_verb().items():
        loaded = load_verb(verb)
        assert loaded is not None
        by_verb = operations_in(import_module(loaded.run.__module__))
        by_tool = operations_in(import_module(runs[tool].__module__))
        assert by_verb & by_tool, f"{verb} and {tool} share no operation"


def test_each_operation_is_used_by_a_face_or_by_another_operation() -> None:
    used = set()
    for path in OPERATIONS.parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "gitkb.operations"
            ):
                names = [alias.name for alias in node.names]
                used |= {node.module, *(f"{node.module}.{name}" for name in names)}
    modules = {f"gitkb.operations.{path.stem}" for path in OPERATIONS.glob("[!_]*.py")}
    assert not modules - used, f"nothing calls {sorted(modules - used)}"


def test_each_verb_says_what_it_does() -> None:
    for name in all_verbs():
        verb = load_verb(name)
        assert verb is not None
        assert verb.summary.endswith("."), name
        assert verb.details.strip(), name
