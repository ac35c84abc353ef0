from __future__ import annotations

from hypothesis import given

from gitkb.core.diff.record import FieldChange, diff_fields, is_same_record

from strategies import fields_of_entries


def test_changes_come_in_the_order_of_a_line_with_unknown_fields_last() -> None:
    before = {"key": "a", "type": "fact", "content": "one", "ts": 1, "zeta": 1}
    after = {"key": "a", "ts": 2, "alpha": 1, "content": "two", "type": "fact", "issue": "#1"}
    assert [change.field for change in diff_fields(before, after)] == [
        "content",
        "issue",
        "ts",
        "alpha",
        "zeta",
    ]


def test_a_set_tells_what_came_and_what_went() -> None:
    before = {"key": "a", "type": "fact", "content": "x", "tags": ["b", "a"]}
    after = {"key": "a", "type": "fact", "content": "x", "tags": ["c", "a"]}
    assert diff_fields(before, after) == [
        FieldChange("tags", ["a", "b"], ["a", "c"], ("b",), ("c",))
    ]


def test_defaults_spelled_out_and_the_order_of_sets_are_no_change() -> None:
    before = {"key": "a", "type": "fact", "content": "x", "tags": ["b", "a"], "importance": 3}
    after = {"key": "a", "type": "fact", "content": "x", "tags": ["a", "b"], "links": []}
    assert diff_fields(before, after) == []
    assert is_same_record(before, after)


def test_true_and_one_are_different_values() -> None:
    before = {"key": "a", "type": "fact", "content": "x", "n": 1}
    for other in (True, 1.0, "1"):
        assert not is_same_record(before, {**before, "n": other})
        assert [change.field for change in diff_fields(before, {**before, "n": other})] == ["n"]


def test_a_new_record_and_one_that_went_name_every_field_but_the_key() -> None:
    entry = {"key": "a", "type": "fact", "content": "x", "ts": 1}
    assert [(c.field, c.before) for c in diff_fields(None, entry)] == [
        ("type", None),
        ("content", None),
        ("ts", None),
    ]
    assert [(c.field, c.after) for c in diff_fields(entry, None)] == [
        ("type", None),
        ("content", None),
        ("ts", None),
    ]


def test_an_entry_that_became_a_tombstone_names_both_sides() -> None:
    entry = {"key": "a", "type": "fact", "content": "x", "ts": 1}
    grave = {"key": "a", "deleted": True, "ts": 2, "reason": "wrong"}
    changes = {change.field: (change.before, change.after) for change in diff_fields(entry, grave)}
    assert changes == {
        "type": ("fact", None),
        "content": ("x", None),
        "ts": (1, 2),
        "deleted": (None, True),
        "reason": (None, "wrong"),
    }


@given(fields_of_entries(), fields_of_entries())
def test_two_records_are_the_same_exactly_if_nothing_but_the_key_differs(
    before: dict[str, object], after: dict[str, object]
) -> None:
    after["key"] = before["key"]
    assert is_same_record(before, after) == (diff_fields(before, after) == [])
    assert diff_fields(before, dict(reversed(before.items()))) == []
