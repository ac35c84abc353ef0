"""Every verb of the command line is whole."""

from __future__ import annotations

import pkgutil
import re

import pytest

import gitkb.cli.commands
from gitkb.cli.arguments import Verb
from gitkb.cli.verbs import SECTIONS, load_verb

NAMES = [name for _, names in SECTIONS for name in names]
WRITE_ONLY = {"add", "completion", "demo", "mcp"}
"""`add` always answers in JSON; `demo` is a show; `mcp` speaks its own protocol."""


def verb_of(name: str) -> Verb:
    verb = load_verb(name)
    assert verb is not None
    return verb


def test_each_module_is_a_verb_and_each_verb_a_module() -> None:
    modules = {found.name for found in pkgutil.iter_modules(gitkb.cli.commands.__path__)}
    assert modules == {"import_" if name == "import" else name.replace("-", "_") for name in NAMES}
    assert len(NAMES) == len(set(NAMES))
    assert load_verb("no-such-verb") is None


@pytest.mark.parametrize("name", NAMES)
def test_a_verb_says_what_it_does(name: str) -> None:
    verb = verb_of(name)
    assert verb.name == name
    assert verb.summary[0].isupper()
    assert verb.summary.endswith(".")
    assert len(verb.summary) <= 60
    assert len(verb.details.strip()) > 20
    assert verb.run.__doc__


@pytest.mark.parametrize("name", NAMES)
def test_a_verb_that_reads_answers_in_json(name: str) -> None:
    names = [option.name for option in verb_of(name).all_options]
    assert ("json" in names) or name in WRITE_ONLY
    assert names[-1] == "dir"
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_explained(name: str) -> None:
    for option in verb_of(name).all_options:
        assert option.help[0].isupper() or not option.help[0].isalpha()
        assert option.help.endswith((".", "…"))
        assert option.kind in {"flag", "text", "texts", "number", "choice"}
        assert bool(option.choices) == (option.kind == "choice")
        assert option.metavar or option.kind in {"flag", "choice"}


@pytest.mark.parametrize("name", NAMES)
def test_arguments_that_take_all_come_last(name: str) -> None:
    arguments = verb_of(name).arguments
    assert not any(argument.many for argument in arguments[:-1])
    assert [argument.required for argument in arguments] == sorted(
        (argument.required for argument in arguments), reverse=True
    )


def test_the_details_show_calls_that_can_be_read() -> None:
    """Each example of `gitkb VERB …` names a verb that there is."""
    for name in NAMES:
        for line in verb_of(name).details.splitlines():
            if line.startswith("$"):
                # At its beginning, behind a pipe, or as what another program is to start.
                words = re.findall(r"(?:^\$|\||--) gitkb (\S+)", line)
                assert words, line
                assert set(words) <= set(NAMES), line
