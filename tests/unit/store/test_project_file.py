"""Files of the project are read with bounds."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from gitkb.store.project_file import MOST_BYTES, iter_project_files, read_project_file

if TYPE_CHECKING:
    from pathlib import Path


def wanted(path: str) -> bool:
    return path.endswith("want.toml")


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())


def test_the_top_comes_first_and_the_depth_is_bounded(tmp_path: Path) -> None:
    write(
        tmp_path,
        "want.toml", "b/want.toml", "a/want.toml", "a/deep/want.toml", "a/deep/deeper/want.toml",
        "node_modules/want.toml", "a/tests/want.toml", ".hidden/want.toml", "a/other.toml",
        ".github/workflows/want.toml",
    )  # fmt: skip
    found = [path for path, _ in iter_project_files(str(tmp_path), wanted)]
    assert found == [
        "want.toml", ".github/workflows/want.toml", "a/want.toml", "b/want.toml", "a/deep/want.toml",
    ]  # fmt: skip


def test_the_number_of_files_is_bounded(tmp_path: Path) -> None:
    write(tmp_path, *(f"f{number:03}/want.toml" for number in range(100)))
    found = [path for path, _ in iter_project_files(str(tmp_path), wanted)]
    assert found == [f"f{number:03}/want.toml" for number in range(64)]


def test_a_folder_that_is_not_there_has_no_files(tmp_path: Path) -> None:
    assert list(iter_project_files(str(tmp_path / "nowhere"), wanted)) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")
def test_links_and_pipes_are_not_opened(tmp_path: Path) -> None:
    write(tmp_path, "elsewhere/secret")
    top = tmp_path / "top"
    top.mkdir()
    os.symlink(tmp_path / "elsewhere" / "secret", top / "want.toml")
    os.symlink(tmp_path / "elsewhere", top / "linked")
    assert list(iter_project_files(str(top), wanted)) == []
    assert isinstance(read_project_file(str(top / "want.toml")), str)
    os.mkfifo(top / "pipe")
    assert read_project_file(str(top / "pipe")) == "it is no plain file"


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (MOST_BYTES + 1))
    (tmp_path / "full").write_bytes(b"x" * MOST_BYTES)
    assert read_project_file(str(tmp_path / "large")) == "it is larger than 512 KiB"
    assert len(read_project_file(str(tmp_path / "full"))) == MOST_BYTES
    assert read_project_file(str(tmp_path / "none")) == "No such file or directory"
    assert read_project_file(str(tmp_path)) == "it is no plain file"
