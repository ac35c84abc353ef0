"""Which rejected options and must-checks a plan runs into, before anybody has built it.

1. A rejected option is an entry that was rejected, or one that was superseded and says why not
   (`rejected_because`). What a plan turns down itself it does not run into (`core.touch.plan`).
2. A plan runs into a must-check whose files it names, whose made-up names it uses, or whose title it says.
3. All tiers are asked; the nearer speaks for a key. What nobody trusted wrote is left out and counted.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.entry import Entry
from gitkb.core.jsonl import parse_again
from gitkb.core.touch.files import BY_FILE, make_touch, steps_by_file
from gitkb.core.touch.plan import make_option, make_passages, match, paths_in, stems_in, weights_of
from gitkb.core.touch.words import evidence, terms_of
from gitkb.index.search import Filters
from gitkb.operations.reading.touched import spoken_nearer
from gitkb.operations.reading.trust_rule import judge_of
from gitkb.operations.tiers.across import Found
from gitkb.operations.tiers.chain import open_chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.core.touch.plan import Passage
    from gitkb.index.search import Hit, Index
    from gitkb.operations.tiers.chain import Chain
    from gitkb.store.layout import Store

REJECTED, MUST_CHECK = "rejected", "must-check"
_REASON = "rejected_because"
_MOST_TEXT = 100_000
"""Characters of a plan that are read."""


class Reason(NamedTuple):
    """An entry that says why an option was rejected."""

    key: str
    title: str


class Collision(NamedTuple):
    """One entry that a plan runs into."""

    kind: str
    """``rejected`` or ``must-check``."""
    found: Found
    passage: str
    """The words of the plan."""
    score: float
    """How much of the entry they say, from 0 to 1; 1 where they name its file."""
    reasons: tuple[Reason, ...] = ()
    """What decided against it, where that is linked."""

    @property
    def entry(self) -> Entry:
        return Entry(parse_again(self.found.hit.line))


class PlanCheck(NamedTuple):
    """What a plan runs into: must-checks first, then by how much of them it says."""

    collisions: list[Collision]
    untrusted: int = 0

    @property
    def is_clear(self) -> bool:
        return not self.collisions


def check_plan(store: Store, plan: str, notices: list[str] | None = None) -> PlanCheck:
    """Hold a plan against what was rejected and what must be checked.

    Cost: in proportion to the length of the plan times the rejected options and must-checks.
    """
    plan = plan[:_MOST_TEXT]
    collisions: list[Collision] = []
    spoken: set[str] = set()
    untrusted = 0
    with open_chain(store, notices) as chain:
        for place, link in enumerate(chain.links):
            own = [one for one in _of_tier(link.opened, plan) if one.entry.key not in spoken]
            keys = {one.entry.key for one in own}
            judge = judge_of(link.name, link.store, notices) if keys else None
            bad = judge.left_out(keys) if judge is not None else frozenset()
            untrusted += len(bad)
            held = spoken_nearer(chain, place, keys - bad)
            for one in own:
                if one.entry.key not in bad | held:
                    tier = "" if chain.is_project_alone else link.name
                    found = one.found._replace(tier=tier)
                    reasons = tuple(_reasons(chain, one.entry))
                    collisions.append(one._replace(found=found, reasons=reasons))
                    spoken.add(one.entry.key)
    collisions.sort(key=lambda one: (one.kind == REJECTED, -one.score, one.entry.key))
    return PlanCheck(collisions, untrusted)


def _of_tier(index: Index, plan: str) -> Iterator[Collision]:
    split, stem = index.analyser.split, index.analyser.stem
    passages = make_passages(plan, split, stem)
    rejected = [
        (hit, make_option(entry, split, stem))
        for hit in index.list(Filters(statuses=("rejected", "superseded")))
        if _is_turned_down(entry := Entry(parse_again(hit.line)))
    ]
    checks = [
        (hit, make_option(Entry(parse_again(hit.line)), split, stem))
        for hit in index.list(Filters(must_check=True))
    ]
    weights = weights_of(option for _, option in (*rejected, *checks))
    said = stems_in(passages)
    for hit, option in rejected:
        if option.title.isdisjoint(said):
            continue  # most have nothing to do with it
        met = match(option, passages, weights, turned_down=False)
        if met is not None:
            yield Collision(REJECTED, Found(hit), met.passage, met.score)
    if not checks:
        return
    touch = make_touch(path for path in paths_in(plan) if not path.startswith("/"))
    touched = {
        one.key: one.concern.by
        for one in (index.touching(touch) if touch.paths else ())
        if one.must_check and one.concern.band == BY_FILE
    }
    terms = terms_of(plan.splitlines(), split)
    rarities = index.sharing(terms).rarities
    for hit, option in checks:
        met = match(option, passages, weights, turned_down=True)
        entry = option.entry
        named = evidence(entry, terms._replace(words=()), rarities, split, stem)
        if entry.key in touched:
            yield Collision(MUST_CHECK, Found(hit), _naming(touched[entry.key], passages), 1.0)
        elif met is not None:
            yield Collision(MUST_CHECK, Found(hit), met.passage, met.score)
        elif named.is_enough:
            share = round(min(1.0, named.amount / 2), 3)
            yield Collision(MUST_CHECK, Found(hit), _saying(named.by[0], passages), share)


def _is_turned_down(entry: Entry) -> bool:
    if entry.status == "rejected":
        return True
    return any(link["rel"] == _REASON for link in entry.links)


def _reasons(chain: Chain, entry: Entry) -> Iterator[Reason]:
    for link in entry.links:
        if link["rel"] == _REASON:
            hit: Hit | None = chain.peek(link["to"])
            title = Entry(parse_again(hit.line)).display_title if hit is not None else ""
            yield Reason(link["to"], title)


def _naming(file: str, passages: list[Passage]) -> str:
    """Give the passage that names what an entry's file means."""
    for passage in passages:
        if steps_by_file(file, make_touch(paths_in(passage.text))) is not None:
            return passage.text
    return file


def _saying(name: str, passages: list[Passage]) -> str:
    return next((passage.text for passage in passages if name in passage.text), name)
