"""What a release rests on: lower bounds that are real, a version that is one, workflows that run what there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from oldest_dependencies import oldest_dependencies
from release_check import faults_of
from seal import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_every_dependency_has_a_lower_bound_that_can_be_installed() -> None:
    found = oldest_dependencies((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "click==8.1" in found
    with pytest.raises(ValueError, match="no lower bound alone: click"):
        oldest_dependencies('[project]\ndependencies = ["click>=8,<9"]')


@pytest.mark.parametrize(
    ("tag", "changelog", "fault"),
    [
        ("v1.2.0", "## 1.2.0, 2026-05-04\n", ""),
        ("1.2.0", "## 1.2.0, 2026-05-04\n", "the tag is '1.2.0'"),
        ("v1.2", "## 1.2.0, 2026-05-04\n", "the tag is 'v1.2'"),
        ("v1.2.0", "## 1.2.0, not yet released\n", "names no day"),
        ("v1.2.0", "## 1.2.01, 2026-05-04\n", "has no heading"),
    ],
)
def test_only_a_tag_of_the_version_that_the_changelog_dates_is_released(
    tag: str, changelog: str, fault: str
) -> None:
    faults = faults_of(tag, "1.2.0", f"# Changelog\n\n{changelog}")
    assert [text for text in faults if fault not in text] == []
    assert bool(faults) == bool(fault)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_runs_programs_that_the_project_has(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    commands = [step["run"] for job in jobs.values() for step in _steps(job) if "run" in step]
    assert commands
    targets = set(
        re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    )
    for command in commands:
        program, *words = command.split()
        if program == "make":
            assert words[0] in targets, command
        else:
            assert (ROOT / program).is_file(), command


def test_nothing_is_published_that_was_not_tested() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))[
        "jobs"
    ]
    assert jobs["publish"]["needs"] == "build"
    ran = [step.get("run", "") for step in _steps(jobs["build"])]
    assert 'make release-check TAG="$GITHUB_REF_NAME"' in ran
    assert "make test" in ran


def _steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = job["steps"]
    return steps
