"""How far a learning reaches: the rules, one by one, and what the seed says of them."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.core.scope import Surroundings, classify_scope, find_paths

HERE = Surroundings(
    name="dossier",
    files=frozenset({"src/auth.py", "ledger.sql"}),
    stack=frozenset({"python", "frobnicate"}),
)


def scope(content: str, **fields: Any) -> str:
    return classify_scope({"content": content, **fields}, HERE).scope


@pytest.mark.parametrize(
    "text",
    [
        "users table has a composite primary key on (org_id, user_id)",
        "The orders table is append-only, even in PostgreSQL",
        "the `state` column is never null",
        "The user_accounts collection has no index",
        "Never rename table user_roles",
        "In this project FastAPI runs behind two proxies",
        "Our config sets the pool to 3",
        "Dossier needs pymysql 1.0",
        "Call src/auth.py before FastAPI starts",
        "The totals in ledger.sql are in cents",
        "Set RETRY_LIMIT to 3",
        "v0.4.0 was late because nobody reviewed it in the retro",
    ],
)
def test_what_is_about_this_project_stays_here(text: str) -> None:
    assert scope(text, category="process") == "project"


@pytest.mark.parametrize(
    "text",
    [
        "FastAPI lifespan handlers must yield, not return",
        "asyncio.to_thread() with pymysql connections causes packet sequence corruption",
        "PostgreSQL: adding a column with a default rewrites the table",
        "In SQLAlchemy each table needs a primary key",
        "A `docker build` without .dockerignore copies everything",
        "frobnicate leaks handles",
        "Set NODE_ENV before Webpack runs",
        "Read package.json with npm, not by hand",
    ],
)
def test_what_is_about_a_technology_goes_to_the_workstation(text: str) -> None:
    assert scope(text) == "workstation"


def test_a_stack_that_is_given_is_a_technology() -> None:
    answer = classify_scope({"content": "It leaks.", "stack": ["obscure"]}, HERE)
    assert answer.scope == "workstation"
    assert "'obscure'" in answer.reasons[0]


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Small steps are reviewed faster", "process"),
        ("Ask before you assume what somebody meant", "collaboration"),
        ("Write the spec before code", "technical"),
        ("A code review of more than 400 lines finds nothing", "anti-pattern"),
    ],
)
def test_method_without_a_technology_is_universal(text: str, category: str) -> None:
    assert scope(text, category=category) == "universal"


@pytest.mark.parametrize("text", ["It was slow until the cache was warm", "", "x"])
def test_what_is_unclear_is_the_projects(text: str) -> None:
    answer = classify_scope({"content": text}, HERE)
    assert answer.scope == "project"
    assert "nothing" in answer.reasons[0]


@pytest.mark.parametrize(
    "text",
    ["a lookup table", "the hash table", "a sorted column", "the JSON schema", "a nullable column",
     "database migrations", "garbage collection", "the response schema"],
)  # fmt: skip
def test_ordinary_words_before_a_table_name_none(text: str) -> None:
    assert scope(f"FastAPI and {text} do not mix") == "workstation"


def test_files_count_only_where_they_exist() -> None:
    assert scope("see src/other.py", files=["src/other.py"]) == "project"  # unclear
    answer = classify_scope({"content": "FastAPI", "files": ["src/auth.py"]}, HERE)
    assert answer.reasons == ("it names files of this project: 'src/auth.py'",)
    answer = classify_scope({"content": "FastAPI", "files": ["src/other.py"]}, HERE)
    assert answer.scope == "workstation"


def test_paths_are_found_in_a_text_and_in_the_fields() -> None:
    fields = {
        "title": "Look at ./src/a.py, (lib/b) and core.py.",
        "content": "not README.md, package.json, Node.js, v1.2.3, https://example.org/x.py",
        "files": ["docs/x y.md"],
    }
    assert find_paths(fields) == ["docs/x y.md", "src/a.py", "lib/b", "core.py"]


def test_settings_of_a_tool_stand_in_many_projects() -> None:
    fields = {"content": "Neither .claude/settings.json nor .claude/rules/money.md"}
    assert find_paths(fields) == [".claude/rules/money.md"]


def test_the_name_of_a_project_that_is_also_a_word_has_to_be_spelt_so() -> None:
    around = Surroundings(name="ADD")
    assert (
        classify_scope({"content": "{'add': True} in Claude Code"}, around).scope == "workstation"
    )
    assert classify_scope({"content": "ADD runs in Claude Code"}, around).scope == "project"
    around = Surroundings(name="fastapi", stack=frozenset({"fastapi"}))
    assert classify_scope({"content": "FastAPI must yield"}, around).scope == "workstation"


def test_the_reasons_name_the_words_that_they_rest_on() -> None:
    answer = classify_scope({"title": "The users table", "content": "in src/auth.py"}, HERE)
    assert answer.reasons == (
        "it names files of this project: 'src/auth.py'",
        "it names what a project's own schema holds: 'users table'",
    )


def test_fields_of_the_wrong_kind_are_passed_over() -> None:
    fields = {"title": 3, "content": ["x"], "files": "a", "stack": {"x": 1}, "category": None}
    assert classify_scope(fields, HERE).scope == "project"


def test_what_it_speaks_of_and_the_project_is_built_with_is_its_stack() -> None:
    def stack(content: str, **fields: Any) -> tuple[str, ...]:
        return classify_scope({"content": content, **fields}, HERE).stack

    assert stack("Python and frobnicate leak, Django does not") == ("frobnicate", "python")
    assert stack("git loses merges in a rebase") == (), "it would be kept even from this project"
    assert stack("Python leaks", stack=["django"]) == (), "what is given stands"
    assert stack("Python leaks", stack=[]) == (), "it was said to be about every project"
    assert stack("the users table of our Python service") == (), "it goes nowhere"
