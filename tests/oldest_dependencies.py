"""Print the oldest release of each dependency that pyproject.toml admits, as requirements for pip.

`make test-oldest` installs them, so that a lower bound is a release on which gitkb was tried.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
_BOUND = re.compile(r"([A-Za-z0-9._-]+)>=([0-9][0-9a-z.]*)")


def oldest_dependencies(pyproject: str) -> list[str]:
    """Give ``name==lower bound`` for each dependency of a project.

    Raises:
        ValueError: for a dependency without a lower bound.
    """
    found = []
    for line in tomllib.loads(pyproject)["project"]["dependencies"]:
        bound = _BOUND.fullmatch(line)
        if bound is None:
            raise ValueError(f"no lower bound alone: {line}")
        found.append(f"{bound[1]}=={bound[2]}")
    return found


if __name__ == "__main__":
    print("\n".join(oldest_dependencies(PYPROJECT.read_text(encoding="utf-8"))))  # noqa: T201
