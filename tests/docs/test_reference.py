"""The reference pages are what the code says: `make reference` writes them, and they are compared here."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

import pytest

from reference_pages import PAGES, REFERENCE, iter_verbs
from repo_builder import run_program
from seal import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(("name", "page"), PAGES, ids=[name for name, _ in PAGES])
def test_the_reference_page_says_what_the_code_says(name: str, page: Callable[[], str]) -> None:
    assert (REFERENCE / name).read_text("utf-8") == page()


@pytest.mark.skipif(shutil.which("man") is None, reason="there is no man")
def test_git_finds_a_manual_page_under_its_own_name_for_it(tmp_path: Path) -> None:
    section = tmp_path / "share" / "man" / "man1"
    section.mkdir(parents=True)
    for page in REFERENCE.glob("*.1"):
        shutil.copy(page, section)
    manual = {
        "MANPATH": str(section.parent),
        "MANPAGER": "cat",
        "MANWIDTH": "80",
        "LC_ALL": "C.UTF-8",
    }
    shown = run_program(["git", "help", "--man", "kb"], cwd=tmp_path, env=manual)
    assert shown.stdout.startswith("GITKB(1)")
    assert "Search the knowledge, best first." in shown.stdout
    assert shown.stderr == ""


def test_every_verb_that_answers_with_json_is_shown() -> None:
    page = (REFERENCE / "json.md").read_text("utf-8")
    shown = set(re.findall(r"^### `gitkb ([\w-]+)`$", page, re.MULTILINE))
    answering = {
        verb.name
        for _, verb in iter_verbs()
        if verb.reads or any(option.name == "json" for option in verb.options)
    }
    assert answering - shown == set()


def test_every_name_in_a_json_answer_has_its_meaning() -> None:
    page = (REFERENCE / "json.md").read_text("utf-8")
    rows = re.findall(r"^\| `(.+?)` \| .* \| (?:always)? \| (.*) \|$", page, re.MULTILINE)
    assert [name for name, meaning in rows if not meaning] == []


def test_every_variable_and_setting_of_ours_is_shown() -> None:
    page = (REFERENCE / "configuration.md").read_text("utf-8")
    sources = [path.read_text("utf-8") for path in (ROOT / "gitkb").rglob("*.py")]
    named = {
        name
        for source in sources
        for name in re.findall(r"""["'](GITKB_[A-Z_]+|gitkb\.[a-zA-Z]+)["']""", source)
    }
    # Modules and schemas are named alike; the probe is what `gitkb doctor` tells its own child.
    internal = {"GITKB_HOOK_PROBE", "gitkb.python", "gitkb.hook", "gitkb.schema"}
    assert {name for name in named - internal if f"`{name}`".lower() not in page.lower()} == set()
