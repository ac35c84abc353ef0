"""The record by which an installation is taken back."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from gitkb.git.ledger import Ledger, read_or_none, replace_file


def ledger_at(folder: Path) -> Ledger:
    return Ledger(str(folder / "gitkb" / "install.json"))


def change(ledger: Ledger, path: Path, data: bytes) -> None:
    ledger.before(str(path))
    replace_file(str(path), data)
    ledger.after(str(path))


@given(before=st.one_of(st.none(), st.binary()), first=st.binary(), second=st.binary())
def test_any_change_is_taken_back_to_the_byte(
    before: bytes | None, first: bytes, second: bytes
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "config"
        if before is not None:
            path.write_bytes(before)
        ledger = ledger_at(folder)
        change(ledger, path, first)
        ledger.save()
        again = ledger_at(folder)
        change(again, path, second)
        again.save()
        last = ledger_at(folder)
        last.restore(str(path))
        last.remove()
        assert read_or_none(str(path)) == before or (before, first, second) == (None, b"", b"")
        assert not (folder / "gitkb").exists()


def test_a_file_that_somebody_edited_is_not_restored(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"before\n")
    ledger = ledger_at(tmp_path)
    change(ledger, path, b"before\nours\n")
    path.write_bytes(b"before\nours\ntheirs\n")
    assert not ledger.restore(str(path))
    assert path.read_bytes() == b"before\nours\ntheirs\n"


def test_a_file_edited_between_two_installations_counts_as_unknown(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"before\n")
    ledger = ledger_at(tmp_path)
    change(ledger, path, b"before\nours\n")
    path.write_bytes(b"edited\nours\n")
    change(ledger, path, b"edited\nours 2\n")
    assert not ledger.restore(str(path))


def test_the_record_holds_no_bytes_of_the_file_that_stay_in_it(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(b"[remote]\n\turl = https://me:secret@host\n")
    ledger = ledger_at(tmp_path)
    change(ledger, path, path.read_bytes() + b"[merge]\n")
    ledger.save()
    record = tmp_path / "gitkb" / "install.json"
    assert b"secret" not in record.read_bytes()
    assert record.stat().st_mode & 0o777 == 0o600


def test_a_damaged_record_is_no_reason_to_refuse(tmp_path: Path) -> None:
    (tmp_path / "gitkb").mkdir()
    (tmp_path / "gitkb" / "install.json").write_bytes(b"\x00 noise")
    ledger = ledger_at(tmp_path)
    assert not ledger.restore(str(tmp_path / "config"))


def test_folders_that_were_made_go_and_others_stay(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    (tmp_path / "info").mkdir()
    ledger.make_folder(str(tmp_path / "info"))
    ledger.make_folder(str(tmp_path / "hooks" / "deeper"))
    ledger.save()
    ledger_at(tmp_path).remove()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["info"]


def test_the_record_survives_a_move_of_the_repository(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "config").write_bytes(b"before\n")
    ledger = ledger_at(old)
    change(ledger, old / "config", b"before\nours\n")
    ledger.save()
    old.rename(tmp_path / "new")
    assert ledger_at(tmp_path / "new").restore(str(tmp_path / "new" / "config"))
    assert (tmp_path / "new" / "config").read_bytes() == b"before\n"


def test_a_file_that_git_is_writing_is_not_taken_from_under_it(tmp_path: Path) -> None:
    import pytest

    from gitkb.errors import StateError

    (tmp_path / "config").write_bytes(b"before\n")
    (tmp_path / "config.lock").write_bytes(b"")
    with pytest.raises(StateError, match="another git"):
        replace_file(str(tmp_path / "config"), b"after\n")
    assert (tmp_path / "config").read_bytes() == b"before\n"
