"""gitkb install"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.operations.install import install

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitkb.cli.call import Call
    from gitkb.operations.install import InstallResult


def run(call: Call) -> int:
    """Set up this clone, and say what was done."""
    from gitkb.operations.clone.absence import install_bare
    from gitkb.operations.clone.setup import require_worktree

    if call["global"]:
        import os

        result = install(os.getcwd(), global_=True)
    else:
        result = install_bare(call.directory) or install(
            require_worktree(call.store), store=call.store.root
        )
    if call.as_json:
        call.answer(install_value(result))
        return 0
    for line in install_lines(result):
        call.write(line)
    return 0


def install_value(result: InstallResult) -> dict[str, Any]:
    """The JSON form of what was done to git's side of a clone."""
    return {
        "changed": result.changed,
        "items": [{**item._asdict(), "advice": list(item.advice)} for item in result.items],
    }


def install_lines(result: InstallResult) -> Iterator[str]:
    """What was done to git's side of a clone, then what a person may add."""
    for item in result.items:
        yield f"{item.action:8} {item.what} ({item.where})"
    yield from advice_lines(result)


def advice_lines(result: InstallResult) -> Iterator[str]:
    """What a person may add to the hooks of other tools."""
    if result.advice:
        yield ""
        yield "Your repository has hooks of its own, which stay as they are. To have both:"
        for line in result.advice:
            yield f"  {line}"


VERB = Verb(
    "install",
    "Set up merge driver, readable diffs and hooks in this clone.",
    run,
    (),
    (Option("global", "Only driver and diffs, for all your clones.", "flag"),),
    """
Git carries files, not configuration, so every clone needs this once; gitkb init does it too. From then
on git diff, git log -p and git show write entries as text, field by field. Hooks
of other tools are never edited: where both cannot stand, the answer says what line to add.
""",
)
