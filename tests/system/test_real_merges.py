"""Real merges of real files: no law is broken in any of them, through the function and the driver."""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING, NamedTuple

import pytest

from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import KNOWLEDGE, Rules, foreign_rules

from merge_laws import broken_laws, is_sorted, key_of, lines_of, order
from repo_builder import run_program, script

if TYPE_CHECKING:
    from pathlib import Path

FOREIGN, OWN = "shared.tar.xz", "shared-gitkb.tar.xz"
CLOCKS = [("updated_at", "max"), ("created_at", "min")]


class RealMerge(NamedTuple):
    name: str
    key: list[str]
    base: bytes
    ours: bytes
    theirs: bytes


def read_merges(shared_data: Path, archive: str) -> list[RealMerge]:
    found: dict[str, dict[str, bytes]] = {}
    with tarfile.open(shared_data / "merges" / archive) as tar:
        for member in tar:
            file = tar.extractfile(member)
            if file is not None:
                folder, _, name = member.name.rpartition("/")
                found.setdefault(folder.rpartition("/")[2], {})[name] = file.read()
    return [
        RealMerge(
            name,
            json.loads(files["meta.json"])["key"].split(","),
            *(files[f"{side}.jsonl"] for side in ("base", "ours", "theirs")),
        )
        for name, files in sorted(found.items())
    ]


@pytest.fixture(scope="module")
def foreign(shared_data: Path) -> list[RealMerge]:
    return read_merges(shared_data, FOREIGN)


@pytest.fixture(scope="module")
def own(shared_data: Path) -> list[RealMerge]:
    return read_merges(shared_data, OWN)


def laws_broken(merges: list[RealMerge], rules: Rules | None, *options: object) -> list[str]:
    return [
        f"{merge.name}: {law}"
        for merge in merges
        for law in broken_laws(
            merge.base,
            merge.ours,
            merge.theirs,
            rules or foreign_rules(merge.key, *options),  # type: ignore[arg-type]
        )
    ]


@pytest.mark.slow
def test_no_law_is_broken_where_nobody_named_a_clock(foreign: list[RealMerge]) -> None:
    assert len(foreign) == 41
    assert laws_broken(foreign, None) == []


@pytest.mark.slow
def test_no_law_is_broken_where_clocks_and_hashes_are_named(foreign: list[RealMerge]) -> None:
    assert laws_broken(foreign, None, CLOCKS, ["content_hash"]) == []


@pytest.mark.slow
def test_no_law_is_broken_among_entries_in_any_order(own: list[RealMerge]) -> None:
    assert len(own) == 38
    assert laws_broken(own, KNOWLEDGE) == []


@pytest.mark.slow
def test_no_law_is_broken_among_entries_in_their_order(own: list[RealMerge]) -> None:
    merges = [
        merge._replace(
            base=_in_order(merge.base), ours=_in_order(merge.ours), theirs=_in_order(merge.theirs)
        )
        for merge in own
        if all(key_of(line, KNOWLEDGE) for text in merge[2:] for line in lines_of(text))
    ]
    assert len(merges) >= 35
    assert laws_broken(merges, KNOWLEDGE) == []
    assert all(
        is_sorted(merge_files(*merge[2:], KNOWLEDGE).text or b"", KNOWLEDGE) for merge in merges
    )


def _in_order(data: bytes) -> bytes:
    by_key = {key_of(line, KNOWLEDGE) or (): line + b"\n" for line in lines_of(data)}
    return b"".join(by_key[key] for key in sorted(by_key, key=lambda key: order(key, KNOWLEDGE)))


def test_clocks_leave_fewer_values_to_a_person(foreign: list[RealMerge]) -> None:
    def contested(*options: object) -> int:
        merged = [
            line
            for merge in foreign
            for line in merge_files(*merge[2:], foreign_rules(merge.key, *options)).merged  # type: ignore[arg-type]
        ]
        return sum(b'"conflicts":[' in line for line in merged)

    assert contested(CLOCKS, ["content_hash"]) < contested() / 2


def test_at_most_one_in_twenty_is_left_to_a_person(foreign: list[RealMerge]) -> None:
    left = [
        merge.name
        for merge in foreign
        if merge_files(*merge[2:], foreign_rules(merge.key)).text is None
    ]
    assert left == ["026-foreman-issues-175cd248"]  # a conflict marker was committed


def test_the_driver_gives_what_the_function_gives(foreign: list[RealMerge], tmp_path: Path) -> None:
    for merge in foreign:
        for name, data in zip(("b", "o", "t"), merge[2:], strict=True):
            (tmp_path / name).write_bytes(data)
        expected = merge_files(*merge[2:], foreign_rules(merge.key)).text
        run_program(
            [script("gitkb-merge-driver"), "--key", ",".join(merge.key), "b", "o", "t", "7", "p"],
            cwd=tmp_path,
            exit_code=0 if expected is not None else 1,
        )
        if expected is not None:
            assert (tmp_path / "o").read_bytes() == expected, merge.name
