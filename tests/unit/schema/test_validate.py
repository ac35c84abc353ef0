"""What a person reads when an object breaks the published schema."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from gitkb.core import entry, identity
from gitkb.schema.validate import CONFIG, ENTRY, explain, is_valid, read_schema, unknown_names

VALID = {"key": "dec_1", "type": "decision", "content": "Use git.", "ts": 1}


def messages(**changes: Any) -> list[str]:
    fields = {name: value for name, value in {**VALID, **changes}.items() if value is not ...}
    return [fault.message for fault in explain(fields)]


@pytest.mark.parametrize("name", [ENTRY, CONFIG])
def test_the_schemas_are_draft_2020_12_and_describe_every_field(name: str) -> None:
    schema = read_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert list(_undescribed(schema)) == []


def _undescribed(node: Any, place: str = "") -> Any:
    if isinstance(node, dict):
        for name, field in node.get("properties", {}).items():
            if "const" not in field and "description" not in field and "$ref" not in field:
                yield f"{place}/{name}"
        for name, inner in node.items():
            yield from _undescribed(inner, f"{place}/{name}")


def test_the_schema_names_the_fields_types_and_statuses_of_the_code() -> None:
    fields = read_schema(ENTRY)["$defs"]["entry"]["properties"]
    assert tuple(fields) == (*entry.FIELDS, "deleted")
    assert set(fields["type"]["enum"]) == set(entry.TYPES)
    assert tuple(fields["status"]["enum"]) == entry.STATUSES
    assert tuple(fields["scope"]["enum"]) == entry.SCOPES
    relations = fields["links"]["items"]["properties"]["rel"]["enum"]
    assert tuple(relations) == entry.RELATIONS
    assert set(read_schema(ENTRY)["$defs"]["tombstone"]["properties"]) == set(
        entry.TOMBSTONE_FIELDS
    )
    assert tuple(read_schema(CONFIG)["properties"]["shards"]["enum"]) == identity.SHARD_COUNTS


def test_the_defaults_in_the_schema_are_those_of_the_code() -> None:
    schema = read_schema(ENTRY)
    fields = schema["$defs"]["entry"]["properties"]
    said = {}
    for name, field in fields.items():
        target = schema["$defs"].get(field.get("$ref", "").rpartition("/")[2], {})
        for place in (target, field):
            if "default" in place:
                said[name] = place["default"]
    assert said == entry.DEFAULTS


def test_a_valid_entry_has_nothing_to_explain() -> None:
    assert messages() == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": ...}, "no 'key'"),
        ({"type": ...}, "no 'type'"),
        ({"content": ...}, "neither 'title' nor 'content'"),
        ({"key": "a b"}, "'key' is \"a b\", which has not the form of a key"),
        ({"importance": 9}, "'importance' is 9, more than 5"),
        ({"importance": 3.0}, "'importance' is 3.0, not a whole number"),
        ({"importance": True}, "'importance' is true, not a whole number"),
        ({"tags": "auth"}, "'tags' is \"auth\", not a list"),
        ({"tags": ["auth", 1]}, "'tags[1]' is 1, not text"),
        ({"title": "two\nlines"}, "'title' has more than one line"),
        ({"content": ""}, "'content' is empty"),
        ({"links": [{"rel": "supersedes"}]}, "no 'to' in 'links[0]'"),
        ({"issue": 7}, "'issue' is 7, neither null nor text"),
        ({"deleted": False}, "'deleted' is false, not true"),
    ],
)
def test_one_fault_gives_one_sentence(changes: dict[str, Any], message: str) -> None:
    assert messages(**changes) == [message]


def test_a_misspelt_type_is_answered_with_the_nearest_one() -> None:
    (message,) = messages(type="decsion")
    assert message.endswith("did you mean decision?")


def test_every_missing_field_is_named() -> None:
    assert [fault.message for fault in explain({"title": "x"})] == ["no 'key'", "no 'type'"]


def test_the_hint_of_a_field_says_what_the_field_is_for() -> None:
    (fault,) = explain({**VALID, "importance": 0})
    assert (
        fault.hint
        == read_schema(ENTRY)["$defs"]["entry"]["properties"]["importance"]["description"]
    )


def test_an_integer_is_not_a_number_that_happens_to_be_whole() -> None:
    assert is_valid({**VALID, "ts": 3})
    assert not is_valid({**VALID, "ts": 3.0})


def test_a_config_file_is_held_against_its_own_schema() -> None:
    (fault,) = explain({"shards": 17}, CONFIG)
    assert fault.message == "'shards' is 17, not one of 1, 16, 256, 4096"


def test_an_unknown_setting_is_named_with_what_it_resembles() -> None:
    (fault,) = unknown_names({"shards": 16, "categories": {"extras": ["ops"]}})
    assert fault == (
        "categories.extras",
        "unknown setting 'categories.extras'",
        "did you mean extra?",
    )


def test_operations_may_have_any_name() -> None:
    values = {"operations": {"deploy": ["technical"]}}
    assert explain(values, CONFIG) == []
    assert unknown_names(values) == []
