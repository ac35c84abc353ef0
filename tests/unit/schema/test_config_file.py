"""config.toml judged: faults stop, unknown settings are only told."""

from __future__ import annotations

import pytest

from gitkb.schema.config_file import categories_in, check_config, shards_in
from gitkb.store.config import CONFIG_TEXT

FULL = b"""
shards = 16
languages = ["en", "ru"]
[project]
name = "gitkb"
stack = ["python"]
[categories]
extra = ["operations"]
[operations]
deploy = ["technical"]
[views]
commit = true
names = ["decisions"]
[trust]
authors = ["ada@example.org"]
signed = false
[merge]
anything = 1
[context]
budget = 2000
[secrets]
allow = ["EXAMPLE"]
personal = true
"""


def test_every_setting_of_the_design_is_known() -> None:
    assert check_config("config.toml", FULL) == []


def test_what_init_writes_is_right() -> None:
    assert check_config("config.toml", CONFIG_TEXT.format(shards=256).encode()) == []


@pytest.mark.parametrize(
    ("data", "line"),
    [(b"shards = 256\nshards = 16\n", 0), (b"shards = \n", 1), (b"a = 1\n\xff", 2)],
)
def test_what_is_no_toml_is_an_error_with_its_line(data: bytes, line: int) -> None:
    (problem,) = check_config("config.toml", data)
    assert problem.is_error
    assert problem.code == "bad-config"
    assert line in (0, problem.line)


def test_a_setting_of_the_wrong_kind_is_an_error() -> None:
    (problem,) = check_config("config.toml", b"shards = 17\n")
    assert problem.is_error
    assert "17" in problem.message


def test_an_unknown_setting_is_a_warning() -> None:
    (problem,) = check_config("config.toml", b"shard = 16\n")
    assert not problem.is_error
    assert problem.hint == "did you mean shards?"


def test_an_operation_that_asks_for_an_unknown_category_is_a_warning() -> None:
    data = b'[operations]\nrelease = ["ci-cd", "technical"]\nx = ["tehnical"]\n'
    first, second = check_config("config.toml", data)
    assert not first.is_error
    assert "'operations.release' asks for the unknown category 'ci-cd'" in first.message
    assert "technical" in first.hint
    assert "'tehnical'" in second.message
    assert (
        check_config(
            "config.toml", data.partition(b"x =")[0] + b'[categories]\nextra = ["ci-cd"]\n'
        )
        == []
    )


@pytest.mark.parametrize("data", [None, b"", b"shards = 17", b"shards = true", b"=", b"\xff"])
def test_a_broken_file_means_the_default_layout_and_no_category(data: bytes | None) -> None:
    assert shards_in(data) == 256
    assert categories_in(data) == frozenset()


def test_a_view_that_no_file_can_be_called_after_is_a_warning() -> None:
    (problem,) = check_config("config.toml", b'[views]\nnames = ["learnings.md", "../x"]\n')
    assert (problem.code, problem.severity) == ("view-name", "warning")
    assert "'../x'" in problem.message


def test_the_budget_of_a_view_has_to_hold_what_a_view_says_itself() -> None:
    (problem,) = check_config("config.toml", b"[views]\nbudget = 299\n")
    assert "less than 300" in problem.message


def test_settings_are_read_from_the_bytes() -> None:
    assert shards_in(FULL) == 16
    assert categories_in(FULL) == {"operations"}
