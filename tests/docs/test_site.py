"""The site: built strictly and offline, with every page in its navigation and nothing fetched from elsewhere."""

from __future__ import annotations

import importlib.util
import re
import sys
from typing import TYPE_CHECKING

import pytest

from repo_builder import run_program
from seal import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

PROGRAM = ROOT / "docs" / "site" / "build.py"


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    specification = importlib.util.spec_from_file_location("site_builder", PROGRAM)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Path:
    pytest.importorskip("zensical")
    folder: Path = tmp_path_factory.mktemp("site") / "site"
    # A proxy that is not there: whatever asks the network fails.
    nowhere = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    run_program([sys.executable, PROGRAM, folder], cwd=folder.parent, env=nowhere)
    return folder


def test_every_page_becomes_a_page_of_the_site(site: Path, builder: ModuleType) -> None:
    pages = {page.relative_to(builder.DOCS).with_suffix("") for page in builder.DOCS.rglob("*.md")}
    built = {page.relative_to(site).with_suffix("") for page in site.rglob("*.html")}
    assert pages - built == set()


def test_the_site_fetches_nothing_from_elsewhere(site: Path) -> None:
    loaded = re.compile(r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?(https?://[^\" >]*)")
    found = {
        address
        for page in site.rglob("*.html")
        for address in loaded.findall(page.read_text("utf-8"))
    }
    assert found == set()


def test_the_navigation_names_every_page_once(builder: ModuleType) -> None:
    assert builder.check_navigation(builder.DOCS, builder.CONFIGURATION.read_text("utf-8")) == []


def test_a_page_out_of_the_navigation_and_a_name_without_a_page_are_told(
    tmp_path: Path, builder: ModuleType
) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    (tmp_path / "b.md").write_text("# B\n")
    text = '[project]\nnav = ["a.md", { "C" = ["c.md", "a.md"] }]\n'
    assert builder.check_navigation(tmp_path, text) == [
        "'a.md' is in the navigation twice",
        "'b.md' is not in the navigation",
        "'c.md' is in the navigation and is no page",
    ]


@pytest.mark.parametrize("link", ["[b](b.md)", "[a](a.md#nowhere)"])
def test_a_link_that_leads_nowhere_fails_the_build(
    tmp_path: Path, builder: ModuleType, link: str
) -> None:
    pytest.importorskip("zensical")
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text(f"# A\n\n{link}\n")
    text = '[project]\nsite_name = "a"\ndocs_dir = "docs"\nsite_dir = "site"\nnav = ["a.md"]\n'
    assert builder.build(docs, text, tmp_path / "site") != 0
    assert not (tmp_path / "site").exists()
