"""Laws of numbered aliases: after healing each means one entry, whoever heals, in whatever order."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.alias import heal_aliases, highest_number, parse_alias, shows_a_number_twice
from gitkb.core.entry import Entry, encode_record

from strategies import encode_world

_ALIASES = st.sampled_from(["L-001", "L-1", "L-002", "L-010", "WL-001", "WL-002", "old id"])


@st.composite
def worlds(draw: st.DrawFn) -> dict[str, Entry]:
    """Entries that share aliases now and then."""
    keys = draw(st.lists(st.sampled_from("abcdefgh"), unique=True))
    return {
        key: Entry(
            {
                "key": key,
                "type": "learned",
                "title": key,
                "created": draw(st.integers(0, 3)),
                "ts": draw(st.integers(3, 5)),
                "aliases": draw(st.lists(_ALIASES, max_size=3, unique=True)),
            }
        )
        for key in keys
    }


def healed(world: dict[str, Entry]) -> dict[str, Entry]:
    return {**world, **{entry.key: entry for entry in heal_aliases(world.values(), "L")}}


def numbers(entry: Entry, row: str = "L") -> set[tuple[str, int]]:
    return {parts for parts in map(parse_alias, entry.aliases) if parts and parts[0] == row}


@given(worlds())
def test_afterwards_every_number_means_one_entry(world: dict[str, Entry]) -> None:
    found = [number for entry in healed(world).values() for number in numbers(entry)]
    assert len(found) == len(set(found))


@given(worlds())
def test_healing_again_changes_nothing(world: dict[str, Entry]) -> None:
    assert heal_aliases(healed(world).values(), "L") == []


@given(worlds(), st.randoms(use_true_random=False))
def test_whoever_heals_writes_the_same_lines(
    world: dict[str, Entry], chance: random.Random
) -> None:
    shuffled = list(world.values())
    chance.shuffle(shuffled)
    lines = [encode_record(entry) for entry in heal_aliases(world.values(), "L")]
    assert [encode_record(entry) for entry in heal_aliases(shuffled, "L")] == lines


@given(worlds())
def test_nothing_but_numbers_and_the_time_changes(world: dict[str, Entry]) -> None:
    for key, entry in healed(world).items():
        before = world[key]
        assert bool(numbers(entry)) == bool(numbers(before))
        assert len(numbers(entry)) <= len(numbers(before))
        assert numbers(entry, "WL") == numbers(before, "WL")
        for name in ("type", "title", "created"):
            assert entry.fields[name] == before.fields[name]
        assert "old id" in entry.aliases or "old id" not in before.aliases
        assert entry.ts >= before.ts


@given(worlds())
def test_the_oldest_keeps_its_number(world: dict[str, Entry]) -> None:
    after = healed(world)
    shared = {number for entry in world.values() for number in numbers(entry)}
    for number in shared:
        owners = [entry for entry in world.values() if number in numbers(entry)]
        oldest = min(owners, key=lambda entry: (entry.created, entry.key))
        assert number in numbers(after[oldest.key])


@given(worlds())
def test_the_highest_number_in_the_bytes_is_that_of_the_entries(world: dict[str, Entry]) -> None:
    data = encode_world(dict(world))
    for prefix in ("L", "WL"):
        expected = [number for entry in world.values() for _, number in numbers(entry, prefix)]
        assert highest_number(prefix, [data]) == max(expected, default=0)


@given(worlds(), st.sets(st.integers(1, 11), max_size=3))
def test_a_number_that_is_gone_is_nobodys(world: dict[str, Entry], gone: set[int]) -> None:
    after = {**world, **{e.key: e for e in heal_aliases(world.values(), "L", 20, gone)}}
    given_out = [number for entry in after.values() for _, number in numbers(entry)]
    assert gone.isdisjoint(given_out)
    assert len(given_out) == len(set(given_out))
    new = set(given_out) - {number for entry in world.values() for _, number in numbers(entry)}
    assert all(number > 20 for number in new)
    assert heal_aliases(after.values(), "L", 20, gone) == []


@given(worlds())
def test_two_lines_with_one_number_are_seen_in_the_bytes(world: dict[str, Entry]) -> None:
    if heal_aliases(world.values(), "L"):
        assert shows_a_number_twice("L", [encode_world(dict(world))])
