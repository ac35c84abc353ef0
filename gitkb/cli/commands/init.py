"""gitkb init"""

from __future__ import annotations

from gitkb.cli.arguments import Option, Verb
from gitkb.cli.render_text import plural
from gitkb.cli.terminal.line import Span, line
from gitkb.operations.clone.offers import find_offers
from gitkb.operations.clone.setup import ignored_in, make_store
from gitkb.operations.writing.clock import now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gitkb.cli.call import Call
    from gitkb.operations.clone.offers import Offer
    from gitkb.operations.clone.setup import Made
    from gitkb.operations.install import InstallResult


def run(call: Call) -> int:
    """Make a store, set up this clone for it, and say what was done and what could be done next."""
    from gitkb.operations.install import install

    store, parts = make_store(call.directory, call["shards"])
    result = ignored = None
    if store.worktree is not None and not call["no_install"]:
        result = install(store.worktree, store=store.root)
        ignored = ignored_in(store)
    offers = find_offers(store, now=now())
    is_new = all(part.made for part in parts)
    steps = _STEPS if store.worktree is not None else _STEPS[:-1]
    if call.as_json:
        from gitkb.cli.commands.install import install_value

        value = {
            "store": store.root,
            "made": [part.name for part in parts if part.made],
            "kept": [part.name for part in parts if not part.made],
            "ignored": ignored._asdict() if ignored else None,
            "install": install_value(result) if result else None,
            "offers": [offer._asdict() for offer in offers],
            "next": list(steps) if is_new else [],
        }
        call.answer(value)
        return 0
    call.write(f"store    {store.root}")
    call.write_lines([*_store_lines(parts), *_clone_lines(result)])
    if store.worktree is None:
        call.write("no git repository here: everything works but merging, blame and log")
    if ignored is not None:
        call.notice(
            f"warning: git ignores '{ignored.path}' (rule {ignored.rule}): nobody else will get it"
        )
        call.notice(f"hint: at the top of the worktree: {ignored.cure}")
    if offers:
        call.write_lines(_offer_lines(offers))
    if is_new:  # a store that was there needs no beginner's words
        call.write_lines(
            ["", "Try next:", *(line("  ", Span(one, "hint"), hang=6) for one in steps)]
        )
    return 0


_PROGRAM = "hook program"
_ABOUT = {
    "knowledge/": "the entries, one line of JSON each",
    "archive/": "older versions, and what was put aside",
}


def _store_lines(parts: Sequence[Made]) -> Iterator[str]:
    made = [part.name for part in parts if part.made]
    kept = [part.name for part in parts if not part.made]
    for name in made:
        if name in _ABOUT:
            yield f"made     {name:12}{_ABOUT[name]}"
    if rest := [name for name in made if name not in _ABOUT]:
        yield f"made     {', '.join(rest)}"
    if kept:
        yield f"kept     {', '.join(kept)}"


def _clone_lines(result: InstallResult | None) -> Iterator[str]:
    """Git's side of the clone, by what became of it, and what a person may add where it was refused."""
    if result is None:
        return
    groups: dict[str, list[str]] = {}
    for item in result.items:
        groups.setdefault(item.action, []).append(item.what)
    for action, names in groups.items():
        hooks = [name for name in names if name.startswith("hook ") and name != _PROGRAM]
        others = [name for name in names if name not in hooks]
        counted = [plural(len(hooks), "hook", "hooks")] if hooks else []
        yield line(f"{action:8} in this clone: {', '.join([*others, *counted])}", hang=9)
    if "made" in groups:
        yield "         So entries merge by their key, and git diff shows them as text."
    from gitkb.cli.commands.install import advice_lines

    yield from advice_lines(result)


def _offer_lines(offers: Sequence[Offer]) -> Iterator[str]:
    yield ""
    yield "This repository has knowledge that can come along; nothing was imported yet:"
    for offer in offers:
        lost = f", {offer.dropped} dropped" if offer.dropped else ""
        count = plural(offer.entries, "entry", "entries")
        yield line("  ", Span(offer.command, "hint"))
        yield f"      {offer.what} in {offer.path}: {count}{lost}"


_STEPS = (
    "gitkb add --type decision --title 'Money is kept in cents' --content 'Floats lose some.'",
    "gitkb recall money",
    "git add .gitkb && git commit -m 'Start a knowledge base'",
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
Makes .gitkb at the top of the worktree, and does what gitkb install does. It asks nothing, and is safe to repeat:
what is there stays as it is.

Where the repository has decision records, or files of drawbar-kb, ADD, engram or the MCP memory server, it says
how many entries they would make, and the command that brings them in.
""",
)
