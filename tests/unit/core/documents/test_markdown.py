"""The Markdown document: no entry can break out of its place."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.documents.markdown import escape, format_document, quote
from gitkb.core.entry import Entry

from strategies import entries

EVIL = (
    "# heading",
    "text\n===",
    "```\nunclosed",
    "~~~~\nunclosed",
    "<!-- unclosed",
    "</blockquote><script>alert(1)</script>",
    "- [ ] task\n\n  ```\n  <b>\n```\n<i>",
    "a\r# heading\u2028# heading\x85# heading",
    "[x]: https://evil.example",
    "| a | b |\n|---|---|",
    "\x1b[31mred \u202e",
    "---\n***\n___",
)


def entry(**fields: Any) -> Entry:
    return Entry({"key": "k", "type": "fact", "content": "c", **fields})


def test_a_document_is_grouped_by_type_and_says_what_matters() -> None:
    document = format_document(
        [
            entry(title="Prod runs *Postgres*", tags=["db"], files=["a_b.py"]),
            entry(key="p", type="principle", content="Rule", status="rejected"),
            entry(
                key="q",
                type="principle",
                title="Q",
                importance=5,
                links=[{"rel": "supersedes", "to": "p"}],
            ),
        ],
        {"p": "Rule"},
    )
    assert document == (
        "# Knowledge\n"
        "\n## Principles\n"
        "\n### Q\n\n`q` · importance 5\n\n- supersedes `p` Rule\n\n> c\n"
        "\n### Rule\n\n`p` · **rejected** · importance 3\n\n> Rule\n"
        "\n## Facts\n"
        "\n### Prod runs \\*Postgres\\*\n\n`k` · importance 3\n"
        "\n- tags: db\n- files: a\\_b.py\n\n> c\n"
    )


@given(
    st.lists(
        entries() | st.builds(lambda text: entry(content=text), st.sampled_from(EVIL)), max_size=4
    )
)
def test_the_structure_is_that_of_the_document_alone(found: list[Entry]) -> None:
    document = format_document(found, {})
    lines = document.split("\n")
    own = [line for line in lines if line and not line.startswith(">")]
    headings = [line for line in own if line.startswith("#")]
    groups = {one.type for one in found}
    assert len(headings) == 1 + len(groups) + len(found)
    for line in own:
        # What is not a heading, a line of marks or an item of a list cannot be anything else.
        assert re.match(r"# Knowledge$|## [A-Z]\w+$|### |`[\w.-]+`|- ", line), line
        assert not re.search(r"(?<!\\)<", line)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]", document)


@pytest.mark.parametrize("text", EVIL)
def test_html_outside_of_code_is_text(text: str) -> None:
    for line in quote(text):
        assert line.startswith(">")
        if not line.startswith(">   "):
            assert "<script" not in line
            assert "<!--" not in line
            assert "</blockquote" not in line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", "> a < b"),
        ("use `Vec<T>` not <b>", "> use `Vec<T>` not &lt;b>"),
        ("``a ` <b>`` <i>", "> ``a ` <b>`` &lt;i>"),
        ("\\`<b>\\`", "> \\`&lt;b>\\`"),
        ("`<b>", "> `&lt;b>"),
        ("```\n<b>\n```\n<i>", "> ```\n> <b>\n> ```\n> &lt;i>"),
        ("- ```\n  <b>\n  ```", "> - ```\n>   &lt;b>\n>   ```"),
        ("a\n\n", "> a"),
        ("a\n\nb", "> a\n>\n> b"),
    ],
)
def test_code_keeps_its_brackets_where_it_is_code_for_certain(text: str, expected: str) -> None:
    assert "\n".join(quote(text)) == expected


def test_a_title_is_shown_as_it_is() -> None:
    assert escape("[a](b) `c` <d> #1  *x*") == "\\[a\\]\\(b\\) \\`c\\` \\<d\\> \\#1 \\*x\\*"
