"""Which exceptions of Python are no bug of ours, and what is said of them."""

from __future__ import annotations

import errno
import os

import pytest

from gitkb.core.refusal import refusal_of


@pytest.mark.parametrize(
    ("number", "hint"),
    [
        (errno.EACCES, "ls -ld '/a b/c'"),
        (errno.EISDIR, "ls -ld '/a b/c'"),
        (errno.ELOOP, "ls -ld '/a b/c'"),
        (errno.ENOSPC, "df -h"),
        (errno.EMFILE, "ulimit -a"),
    ],
)
def test_what_the_system_refuses_is_named_with_its_place(number: int, hint: str) -> None:
    refusal = refusal_of(OSError(number, os.strerror(number), "/a b/c"))
    assert refusal is not None
    assert refusal.message == f"cannot use '/a b/c': {os.strerror(number)}"
    assert refusal.hint is not None
    assert refusal.hint.endswith(hint)


def test_a_refusal_without_a_place_is_still_one() -> None:
    refusal = refusal_of(OSError(errno.ENOSPC, "No space left on device"))
    assert refusal is not None
    assert refusal.message == "cannot go on: No space left on device"


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("click", "not installed whole"),
        ("rich.table", "not installed whole"),
        ("_sqlite3", "this Python"),
    ],
)
def test_a_module_that_is_missing_names_itself(module: str, words: str) -> None:
    refusal = refusal_of(ModuleNotFoundError("no", name=module))
    assert refusal is not None
    assert words in refusal.message


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("x"),
        FileNotFoundError(errno.ENOENT, "No such file", "/x"),
        ModuleNotFoundError("no", name="gitkb.core.nope"),
        ModuleNotFoundError("no"),
    ],
)
def test_all_else_is_a_bug(error: Exception) -> None:
    assert refusal_of(error) is None
