"""gitkb completion"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Verb
from gitkb.errors import EXIT_DONE, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Print the script for a shell, or, asked by that script, what could stand in place of a word."""
    from gitkb.cli.completion_script import SCRIPTS

    shell = call["shell"]
    if shell not in SCRIPTS:
        raise UsageError(f"no completion for the shell '{shell}'", f"one of {', '.join(SCRIPTS)}")
    if call["word"]:
        from gitkb.cli.completion import complete

        for name in complete(call["word"]):
            about = " ".join(name.about.split())
            call.write(f"{name.word}\t{about}" if about else name.word)
        return EXIT_DONE
    call.write_document([SCRIPTS[shell].rstrip("\n")])
    return EXIT_DONE


VERB = Verb(
    "completion",
    "Print what makes your shell complete gitkb.",
    run,
    (
        Argument("SHELL", choices=("bash", "zsh", "fish")),
        Argument("WORD", required=False, many=True),
    ),
    (),
    """
Completes verbs, options, their choices, keys, aliases and tags, for gitkb and for git kb. With WORD it prints what
could stand in place of the last one; that is how the scripts ask.

SHELL is bash, zsh or fish; eval "$(gitkb completion bash)" is for the shell you are in alone.

$ gitkb completion bash > ~/.local/share/bash-completion/completions/gitkb
$ gitkb completion zsh > "${fpath[1]}/_git-kb"
$ gitkb completion fish > ~/.config/fish/conf.d/gitkb.fish
""",
    reads=False,
)
