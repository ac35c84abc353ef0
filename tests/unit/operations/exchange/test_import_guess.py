"""What a path looks like, when another format was named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from gitkb.operations.exchange.import_guess import guess_formats

ENTITY = '{"type":"entity","name":"a","entityType":"b","observations":[]}'
ENTRY = '{"key":"a","type":"fact","content":"x"}'
OBSERVATION = '{"id":1,"session_id":"s","type":"fact","title":"t","content":"c"}'


@pytest.mark.parametrize(
    ("name", "text", "guess"),
    [
        ("a.jsonl", ENTITY, "mcp-memory"),
        ("a.json", '{"entities":[],"relations":[]}', "mcp-memory"),
        ("a.jsonl", ENTRY, "gitkb"),
        ("a.jsonl", '{"key":"a","deleted":true,"ts":1}', "gitkb"),
        ("a.jsonl", OBSERVATION, "engram"),
        ("a.json", '{\n "version": "1",\n "sessions": [],\n "observations": []\n}', "engram"),
        ("a.json", '{"gitkb":1,"entries":[]}', "gitkb"),
        ("a.json", '{\n "version": "1.0.0",\n "entries": [{"severity": "low"}]\n}', "add"),
        ("a.json", '{"project":"p","entries":[]}', "add"),
        ("a.md", "anything", "adr"),
        ("a", "# 1. Title\n\n## Status\n\nAccepted\n", "adr"),
        ("a.jsonl", "", ""),
        ("a.jsonl", "no json", ""),
        ("a.jsonl", ENTITY + "\n" + ENTRY, ""),
        ("a.jsonl", "\ufeff" + ENTITY + "\nbroken", "mcp-memory"),
    ],
)
def test_a_file_is_known_by_its_first_lines(
    tmp_path: Path, name: str, text: str, guess: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert (guess_formats(str(path)) or [""])[0] == guess


def test_a_packed_chunk_is_unpacked_first(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps({"sessions": [], "observations": []}).encode()))
    assert guess_formats(str(path)) == ["engram"]
    path.write_bytes(b"\x1f\x8bno")
    assert guess_formats(str(path)) == []


@pytest.mark.parametrize(
    ("names", "guess"),
    [
        ((".gitkb/config.toml",), ["gitkb"]),
        ((".engram/manifest.json",), ["engram"]),
        ((".add/learnings.md",), ["add"]),
        (("library.json",), ["add"]),
        (("manifest.json", "chunks/a.jsonl.gz"), ["engram"]),
        (("memory.jsonl",), ["mcp-memory"]),
        ((".drawbar/memory/knowledge.jsonl",), ["drawbar"]),
        ((".drawbar/x", ".gitkb/x"), []),
        (("memory.jsonl", ".git/x"), []),
        (("x.txt",), []),
    ],
)
def test_a_folder_is_known_by_what_one_tool_alone_has(
    tmp_path: Path, names: tuple[str, ...], guess: list[str]
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert guess_formats(str(tmp_path)) == guess
