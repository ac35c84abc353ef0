"""Build the site: `python docs/site/build.py [FOLDER]`, by default into build/site.

1. Every page stands in the navigation of zensical.toml once, and every page that it names exists.
2. The build is strict: a link or an anchor that leads nowhere fails it. No network is asked.
3. The builder wants its configuration beside the documents and its output within; so all is put together
   in a folder of its own, and the source tree stays as it is.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent
CONFIGURATION = DOCS / "site" / "zensical.toml"
NO_PAGES = shutil.ignore_patterns("site", "*.py", "__pycache__")


def pages_of(nav: Any) -> list[str]:
    """The pages that a navigation names, in its order."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in pages_of(part)]


def expand_stars(text: str, docs: Path) -> str:
    """The configuration with every `"folder/*.md"` replaced by the pages that are there."""

    def pages(match: re.Match[str]) -> str:
        names = sorted(page.relative_to(docs).as_posix() for page in docs.glob(match[1]))
        return ", ".join(f'"{name}"' for name in names)

    return re.sub(r'"([\w/-]+/\*\.md)"', pages, text)


def check_navigation(docs: Path, text: str) -> list[str]:
    """Say what is wrong with the navigation of a configuration, a line a problem."""
    named = pages_of(tomllib.loads(expand_stars(text, docs))["project"]["nav"])
    there = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    problems = [f"'{page}' is in the navigation twice" for page in _repeated(named)]
    problems += [f"'{page}' is in the navigation and is no page" for page in {*named} - there]
    problems += [f"'{page}' is not in the navigation" for page in there - {*named}]
    return sorted(problems)


def _repeated(names: list[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


def build(docs: Path, text: str, folder: Path) -> int:
    """Build the site of `docs` into `folder`, which is replaced. Answers the exit code."""
    with tempfile.TemporaryDirectory() as name:
        room = Path(name)
        shutil.copytree(docs, room / "docs", ignore=NO_PAGES)
        (room / "zensical.toml").write_text(expand_stars(text, docs), "utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "zensical", "build", "--strict", "--clean"],
            cwd=room,
            check=False,
        )
        if done.returncode == 0:
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(room / "site", folder)
    return done.returncode


def main(arguments: list[str]) -> int:
    """Check, build, say where it is."""
    folder = Path(arguments[0] if arguments else DOCS.parent / "build" / "site")
    text = CONFIGURATION.read_text("utf-8")
    problems = check_navigation(DOCS, text)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)  # noqa: T201 - a program's answer
    if problems:
        print(f"hint: say it in '{CONFIGURATION}'", file=sys.stderr)  # noqa: T201
        return 1
    code = build(DOCS, text, folder)
    if code == 0:
        print(f"the site is in '{folder}': open index.html")  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
