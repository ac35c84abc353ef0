"""gitkb demo"""

from __future__ import annotations

import shlex

from gitkb.cli.arguments import Verb
from gitkb.operations.demo import play

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call

_SHOWN = frozenset({"recall", "blame", "log", "add"})


def run(call: Call) -> int:
    """Play the main job, and show each command with what it printed."""
    for step, output in play():
        if step.why:
            call.write(f"\n# {step.why}")
        is_ours = step.words[0] == "kb"
        words = ("gitkb", *step.words[1:]) if is_ours else ("git", *step.words)
        call.write(f"{step.person}$ {shlex.join(words)}")
        if is_ours and step.words[1] in _SHOWN:
            for line in output.rstrip("\n").split("\n"):
                call.write(f"    {line}")
    return 0


VERB = Verb(
    "demo",
    "Play a team of two in a temporary folder.",
    run,
    (),
    (),
    """
Two clones and a remote: both write, both change one entry, git merges, recall finds, blame tells.
""",
    reads=False,
)
