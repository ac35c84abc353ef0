"""The files of open sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gitkb.core.identity import is_key
from gitkb.errors import NotFoundError, StateError, UsageError
from gitkb.store.open_session import (
    OpenSession,
    UnreadableSession,
    check_session_id,
    new_session_id,
    read_session,
    read_sessions,
    remove_session,
    write_session,
)

from store_builder import Shelf, make_shelf

SESSION = OpenSession("ses_00000001", "Ship it\n中", 7, ("a",), ("src",), ("go",))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return make_shelf(tmp_path)


def folder(shelf: Shelf) -> Path:
    return Path(shelf.store.derived) / "sessions"


def test_what_is_written_is_read(shelf: Shelf) -> None:
    write_session(shelf.store, SESSION)
    assert read_session(shelf.store, SESSION.id) == SESSION
    assert read_sessions(shelf.store) == [SESSION]


def test_a_new_id_is_a_key_and_never_the_same(shelf: Shelf) -> None:
    ids = {new_session_id("goal") for _ in range(500)}
    assert len(ids) == 500
    assert all(is_key(check_session_id(one)) and one.startswith("ses_") for one in ids)


@pytest.mark.parametrize(
    "bad",
    ["", "x", "../ses_00000001", "ses_0000000", "ses_000000011", "ses_0000/001", "ses_00000001\n",
     "SES_00000001", "ses_0000000A", "ses_00000001.json", "dec_00000001", "ses_0000000\0", "/etc/passwd"],
)  # fmt: skip
def test_an_id_of_another_form_never_becomes_a_path(shelf: Shelf, bad: str) -> None:
    for use in (read_session, remove_session):
        with pytest.raises(UsageError, match="no id of a session"):
            use(shelf.store, bad)


def test_sessions_come_the_oldest_first_and_the_unreadable_last(shelf: Shelf) -> None:
    write_session(shelf.store, SESSION)
    write_session(shelf.store, SESSION._replace(id="ses_00000002", started=3))
    (folder(shelf) / "ses_00000000.json").write_text("{")
    (folder(shelf) / "notes.txt").write_text("not ours")
    (folder(shelf) / ".ses_00000009.json.tmp").write_text("half")
    found = read_sessions(shelf.store)
    assert [one.id for one in found] == ["ses_00000002", "ses_00000001", "ses_00000000"]
    assert isinstance(found[2], UnreadableSession)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '"x"', "\xff", "[" * 100_000, json.dumps({"id": "ses_00000001"}),
     json.dumps({**SESSION._asdict(), "id": "ses_00000002"}), json.dumps({**SESSION._asdict(), "goal": 1}),
     json.dumps({**SESSION._asdict(), "started": "x"}), json.dumps({**SESSION._asdict(), "tags": [1]})],
)  # fmt: skip
def test_a_file_that_holds_no_session_is_a_value_with_a_reason(shelf: Shelf, text: str) -> None:
    folder(shelf).mkdir(parents=True)
    (folder(shelf) / f"{SESSION.id}.json").write_bytes(text.encode("latin-1"))
    [found] = read_sessions(shelf.store)
    assert isinstance(found, UnreadableSession)
    assert found.reason
    with pytest.raises(StateError, match="cannot read the session") as caught:
        read_session(shelf.store, SESSION.id)
    assert caught.value.hint == f"gitkb session drop {SESSION.id}"
    assert remove_session(shelf.store, SESSION.id)


def test_a_folder_in_the_place_of_a_file_is_a_value_with_a_reason(shelf: Shelf) -> None:
    (folder(shelf) / f"{SESSION.id}.json").mkdir(parents=True)
    [found] = read_sessions(shelf.store)
    assert isinstance(found, UnreadableSession)
    with pytest.raises(StateError, match="cannot remove"):
        remove_session(shelf.store, SESSION.id)


def test_what_is_not_there_is_not_found(shelf: Shelf) -> None:
    assert read_sessions(shelf.store) == []
    assert not remove_session(shelf.store, SESSION.id)
    with pytest.raises(NotFoundError):
        read_session(shelf.store, SESSION.id)
