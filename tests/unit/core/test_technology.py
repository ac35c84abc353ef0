"""One name a technology, and found in a text where it is meant."""

from __future__ import annotations

import pytest

from gitkb.core.technology import (
    find_technologies,
    technologies_of,
    technology_name,
    technology_names,
)


@pytest.mark.parametrize(
    ("spelt", "name"),
    [
        ("Python", "python"), (" python3 ", "python"), ("Node.js", "nodejs"), ("node", "nodejs"),
        ("Golang", "go"), ("C#", "csharp"), ("C++", "cpp"), ("Postgres", "postgresql"),
        ("K8s", "kubernetes"), ("Spring Boot", "spring-boot"), ("Ruby  on Rails", "rails"),
        ("GitHub Actions", "github-actions"), ("aiomysql", "aiomysql"), ("My_Tool", "my-tool"),
    ],
)  # fmt: skip
def test_every_spelling_leads_to_one_name(spelt: str, name: str) -> None:
    assert technology_name(spelt) == name
    assert technology_name(name) == name


def test_what_is_blank_is_no_technology() -> None:
    assert technology_names(["", " ", "Go"]) == {"go"}


@pytest.mark.parametrize(
    ("dependency", "names"),
    [
        ("fastapi", ("fastapi",)), ("next", ("nextjs", "react")), ("pymysql", ("mysql", "pymysql")),
        ("psycopg2-binary", ("psycopg2", "postgresql")), ("left-pad", ()),
    ],
)  # fmt: skip
def test_a_dependency_says_what_it_stands_for(dependency: str, names: tuple[str, ...]) -> None:
    assert technologies_of(dependency) == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("FastAPI lifespan handlers must yield", ["fastapi"]),
        ("asyncio.to_thread() with pymysql", ["asyncio", "pymysql"]),
        ("Cache it in GitHub Actions, not in Docker.", ["github-actions", "docker"]),
        ("In C# or C++, never in Node.js", ["csharp", "cpp", "nodejs"]),
        ("Run `go vet` first", ["go"]),
        ("We use Go modules", ["go"]),
        ("Go to the meeting and react to what they express", []),
        ("Rust never sleeps", []),
        ("The flask is in the cafe", []),
        ("Python, python and PYTHON", ["python"]),
        ("pythonic ways in mypython.org", []),
        ("", []),
    ],
)
def test_technologies_are_found_where_they_are_meant(text: str, found: list[str]) -> None:
    assert find_technologies(text) == found


def test_what_the_project_uses_is_known_too() -> None:
    assert find_technologies("the frobnicate library leaks", {"frobnicate"}) == ["frobnicate"]
    assert find_technologies("the frobnicate library leaks") == []
    # With a capital, and in a project that uses it, the first word is the library.
    assert find_technologies("React renders twice", {"react"}) == ["react"]
    assert find_technologies("React renders twice") == []
