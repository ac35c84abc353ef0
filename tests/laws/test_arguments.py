"""The two readers of a command line: the quick one never reads otherwise than click."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.cli.arguments import Option, Verb, parse_quickly
from gitkb.cli.click_face import parse_carefully
from gitkb.cli.verbs import SECTIONS, load_verb

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

# Two dozen verbs share the examples.
per_verb = settings(max_examples=max(25, settings().max_examples // 8))
NAMES = [name for _, names in SECTIONS for name in names]

_words = st.sampled_from(
    [
        "a",
        "",
        "-",
        "0",
        "7",
        "007",
        "+7",
        " 7",
        "-7",
        "٧",
        "1_0",
        "a=b",
        "=",
        "é",
        "two words",
        "\n",
    ]
) | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)


def verb_of(name: str) -> Verb:
    verb = load_verb(name)
    assert verb is not None
    return verb


@st.composite
def any_words(draw: DrawFn, verb: Verb) -> list[str]:
    """Words after a verb, right or wrong: options, values, abbreviations, the end of options."""
    names = [f"--{option.name}" for option in verb.all_options]
    choices = [choice for option in verb.all_options for choice in option.choices]
    piece = st.one_of(
        st.sampled_from([*names, "--", "--unknown", "-x", *(name[:-1] for name in names)]),
        st.sampled_from([*choices, "word"]),
        _words,
        st.builds("{}={}".format, st.sampled_from(names), _words),
    )
    return draw(st.lists(piece, max_size=7))


@st.composite
def ordinary_words(draw: DrawFn, verb: Verb) -> list[str]:
    """Words after a verb as a person types them when nothing is wrong."""
    groups = []
    for option in verb.all_options:
        times = 3 if option.kind == "texts" else 1
        for _ in range(draw(st.integers(0, times))):
            groups.append(draw(_option_words(option)))
    for argument in verb.arguments:
        low = 1 if argument.required else 0
        for _ in range(draw(st.integers(low, 3 if argument.many else 1))):
            groups.append([draw(_words.filter(lambda word: not word.startswith("-")))])
    shuffled = draw(st.permutations(groups))
    return [word for group in shuffled for word in group]


def _option_words(option: Option) -> SearchStrategy[list[str]]:
    flag = f"--{option.name}"
    if option.kind == "flag":
        return st.just([flag])
    value = _words
    if option.kind == "number":
        value = st.integers(0, 10**17).map(str)
    elif option.kind == "choice":
        value = st.sampled_from(option.choices)
    return value.flatmap(lambda text: st.sampled_from([[flag, text], [f"{flag}={text}"]]))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_quickly_is_what_click_reads(name: str) -> None:
    verb = verb_of(name)

    @per_verb
    @given(any_words(verb))
    def check(words: list[str]) -> None:
        quick = parse_quickly(verb, words)
        if quick is not None:
            assert quick == parse_carefully(verb, words)

    check()


@pytest.mark.parametrize("name", NAMES)
def test_an_ordinary_call_is_read_quickly(name: str) -> None:
    verb = verb_of(name)

    @per_verb
    @given(ordinary_words(verb))
    def check(words: list[str]) -> None:
        quick = parse_quickly(verb, words)
        assert quick is not None
        assert quick == parse_carefully(verb, words)

    check()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("words", [["--help"], ["-h"], ["--no-such-option"], ["--dir"]])
def test_help_and_mistakes_are_left_to_click(name: str, words: list[str]) -> None:
    assert parse_quickly(verb_of(name), words) is None
