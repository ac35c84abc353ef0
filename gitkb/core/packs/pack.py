"""Assemble a context pack: what fits into a budget of tokens, and what does not.

1. The tokens of the text, with its last line end, are never more than the budget, whatever the
   budget is; with nought there is no text.
2. A larger budget shows every entry that a smaller one shows, and in full what that shows in full:
   a budget takes the longest beginning that fits of one list of steps, and the list does not depend
   on the budget (`_iter_steps`); or everything, where that fits.
3. An item is shown in full, or as a line, or is counted among what was left out, once.
4. Items stand section by section, and in a section in their rank.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SECTIONS = (
    "Last session",
    "Must-checks and principles",
    "Pitfalls",
    "Matching",
    "Key decisions",
)
LAST_SESSION, RULES, PITFALLS, MATCHING, DECISIONS = range(len(SECTIONS))

_LINES = "## In one line each\n"
_GROWTH = 1.25
_FIRST_STAGE = 2_000 / _GROWTH**18  # some 36 tokens; 2,000, the usual budget, is a stage
_FULL_SHARE = 0.75
_ITEM_SHARE = 0.4
_FIRST_ITEM_SHARE = 0.6
_MOST_PUT_OFF = 8
_LINES_AT_FIRST = 120  # tokens; a quarter of a small budget would be less than a line
_INTROS = 10  # an intro of 20 tokens stands from 200 on


class Item(NamedTuple):
    """One entry, for any of its forms. Forms hold what `core.packs.token_count`, 5, asks of lines."""

    key: str
    section: int
    full: Callable[[], str]
    line: Callable[[], str]


class Packed(NamedTuple):
    """What came of it."""

    text: str
    """Without its last line end; empty where nothing fits."""
    tokens: int
    """Of the text with its last line end."""
    full: tuple[str, ...]
    """Keys, in the order of the text."""
    listed: tuple[str, ...]
    left_out: int


def assemble(
    items: Sequence[Item],
    budget: int,
    count: Callable[[str, int], int],
    footer: Callable[[int], str],
    intro: str = "",
) -> Packed:
    """Pack items, the most important first, into a budget.

    `count` gives the tokens of a text, exact up to a limit and more than the limit above it.
    `footer` writes the line that says how many were left out; its tokens must not grow with
    a smaller number. `intro` is the first line, left out of the smallest packs.
    """
    if budget <= 0 or not items:
        return Packed("", 0, (), (), len(items))
    # What is over the budget is out of the question, however far over it is.
    forms = _Forms(items, lambda text: count(text, budget))
    reserve = forms.count(footer(len(items)))
    has_intro = False
    full: set[int] = set()
    listed: set[int] = set()
    if _is_room_for_all(forms, budget - forms.count(intro)):
        has_intro = True
        full.update(range(len(items)))
    else:
        spent = 0
        for step in _iter_steps(forms, forms.count(intro)):
            spent += step.cost
            if spent + (0 if step.is_all else reserve) > budget:
                break
            if step.kind == "intro":
                has_intro = True
            elif step.kind == "line":
                listed.add(step.item)
            else:
                listed.discard(step.item)
                full.add(step.item)
    left_out = len(items) - len(full) - len(listed)
    ending = footer(left_out) if left_out and reserve <= budget else ""
    text = _write(forms, intro if has_intro else "", full, listed, ending)
    order = sorted(full, key=lambda number: (items[number].section, number))
    return Packed(
        text.removesuffix("\n"),
        forms.count(text),
        tuple(items[number].key for number in order),
        tuple(items[number].key for number in sorted(listed)),
        left_out,
    )


class _Forms:
    """The forms of each item and their tokens, made when they are asked for first."""

    def __init__(self, items: Sequence[Item], count: Callable[[str], int]) -> None:
        self.items = items
        self.count = count
        self._full: dict[int, tuple[str, int]] = {}
        self._line: dict[int, tuple[str, int]] = {}

    def full(self, number: int) -> tuple[str, int]:
        form = self._full.get(number)
        if form is None:
            text = self.items[number].full()
            form = self._full[number] = (text, self.count(text))
        return form

    def line(self, number: int) -> tuple[str, int]:
        form = self._line.get(number)
        if form is None:
            text = self.items[number].line()
            form = self._line[number] = (text, self.count(text))
        return form


def _is_room_for_all(forms: _Forms, budget: int) -> bool:
    sections = {item.section for item in forms.items}
    budget -= sum(forms.count(_heading(section)) for section in sections)
    for number in range(len(forms.items)):
        if budget < 0:
            return False
        budget -= forms.full(number)[1]
    return budget >= 0


class _Step(NamedTuple):
    """One way in which a pack gets richer: the intro, an item as a line, or one in full."""

    kind: str
    item: int
    cost: int
    """Tokens: never less than what the step adds to the text, and never negative."""
    is_all: bool
    """Whether every item is shown from here on, in one form or the other."""


def _iter_steps(forms: _Forms, intro: int) -> Iterator[_Step]:
    """Yield the steps from nothing to everything in full.

    Stage by stage, each a quarter larger than the one before, it does what is best for a budget of
    that size: about three quarters for full items by rank, those put off that would take too large
    a part or more than is left; the rest for lines, by rank.
    """
    total = len(forms.items)
    state = _State(forms)
    stage = _FIRST_STAGE
    while len(state.full) < total:
        if intro and stage >= _INTROS * intro:
            yield state.intro(intro)
            intro = 0
        put_off = 0
        for number in range(total):
            if number in state.full:
                continue
            cost = state.price_of_full(number)
            part = stage * (_ITEM_SHARE if number else _FIRST_ITEM_SHARE)
            has_room = state.spent_on_full + cost <= stage * _FULL_SHARE
            if cost <= part and has_room and state.spent + cost <= stage:
                yield state.show(number, cost)
                continue
            put_off += 1
            if put_off == _MOST_PUT_OFF:
                break
        most = max(stage * (1 - _FULL_SHARE), min(stage, _LINES_AT_FIRST))
        for number in range(total):
            if number in state.full or number in state.listed:
                continue
            cost = state.price_of_line(number)
            if state.spent_on_lines + cost > most or state.spent + cost > stage:
                break
            yield state.list(number, cost)
        stage *= _GROWTH
    if intro:
        yield state.intro(intro)


class _State:
    """What is shown after some steps, and what it cost. A heading once paid for stays so."""

    def __init__(self, forms: _Forms) -> None:
        self._forms = forms
        self.full: set[int] = set()
        self.listed: set[int] = set()
        self._paid: set[str] = set()
        self.spent = self.spent_on_full = self.spent_on_lines = 0

    def price_of_full(self, number: int) -> int:
        """What it costs to show an item in full, less what its line cost."""
        heading = self._price_of(_heading(self._forms.items[number].section))
        saved = self._forms.line(number)[1] if number in self.listed else 0
        return max(0, self._forms.full(number)[1] + heading - saved)

    def price_of_line(self, number: int) -> int:
        return self._forms.line(number)[1] + self._price_of(_LINES)

    def intro(self, cost: int) -> _Step:
        return self._step("intro", -1, cost)

    def show(self, number: int, cost: int) -> _Step:
        if number in self.listed:
            self.listed.remove(number)
            self.spent_on_lines -= self._forms.line(number)[1]
            self.spent_on_full += self._forms.line(number)[1]
        self.full.add(number)
        self.spent_on_full += cost
        self._paid.add(_heading(self._forms.items[number].section))
        return self._step("full", number, cost)

    def list(self, number: int, cost: int) -> _Step:
        self.listed.add(number)
        self.spent_on_lines += cost
        self._paid.add(_LINES)
        return self._step("line", number, cost)

    def _price_of(self, heading: str) -> int:
        return 0 if heading in self._paid else self._forms.count(heading)

    def _step(self, kind: str, number: int, cost: int) -> _Step:
        self.spent += cost
        is_all = len(self.full) + len(self.listed) == len(self._forms.items)
        return _Step(kind, number, cost, is_all)


def _heading(section: int) -> str:
    return f"## {SECTIONS[section]}\n"


def _write(forms: _Forms, intro: str, full: set[int], listed: set[int], ending: str) -> str:
    parts = [intro]
    for section in range(len(SECTIONS)):
        numbers = [number for number in sorted(full) if forms.items[number].section == section]
        if numbers:
            parts.append(_heading(section))
            parts += [forms.full(number)[0] for number in numbers]
    if listed:
        parts.append(_LINES)
        parts += [forms.line(number)[0] for number in sorted(listed)]
    parts.append(ending)
    return "".join(parts)
