"""Clients of the installed `gitkb mcp`: the SDK's own, and one that speaks the lines itself.

1. `ask` is the SDK's client, in the generation that is named: `legacy` shakes hands, `2026-07-28`
   does not, `auto` finds out. It checks each answer against the schema of the tool.
2. `RawServer` reads every byte of stdout, and takes nothing that is not one JSON-RPC message a line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from repo_builder import script

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import mcp_types as types

GENERATIONS = ("legacy", "2026-07-28")
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS = "2026-07-28"
_META = "io.modelcontextprotocol"


class Said(NamedTuple):
    """What a tool said."""

    text: str
    values: dict[str, Any]
    is_error: bool


def ask(
    folder: Path,
    *calls: tuple[str, dict[str, Any]],
    mode: str = "auto",
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
) -> list[Said]:
    """Start a server in a folder and call its tools, one after the other."""

    async def run() -> list[Said]:
        async with _client(folder, options, env, mode) as client:
            return [_said(await client.call_tool(name, given)) for name, given in calls]

    return anyio.run(run)


def list_tools(folder: Path, mode: str = "auto") -> list[types.Tool]:
    """Start a server in a folder and ask which tools it has."""

    async def run() -> list[types.Tool]:
        async with _client(folder, (), None, mode) as client:
            return (await client.list_tools()).tools

    return anyio.run(run)


def _client(
    folder: Path, options: Sequence[str], env: Mapping[str, str] | None, mode: str
) -> Client:
    server = StdioServerParameters(
        command=script("gitkb"),
        args=["mcp", *options],
        cwd=folder,
        env={**os.environ, **(env or {})},
    )
    return Client(stdio_client(server), mode=mode)  # 2.0 does not take the parameters themselves


def _said(result: types.CallToolResult) -> Said:
    [block] = result.content
    assert block.type == "text"
    return Said(block.text, result.structured_content or {}, result.is_error)


class RawServer:
    """A server process, and the lines that go in and out of it."""

    def __init__(
        self, folder: Path, *, env: Mapping[str, str] | None = None, code: str = ""
    ) -> None:
        words = [script("gitkb"), "mcp"] if not code else [sys.executable, "-c", code]
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  closed by `close`
        self.process = subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self._last = 0

    def __enter__(self) -> RawServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, if it has not ended."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.log.close()

    # -- lines

    def send_line(self, line: str | bytes) -> None:
        """Write one line."""
        assert self.process.stdin is not None
        data = line.encode() if isinstance(line, str) else line
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def read_message(self) -> dict[str, Any]:
        """Read one message; anything else on stdout is a failure."""
        assert self.process.stdout is not None
        return parse_message(self.process.stdout.readline())

    def finish(self, timeout: float = 30) -> tuple[int, bytes]:
        """Close stdin; give the exit code and what was still written."""
        out, _ = self.process.communicate(timeout=timeout)
        return self.process.returncode, out

    def stderr(self) -> str:
        """What it has logged so far."""
        self.log.seek(0)
        return self.log.read().decode()

    # -- messages

    def send(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request without waiting; give its id."""
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params or {}}
        self.send_line(json.dumps(message))
        return self._last

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request; give what answers it."""
        id_ = self.send(method, params)
        message = self.read_message()
        assert message.get("id") == id_, message
        return message

    def shake_hands(self, version: str) -> dict[str, Any]:
        """Begin as a client of the older protocol does."""
        client = {"name": "raw", "version": "1"}
        asked = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        answer: dict[str, Any] = self.request("initialize", asked)["result"]
        self.send_line('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        return answer

    def call(self, tool: str, **given: Any) -> dict[str, Any]:
        """Call a tool after the hands were shaken; give its result."""
        answer = self.request("tools/call", {"name": tool, "arguments": given})
        result: dict[str, Any] = answer["result"]
        return result

    def send_call(self, tool: str, **given: Any) -> int:
        """Call a tool without waiting for the answer."""
        return self.send("tools/call", {"name": tool, "arguments": given})


def stateless(params: dict[str, Any] | None = None) -> dict[str, Any]:
    """The params of a request that stands for itself, as since 2026-07-28."""
    meta = {
        f"{_META}/protocolVersion": STATELESS,
        f"{_META}/clientInfo": {"name": "raw", "version": "1"},
        f"{_META}/clientCapabilities": {},
    }
    return {**(params or {}), "_meta": meta}


def parse_message(line: bytes) -> dict[str, Any]:
    """Read a line as one JSON-RPC message."""
    assert line.endswith(b"\n"), f"not a line: {line[:200]!r}"
    message = json.loads(line)
    assert isinstance(message, dict)
    assert message.get("jsonrpc") == "2.0", line[:200]
    assert ("method" in message) or ("result" in message) != ("error" in message), line[:200]
    return message
