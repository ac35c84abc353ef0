"""gitkb reshard"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.cli.render_text import plural
from gitkb.core.identity import SHARD_COUNTS
from gitkb.errors import UsageError
from gitkb.store.reshard import reshard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Move the entries into another number of files."""
    counts = {str(count): count for count in SHARD_COUNTS}
    if call["n"] not in counts:
        raise UsageError(f"cannot cut a store into '{call['n']}'", f"one of {', '.join(counts)}")
    changed = reshard(call.store, counts[call["n"]])
    if call.as_json:
        call.answer({"shards": counts[call["n"]], "files": changed})
        return 0
    call.write(f"{plural(len(changed), 'file')} changed")
    return 0


VERB = Verb(
    "reshard",
    "Spread the entries over another number of files.",
    run,
    (Argument("N"),),
    (),
    """
N is 1, 16, 256 or 4096. More files mean fewer conflicts where no merge driver runs, and smaller
commits; one file is easier to read. The old files stay, empty: git calls no merge driver for a deleted
one. Commit the move on its own, when no branch is open if you can.
""",
)
