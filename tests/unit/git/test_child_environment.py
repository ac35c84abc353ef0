"""What a child of ours inherits."""

from __future__ import annotations

from gitkb.git.command import LOCAL_VARIABLES, child_environment


def test_a_child_does_not_inherit_the_repository_of_its_parent() -> None:
    base = {"GIT_DIR": "/a/.git", "GIT_INDEX_FILE": "/a/.git/index", "PATH": "/bin"}
    environment = child_environment(base=base)
    assert "GIT_DIR" not in environment
    assert "GIT_INDEX_FILE" not in environment
    assert environment["PATH"] == "/bin"


def test_a_call_meant_for_that_repository_keeps_its_names() -> None:
    base = {"GIT_DIR": "/a/.git", "GIT_INDEX_FILE": "/a/.git/next-index-1.lock"}
    environment = child_environment(True, base=base)
    assert environment["GIT_INDEX_FILE"] == "/a/.git/next-index-1.lock"


def test_settings_for_every_repository_are_kept() -> None:
    base = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    assert base.items() <= child_environment(base=base).items()


def test_nothing_asks_pages_or_traces() -> None:
    environment = child_environment(base={"GIT_TRACE": "2", "LC_ALL": "de_DE.UTF-8"})
    assert environment["GIT_TERMINAL_PROMPT"] == "0"
    assert environment["GIT_PAGER"] == "cat"
    assert environment["LC_ALL"] == "C"
    assert "GIT_TRACE" not in environment


def test_reading_takes_no_lock_and_writing_may() -> None:
    assert child_environment(base={})["GIT_OPTIONAL_LOCKS"] == "0"
    assert "GIT_OPTIONAL_LOCKS" not in child_environment(write=True, base={})


def test_our_list_of_local_names_holds_those_of_gits_manual() -> None:
    assert {"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"} <= LOCAL_VARIABLES
