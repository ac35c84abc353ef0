"""What stands in a pack, and in what order."""

from __future__ import annotations

from gitkb.core.packs.pack import DECISIONS, LAST_SESSION, MATCHING, RULES, Item, Packed, assemble

INTRO = "# Intro\n"


def item(key: str, section: int = MATCHING, words: int = 10) -> Item:
    full = f"### {key}\n" + "    " + " ".join(["word"] * words) + "\n"
    return Item(key, section, lambda: full, lambda: f"- {key}\n")


def words(text: str, limit: int = 10**9) -> int:
    """A simple measure that adds up: words, and line ends; beyond a limit all is one."""
    return min(len(text.split()) + text.count("\n"), limit + 1)


def footer(count: int) -> str:
    return f"Left out: {count}.\n"


def pack(items: list[Item], budget: int, intro: str = INTRO) -> Packed:
    return assemble(items, budget, words, footer, intro)


def test_with_room_everything_stands_in_full_by_section() -> None:
    items = [item("b", MATCHING), item("a", RULES), item("s", LAST_SESSION), item("c", MATCHING)]
    packed = pack(items, 2_000)
    assert packed.text.split("\n")[0] == "# Intro"
    assert [line for line in packed.text.split("\n") if line.startswith("#")] == [
        "# Intro", "## Last session", "### s", "## Must-checks and principles", "### a",
        "## Matching", "### b", "### c",
    ]  # fmt: skip
    assert packed.full == ("s", "a", "b", "c")
    assert (packed.listed, packed.left_out) == ((), 0)
    assert not packed.text.endswith("\n")
    assert packed.tokens == words(packed.text + "\n")


def test_what_does_not_fit_becomes_a_line_and_then_a_count() -> None:
    packed = pack([item(f"k{number:03}", words=20) for number in range(100)], 250)
    assert packed.full[:3] == ("k000", "k001", "k002")
    assert packed.listed[0] == f"k{len(packed.full):03}"
    assert len(packed.full) + len(packed.listed) + packed.left_out == 100
    lines = packed.text.split("\n")
    assert lines[-1] == f"Left out: {packed.left_out}."
    assert lines[-2].startswith("- k")
    assert 150 < packed.tokens <= 250


def test_a_large_item_does_not_take_the_room_of_all_others() -> None:
    items = [item("small1"), item("large", words=900), *[item(f"k{n}") for n in range(30)]]
    packed = pack(items, 1_000)
    assert "small1" in packed.full
    assert "k5" in packed.full
    assert "large" in packed.listed
    assert "large" in pack(items, 5_000).full


def test_nought_prints_nothing_and_little_prints_the_count_alone() -> None:
    items = [item("a"), item("b")]
    assert pack(items, 0) == Packed("", 0, (), (), 2)
    assert pack(items, -1).text == ""
    assert pack(items, 1) == Packed("", 0, (), (), 2)
    assert pack(items, 4).text == "Left out: 2."


def test_a_store_without_anything_to_say_says_nothing() -> None:
    assert pack([], 2_000) == Packed("", 0, (), (), 0)


def test_a_pack_that_shows_everything_needs_no_room_for_a_count() -> None:
    one = [item("a", DECISIONS, words=30)]
    full = words("## Key decisions\n" + one[0].full())
    assert pack(one, full, "").full == ("a",)
    assert pack(one, full, "").text.endswith("word")
