"""Something else where the search index and its like should be: the answers are right all the same."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from fault_builder import unprivileged
from repo_builder import Repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DERIVED = ".git/gitkb"
QUESTIONS = (
    ("recall", "queue", "--json"),
    ("list", "--json"),
    ("stats", "--json"),
    ("blame", "--json"),
)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "16")
    for number in range(5):
        repo.kb_add(key=f"k{number}", type_="fact", content=f"Queue {number}.")
    repo.commit("Begin")
    return repo


def answers(repo: Repo) -> list[object]:
    return [repo.run(*words).json() for words in QUESTIONS]


def _folder(path: Path) -> None:
    path.mkdir()
    (path / "a file").write_text("Somebody's.")


def _dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _foreign_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE state (token, version)")
        connection.execute("INSERT INTO state VALUES ('x', 1)")
        connection.execute("CREATE TABLE entry (key)")
        connection.commit()


def _old_version(path: Path) -> None:
    shutil.copy(path.with_name("whole"), path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 1")
        if path.name.startswith("index"):
            connection.execute("UPDATE state SET version = '1 1 '")
        connection.commit()


@pytest.mark.parametrize("name", ["index.sqlite", "provenance.sqlite"])
@pytest.mark.parametrize("put", [_folder, _dangling, _loop, _pipe, _foreign_database, _old_version])
def test_whatever_stands_in_its_place_the_answers_are_right(
    repo: Repo, name: str, put: Callable[[Path], None]
) -> None:
    expected = answers(repo)
    place = repo.path / DERIVED / name
    place.rename(place.with_name("whole"))
    put(place)
    assert answers(repo) == expected
    repo.kb_add(key="more", type_="fact", content="One more queue.")
    found = [hit["key"] for hit in repo.run("recall", "more", "--json").json()]
    assert "more" in found
    repo.run("doctor", exit_code=None)
    repo.run("reindex", exit_code=None)
    assert "more" in [hit["key"] for hit in repo.run("recall", "more", "--json").json()]
    assert repo.git("status", "--porcelain").exit_code == 0


def test_a_link_is_not_written_through_to_a_file_of_somebody(repo: Repo, tmp_path: Path) -> None:
    others = tmp_path / "others.sqlite"
    _foreign_database(others)
    before = others.read_bytes()
    place = repo.path / DERIVED / "index.sqlite"
    place.unlink()
    place.symlink_to(others)
    expected = [value["key"] for value in repo.run("list", "--json").json()]
    assert sorted(expected) == [f"k{number}" for number in range(5)]
    repo.kb_add(key="more", type_="fact", content="One more queue.")
    repo.run("reindex")
    assert others.read_bytes() == before


def test_an_index_that_may_not_be_read_is_answered_around(repo: Repo) -> None:
    if unprivileged(repo, "--version").exit_code == 99:
        pytest.skip("this system does not let us lay root's rights down")
    expected = repo.run("list", "--json").stdout
    for path in (repo.path / DERIVED).glob("index.sqlite*"):
        path.chmod(0)
    listed = unprivileged(repo, "list", "--json")
    assert (listed.exit_code, listed.stdout) == (0, expected), listed


def test_a_whole_folder_that_is_a_file_is_said_by_writers_and_read_around(repo: Repo) -> None:
    expected = repo.run("list", "--json").stdout
    shutil.rmtree(repo.path / DERIVED)
    (repo.path / DERIVED).write_text("Not a folder.\n")
    listed = repo.run("list", "--json")
    assert listed.stdout == expected
    refused = repo.run("add", "--type", "fact", "--content", "x", exit_code=5)
    assert "hint: " in refused.stderr
    assert (repo.path / DERIVED).read_text() == "Not a folder.\n"
