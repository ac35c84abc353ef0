"""A data file that is a link: git carries links, and one may aim at any file of whoever pulls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

LINE = '{"key":"b","type":"fact","content":"first"}\n{"key":"a","content":"x","type":"fact"}\n'


@pytest.mark.parametrize(
    "words",
    [
        ("add", "--key", "a", "--type", "fact", "--content", "new"),
        ("forget", "a"),
        ("archive", "a"),
        ("fmt",),
        ("compact",),
        ("reshard", "16"),
    ],
)
def test_no_verb_writes_through_a_link_that_leads_out_of_the_store(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    repo = Repo.init(tmp_path / "work")
    repo.run("init", "--shards", "1")
    precious = tmp_path / "precious.jsonl"
    text = LINE + LINE  # something to sort, to fold and to move
    precious.write_text(text)
    (repo.path / ".gitkb/knowledge/all.jsonl").unlink()
    (repo.path / ".gitkb/knowledge/all.jsonl").symlink_to(precious)

    refused = repo.run(*words, exit_code=5)

    assert (
        "error: 'knowledge/all.jsonl' is a link to a place outside of the store" in refused.stderr
    )
    assert precious.read_text() == text
    assert repo.path.joinpath(".gitkb/knowledge/all.jsonl").is_symlink()


def test_init_writes_through_no_link_either(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "work")
    precious = tmp_path / "precious"
    precious.write_text("mine\n")
    (repo.path / ".gitkb").mkdir()
    (repo.path / ".gitkb/.gitignore").symlink_to(precious)

    repo.run("init", exit_code=5)

    assert precious.read_text() == "mine\n"
