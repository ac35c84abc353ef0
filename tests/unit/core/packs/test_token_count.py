"""Tokens are counted as the real tokenizer counts them."""

from __future__ import annotations

import json
import tarfile
import unicodedata
from pathlib import Path

import pytest

from gitkb.core.packs import token_count
from gitkb.core.packs.token_count import LONGEST, TokenTable
from gitkb.operations.packs.token_table import TABLE_NAME, token_table

from real_tokens import SAMPLES, count, real_count
from token_table import make_classes, make_table, make_tokens, read_ranks


def _shipped() -> bytes:
    return Path(token_count.__file__).with_name(TABLE_NAME).read_bytes()


def test_the_table_is_the_one_that_the_script_makes() -> None:
    shipped = _shipped()
    header, _, body = shipped.partition(b"\n")
    counts, made = make_tokens(read_ranks())
    assert json.loads(header)["counts"] == counts
    assert body == made
    if unicodedata.unidata_version == "14.0.0":
        assert shipped == make_table(make_classes())


@pytest.mark.parametrize("language", SAMPLES)
def test_every_language_is_counted_exactly(language: str) -> None:
    text = SAMPLES[language] * 3
    assert count(text) == real_count(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "   \n\n \t x",
        "\r\n\r\n/path/to",
        "it's IT'S we'Ve they'llama l'été ſ'ſ",
        "12345678901234567890 1,000.50 ²³ ½ Ⅷ",
        "HTTPServer getHTTPResponse snake_case kebab-case",
        "!!!???///\n/// (((\n\n",
        "a\u0300\u0301\u0302b \u0300\u0301 \u0e33\u0e33",
        "\x00\x01\x1f\x7f\x85\xa0\u2003\u2028\u3000x",
        "<|endoftext|> <|fim_prefix|>",
        "def f(x):\n    return {'a': [1, 2]}  # ok\n\n\n",
        "안녕하세요 ありがとう カタカナ สวัสดี नमस्ते مرحبا שלום ქართული Ქ",
        "\ufeff\ufffd\ue000\U0010ffff",
    ],
)
def test_hard_texts_are_counted_exactly_or_above(text: str) -> None:
    assert count(text) >= real_count(text)
    if "\U0010ffff" not in text:
        assert count(text) == real_count(text)


def test_a_character_that_unicode_14_does_not_know_counts_by_its_bytes() -> None:
    text = "before it, \U000105c0x\n/y after it"  # a letter since Unicode 16
    around = " \U000105c0x\n/y"
    expected = real_count("before it,") + len(around.encode()) + real_count(" after it")
    assert count(text) == expected
    assert count(text) >= real_count(text)


def test_a_piece_longer_than_the_longest_counts_by_its_bytes() -> None:
    for letter in "яa语":
        text = letter * (LONGEST // len(letter.encode()) + 1)
        assert count(text) == len(text.encode())
        shorter = text[:-1]
        assert count(shorter) == real_count(shorter)


def test_counting_stops_above_a_limit() -> None:
    table = token_table()
    text = "one two three " * 1_000
    assert 10 < table.count(text, 10) < 20
    assert table.count(text, 10**6) == table.count(text) == real_count(text)


def test_a_table_is_not_touched_by_what_it_counted() -> None:
    data = Path(token_count.__file__).with_name(TABLE_NAME).read_bytes()
    first, second = TokenTable(data), TokenTable(data)
    first.count(SAMPLES["zh"])
    assert first.count(SAMPLES["ru"]) == second.count(SAMPLES["ru"])


@pytest.mark.slow
def test_real_collections_are_counted_exactly(shared_data: Path) -> None:
    texts = [
        path.read_text("utf-8")[:100_000]
        for path in (shared_data / "corpora").rglob("*")
        if path.is_file()
    ]
    with tarfile.open(shared_data / "retrieval" / "dev.tar.xz") as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member)
            if file is None or not member.name.endswith(".json"):
                continue
            docs = json.load(file).get("docs") or []
            texts += [json.dumps(doc, ensure_ascii=False) for doc in list(docs)[:40]]
    assert len(texts) > 500
    differing = [text for text in texts if count(text) != real_count(text)]
    assert differing == []
