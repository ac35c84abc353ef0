"""gitkb init"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.operations.setup import ignored_in, make_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call


def run(call: Call) -> int:
    """Make a store, set up this clone for it, and say what was done."""
    from gitkb.cli.commands.install import install_lines, install_value
    from gitkb.operations.install import install

    store, parts = make_store(call.directory, call["shards"])
    result = ignored = None
    if store.worktree is not None and not call["no_install"]:
        result = install(store.worktree, store=store.root)
        ignored = ignored_in(store)
    if call.as_json:
        value = {
            "store": store.root,
            "made": [part.name for part in parts if part.made],
            "kept": [part.name for part in parts if not part.made],
            "ignored": ignored._asdict() if ignored else None,
        }
        call.answer({**value, "install": install_value(result) if result else None})
        return 0
    made = [part.name for part in parts if part.made]
    call.write(f"store    {store.root}")
    if made:
        call.write(f"made     {', '.join(made)}")
    if len(made) < len(parts):
        call.write(f"kept     {', '.join(part.name for part in parts if not part.made)}")
    if result is not None:
        for line in install_lines(result):
            call.write(line)
    elif store.worktree is None:
        call.write("no git repository here: everything works but merging, blame and log")
    if ignored is not None:
        call.notice(
            f"warning: git ignores '{ignored.path}' (rule {ignored.rule}): nobody else will get it"
        )
        call.notice(f"hint: at the top of the worktree: {ignored.cure}")
    if len(made) == len(parts):  # a store that was there needs no beginner's words
        for line in _NEXT if store.worktree is not None else _NEXT[:-1]:
            call.write(line)
    return 0


_NEXT = (
    "",
    "Try next:",
    "  gitkb add --type decision --title 'Money is kept in cents' --content 'Floats lose some.'",
    "  gitkb recall money",
    "  git add .gitkb && git commit -m 'Start a knowledge base'",
)

VERB = Verb(
    "init",
    "Make a store here and set up this clone.",
    run,
    (),
    (
        Option("shards", "How many files: 1, 16, 256 or 4096. Default: 256.", "number", "N"),
        Option("no-install", "Only the store; no merge driver, no hooks.", "flag"),
    ),
    """
Makes .gitkb at the top of the worktree, and does what gitkb install does. Safe to repeat: what is
there stays as it is.
""",
)
