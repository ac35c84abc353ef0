"""What a project is built with, read off its files."""

from __future__ import annotations

import pytest

from gitkb.core.stack import (
    MANIFESTS,
    declared_stack,
    detect_stack,
    find_manifest,
    overlaps,
)


@pytest.mark.parametrize(
    ("path", "means"),
    [
        ("pyproject.toml", "python"), ("backend/requirements-dev.txt", "python"),
        ("package.json", "javascript"), ("web/tsconfig.json", "typescript"), ("go.mod", "go"),
        ("Cargo.toml", "rust"), ("pom.xml", "java maven"), ("build.gradle.kts", "kotlin gradle"),
        ("Gemfile", "ruby"), ("composer.json", "php"), ("src/App.csproj", "csharp dotnet"),
        ("mix.exs", "elixir"), ("pubspec.yaml", "dart"), ("Dockerfile", "docker"),
        (".github/workflows/ci.yml", "github-actions"),
    ],
)  # fmt: skip
def test_a_manifest_is_known_by_its_name(path: str, means: str) -> None:
    kind = find_manifest(path)
    assert kind is not None
    assert kind.means == means


@pytest.mark.parametrize("path", ["README.md", "package.json.bak", "workflows/ci.yml", "my-go.mod"])
def test_other_files_are_none(path: str) -> None:
    assert find_manifest(path) is None


def test_names_and_dependencies_are_gathered_from_all_files() -> None:
    found = detect_stack(
        [
            ("pyproject.toml", b'[project]\ndependencies = ["fastapi", "pymysql", "left-pad"]'),
            ("web/package.json", b'{"dependencies":{"next":"14"}}'),
            ("Dockerfile", b"FROM scratch"),
        ]
    )
    assert found.names == (
        "docker", "fastapi", "javascript", "mysql", "nextjs", "pymysql", "python", "react",
    )  # fmt: skip
    assert found.libraries == ("fastapi", "left-pad", "next", "pymysql")
    assert {"python", "left-pad"} <= found.all
    assert found.problems == ()


def test_a_broken_file_still_says_what_its_name_says() -> None:
    found = detect_stack([("pyproject.toml", b"[project"), ("go.mod", b"module x")])
    assert found.names == ("go", "python")
    [problem] = found.problems
    assert not problem.is_error
    assert problem.file == "pyproject.toml"
    assert "config.toml" in problem.hint


def test_a_stack_that_is_declared_is_spelt_as_others_are() -> None:
    assert declared_stack(["Python", "Node.js", " "]).names == ("nodejs", "python")


@pytest.mark.parametrize(
    ("wanted", "stack", "answer"),
    [
        ([], set(), True), ([], {"rust"}, True), (["python"], set(), False),
        (["python", "pymysql"], {"python", "fastapi"}, True), (["python"], {"rust"}, False),
        (["Node"], {"nodejs"}, True), ([" "], {"rust"}, True),
    ],
)  # fmt: skip
def test_stacks_overlap_when_they_share_anything(
    wanted: list[str], stack: set[str], answer: bool
) -> None:
    assert overlaps(wanted, frozenset(stack)) is answer


def test_the_table_is_written_as_it_is_compared() -> None:
    for kind in MANIFESTS:
        assert kind.pattern == kind.pattern.lower()
        assert kind.means == kind.means.lower()
        assert kind.means
