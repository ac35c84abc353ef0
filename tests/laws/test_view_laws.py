"""Views hold whatever entries say. The judges are CommonMark as markdown-it reads it, and GitHub's renderer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import cmarkgfm
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gitkb.core.documents.plain_markdown import format_blocks, format_inline
from gitkb.core.documents.view import SMALLEST_BUDGET, ViewSettings, format_view
from gitkb.core.entry import CATEGORIES, TYPES, Entry
from gitkb.core.unsafe import shown

if TYPE_CHECKING:
    from markdown_it.token import Token

PLAIN = MarkdownIt("commonmark")
FORGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])

# Pieces of which Markdown is made, so that they meet.
PIECES = (
    *"\\`*_{}[]<>()#+-=.!|~&$:\"' \tax1\n\u00a0é\u200b\u202e\u2028\r\x1b",
    "\n\n", "```", "~~~", "````", "    ", "\t", "---", "===", "# ", "- ", "1. ", "1) ", "> ", "* ",
    "<!--", "-->", "<b>", "</details>", "<script>", "<?", "<![CDATA[", "&lt;", "&#35;", "![x](y)",
    "[a]: /b", "[a](b)", "[^1]", "**", "__", "| a | b |", "|---|---|", ":-", "https://a.example/x_y",
    "<https://b.example>", "```python", "[ ] ", "\\\n", "  \n", "$$", "www.c.example", "#\n", "`` ` ``",
)  # fmt: skip
HOSTILE = st.lists(st.sampled_from(PIECES), min_size=1, max_size=25).map("".join)
TEXTS = HOSTILE | st.text(min_size=1, max_size=60)
LINES = TEXTS.map(lambda text: re.sub("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", " ", text)).filter(
    bool
)
ENTRIES = st.lists(
    st.fixed_dictionaries(
        {
            "key": st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,8}", fullmatch=True),
            "type": st.sampled_from(TYPES),
            "content": TEXTS,
            "ts": st.integers(0, 2**40),
        },
        optional={
            "title": LINES,
            "category": st.sampled_from(CATEGORIES) | LINES,
            "created": st.integers(0, 2**40),
            "importance": st.integers(1, 5),
            "scope": st.sampled_from(("workstation", "universal")),
            "stack": st.lists(LINES, min_size=1, max_size=3),
            "aliases": st.lists(st.sampled_from(("L-007", "WL-012", "L-1000", "*x*")), min_size=1),
            "status": st.sampled_from(("superseded", "rejected")),
        },
    ),
    max_size=6,
    unique_by=lambda fields: fields["key"],
).map(lambda drawn: [Entry(fields) for fields in drawn])


def blocks(tokens: list[Token]) -> list[str]:
    """What a document is made of, but for its text."""
    return [token.type for token in tokens if token.nesting >= 0 and token.type != "inline"]


def spans(tokens: list[Token]) -> set[str]:
    return {child.type for token in tokens for child in token.children or ()}


def text_of(token: Token) -> str:
    """What a reader sees of a line."""
    return "".join(
        "\n" if child.type in ("softbreak", "hardbreak") else child.content
        for child in token.children or ()
    )


@given(TEXTS)
@example("a\n===")
@example("a\n:-")
@example("```x``` y")
@example("1234567890. x")
@example("`` ` `` `")
@example("http://[a](b)")
def test_a_text_becomes_paragraphs_and_code_and_nothing_else(text: str) -> None:
    for reader in (PLAIN, FORGE):
        env: dict[str, Any] = {}
        tokens = reader.parse(format_blocks(text), env)
        assert set(blocks(tokens)) <= {"paragraph_open", "fence"}
        allowed = {"text", "text_special", "softbreak", "hardbreak", "code_inline"}
        assert spans(tokens) <= {*allowed, "link_open", "link_close"}
        assert not env.get("references")
        for token in tokens:
            for child in token.children or ():
                if child.type == "link_open":
                    assert (child.markup, child.info) == ("autolink", "auto")


def on_a_forge(text: str) -> str:
    """The HTML that GitHub makes, raw HTML let by, but for what a text may become."""
    options = cmarkgfm.Options.CMARK_OPT_UNSAFE | cmarkgfm.Options.CMARK_OPT_FOOTNOTES
    html = cmarkgfm.github_flavored_markdown_to_html(text, options)
    return re.sub(r"</?(p|pre|code|a|br)( [^>]*)?/?>", "", html)


@given(TEXTS)
@example("<https://a.example><b>")
@example("www.a.example<!-- x")
@example("ftp://a.example<b> *x*")
@example("www.a.example[b](c)")
def test_a_forge_makes_nothing_else_of_a_text_either(text: str) -> None:
    assert "<" not in on_a_forge(format_blocks(text))
    heading = on_a_forge(f"### L-001: {format_inline(text)}\n\nafter\n")
    assert re.fullmatch(r"<h3>[^<]*</h3>\nafter\n", heading)


@given(TEXTS)
def test_nothing_that_a_text_says_is_lost(text: str) -> None:
    seen = "".join(
        token.content if token.type == "fence" else text_of(token)
        for token in PLAIN.parse(format_blocks(text))
        if token.type in ("fence", "inline")
    )
    # Fences are drawn anew, and so are the backticks around code.
    strip = str.maketrans("", "", "`~ \t\n\u00a0")
    normal = re.sub("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", "\n", text)
    lines = [
        line for line in shown(normal).split("\n") if not re.match(r" {0,3}(`{3,}|~{3,})", line)
    ]
    for line in lines:
        for word in line.translate(strip).split():
            assert word in seen.translate(strip)


@given(LINES)
def test_a_title_stays_one_line_of_text(text: str) -> None:
    title = format_inline(text)
    tokens = PLAIN.parse(f"### L-001: {title}\n\nafter")
    assert blocks(tokens) == ["heading_open", "paragraph_open"]
    plain = " ".join(shown(" ".join(text.split())).replace("`", "").split())
    assert " ".join(text_of(tokens[1]).replace("`", "").split()) == f"L-001: {plain}".rstrip()


@given(ENTRIES, st.sampled_from(("learnings", "knowledge", "active", "technical", "decision")))
def test_headings_are_exactly_those_of_the_view(entries: list[Entry], name: str) -> None:
    view = format_view(name, entries, ViewSettings(budget=100_000))
    env: dict[str, Any] = {}
    tokens = FORGE.parse(view.text, env)
    assert set(blocks(tokens)) <= {"heading_open", "paragraph_open", "fence"}
    levels = [token.tag for token in tokens if token.type == "heading_open"]
    assert levels.count("h1") == 1
    assert levels.count("h3") == view.entries
    assert len(levels) == 1 + view.entries + (levels.count("h2") if name != "active" else 0)
    assert not env.get("references")
    assert not {"html_inline", "html_block", "image", "s_open"} & {*blocks(tokens), *spans(tokens)}


@given(ENTRIES, st.randoms())
def test_a_view_is_the_same_in_whatever_order_the_entries_come(
    entries: list[Entry], random: Any
) -> None:
    mixed = list(entries)
    random.shuffle(mixed)
    for name in ("learnings", "knowledge", "active"):
        assert format_view(name, mixed, ViewSettings()) == format_view(
            name, entries, ViewSettings()
        )


@given(ENTRIES, st.integers(SMALLEST_BUDGET, 3_000), st.integers(0, 1_500))
def test_an_active_view_stays_within_its_budget_and_more_of_it_loses_nothing(
    entries: list[Entry], budget: int, more: int
) -> None:
    small = format_view("active", entries, ViewSettings(budget=budget))
    large = format_view("active", entries, ViewSettings(budget=budget + more))
    assert len(small.text) <= budget
    assert len(large.text) <= budget + more
    assert small.entries + small.left_out == large.entries + large.left_out
    heads = [
        [line for line in view.text.split("\n") if line.startswith("### ")]
        for view in (small, large)
    ]
    assert heads[0] == heads[1][: len(heads[0])]
    assert len(heads[0]) == small.entries
    assert (str(small.left_out) in small.text.rsplit("\n\n", 1)[-1]) or not small.left_out
