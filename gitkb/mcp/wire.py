"""The two streams of the protocol, kept clean.

1. Nothing but messages goes to the client: before anything else runs, descriptor 1 becomes stderr
   and descriptor 0 the empty file, for our own code, for libraries and for child processes. Only
   this module holds the real ones, and no child inherits them.
2. Every line gets an answer or is one that needs none. What is no message is answered with a
   JSON-RPC error; half a surrogate pair and NUL, which a model may send and no reader takes, become
   U+FFFD.
3. The end of stdin ends the server, after what was asked before it has been answered.
4. A client that went away is no error; what was to be written for it is dropped.
"""

from __future__ import annotations

import json
import os
import re
import sys

import anyio
import anyio.to_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from gitkb.core.canonical import Json

DRAIN_SECONDS = 5.0
"""How long answers are waited for after the end of stdin."""
_PARSE_ERROR, _INVALID_REQUEST = -32700, -32600
_replace_escapes = re.compile(
    r"\\(?:\\|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|u[dD][89a-fA-F][0-9a-fA-F]{2}|u0000)"
).sub
_ALONE = 6  # characters of one escape, such as \ud800


class Wire:
    """The real stdin and stdout. Iterating gives the lines that hold a message."""

    def __init__(self, is_message: Callable[[str], bool]) -> None:
        self._is_message = is_message
        self._pending: set[str] = set()
        self._writing = anyio.Lock()
        # Of its own, so that readers that wait do not use up the threads of the rest.
        self._threads = anyio.CapacityLimiter(3)
        self._in, self._out = _take_streams()

    def __aiter__(self) -> Wire:
        return self

    async def __anext__(self) -> str:
        while True:
            data = await anyio.to_thread.run_sync(
                self._in.readline, abandon_on_cancel=True, limiter=self._threads
            )
            if not data:
                await self._drain()
                raise StopAsyncIteration
            text = mend_escapes(data.decode("utf-8", "replace"))
            if text.strip() and await self._take(text):
                return text

    async def write(self, text: str) -> None:
        """Write one line."""
        data = text.encode("utf-8", "backslashreplace")
        async with self._writing:
            await anyio.to_thread.run_sync(
                self._write, data, abandon_on_cancel=True, limiter=self._threads
            )
        if '"id"' in text:
            self._pending.discard(_id_of(json.loads(text)))

    async def flush(self) -> None:
        """Nothing to do: each line is written at once."""

    def _write(self, data: bytes) -> None:
        try:
            self._out.write(data)
        except OSError:
            pass  # invariant 4

    async def _take(self, text: str) -> bool:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            await self._refuse(None, _PARSE_ERROR, "not JSON: one message a line")
            return False
        if not isinstance(message, dict) or not self._is_message(text):
            id_ = message.get("id") if isinstance(message, dict) else None
            await self._refuse(id_, _INVALID_REQUEST, "not a JSON-RPC 2.0 message")
            return False
        if "method" in message and "id" in message:
            self._pending.add(_id_of(message))
        elif message.get("method") == "notifications/cancelled":
            self._pending.discard(_id_of({"id": (message.get("params") or {}).get("requestId")}))
        return True

    async def _refuse(self, id_: Json, code: int, message: str) -> None:
        id_ = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) else None
        answer = {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
        await self.write(json.dumps(answer) + "\n")

    async def _drain(self) -> None:
        with anyio.move_on_after(DRAIN_SECONDS):
            while self._pending:
                await anyio.sleep(0.005)


def mend_escapes(text: str) -> str:
    r"""Replace escapes of half a character (``\ud800``) and of NUL in a JSON text."""
    if "\\ud" not in text.lower() and "\\u0000" not in text:
        return text
    return _replace_escapes(lambda found: r"\ufffd" if len(found[0]) == _ALONE else found[0], text)


def _id_of(message: dict[str, Json]) -> str:
    return json.dumps(message.get("id"))


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    own_in, own_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115  for as long as the process lives
    sys.stdout = sys.stderr
    return os.fdopen(own_in, "rb"), os.fdopen(own_out, "wb", buffering=0)
