"""Run cases: make the bytes of a seed, give them to a target in a fresh folder, keep what fails."""

from __future__ import annotations

import random
import shutil
import traceback
from typing import TYPE_CHECKING, NamedTuple

from fuzz.target import TARGETS, FoundError, in_time, make_repository
from repo_builder import Repo

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fuzz.target import Target


class Found(NamedTuple):
    """A case that failed, and the file that its bytes were saved to."""

    target: str
    seed: int
    message: str
    path: Path

    def __str__(self) -> str:
        return (
            f"found: {self.target}, seed {self.seed}: {self.message}\n"
            f"again: make fuzz FUZZ_AGAIN={self.path}"
        )


class Session:
    """A folder to work in, the lines to begin with, and where findings go."""

    def __init__(self, folder: Path, findings: Path, seeds: Sequence[bytes]) -> None:
        self._case = folder / "case"
        self._begin = folder / "begin"
        self._findings = findings
        self._seeds = seeds
        make_repository(self._begin)

    def run(self, target: Target, seed: int) -> Found | None:
        """Run one case; None where all is well."""
        data = target.make(self._seeds, random.Random(f"{target.name} {seed}"))
        message = self.check(target, data)
        if not message:
            return None
        self._findings.mkdir(exist_ok=True)
        path = self._findings / f"{target.name}-{seed}.bin"
        path.write_bytes(data)
        return Found(target.name, seed, message, path)

    def check(self, target: Target, data: bytes) -> str:
        """Give bytes to a target and say what is wrong; an empty text where nothing is."""
        shutil.rmtree(self._case, ignore_errors=True)
        shutil.copytree(self._begin, self._case, symlinks=True)
        try:
            with in_time():
                target.check(data, Repo(self._case))
        except FoundError as error:
            return str(error)
        except Exception:  # noqa: BLE001  whatever it is, it is a finding
            return traceback.format_exc()
        return ""


def target_named(name: str) -> Target:
    """Give the target of this name."""
    return next(target for target in TARGETS if target.name == name)
