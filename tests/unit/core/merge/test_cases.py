"""Each folder of tests/cases/merge is a merge; a folder without `expected.jsonl` must be refused.

`options.txt` holds the options of the driver, `why.md` says what the case shows.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gitkb.core.merge.file import merge_files
from gitkb.drivers.merge_command import _Job

CASES = Path(__file__).resolve().parents[3] / "cases" / "merge"


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_a_case_merges_as_it_says_from_both_sides(case: Path) -> None:
    options = case / "options.txt"
    words = options.read_text(encoding="utf-8").split() if options.exists() else []
    rules = _Job([*words, "b", "o", "t"]).rules()
    base, ours, theirs = (
        (case / f"{side}.jsonl").read_bytes() for side in ("base", "ours", "theirs")
    )
    expected = case / "expected.jsonl"
    wanted = expected.read_bytes().decode() if expected.exists() else None
    for one, other in ((ours, theirs), (theirs, ours)):
        text = merge_files(base, one, other, rules).text
        assert (text if text is None else text.decode()) == wanted
    assert (case / "why.md").read_text(encoding="utf-8").strip()
