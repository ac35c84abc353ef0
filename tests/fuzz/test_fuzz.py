"""A short run of what `make fuzz` does for an hour: the same seeds each time."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fuzz.mutation import LINES, make_file, read_seeds
from fuzz.session import Session
from fuzz.target import TARGETS, FoundError, in_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fuzz.target import Target

CASES = {"server": 1, "driver": 25, "config": 6, "hook": 6, "lines": 6, "derived": 6}
"""How many seeds a target gets here; 10 where nothing is said."""


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("fuzz")
    before = os.environ.get("GITKB_HOME")
    os.environ["GITKB_HOME"] = str(folder / "kb-home")
    shared = Path(os.environ["GITKB_SHARED_DATA"])
    yield Session(folder, folder / "findings", read_seeds(shared))
    os.environ.pop("GITKB_HOME") if before is None else None


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_no_bytes_make_a_program_of_ours_end_otherwise_than_it_says(
    session: Session, target: Target, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "kb-home"))
    found = [session.run(target, seed) for seed in range(CASES.get(target.name, 10))]
    assert not any(found), "\n".join(str(one) for one in found if one is not None)


def test_the_same_seed_makes_the_same_bytes() -> None:
    files = [make_file(LINES, random.Random(7)) for _ in range(2)]
    assert files[0] == files[1]
    assert len({make_file(LINES, random.Random(seed)) for seed in range(50)}) > 40


def test_what_does_not_end_is_found() -> None:
    with pytest.raises(FoundError, match="no end within"), in_time(0.05):
        time.sleep(5)
