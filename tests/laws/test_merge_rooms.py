"""Laws of merges that are made beside a repository: they are the merge of the core, whatever makes them."""

from __future__ import annotations

import subprocess
import tempfile
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import KNOWLEDGE
from gitkb.git.merge import MergeRoom
from gitkb.git.merge_paths import merge_paths
from gitkb.git.objects import read_blobs, tree_files
from gitkb.git.repository import open_repository
from gitkb.operations.checks.merge_check import check_merge_of

from strategies import Sides, merges

if TYPE_CHECKING:
    from gitkb.git.repository import Repository

PATH = ".gitkb/knowledge/all.jsonl"
CONFIG = b"shards = 1\n"
_FEW = settings(max_examples=12)


def make(folder: str, sides: Sides, other: tuple[bytes, bytes, bytes]) -> Repository:
    """A bare repository with the branches base, ours and theirs, by one git."""
    subprocess.run(["git", "init", "-q", "--bare", folder], check=True)
    feed = bytearray()
    for number, (name, text, word) in enumerate(
        zip(("base", "ours", "theirs"), sides, other, strict=True), 1
    ):
        feed += b"commit refs/heads/%s\nmark :%d\n" % (name.encode(), number)
        feed += b"committer A <a@example.org> %d +0000\ndata 1\nx\n" % number
        feed += b"from :1\n" if number > 1 else b""
        for path, data in ((PATH, text), (".gitkb/config.toml", CONFIG), ("other", word)):
            feed += b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
    subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input=bytes(feed), check=True)
    return open_repository(folder)


def content(room: MergeRoom, tree: str) -> dict[str, bytes]:
    files = tree_files(room.repository, tree)
    blobs = read_blobs(room.repository, files.values())
    return {path: blobs[blob] for path, blob in files.items()}


_OTHERS = st.tuples(
    *[st.sampled_from([b"1\n2\n3\n4\n", b"one\n2\n3\n4\n", b"1\n2\n3\nfour\n"])] * 3
)


@_FEW
@given(merges(), _OTHERS)
def test_a_merge_by_key_is_that_of_the_core_and_an_old_git_makes_the_same(
    sides: Sides, other: tuple[bytes, bytes, bytes]
) -> None:
    with tempfile.TemporaryDirectory() as folder, MergeRoom(make(folder, sides, other)) as room:
        ours, theirs = room.origin.run("rev-parse", "ours", "theirs").decode().split()
        by_text = room.merge_by_text(ours, theirs)
        assert merge_paths(room.repository, ours, theirs, by_key=False)[1] == by_text.conflicts
        by_key = room.merge_by_key(ours, theirs)
        merged = content(room, by_key.tree)
        expected = merge_files(*sides, KNOWLEDGE).text
        assert merged[PATH] == expected
        assert PATH not in by_key.conflicts
        swapped = room.merge_by_key(theirs, ours)
        assert content(room, swapped.tree)[PATH] == expected
        tree, conflicts = merge_paths(room.repository, ours, theirs, by_key=True)
        assert conflicts == by_key.conflicts
        assert content(room, tree)[PATH] == expected
        if not conflicts:
            assert tree == by_key.tree


@_FEW
@given(merges())
def test_a_merge_is_fine_only_if_the_text_comes_out_as_by_key(sides: Sides) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repository = make(folder, sides, (b"", b"", b""))
        result = check_merge_of(folder, "ours", "theirs")
        with MergeRoom(repository) as room:
            by_text = room.merge_by_text(result.base, result.head)
            same = (
                not by_text.conflicts
                and by_text.tree == room.merge_by_key(result.head, result.base).tree
            )
        said = [one for one in result.problems if one.code.startswith("text-") and one.is_error]
        assert bool(said) == (result.state == "open" and not same)
