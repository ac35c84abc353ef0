"""How other people's text looks in a view: as it was meant, and harmless."""

from __future__ import annotations

import time

import pytest

from gitkb.core.documents.plain_markdown import format_blocks, format_inline


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("snake_case and asyncio.to_thread()", "snake_case and asyncio.to_thread()"),
        ("_x_ and **y**", r"\_x\_ and \*\*y\*\*"),
        ("a `b_*<c>` d", "a `b_*<c>` d"),
        ("``a`b``", "``a`b``"),
        ("``a``", "`a`"),
        ("one ` tick", r"one \` tick"),
        (r"\`no code\`", r"\\\`no code\\\`"),
        ("see https://a.example/x_(y).", "see <https://a.example/x_(y)>."),
        ("(https://a.example/?a=1&b=2)", "(<https://a.example/?a=1&b=2>)"),
        ("https://a.example/&lt;x", r"https\://a.example/\&lt;x"),
        ("<https://a.example>", r"\<<https://a.example>>"),
        ("www.a.example ftp://b.example", r"www\.a.example ftp\://b.example"),
        ("[x](javascript:y)", r"\[x\](javascript:y)"),
        ("<!-- x --> & &amp;", r"\<!-- x --> & \&amp;"),
        ("a | b ~c~ $d$", r"a \| b \~c\~ \$d\$"),
        ("C# and #28", "C# and #28"),
        ("ends in #", r"ends in \#"),
        ("a\u202eb\u200b", r"a\\u{202e}b\\u{200b}"),
        ("a\u200db", r"a\\u{200d}b"),
        ("क\u200dष", "क\u200dष"),
    ],
)
def test_a_line_keeps_its_sense(text: str, written: str) -> None:
    assert format_inline(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("# a", r"\# a"),
        ("- a\n- b", "\\- a\\\n\\- b"),
        ("1. a\n2) b", "1\\. a\\\n2\\) b"),
        ("a\n===\n---", "a\n\\===\\\n\\---"),
        ("> a", r"\> a"),
        ("| a |\n|---|", "\\| a \\|\\\n\\|---\\|"),
        ("a line\nthat flows", "a line\nthat flows"),
        ("a\n\n\nb  \n", "a\n\nb"),
        ("a\r\nb\u2028c", "a\nb\nc"),
        ("say:\n\n    if x:\n        y", "say:\n\n```\nif x:\n    y\n```"),
        ("```python\nx = '```'\n```\nthen", "````python\nx = '```'\n````\n\nthen"),
        ("~~~ {.evil}\n<b>\n~~~", "```\n<b>\n```"),
        ("```\nnever closed", "\\`\\`\\`\nnever closed"),
        (" \n", ""),
    ],
)
def test_a_text_becomes_paragraphs_and_code(text: str, written: str) -> None:
    assert format_blocks(text) == written


@pytest.mark.parametrize(
    "text",
    [
        "".join("`" * length + "x" for length in range(1, 1_000)),
        "\n".join("```" + "`" * (length % 50) + "x" for length in range(20_000)),
        "https://a" + ")" * 200_000,
        "#" * 100_000 + " x",
        "_" * 100_000,
        "` " * 50_000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    start = time.process_time()
    format_blocks(text)
    assert time.process_time() - start < 5
