"""What a model may send, what is forgiven, and what is refused with a reason."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitkb.errors import UsageError
from gitkb.mcp.arguments import Argument, read_arguments, schema_of
from gitkb.mcp.tools import TOOLS

from strategies import nasty_texts

TAKES = (
    Argument("query", required=True, high=20, help="words", others=("q",)),
    Argument("tags", "texts", high=3, separator=",", others=("tag",)),
    Argument("done", "texts", high=3),
    Argument("limit", "number", low=1, high=50, default=10, others=("k",)),
    Argument("importance", "number", low=1, high=5, words={"high": 4}),
    Argument("type", choices=("decision", "fact", "must_check")),
    Argument("all", "flag"),
)


def read(**given: Any) -> dict[str, Any]:
    return read_arguments("tool", TAKES, {"query": "x", **given})


def refusal(given: dict[str, Any]) -> str:
    with pytest.raises(UsageError) as caught:
        read_arguments("tool", TAKES, given)
    return f"{caught.value.message} | {caught.value.hint}"


def test_what_is_not_given_has_its_default() -> None:
    assert read() == {
        "query": "x",
        "tags": (),
        "done": (),
        "limit": 10,
        "importance": None,
        "type": None,
        "all": False,
    }


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({"q": "cents", "query": None}, "query", "cents"),
        ({"Q": "cents", "query": None}, "query", "cents"),
        ({"k": 3}, "limit", 3),
        ({"limit": "7"}, "limit", 7),
        ({"limit": 7.0}, "limit", 7),
        ({"limit": None}, "limit", 10),
        ({"importance": "high"}, "importance", 4),
        ({"tag": "money"}, "tags", ("money",)),
        ({"tags": "money, db ,"}, "tags", ("money", "db")),
        ({"tags": '["money", "a,b"]'}, "tags", ("money", "a,b")),
        ({"tags": ["a,b", " "]}, "tags", ("a,b",)),
        ({"done": "one, and two"}, "done", ("one, and two",)),
        ({"type": "Decisions"}, "type", "decision"),
        ({"type": "must-check"}, "type", "must_check"),
        ({"type": ["fact"]}, "type", "fact"),
        ({"type": ""}, "type", None),
        ({"all": "true"}, "all", True),
        ({"all": 0}, "all", False),
        ({"query": 42}, "query", "42"),
    ],
)
def test_what_a_model_means_is_understood(given: dict[str, Any], name: str, value: Any) -> None:
    assert read(**given)[name] == value


def test_what_is_missing_and_has_few_values_is_told_with_them() -> None:
    kind = Argument("type", choices=("decision", "fact"), required=True, help="Its kind.")
    with pytest.raises(UsageError) as caught:
        read_arguments("tool", (kind,), {})
    assert (caught.value.message, caught.value.hint) == (
        "tool needs 'type'",
        "one of decision, fact",
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "tool needs 'query' | words"),
        ({"query": "  "}, "tool needs 'query'"),
        ({"query": "x" * 21}, "at most 20 characters, not 21"),
        ({"query": {"a": 1}}, "'query' is a text, not {\"a\": 1}"),
        ({"query": ["a", "b"]}, "'query' is one text, not a list"),
        ({"query": "x", "quary": 1}, "no argument 'quary' | did you mean 'query'? it takes query,"),
        ({"query": "x", "zzz": 1}, "no argument 'zzz' | it takes query, tags,"),
        ({"query": "x", "q": "y"}, "'query' and 'q' both stand for 'query'"),
        ({"query": "x", "limit": 0}, "whole number from 1 to 50, not 0"),
        ({"query": "x", "limit": 51}, "whole number from 1 to 50, not 51"),
        ({"query": "x", "limit": 1.5}, "not 1.5"),
        ({"query": "x", "limit": True}, "not true"),
        ({"query": "x", "limit": "many"}, 'not "many"'),
        ({"query": "x", "limit": float("nan")}, "not NaN"),
        ({"query": "x", "limit": "9" * 5000}, "whole number"),
        ({"query": "x", "tags": ["a", "b", "c", "d"]}, "at most 3 texts, not 4"),
        ({"query": "x", "tags": [1]}, "list of texts"),
        ({"query": "x", "type": "lesson"}, "one of decision, fact, must_check"),
        ({"query": "x", "all": "perhaps"}, "true or false"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(given: dict[str, Any], words: str) -> None:
    assert words in refusal(given)


def test_the_same_value_under_two_names_is_no_contradiction() -> None:
    assert read_arguments("tool", TAKES, {"query": "x", "q": "x"})["query"] == "x"


def test_a_list_for_one_key_is_sent_to_the_argument_for_several() -> None:
    takes = (Argument("key", high=9), Argument("keys", "texts", high=9))
    with pytest.raises(UsageError) as caught:
        read_arguments("tool", takes, {"key": ["a", "b"]})
    assert caught.value.hint == "several go into 'keys'"


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 60),
    st.sampled_from(("decision", "fact", "", " ", "x" * 30)),
    nasty_texts(),
    st.lists(nasty_texts(), max_size=5),
)


@given(st.dictionaries(st.sampled_from([argument.name for argument in TAKES]), VALUES))
@example({"query": "x", "limit": 50})
@example({"query": "x", "limit": 51})
def test_what_the_schema_allows_is_read_as_it_is(sent: dict[str, Any]) -> None:
    allowed = not list(jsonschema.Draft202012Validator(schema_of(TAKES)).iter_errors(sent))
    try:
        read = read_arguments("tool", TAKES, sent)
    except UsageError:
        assert not allowed or not sent["query"].strip()
        return
    if not allowed:
        return  # forgiven, as the examples above say
    for name, value in sent.items():
        if isinstance(value, list):
            assert list(read[name]) == [item.strip() for item in value if item.strip()]
        elif isinstance(value, str) and not value.strip():
            assert read[name] is None
        else:
            assert read[name] == value


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_other_name_stands_for_two_arguments(tool: Any) -> None:
    names = [argument.name for argument in tool.arguments]
    others = [
        other for argument in tool.arguments for other in argument.others if other not in names
    ]
    assert len(set(others)) == len(others), sorted(o for o in others if others.count(o) > 1)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_argument_is_bounded(tool: Any) -> None:
    for name, form in tool.input_schema["properties"].items():
        bounds = {"boolean": {"type"}, "integer": {"minimum", "maximum"}, "array": {"maxItems"}}
        wanted = bounds.get(form["type"]) or ({"enum"} if "enum" in form else {"maxLength"})
        assert wanted <= form.keys(), name
