"""Laws of moving: nothing that an entry says is lost on the way, and it can come home."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import FIELDS, Entry, Tombstone, check_fields, encode_record, parse_record
from gitkb.core.merge.record import merge_records
from gitkb.core.merge.rules import KNOWLEDGE
from gitkb.core.move import moved_entry, redirect, says_the_same, take_changes

from strategies import entries, records

if TYPE_CHECKING:
    from gitkb.core.entry import Record

_one_key = st.just("k0")


def out(entry: Entry, there: Record | None = None) -> Entry:
    return moved_entry(
        entry, scope="workstation", prefix="WL", project="dossier", there=there, ts=2**60
    )


@given(entries(_one_key), st.none() | records(_one_key))
def test_what_arrives_is_valid_and_later(entry: Entry, there: Record | None) -> None:
    new = out(entry, there)
    assert check_fields(new.fields) == []
    assert parse_record(encode_record(new)) == new
    assert (new.key, new.ts) == ("k0", 2**60)
    assert new.fields["classified_by"] == "human"
    assert not [alias for alias in new.aliases if alias.startswith("L-") and there is None]
    if isinstance(there, Tombstone):
        assert new.fields["revives"] == there.ts


@given(entries(_one_key))
def test_it_says_the_same_there_and_what_gitkb_does_not_know_goes_along(entry: Entry) -> None:
    new = out(entry)
    assert says_the_same(entry, new)
    for name, value in entry.fields.items():
        if name not in FIELDS:
            assert new.fields[name] == value
    assert new.created == entry.created


@given(entries(_one_key), entries(_one_key))
def test_where_the_key_is_taken_both_are_kept(entry: Entry, there: Entry) -> None:
    new = out(entry, there)
    kept = encode_record(new).decode()
    for one in (entry, there):
        for value in (one.title, one.content):
            # As one of the values that are shown, or of those in `conflicts`.
            shown = Entry({"key": "k", "type": "fact", "content": value or "-"})
            inner = encode_record(shown).decode().partition('"content":')[2].rstrip("}")
            assert not value or inner in kept
    assert set(entry.tags) | set(there.tags) <= set(new.tags) or new.conflicts


@given(entries(_one_key))
def test_it_comes_home_as_it_went(entry: Entry) -> None:
    new = out(entry)
    left = redirect(entry, "workstation", "Ada", 2**61)
    assert check_fields(left.fields) == []
    back = moved_entry(new, scope="project", prefix="L", project="", there=left, ts=2**62)
    assert says_the_same(entry, back)
    assert [name for name in back.aliases if not name.startswith("WL-")] == [
        name for name in entry.aliases if not name.startswith("WL-")
    ]
    assert "project" not in back.fields
    assert back.fields["revives"] == left.ts


@given(entries(_one_key), entries(_one_key))
def test_what_was_changed_while_it_moved_arrives_where_it_went(entry: Entry, edited: Entry) -> None:
    """Whatever a branch changed, and did not take away, comes along with the next move."""
    edited = Entry({name: value for name, value in edited.fields.items() if name not in _OWN})
    edited = Entry({**entry.fields, **edited.fields, "ts": entry.ts + 1})
    there = out(entry)
    left = redirect(entry, "workstation", "Ada", 2**61)
    merged = merge_records(entry.fields, left.fields, edited.fields, KNOWLEDGE)
    assert merged is not None
    assert merged["moved"] == "workstation"
    assert merged == merge_records(entry.fields, edited.fields, left.fields, KNOWLEDGE)
    assert check_fields(merged) == []
    now = take_changes(there, entry, merged.get("conflicts", []))
    assert check_fields(now.fields) == []
    assert says_the_same(now, edited)
    # Doing it again, after a kill, changes nothing.
    assert take_changes(now, entry, merged.get("conflicts", [])) == now


_OWN = {"scope", "project", "classified_by", "aliases", "conflicts", "created", "revives", "ts"}
