"""Our block in a clone's `info/attributes`."""

from __future__ import annotations

import pytest

from gitkb.git.attributes import BEGIN, clone_rule, split_block


@pytest.mark.parametrize(
    ("store", "line"),
    [
        (".gitkb", b"/.gitkb/**/*.jsonl merge=gitkb"),
        ("my docs/.gitkb", b'"/my docs/.gitkb/**/*.jsonl" merge=gitkb'),
        ("a[1]/.gitkb", b'"/a\\\\[1]/.gitkb/**/*.jsonl" merge=gitkb'),
        ("знания/.gitkb", "/знания/.gitkb/**/*.jsonl merge=gitkb".encode()),
    ],
)
def test_the_rule_names_the_store_as_git_reads_it(store: str, line: bytes) -> None:
    assert clone_rule(store).startswith(BEGIN + line + b"\n")


def test_the_block_is_cut_out_of_other_lines() -> None:
    block = clone_rule(".gitkb")
    assert split_block(b"*.png binary\n" + block + b"*.txt text\n") == (
        b"*.png binary\n*.txt text\n",
        block,
    )


def test_a_block_without_an_end_is_left_alone() -> None:
    damaged = BEGIN + b"*.png binary\n"
    assert split_block(damaged) == (damaged, b"")
