"""What every conversation pays for: the list of tools, in tokens of a real tokenizer."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from gitkb.mcp.server import tool_type
from gitkb.mcp.tools import INSTRUCTIONS, TOOLS

from real_tokens import real_count

MOST_TOKENS = 2_500
DESIGNED = frozenset(
    {
        *("query", "key", "keys", "type", "title", "content", "tags", "files", "importance"),
        *("old", "new", "from", "rel", "to", "task", "budget", "goal", "session"),
        *("done", "decided", "open", "next", "depth", "limit", "include_inactive", "reason"),
        *("category", "scope", "stack", "operation", "review_by"),
    }
)


def listed() -> list[dict[str, Any]]:
    """The tools as they go over the wire."""
    return [
        tool_type(tool).model_dump(by_alias=True, exclude_none=True, mode="json") for tool in TOOLS
    ]


def test_all_that_a_model_is_told_is_short() -> None:
    told = json.dumps({"tools": listed()}, ensure_ascii=False, separators=(",", ":"))
    assert real_count(told) + real_count(INSTRUCTIONS) < MOST_TOKENS


def test_each_tool_says_what_it_is_for() -> None:
    for tool in TOOLS:
        assert tool.name.startswith("gitkb_")
        assert 20 < len(tool.description) < 300, tool.name


def test_the_arguments_are_those_of_the_design() -> None:
    names = {argument.name for tool in TOOLS for argument in tool.arguments}
    assert names == DESIGNED


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_schemas_are_schemas(tool: Any) -> None:
    for schema in (tool.input_schema, tool.output_schema):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert set(schema.get("required", ())) <= set(schema["properties"])


def test_only_forgetting_destroys() -> None:
    assert [tool.name for tool in TOOLS if tool.hints["destructiveHint"]] == ["gitkb_forget"]


def test_reading_tools_say_so_and_writing_tools_do_not() -> None:
    writing = {tool.name for tool in TOOLS if not tool.hints["readOnlyHint"]}
    assert writing == {
        "gitkb_remember",
        "gitkb_supersede",
        "gitkb_link",
        "gitkb_forget",
        "gitkb_session_start",
        "gitkb_session_end",
    }
