"""The pictures in the documents show what the programs print."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from repo_builder import run_program
from seal import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PICTURES = ROOT / "docs" / "pictures"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_terminal_of_the_front_page_is_what_the_programs_print(tmp_path: Path) -> None:
    program = PICTURES / "make_terminal.py"
    picture = tmp_path / "terminal.svg"
    run_program(
        [sys.executable, "-P", program, picture],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT / "tests")},
    )
    assert (PICTURES / "terminal.svg").read_text("utf-8") == picture.read_text("utf-8"), (
        "`make pictures` takes the picture anew"
    )


@pytest.mark.parametrize("picture", sorted(PICTURES.glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_fetches_nothing(picture: Path) -> None:
    text = picture.read_text("utf-8").replace("http://www.w3.org/2000/svg", "", 1)
    assert re.findall(r"https?:|href|url\(|@import|<script", text) == []
