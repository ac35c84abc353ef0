"""Where something cannot work: gitkb says so in the words of the page, loses nothing, and the cure cures."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from repository_refusals import REFUSALS, Refusal

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "repositories.md"
BEGIN, END = "<!-- what stops: begin -->\n", "<!-- what stops: end -->\n"
CODES = {1: "1 no", 4: "4 not found", 5: "5 state", 6: "6 git"}


@pytest.mark.parametrize("refusal", REFUSALS, ids=[refusal.name for refusal in REFUSALS])
def test_what_cannot_work_is_said_with_a_cure_that_cures(refusal: Refusal, tmp_path: Path) -> None:
    if refusal.needs_root and os.getuid() != 0:
        pytest.skip("only root can give a folder to somebody else")
    place = refusal.make(tmp_path)
    said = place.kb(*refusal.words, exit_code=refusal.exit_code)
    text = said.stdout + said.stderr
    assert refusal.says in text
    advised = refusal.advises.replace("{place}/..", str(place.repo.path.parent))
    assert advised in text
    if refusal.meanwhile:
        place.kb(*refusal.meanwhile)
    refusal.cure(place)
    if refusal.then:
        place.kb(*refusal.then)


# --- the page --------------------------------------------------------------------------------


def table() -> str:
    """The second table of the page."""
    lines = [
        "| where | what stops, as seen | it says | and advises | what works meanwhile |",
        "|---|---|---|---|---|",
    ]
    for refusal in REFUSALS:
        advises = refusal.advises.replace("{place}/..", "FOLDER").replace("|", "\\|")
        cells = (
            refusal.name,
            f"`gitkb {' '.join(refusal.words)}`: {CODES[refusal.exit_code]}",
            refusal.says,
            f"`{advises}`",
            refusal.works,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def with_table(page: str) -> str:
    """The page with its second table written anew."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


def test_the_page_shows_what_stops() -> None:
    page = PAGE.read_text("utf-8")
    assert page == with_table(page)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8", newline="\n")
