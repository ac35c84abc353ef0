"""The MCP server over stdio, on the official SDK: the only module that imports it.

1. It serves both generations of the protocol, in the one that the client begins with: the handshake
   of 2024-11-05 to 2025-11-25, and 2026-07-28, in which every request stands for itself.
2. No state is kept between calls: the store is found anew for each.
3. Operations run in a thread, one at a time. The server goes on answering meanwhile, and a client
   that asks for several things at once gets them in turn: a stemmer must not be shared by threads,
   and two writers would only wait for each other's lock.
4. Interrupted, or left by its client, it ends after the operation that runs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from gitkb import __version__
from gitkb.mcp.call import call_tool
from gitkb.mcp.place import enter_project
from gitkb.mcp.tools import INSTRUCTIONS, TOOLS
from gitkb.mcp.wire import Wire

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from gitkb.mcp.tool import Tool

_DAY = 24 * 60 * 60 * 1000  # milliseconds; the tools change with a release


def serve(directory: str | None = None) -> None:
    """Serve until stdin ends; `directory` is what `--dir` names.

    Raises:
        KeyboardInterrupt: when interrupted.
    """
    wire = Wire(_is_message)
    anyio.run(_serve, make_server(enter_project(directory)), wire)


def make_server(directory: str | None = None) -> Server[Any]:
    """Make the server, bound to no stream yet."""
    one_at_a_time: list[anyio.CapacityLimiter] = []

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool_type(tool) for tool in TOOLS])

    async def answer(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if not one_at_a_time:  # it belongs to the event loop, which there is only now
            one_at_a_time.append(anyio.CapacityLimiter(1))
        reply = await anyio.to_thread.run_sync(
            partial(call_tool, params.name, params.arguments or {}, directory),
            limiter=one_at_a_time[0],
        )
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=reply.text)],
            structured_content=reply.values,
            is_error=reply.is_error,
        )

    return Server(
        "gitkb",
        version=__version__,
        title="gitkb",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": CacheHint(_DAY, "public")},
        on_list_tools=list_tools,
        on_call_tool=answer,
    )


def tool_type(tool: Tool) -> types.Tool:
    """Give a tool as the SDK's type."""
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=types.ToolAnnotations.model_validate(tool.hints),
    )


async def _serve(server: Server[Any], wire: Wire) -> None:
    stream = cast("anyio.AsyncFile[str]", wire)  # of which it uses iteration, write and flush
    async with stdio_server(stream, stream) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def _is_message(text: str) -> bool:
    try:
        types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return False
    return True
