"""The git program as we start it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gitkb.errors import GitError
from gitkb.git.command import ask_git, run_git, stream_git

from repo_builder import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    for number in range(5):
        repo.write("a", f"{number}\n")
        repo.commit(f"Commit {number}")
    return repo


def test_an_answer_is_bytes_as_they_came(repo: Repo) -> None:
    repo.write("b", b"\xff\x00\r\n")
    repo.add()
    assert run_git(["show", ":b"], str(repo.path)) == b"\xff\x00\r\n"


def test_a_failure_carries_gits_own_words_in_english(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    monkeypatch.setenv("LANGUAGE", "de")
    with pytest.raises(GitError) as caught:
        run_git(["-c", "a.b=c", "show", "nowhere"], str(repo.path))
    assert caught.value.message.startswith("'git show' failed (128): ambiguous argument 'nowhere'")


def test_an_expected_status_is_no_failure(repo: Repo) -> None:
    assert run_git(["config", "--get", "no.such"], str(repo.path), accept=(0, 1)) == b""
    assert ask_git(["config", "--get", "no.such"], str(repo.path)).code == 1


def test_a_child_works_where_it_is_sent_and_not_where_the_parent_was(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repo.init(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other.path / ".git" / "index"))
    assert run_git(["ls-files"], str(repo.path)) == b"a\n"
    assert run_git(["ls-files"], str(repo.path), own_environment=True) == b""


def test_a_reading_call_leaves_the_staging_area_untouched(repo: Repo) -> None:
    (repo.path / "a").touch()
    before = (repo.path / ".git" / "index").stat().st_mtime_ns
    run_git(["status", "--porcelain"], str(repo.path))
    assert (repo.path / ".git" / "index").stat().st_mtime_ns == before


def test_a_child_that_takes_too_long_is_ended(repo: Repo) -> None:
    repo.config("alias.slow", "!sleep 60")
    began = time.monotonic()
    with pytest.raises(GitError, match=r"within 0\.3 seconds"):
        run_git(["slow"], str(repo.path), seconds=0.3)
    assert time.monotonic() - began < 10


def test_nobody_is_asked_for_anything(repo: Repo) -> None:
    repo.config("alias.ask", "!cat; git var GIT_EDITOR")
    assert run_git(["ask"], str(repo.path)) == b":\n"


def test_without_git_the_hint_says_to_install_it(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitError, match="cannot run git") as caught:
        run_git(["version"], str(repo.path))
    assert caught.value.hint is not None
    assert "install git" in caught.value.hint


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="no such folder"):
        run_git(["version"], str(tmp_path / "nowhere"))


def test_a_stream_gives_lines_while_git_works(repo: Repo) -> None:
    with stream_git(["log", "--format=%s"], str(repo.path)) as lines:
        assert [line.strip() for line in lines] == [b"Commit %d" % n for n in (4, 3, 2, 1, 0)]


def test_a_stream_may_be_left_early(repo: Repo) -> None:
    with stream_git(["log", "--format=%s"], str(repo.path)) as lines:
        assert lines.readline() == b"Commit 4\n"


def test_a_stream_that_fails_says_so_at_its_end(repo: Repo) -> None:
    with (
        pytest.raises(GitError, match="nowhere"),
        stream_git(["log", "nowhere"], str(repo.path)) as lines,
    ):
        assert lines.read() == b""


def test_an_error_within_a_stream_is_not_hidden(repo: Repo) -> None:
    with pytest.raises(ZeroDivisionError), stream_git(["log"], str(repo.path)) as lines:
        1 / len(lines.read(1)[1:])


def test_a_stream_takes_any_amount_of_input(repo: Repo) -> None:
    head = repo.head().encode() + b"\n"
    feed = head * 20_000
    with stream_git(["cat-file", "--batch-check=%(objecttype)"], str(repo.path), input=feed) as out:
        assert out.read() == b"commit\n" * 20_000
