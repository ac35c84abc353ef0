"""Data files are known by their exact names, and all else beside them is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitkb.store.discover import store_at
from gitkb.store.layout import iter_data_files
from gitkb.store.reader import iter_files, read_current, read_store

if TYPE_CHECKING:
    from pathlib import Path

LINE = b'{"key":"a","type":"fact","content":"x"}\n'


def test_only_files_of_exact_names_are_data(tmp_path: Path) -> None:
    names = ["3f.jsonl", "a.jsonl", "all.jsonl", "0ff.jsonl"]
    others = ["3F.jsonl", "3f.jsonl.bak", ".3f.jsonl.tmp", "old.jsonl", "kb.base.jsonl", "3f.json"]
    for folder in ("knowledge", "archive", "views"):
        (tmp_path / folder).mkdir()
        for name in (*names, *others):
            (tmp_path / folder / name).write_bytes(LINE)
    (tmp_path / "3f.jsonl").write_bytes(LINE)
    found = [name for name, _ in iter_data_files(str(tmp_path))]
    assert found == [
        f"{folder}/{name}" for folder in ("knowledge", "archive") for name in sorted(names)
    ]


def test_a_store_without_folders_is_empty(tmp_path: Path) -> None:
    assert list(iter_data_files(str(tmp_path))) == []
    (tmp_path / "knowledge").write_bytes(b"a file")
    assert list(iter_data_files(str(tmp_path))) == []
    assert read_store(store_at(str(tmp_path))).current == {}


def test_a_folder_with_the_name_of_a_file_is_a_problem_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "knowledge" / "00.jsonl").mkdir(parents=True)
    (tmp_path / "knowledge" / "ca.jsonl").write_bytes(LINE)
    snapshot = read_store(store_at(str(tmp_path)))
    assert list(snapshot.current) == ["a"]
    assert [(problem.code, problem.file) for problem in snapshot.problems] == [
        ("unreadable", "knowledge/00.jsonl")
    ]
    assert [name for name, _ in iter_files(store_at(str(tmp_path)))] == ["knowledge/ca.jsonl"]


def test_one_key_is_read_from_its_own_file_however_it_is_spelled(tmp_path: Path) -> None:
    store = store_at(str(tmp_path))
    assert read_current(store, "a", 256) is None
    (tmp_path / "knowledge").mkdir()
    path = tmp_path / "knowledge" / "ca.jsonl"
    path.write_bytes(b'broken\n{"type":"fact","content":"x","key":"\\u0061"}\n')
    at = read_current(store, "a", 256)
    assert at is not None
    assert (at.file, at.number) == ("knowledge/ca.jsonl", 2)
    path.write_bytes(LINE + b'{"key":"a","type":"fact","content":"y","ts":1}\n')
    at = read_current(store, "a", 256)
    assert at is not None
    assert at.number == 2
    path.write_bytes(b'{"key":"ab","type":"fact","content":"a"}\n')
    assert read_current(store, "a", 256) is None
