"""Whose change is whose, when a source does not say when it changed."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import normalise
from gitkb.core.foreign.import_mark import MARKS, says_the_same, unite, with_marks

_worlds = st.fixed_dictionaries(
    {"title": st.sampled_from(["a", "b", "c"])},
    optional={
        "content": st.sampled_from(["x", "y", "z"]),
        "status": st.sampled_from(["active", "rejected"]),
        "tags": st.lists(st.sampled_from("pqr"), max_size=3),
        "adr": st.dictionaries(st.sampled_from("mn"), st.integers(0, 1)),
    },
)


def stripped(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != MARKS}


@given(_worlds, _worlds)
def test_what_was_not_touched_here_follows_the_source(old: Any, new: Any) -> None:
    standing = with_marks(old)
    assert says_the_same(standing, with_marks(old))
    assert unite(standing, with_marks(new)) == normalise(with_marks(new))


@given(_worlds, _worlds)
def test_what_the_source_did_not_touch_stays_as_it_is_here(source: Any, here: Any) -> None:
    standing = {**stripped(normalise(here)), MARKS: with_marks(source)[MARKS]}
    assert stripped(unite(standing, with_marks(source))) == normalise(stripped(standing))


@given(_worlds, _worlds, _worlds)
def test_no_value_that_either_side_wrote_is_lost(old: Any, here: Any, new: Any) -> None:
    old, here, new = normalise(old), normalise(here), normalise(new)
    standing = {**here, "ts": 5, MARKS: with_marks(old)[MARKS]}
    result = unite(standing, with_marks(new))
    assert result[MARKS] == with_marks(new)[MARKS]
    contested = {conflict["field"]: conflict["value"] for conflict in result.get("conflicts", ())}
    for name in ("title", "content", "adr"):
        if here.get(name) != old.get(name) and name in here:
            shown = result.get(name)
            assert here[name] in (shown, contested.get(name))
        if new.get(name) != old.get(name) and here.get(name) == old.get(name):
            assert result.get(name) == new.get(name)
    given_before, now = set(old.get("tags", ())), set(new.get("tags", ()))
    kept = set(here.get("tags", ())) - (given_before - now)
    assert set(result.get("tags", ())) == kept | (now - given_before)
    again = unite(result, with_marks(new))
    assert again == result


def test_an_entry_that_was_written_here_takes_what_the_source_says_and_keeps_the_rest() -> None:
    standing = {"title": "a", "content": "x", "importance": 5, "tags": ["p"], "status": "rejected"}
    result = unite(standing, with_marks({"title": "a", "content": "y", "tags": ["q"]}))
    assert stripped(result) == {
        "title": "a",
        "content": "y",
        "importance": 5,
        "tags": ["p", "q"],
        "status": "rejected",
    }
