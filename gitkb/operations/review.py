"""The retro: what agents have judged of the reach of learnings, for a person to confirm or correct.

1. Shown is what no person has decided on yet: `classified_by` is human afterwards, so that nothing is
   asked twice and no date of the last review has to be kept.
2. A proposal rests on the rules of `core.scope`, and says their reasons. Where they have nothing to
   say, it is to leave the learning where it is.
3. Of the workstation's learnings, only those of this project are asked about: no other can take them in.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from gitkb.core.entry import Entry, normalise
from gitkb.core.learning import Learnings
from gitkb.core.relevance import order
from gitkb.core.scope import UNCLEAR
from gitkb.errors import NotFoundError
from gitkb.operations.classify import classifier
from gitkb.operations.reading.stack import project_folder, project_name
from gitkb.operations.tier import Tier, read_tiers
from gitkb.operations.tiers.half_move import half_moves
from gitkb.operations.tiers.move import demote, promote
from gitkb.operations.tiers.setup import save_tier
from gitkb.operations.writing.clock import later_than
from gitkb.store.config import read_config
from gitkb.store.home import PROJECT, UNIVERSAL, WORKSTATION
from gitkb.store.reader import iter_files
from gitkb.store.writer import changing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.scope import Classified
    from gitkb.store.layout import Store

Decision = Literal["keep", "promote", "demote"]


class Proposal(NamedTuple):
    """One learning that nobody has decided on, and what could be done with it."""

    entry: Entry
    tier: str
    decision: Decision
    scope: str
    """How far the rules say that it reaches."""
    reasons: tuple[str, ...]


class Decided(NamedTuple):
    """What was done with a learning, and in which tier it is now."""

    key: str
    decision: Decision
    tier: str


def review(store: Store, notices: list[str] | None = None) -> list[Proposal]:
    """Give what there is to decide, the most important first. Nothing is written."""
    home = project_name(project_folder(store), read_config(store).values)
    judge = classifier(store)
    found = []
    notices = [] if notices is None else notices
    for half in half_moves(store):
        notices.append(f"{half.message}; {half.command} finishes it")
    for tier in read_tiers(store, notices):
        if tier.name not in (PROJECT, WORKSTATION):
            continue
        for entry in Learnings(iter_files(tier.store)).entries.values():
            if _is_open(tier, entry) and (tier.name == PROJECT or _is_from(entry, home)):
                found.append(_propose(tier, entry, judge(entry.fields)))
    return sorted(found, key=lambda one: (order(one.entry), one.tier))


def decide(
    store: Store, proposal: Proposal, decision: Decision, notices: list[str] | None = None
) -> Decided:
    """Do with a learning what a person says. Errors as `move.promote`."""
    key = proposal.entry.key
    if decision == "promote" and proposal.tier == PROJECT:
        universal = proposal.scope == UNIVERSAL
        tier = promote(store, key, WORKSTATION, notices, universal=universal).target
    elif decision == "demote" and proposal.tier != PROJECT:
        tier = demote(store, key, PROJECT, notices).target
    else:
        tier = proposal.tier
        for found in read_tiers(store):
            if found.name == tier:
                _confirm(found, key, notices)
    return Decided(key, decision, tier)


def find_proposal(proposals: list[Proposal], name: str) -> Proposal:
    """Find the proposal for a key or an alias.

    Raises:
        NotFoundError: when nothing is open under this name.
    """
    for proposal in proposals:
        if name == proposal.entry.key or name in proposal.entry.aliases:
            return proposal
    raise NotFoundError(f"nothing to decide about '{name}'", "gitkb review lists what there is")


def _is_open(tier: Tier, entry: Entry) -> bool:
    if tier.name == PROJECT and entry.fields.get("scope", PROJECT) != PROJECT:
        return True  # its tier could not be written when it was learned
    by = entry.fields.get("classified_by")
    return by == "agent" or (by is None and entry.fields.get("source", "agent") != "user")


def _is_from(entry: Entry, home: str) -> bool:
    return str(entry.fields.get("project", home)) == home


def _propose(tier: Tier, entry: Entry, answer: Classified) -> Proposal:
    decision: Decision = "keep"
    given = str(entry.fields.get("scope", PROJECT))
    if tier.name == PROJECT and given != PROJECT:
        reason = f"its scope is {given}, and its tier could not be written when it was learned"
        return Proposal(entry, tier.name, "promote", given, (reason,))
    if tier.name == PROJECT and answer.scope != PROJECT:
        decision = "promote"
    elif tier.name != PROJECT and answer.scope == PROJECT and answer.reasons != (UNCLEAR,):
        decision = "demote"
    return Proposal(entry, tier.name, decision, answer.scope, answer.reasons)


def _confirm(tier: Tier, key: str, notices: list[str] | None) -> None:
    with changing(tier.store) as change:
        at = change.find(key)
        if at is None or not isinstance(at.record, Entry):
            raise NotFoundError(f"'{key}' is no longer in the tier '{tier.name}'", "gitkb review")
        fields = {**at.record.fields, "classified_by": "human", "ts": later_than(at.record)}
        if tier.name == PROJECT:
            fields.pop("scope", None)  # here it stays, whatever was meant
        change.put(Entry(normalise(fields)), keep_old=True)
    save_tier(tier, f"Confirm {key}", notices)
