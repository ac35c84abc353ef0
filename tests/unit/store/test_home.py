"""The user's own folder: where it is, and the tiers that are set up in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitkb.errors import StateError, UsageError
from gitkb.store.home import (
    Remote,
    Settings,
    check_name,
    home_folder,
    locked_home,
    read_settings,
    settings_to_change,
    write_settings,
)


def test_the_folder_is_named_by_a_variable_or_by_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = Path(os.environ["HOME"])
    assert Path(home_folder()).is_relative_to(home)
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "kb"))
    assert home_folder() == str(tmp_path / "kb")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITKB_HOME", "kb")
    assert home_folder() == str(tmp_path / "kb")
    monkeypatch.setenv("GITKB_HOME", "")
    assert Path(home_folder()).is_relative_to(home)
    assert not (tmp_path / "kb").exists()


@pytest.mark.parametrize("name", ["org", "a", "rust-community", "x.y_z", "9"])
def test_names_of_tiers(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "project", "workstation", "universal", "-x", ".x", "Org", "a/b", "..", "a b", "x" * 33, "a.lock", "a."],
)  # fmt: skip
def test_what_cannot_be_a_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as refusal:
        check_name(name)
    assert refusal.value.hint


def test_settings_are_kept_in_their_order(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    assert read_settings(home) == Settings()
    remotes = (Remote("b", "https://b.example/x"), Remote("a", "/a", push=True))
    with locked_home(home, "tiers"):
        write_settings(home, remotes)
    assert read_settings(home) == Settings(remotes)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"[]", b"{}", b'{"tiers":{}}', b'{"tiers":[1]}', b'{"tiers":[{"name":"../x","url":"u"}]}',
     b'{"tiers":[{"name":"project","url":"u"}]}', b'{"tiers":[{"name":"x"}]}', b"\xff", b"[" * 100_000],
)  # fmt: skip
def test_broken_settings_are_told_to_readers_and_stop_writers(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "tiers.json").write_bytes(text)
    settings = read_settings(str(tmp_path))
    assert settings.remotes == ()
    assert "tiers.json" in settings.fault
    with pytest.raises(StateError) as refusal:
        settings_to_change(str(tmp_path))
    assert refusal.value.hint


def test_settings_that_cannot_be_opened_are_told(tmp_path: Path) -> None:
    (tmp_path / "tiers.json").mkdir()
    assert "cannot read" in read_settings(str(tmp_path)).fault


def test_a_folder_that_cannot_be_made_is_a_state(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    lock = locked_home(str(tmp_path / "file" / "home"), "tiers")
    with pytest.raises(StateError, match="cannot write") as refusal:
        lock.__enter__()
    assert "GITKB_HOME" in str(refusal.value.hint)


@pytest.mark.parametrize("data", [None, "", " ", "/data/here", "relative", " /odd", "/odd "])
def test_the_shortcut_to_the_folder_is_what_platformdirs_says(
    monkeypatch: pytest.MonkeyPatch, data: str | None
) -> None:
    from platformdirs import user_data_dir

    if data is None:
        monkeypatch.delenv("XDG_DATA_HOME")
    else:
        monkeypatch.setenv("XDG_DATA_HOME", data)
    assert home_folder() == user_data_dir("gitkb", appauthor=False)
