"""gitkb trust"""

from __future__ import annotations

from gitkb.cli.arguments import Argument, Option, Verb
from gitkb.cli.render_text import one_line, plural
from gitkb.errors import UsageError
from gitkb.operations.trust import accept_trust, change_trust, list_trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.call import Call
    from gitkb.core.trust import TrustList
    from gitkb.operations.trust import Changed, Untrusted

_USAGE = "gitkb trust list | add AUTHOR | remove AUTHOR | add --signed | remove --signed | accept"
_KEYS_SHOWN = 5


def run(call: Call) -> int:
    """Show or change whose knowledge agents are told."""
    action, author, signed = call["action"] or "list", call["author"], call["signed"]
    if action not in ("list", "add", "remove", "accept"):
        raise UsageError(f"no such action '{action}'", _USAGE)
    if action in ("list", "accept") and (author is not None or signed):
        raise UsageError(f"'trust {action}' takes no word", _USAGE)
    if action in ("add", "remove") and author is None and not signed:
        raise UsageError(f"'trust {action}' takes an AUTHOR or --signed", _USAGE)
    if action == "list":
        return _list(call)
    if action == "accept":
        return _report(call, accept_trust(call.store))
    is_added = action == "add"
    changed = change_trust(
        call.store,
        add=author if is_added else None,
        remove=None if is_added else author,
        signed=is_added if signed else None,
    )
    return _report(call, changed)


def _list(call: Call) -> int:
    found = list_trust(call.store)
    rule = found.rule
    if call.as_json:
        call.answer(
            {
                "authors": list(rule.listed.authors),
                "signed": rule.listed.signed,
                "origin": rule.origin,
                "pending": rule.pending and rule.pending._asdict(),
                "untrusted": [one._asdict() for one in found.untrusted],
            }
        )
    else:
        for line in _list_lines(rule.listed):
            call.write(f"{line}  ({rule.origin})" if rule.origin else line)
        for line in () if rule.pending is None else _list_lines(rule.pending):
            call.write(f"config.toml says, not accepted here: {line}")
        for one in found.untrusted:
            call.write(_untrusted_line(one))
    for notice in found.notices:
        call.notice(f"note: {notice}")
    if rule.pending is not None:
        call.notice("hint: gitkb log and git log -- .gitkb/config.toml say who; gitkb trust accept")
    return 0


def _list_lines(listed: TrustList) -> list[str]:
    if not listed.is_set:
        return ["everybody: nobody is listed, and no signature is asked for"]
    lines = [f"trusted  {one_line(author)}" for author in listed.authors]
    return (
        [*lines, "trusted  whoever signed with a key that git trusts"] if listed.signed else lines
    )


def _untrusted_line(one: Untrusted) -> str:
    keys = ", ".join(one.keys[:_KEYS_SHOWN]) + (" …" if len(one.keys) > _KEYS_SHOWN else "")
    author = one_line(one.author) or "nobody that git knows of"
    return f"left out  {author}: {plural(len(one.keys), 'entry', 'entries')}: {keys}"


def _report(call: Call, changed: Changed) -> int:
    if call.as_json:
        call.answer({**changed._asdict(), "listed": changed.listed._asdict()})
    else:
        for line in _list_lines(changed.listed):
            call.write(line)
    if not changed.written:
        call.notice("nothing changed")
    elif not changed.listed.is_set:
        call.notice("note: nobody is listed any more, so packs tell of everybody's entries again")
    if changed.overruled:
        call.notice(
            "note: a list of your own in git's configuration goes before: "
            "git config --get-all gitkb.trust"
        )
    return 0


VERB = Verb(
    "trust",
    "Say whose knowledge agents are told.",
    run,
    (
        Argument("ACTION", required=False, choices=("list", "add", "remove", "accept")),
        Argument("AUTHOR", required=False),
    ),
    (Option("signed", "With add or remove: whoever signed with a key that git trusts.", "flag"),),
    """
ACTION is list (also when left out), add AUTHOR, remove AUTHOR, or accept. AUTHOR is a name, a mail or
'NAME <MAIL>', as git has it after .mailmap.

Once somebody is listed, context packs, learnings and all answers of the MCP server tell only of entries
whose last author in git is listed, or, with --signed, whose commit carries a good signature. The rest is
counted, never changed: recall, show and list give it to people as ever. What you have not committed yet is
yours. An author's name is a claim that anybody can make; a signature is proof.

The list stands in config.toml, [trust] authors and signed, and travels with git. A change of it that was
written by nobody trusted before is told of and not followed until you say accept. A list of your own goes
before it: git config --add gitkb.trust AUTHOR, and git config gitkb.trustSigned true.

$ gitkb trust add ada@example.org
$ gitkb trust list
""",
)
