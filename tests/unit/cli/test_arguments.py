"""The quick reader of arguments, by example."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.cli.arguments import LARGEST_NUMBER, Argument, Option, Verb, parse_quickly
from gitkb.cli.click_face import parse_carefully

VERB = Verb(
    "verb",
    "Do it.",
    lambda call: 0,
    (Argument("KEY"), Argument("MORE", required=False, many=True)),
    (
        Option("yes", "Flag.", "flag"),
        Option("word", "Text."),
        Option("words", "Texts.", "texts"),
        Option("n", "Number.", "number"),
        Option("which", "Choice.", "choice", choices=("a", "b"), default="a"),
    ),
)
NOTHING: dict[str, Any] = {
    "yes": False,
    "word": None,
    "words": [],
    "n": None,
    "which": "a",
    "json": False,
    "dir": None,
    "key": "k",
    "more": [],
}


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["k"], {}),
        (["k", "--yes", "--json"], {"yes": True, "json": True}),
        (["--word", "x", "k", "y"], {"word": "x", "more": ["y"]}),
        (["k", "--word=", "--word=a=b"], {"word": "a=b"}),
        (["k", "--word", "--yes"], {"word": "--yes"}),
        (["k", "--words", "a", "--words=b"], {"words": ["a", "b"]}),
        (["k", "--n", "007", "--which", "b"], {"n": 7, "which": "b"}),
        (["k", f"--n={LARGEST_NUMBER}"], {"n": LARGEST_NUMBER}),
        (["--", "k", "--yes", "--"], {"more": ["--yes", "--"]}),
        (["k", "-", ""], {"more": ["-", ""]}),
        (["k", "--dir", "d"], {"dir": "d"}),
    ],
)
def test_a_right_call_is_read(words: list[str], values: dict[str, Any]) -> None:
    assert parse_quickly(VERB, words) == {**NOTHING, **values}
    assert parse_carefully(VERB, words) == {**NOTHING, **values}


def test_the_usage_line_says_what_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse_carefully(VERB, ["--help"])
    assert caught.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith("Usage: gitkb verb [OPTIONS] KEY [MORE...]\n")
    assert str(LARGEST_NUMBER) not in said


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["k", "--word"],
        ["k", "--yes=1"],
        ["k", "--ye"],
        ["k", "-y"],
        ["k", "--n", "x"],
        ["k", "--n", "-1"],
        ["k", "--n", str(LARGEST_NUMBER + 1)],
        ["k", "--n", "9" * 5000],
        ["k", "--which", "c"],
        ["k", "--unknown", "x"],
    ],
)
def test_a_wrong_call_ends_with_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert parse_quickly(VERB, words) is None
    with pytest.raises(SystemExit) as caught:
        parse_carefully(VERB, words)
    assert caught.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    form = "gitkb verb KEY [MORE…]; see " if len(words) == 0 else ""
    form = "is it '--yes'? " if "--ye" in words else form
    assert f"\nhint: {form}gitkb verb --help\n" in said.err
