"""The seal itself (tests/README.md): what a test can and cannot see."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from repo_builder import ADA, Repo
from seal import REAL_HOME, SealError


def test_home_is_an_empty_folder_of_the_test(sealed: Path) -> None:
    assert Path.home() == sealed / "home"
    assert os.listdir(Path.home()) == []
    assert Path.cwd() == sealed / "cwd"


def test_reading_the_real_home_raises_with_the_reason() -> None:
    if os.sep == REAL_HOME:
        pytest.skip("the real home is the root of the file system")
    with pytest.raises(SealError, match="real home"):
        open(os.path.join(REAL_HOME, "anything"))  # noqa: SIM115 - it must not open


def test_the_network_is_out_of_reach() -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock,
        pytest.raises(SealError, match="network"),
    ):
        sock.connect(("127.0.0.1", 9))


def test_git_sees_no_configuration_from_outside(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    shown = repo.git("config", "--list", "--show-scope").lines()
    assert {line.split("\t")[0] for line in shown} == {"local"}


def test_global_configuration_is_a_file_that_may_be_written(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.git("config", "--global", "merge.gitkb.name", "x")
    assert repo.git("config", "--global", "merge.gitkb.name").stdout == "x\n"
    assert Path(os.devnull).is_char_device()


def test_the_same_steps_give_the_same_commit(tmp_path: Path) -> None:
    def steps(path: Path) -> str:
        repo = Repo.init(path)
        repo.write("a", "1\n")
        return repo.commit("One")

    first = Repo(tmp_path / "first")
    assert steps(first.path)
    assert first.log(form="%an <%ae> %aI") == [
        f"{ADA.name} <{ADA.email}> 2026-01-01T00:05:00+00:00"
    ]


def test_children_speak_utf8_in_universal_time() -> None:
    said = subprocess.run(["date", "+%Z"], capture_output=True, text=True, check=True).stdout
    assert said == "UTC\n"
