"""Sessions are opened, ended, dropped, and told of when nobody ended them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gitkb.errors import DataError, GitkbError, NotFoundError, StateError, UsageError
from gitkb.index.search import Filters
from gitkb.operations.context import context
from gitkb.operations.forget import forget
from gitkb.operations.health.session import check_sessions
from gitkb.operations.recall import recall
from gitkb.operations.session import drop_session, end_session, list_sessions, start_session
from gitkb.operations.writing.clock import now
from gitkb.store.open_session import OpenSession, read_sessions, write_session

from store_builder import Shelf, make_shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def entry(shelf: Shelf) -> dict[str, Any]:
    [line] = shelf.lines()
    return line


def test_a_session_ends_as_an_entry_that_search_finds(shelf: Shelf) -> None:
    session = start_session(
        shelf.store, " Move to cents ", files=["./src//pay"], tags=["Money"], stack=["Go"]
    )
    ended = end_session(
        shelf.store, done=["Moved the cart"], decided=["Round half up"], open=["Refunds"], next=["Ask Ben"],
        summary="Went well.", tags=["cart"], files=["lib"],
    )  # fmt: skip
    assert (ended.written, ended.key, ended.goal) == (True, session.id, "Move to cents")
    kept = entry(shelf)
    assert kept.pop("ts") >= kept["created"] == session.started
    assert kept == {
        "key": session.id, "type": "session", "title": "Move to cents", "content": "Went well.",
        "tags": ["cart", "money"], "files": ["lib", "src/pay"], "stack": ["go"], "created": session.started,
        "done": ["Moved the cart"], "decided": ["Round half up"], "open": ["Refunds"], "next": ["Ask Ben"],
    }  # fmt: skip
    assert list_sessions(shelf.store) == []
    for word in ("cart", "half", "refunds", "ben"):
        assert len(recall(shelf.store, word, Filters())) == 1


def test_an_open_session_leaves_no_trace_in_the_store(shelf: Shelf) -> None:
    before = shelf.tree()
    session = start_session(shelf.store, "Goal")
    assert shelf.tree() == before
    drop_session(shelf.store, session.id)
    assert shelf.tree() == before
    assert list_sessions(shelf.store) == []


def test_two_sessions_of_one_goal_stay_two(shelf: Shelf) -> None:
    for done in ("first", "second"):
        end_session(shelf.store, start_session(shelf.store, "Goal").id, done=[done])
    assert sorted(line["done"][0] for line in shelf.lines()) == ["first", "second"]


def test_the_next_pack_begins_with_the_last_session(shelf: Shelf) -> None:
    end_session(shelf.store, start_session(shelf.store, "Goal").id, next=["Ask Ben"])
    pack = context(shelf.store, "anything")
    assert pack.text.split("\n")[1] == "## Last session"
    assert "    next: Ask Ben" in pack.text


def test_the_id_may_be_left_out_only_while_one_is_open(shelf: Shelf) -> None:
    with pytest.raises(StateError, match="no session is open"):
        end_session(shelf.store)
    one = start_session(shelf.store, "One\n$(rm)")
    two = start_session(shelf.store, "Two")
    with pytest.raises(StateError, match="2 sessions are open") as caught:
        end_session(shelf.store)
    for session in (one, two):
        assert f"gitkb session end {session.id}" in str(caught.value.hint)
    end_session(shelf.store, one.id)
    assert end_session(shelf.store).key == two.id


def test_ending_what_was_killed_before_its_file_went_doubles_nothing(shelf: Shelf) -> None:
    session = start_session(shelf.store, "Goal", tags=["a"])
    end_session(shelf.store, session.id, done=["x"], summary="s")
    before = shelf.tree()
    write_session(shelf.store, session)  # as a kill between entry and file leaves it
    assert not end_session(shelf.store, done=["x"], summary="s").written
    assert shelf.tree() == before
    assert list_sessions(shelf.store) == []


def test_ending_again_adds_what_is_new_and_loses_nothing(shelf: Shelf) -> None:
    session = start_session(shelf.store, "Goal")
    end_session(shelf.store, session.id, done=["x"], summary="One.")
    assert not end_session(shelf.store, session.id).written
    assert end_session(shelf.store, session.id, done=["x", "y"], next=["z"], summary="Two.").written
    kept = entry(shelf)
    assert (kept["done"], kept["next"], kept["content"]) == (["x", "y"], ["z"], "One.\n\nTwo.")
    assert kept["title"] == "Goal"


def test_a_long_goal_is_kept_whole(shelf: Shelf) -> None:
    goal = "Move everything. " * 40 + "\nAnd then\u2028rest."
    end_session(shelf.store, start_session(shelf.store, goal).id, summary="Done.")
    kept = entry(shelf)
    assert kept["title"].startswith("Move everything.")
    assert len(kept["title"]) <= 200
    assert kept["content"] == goal + "\n\nDone."


@pytest.mark.parametrize("goal", ["", "  ", "\0", "\n"])
def test_a_session_needs_a_goal(shelf: Shelf, goal: str) -> None:
    with pytest.raises(UsageError, match="needs a goal"):
        start_session(shelf.store, goal)


def test_what_no_entry_may_hold_is_refused_or_mended_at_the_start(shelf: Shelf) -> None:
    with pytest.raises(DataError, match="outside"):
        start_session(shelf.store, "Goal", files=["../x"])
    session = start_session(shelf.store, "a\0b \udcff", tags=["", "A", "a"])
    assert (session.goal, session.tags) == ("a b ?", ("a",))
    assert end_session(shelf.store).written


@pytest.mark.parametrize("use", [end_session, drop_session])
@pytest.mark.parametrize(
    ("bad", "kind"),
    [("ses_00000000", NotFoundError), ("../../x", UsageError), ("dec_1", UsageError)],
)
def test_an_id_that_is_not_open_is_refused(
    shelf: Shelf, use: Any, bad: str, kind: type[GitkbError]
) -> None:
    with pytest.raises(kind):
        use(shelf.store, bad)
    assert shelf.lines() == []


def test_a_session_whose_entry_was_forgotten_comes_back_only_with_its_file(shelf: Shelf) -> None:
    session = start_session(shelf.store, "Goal")
    end_session(shelf.store, session.id, done=["x"])
    forget(shelf.store, [session.id])
    with pytest.raises(NotFoundError):
        end_session(shelf.store, session.id)
    write_session(shelf.store, session)
    assert end_session(shelf.store, session.id).written
    assert "revives" in entry(shelf)


def test_the_doctor_tells_of_a_session_that_nobody_ended(shelf: Shelf) -> None:
    young = OpenSession("ses_00000001", "Young", now() - 80_000)
    old = OpenSession("ses_00000002", "Old", now() - 3 * 86_400)
    write_session(shelf.store, young)
    [found] = check_sessions(shelf.store)()
    assert found.severity == "ok"
    write_session(shelf.store, old)
    bad = Path(shelf.store.derived) / "sessions" / "ses_00000003.json"
    bad.write_text("{")
    orphan, unreadable = check_sessions(shelf.store)()
    assert orphan.message == "the session ses_00000002 has been open for 3 days: Old"
    assert "gitkb session end ses_00000002" in orphan.cure
    assert unreadable.cure == "gitkb session drop ses_00000003"
    for session in read_sessions(shelf.store):
        drop_session(shelf.store, session.id)
    assert [one.severity for one in check_sessions(shelf.store)()] == ["ok"]
