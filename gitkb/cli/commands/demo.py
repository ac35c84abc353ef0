"""gitkb demo"""

from __future__ import annotations

import shlex

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.terminal.line import Span, line
from gitkb.operations.demo import playing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call
    from gitkb.operations.demo import Played


def run(call: Call) -> int:
    """Play a team of two, and show each command with what it printed."""
    with playing(keep=call["keep"]) as demo:
        call.write(
            "Ann and Ben, two clones and a remote. Every line with a $ is run as you see it."
        )
        number = 0
        for played in demo.steps:
            number += bool(played.step.why)
            _tell(call, played, number)
    call.write("")
    if call["keep"]:
        call.write(f"Look around: cd {shlex.quote(f'{demo.folder}/ann')}")
        call.write(f"Remove it:   rm -rf {shlex.quote(demo.folder)}")
    else:
        call.write(
            f"The folder {demo.folder} is removed again; gitkb demo --keep leaves it to you."
        )
    call.write("Your turn:   gitkb init, in a repository of yours")
    return 0


def _tell(call: Call, played: Played, number: int) -> None:
    step, output = played
    if step.why:
        first, *more = step.why.split("\n")
        call.write("")
        for text in (f"{number}. {first}", *(f"   {one}" for one in more)):
            call.write_lines([line(Span(text, "title"), hang=4)])
        call.write("")
    is_ours = step.words[0] == "kb"
    words = ("gitkb", *step.words[1:]) if is_ours else ("git", *step.words)
    typed = line("   ", Span(f"{step.person}$", "author"), f" {shlex.join(words)}", hang=8)
    call.write_lines([typed])
    if step.shows:
        for text in output.rstrip("\n").split("\n"):
            call.write(f"      {text}".rstrip())


VERB = Verb(
    "demo",
    "Play a team of two in a temporary folder.",
    run,
    (),
    (Option("keep", "Leave the folder there, to look around in.", "flag"),),
    """
Two clones and a remote: both write, both change the same line, git merges and keeps both values, one of them is
taken, recall finds, blame tells who, and a deletion travels. Nothing of yours is touched.
""",
    reads=False,
)
