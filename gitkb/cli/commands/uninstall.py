"""gitkb uninstall"""

from __future__ import annotations

import os

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.commands.install import install_value
from gitkb.operations.clone.setup import require_worktree
from gitkb.operations.uninstall import uninstall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Take gitkb out of this clone's git again."""
    where = require_worktree(call.store) if call.directory else os.getcwd()
    result = uninstall(where, global_=call["global"])
    if call.as_json:
        call.answer(install_value(result))
        return 0
    for item in result.items:
        call.write(f"{item.action:8} {item.what} ({item.where})")
    call.notice("The store and its entries stay; gitkb install sets the clone up again.")
    return 0


VERB = Verb(
    "uninstall",
    "Take driver and hooks out of this clone again.",
    run,
    (),
    (Option("global", "Only the driver of your own configuration.", "flag"),),
    """
Git's files are as they were before gitkb install, to the byte. The store itself is not touched.
""",
)
