"""Which entries concern the work."""

from __future__ import annotations

from typing import Any

import pytest

from gitkb.core.concern import (
    CLOSE,
    FAR,
    NOT_AT_ALL,
    concern_of,
    is_about,
    is_unbounded,
    make_scope,
)
from gitkb.core.entry import Entry


def entry(**fields: Any) -> Entry:
    return Entry({"key": "k", "type": "principle", "content": "x", **fields})


def concern(
    about: Entry, *, files: tuple[str, ...] = (), labels: tuple[str, ...] = (), task: str = ""
) -> int:
    return concern_of(about, make_scope(files, labels, task, lambda text: text.lower().split()))


@pytest.mark.parametrize(
    ("named", "given"),
    [
        ("src", "src/a.py"),
        ("src/a.py", "src"),
        ("src/a.py", "./src//a.py"),
        ("src/", "src/pay/a.py"),
        ("src/*.py", "src/a.py"),
        ("**/a.py", "src/pay/a.py"),
        ("*.py", "src/pay/a.py"),
        ("src/pay/a.py", "src/*/a.py"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
    ],
)
def test_files_and_folders_concern_each_other_both_ways(named: str, given: str) -> None:
    assert concern(entry(files=[named]), files=(given,)) == CLOSE


@pytest.mark.parametrize(
    ("named", "given"),
    [("src", "srcs/a.py"), ("src/a.py", "src/ab.py"), ("src/a", "src/b"), ("a.py", "src/a.py")],
)
def test_names_are_compared_whole(named: str, given: str) -> None:
    assert concern(entry(files=[named]), files=(given,)) == NOT_AT_ALL


@pytest.mark.parametrize("field", ["tags", "stack"])
def test_a_given_label_concerns_whatever_its_case(field: str) -> None:
    assert concern(entry(**{field: ["auth"]}), labels=("Auth",)) == CLOSE
    assert concern(entry(**{field: ["auth"]}), labels=("authz",)) == NOT_AT_ALL


def test_a_label_in_the_words_of_the_task_concerns_from_afar() -> None:
    assert concern(entry(tags=["auth"]), task="Move Auth to tokens") == FAR
    assert concern(entry(tags=["rate limit"]), task="raise the rate limit of pay") == FAR
    assert concern(entry(tags=["limit rate"]), task="raise the rate limit of pay") == NOT_AT_ALL
    assert concern(entry(tags=["auth"]), task="ask the author") == NOT_AT_ALL


def test_a_file_in_the_words_of_the_task_counts_as_given() -> None:
    assert concern(entry(files=["src"]), task="Why does `src/a.py` fail?") == CLOSE
    assert concern(entry(files=["src/pay/a.py"]), task="look at a.py, please") == CLOSE
    assert concern(entry(files=["src/pay/a.py"]), task="see https://example.org/src") == NOT_AT_ALL


def test_nothing_concerns_where_nothing_is_given() -> None:
    assert concern(entry(tags=["a"], files=["src"], stack=["go"])) == NOT_AT_ALL


def test_an_entry_that_names_nothing_is_unbounded() -> None:
    assert is_unbounded(entry())
    assert not any(is_unbounded(entry(**{name: ["x"]})) for name in ("tags", "files", "stack"))


def test_a_tag_is_not_about_a_file() -> None:
    scope = make_scope(["src"], ["x"], "", str.split)
    assert is_about(entry(files=["src/a"]), scope)
    assert not is_about(entry(tags=["x"]), scope)
