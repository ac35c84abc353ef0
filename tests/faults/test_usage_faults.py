"""The log of what was used stands in nobody's way, whatever happens to it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitkb.core.usage import Use, format_use, parse_uses
from gitkb.store.usage_log import LOG, SUMMARY

from fault_builder import copies, fault_at
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

PLACE = os.sep + "usage"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1", "--no-install")
    repo.kb_add(key="k", type="fact", title="money")
    repo.commit("Begin")
    repo.run("list")
    return repo


def folder_of(repo: Repo) -> Path:
    return repo.path / ".git" / "gitkb"


@pytest.mark.parametrize("kind", ["kill", "full"])
def test_a_call_that_cannot_log_answers_all_the_same(repo: Repo, tmp_path: Path, kind: str) -> None:
    for number, copy in copies(repo, tmp_path):
        copy.run("show", "k")
        done = copy.run(
            "recall", "money", env=fault_at(tmp_path / "fault", number, kind, PLACE), exit_code=None
        )
        if kind == "full":
            assert done.exit_code == 0
            assert "money" in done.stdout
            assert "usage" not in done.stderr
        again = copy.run("recall", "money", "--json")
        assert [hit["key"] for hit in again.json()] == ["k"]
        logged = parse_uses((folder_of(copy) / LOG).read_bytes())
        assert logged[0].verb == "show"
        assert logged[-1].verb == "recall"
        if done.exit_code == 0 and not (tmp_path / "fault" / "log").exists() and number > 2:
            break
        if number > 12:
            break


@pytest.mark.parametrize("name", [LOG, SUMMARY])
def test_what_stands_in_its_place_stops_nobody(repo: Repo, name: str) -> None:
    (folder_of(repo) / name).mkdir()
    assert repo.run("recall", "money", "--json").json()[0]["key"] == "k"
    assert "money" in repo.run("show", "k").stdout
    repo.run("usage")


def test_a_link_in_its_place_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    aim = tmp_path / "aim"
    aim.write_bytes(b"mine")
    (folder_of(repo) / LOG).symlink_to(aim)
    repo.run("recall", "money")
    assert aim.read_bytes() == b"mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_log_that_may_not_be_written_is_left_alone(repo: Repo) -> None:
    repo.run("show", "k")
    before = (folder_of(repo) / LOG).read_bytes()
    (folder_of(repo) / LOG).chmod(0o400)
    assert repo.run("recall", "money").stderr == ""
    assert (folder_of(repo) / LOG).read_bytes() == before


@pytest.mark.parametrize(
    "data",
    [b"\0" * 5000, b"[" * 200_000, b'\n{"t":1', b"\xff\xfe\n\n\n", b'{"opened":{"k":[1e999,1]}}',
     b'{"form":1,"file":0,"store":"","place":-5,"newest":0,"opened":{}}'],
)  # fmt: skip
@pytest.mark.parametrize("name", [LOG, SUMMARY])
def test_rubbish_is_passed_over(repo: Repo, name: str, data: bytes) -> None:
    (folder_of(repo) / name).write_bytes(data)
    repo.run("show", "k")
    [hit] = repo.run("recall", "money", "--json", "--explain").json()
    assert hit["explain"]["factors"]["usage"] > 1
    assert repo.run("usage", "--json").json()["calls"]["show"] == 1


def test_a_summary_that_lies_about_its_place_is_no_error(repo: Repo) -> None:
    log = folder_of(repo) / LOG
    log.write_bytes(format_use(Use(1, "show", ("k",))))
    with log.open("rb") as file:
        mark = f"{log.stat().st_ino} {file.read(64).hex()}"
    for place in (-7, 10**30, 10**6):
        text = f'{{"form":1,"log":"{mark}","store":"","place":{place},"newest":0,"opened":{{}}}}'
        (folder_of(repo) / SUMMARY).write_text(text)
        assert repo.run("recall", "money", "--json").json()[0]["key"] == "k"
