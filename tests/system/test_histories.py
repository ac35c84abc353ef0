"""Random histories with real git: see history_team. `make fuzz` lives many more and longer ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from history_team import Team

if TYPE_CHECKING:
    from pathlib import Path

# Read when the module is, for the seal takes it away. GITKB_HISTORIES is `long`, or a number of histories.
_ASKED = os.environ.get("GITKB_HISTORIES", "")
SEEDS = range(int(_ASKED) if _ASKED.isdigit() else 200 if _ASKED == "long" else 4)
ACTS = 40 if _ASKED else 25


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_three_clones_lose_nothing_whatever_git_does_with_their_knowledge(
    seed: int, tmp_path: Path
) -> None:
    team = Team(tmp_path, seed)
    team.live(ACTS)
    team.check_provenance()
