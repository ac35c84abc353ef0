"""Links between the documents lead somewhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from seal import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = sorted([ROOT / "README.md", ROOT / "tests/README.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_links_of_a_document_lead_somewhere(document: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
    local = [target.partition("#")[0] for target in targets if "://" not in target]
    assert [target for target in local if not (document.parent / target).exists()] == []


def test_every_page_is_found_from_the_page_of_all_pages() -> None:
    docs = ROOT / "docs"
    index = (docs / "index.md").read_text(encoding="utf-8")
    pages = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    hidden = {page for page in pages if f"({page})" not in index and "decisions/" not in page}
    assert hidden == {"index.md"}


def test_the_front_page_leads_to_the_page_of_all_pages() -> None:
    assert "(docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
