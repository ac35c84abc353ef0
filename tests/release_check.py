"""Say whether a tag may be released: it names the package's version, which the changelog tells of.

`make release-check TAG=v0.1.0` runs it before anything is published.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def faults_of(tag: str, version: str, changelog: str) -> list[str]:
    """Give what is wrong with releasing a version under a tag; nothing where all is well."""
    faults = []
    if tag != f"v{version}":
        faults.append(f"the tag is '{tag}', and gitkb/__init__.py says {version}")
    heading = re.search(rf"^## {re.escape(version)}\b(.*)$", changelog, re.MULTILINE)
    if heading is None:
        faults.append(f"docs/changelog.md has no heading for {version}")
    elif not re.fullmatch(r", \d{4}-\d{2}-\d{2}", heading[1]):
        faults.append(f"docs/changelog.md names no day for {version}: '## {version}{heading[1]}'")
    return faults


def main() -> int:
    """Print the faults; 1 where there are any."""
    source = (ROOT / "gitkb" / "__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^__version__ = "([^"]+)"', source, re.MULTILINE)
    changelog = (ROOT / "docs" / "changelog.md").read_text(encoding="utf-8")
    faults = faults_of(sys.argv[1], version[1] if version else "", changelog)
    for fault in faults:
        sys.stderr.write(f"error: {fault}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
