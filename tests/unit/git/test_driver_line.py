"""The command line of the merge driver, as text."""

from __future__ import annotations

import shlex

import pytest

from gitkb.git.driver import LINE_VERSION, TEXT_VERSION, driver_line, text_line
from gitkb.git.driver_probe import expand


@pytest.mark.parametrize(
    "folder", ["/usr/bin", "/my tools", "/it's", "/100%/50%O", "/знания", '/a"b', "/$HOME`x`"]
)
def test_any_path_reaches_the_shell_as_it_is(folder: str) -> None:
    line = expand(driver_line(f"{folder}/python", f"{folder}/merge.py"))
    start = line.split("; ")[1]
    assert shlex.split(start)[:4] == [f"{folder}/python", "-I", "-S", f"{folder}/merge.py"]


def test_the_line_carries_its_version() -> None:
    assert driver_line().startswith(f": gitkb-driver {LINE_VERSION}; ")


def test_the_line_is_one_line() -> None:
    assert "\n" not in driver_line()


def test_every_way_through_the_line_hands_over_base_ours_and_theirs_in_order() -> None:
    line = driver_line("python", "merge.py")
    assert line.count(" %O %A %B %L %P;") == 2
    assert "merge-file -p --marker-size=%L %A %O %B " in line


# --- textconv --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "folder", ["/usr/bin", "/my tools", "/it's", "/100%/50%O", "/знания", '/a"b', "/$HOME`x`"]
)
def test_the_text_line_starts_the_program_of_any_folder(folder: str) -> None:
    line = text_line(f"{folder}/python", f"{folder}/textconv.py")
    words = shlex.split(line.split("{ ")[1])
    assert words[:5] == [f"{folder}/python", "-I", "-S", f"{folder}/textconv.py", "$1"]


def test_the_text_line_carries_its_version_and_ends_as_git_needs_it() -> None:
    line = text_line()
    assert line.startswith(f": gitkb-textconv {TEXT_VERSION}; ")
    assert line.endswith("; t")  # git puts "$@" behind it
    assert "\n" not in line
