"""gitkb mcp"""

from __future__ import annotations

import sys

from gitkb.cli.arguments import Verb
from gitkb.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call

_SDK = {"anyio", "mcp", "mcp_types", "pydantic"}


def run(call: Call) -> int:
    """Serve a client on stdin and stdout until it closes them."""
    try:
        # Another face, and a heavy one: this verb alone starts it.
        from gitkb.mcp.server import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in _SDK:
            raise
        raise UsageError(
            "gitkb mcp needs the SDK of the protocol", "pip install 'gitkb[mcp]'"
        ) from None
    if sys.stdin is None:  # it was closed by whoever started us
        raise UsageError(
            "gitkb mcp needs a client on stdin", "gitkb mcp --help says how to add it to one"
        )
    if sys.stdin.isatty():
        call.notice(
            "gitkb mcp waits for a client on stdin: gitkb mcp --help says how to add it to one"
        )
    serve(call.directory)
    return 0


VERB = Verb(
    "mcp",
    "Serve agents by the Model Context Protocol, over stdio.",
    run,
    (),
    (),
    """
A client starts it; its tools do what the verbs do. The store is looked for at each call: in --dir, then
GITKB_DIR, then upwards from CLAUDE_PROJECT_DIR or the working folder, so a client may start it before
there is one.

It needs the SDK of the protocol: pip install 'gitkb[mcp]'. Old and new clients are served (protocol
versions from 2024-11-05 to 2026-07-28).

$ claude mcp add gitkb -- gitkb mcp
""",
    reads=False,
)
