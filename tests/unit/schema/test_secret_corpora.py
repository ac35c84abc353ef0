"""Real knowledge of five tools raises no false alarm, and whoever knows says so at once."""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING, Any

from gitkb.core.secrets.hint import may_record_hold_secret
from gitkb.schema.secret_scan import find_secrets
from gitkb.schema.secret_settings import SecretSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def _records(folder: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            yield line, json.loads(line)
    for path in sorted(folder.rglob("*.md")):
        yield b"", {"key": path.stem, "content": path.read_text(encoding="utf-8")}


def test_the_collections_of_five_tools_raise_no_false_alarm(shared_data: Path) -> None:
    looked_at, suspected = 0, 0
    for line, record in _records(shared_data / "corpora"):
        looked_at += 1
        assert find_secrets(record, SecretSettings()) == [], record
        suspected += bool(line) and may_record_hold_secret(line, record)
    assert looked_at > 1_800
    # The library would be imported for one entry in fifty at most.
    assert suspected <= looked_at // 50


def test_books_and_notes_raise_few(shared_data: Path) -> None:
    found, looked_at = 0, 0
    with tarfile.open(shared_data / "retrieval" / "dev.tar.xz") as archive:
        for name in ("til-jbranchaud.json", "lessons.json", "jsinfo-en.json"):
            file = archive.extractfile(name)
            assert file is not None
            for text in _texts(json.load(file)):
                looked_at += 1
                found += bool(find_secrets({"content": text}, SecretSettings()))
    assert found <= looked_at // 500


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
