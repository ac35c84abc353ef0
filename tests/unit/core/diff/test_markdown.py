"""Changes as a comment: what a forge makes of it, whatever entries say."""

from __future__ import annotations

import json
import re
from typing import Any

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.diff.entry import EntryChange, diff_snapshots
from gitkb.core.diff.markdown import BUDGET, SMALLEST_BUDGET, format_comment
from gitkb.core.snapshot import read_snapshot

ENTRY: dict[str, Any] = {"key": "k", "type": "fact", "title": "T", "content": "x", "ts": 5}
HOSTILE = (
    "@octocat fixes #12 ![x](http://evil/x.png) <img src=x onerror=alert(1)> [a](javascript:b)",
    "```\n</details>\n# Heading\n````````\n~~~\n<script>alert(1)</script>",
    "</summary></details><h1>Approved</h1>\n\n<!-- \n--> &amp; &lt; <!-- gitkb diff -->",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n    code\n> quote\n- [ ] task :tada: http://evil.example",
    "\x1b[2J\u202egnirts\u2066 \u200b \r\n\x85\u2028 end",
)


def changes(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[EntryChange]:
    before, after = (
        read_snapshot(
            [("knowledge/all.jsonl", b"".join(json.dumps(line).encode() + b"\n" for line in lines))]
        )
        for lines in (old, new)
    )
    return diff_snapshots(before, after, sorted({*before.current, *after.current}))


def comment(found: list[EntryChange], **options: Any) -> str:
    return format_comment(found, **{"old": "main", "new": "HEAD", **options})


def html(text: str) -> str:
    rendered: str = cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)
    return rendered


def outside_code(rendered: str) -> str:
    """What a forge's filters for mentions, issues and emoji look at."""
    return re.sub(r"<(pre|code)\b.*?</\1>", "", rendered, flags=re.DOTALL)


def test_a_comment_reads_like_this() -> None:
    new = {**ENTRY, "content": "One. Third.", "ts": 9}
    check = {"key": "c", "type": "pitfall", "content": "MUST-CHECK: look"}
    assert (
        comment(changes([{**ENTRY, "content": "One. Tenth."}], [new, check]))
        == """\
<!-- gitkb diff -->
### Knowledge: 1 added, 1 changed

**1 must-check**

<p>From <code>main</code> to <code>HEAD</code>.</p>

<details open><summary><b>added</b> <code>c</code> <code>look</code> · pitfall · must-check</summary>

```diff
+entry c
+  type: pitfall
+  content:
+    | MUST-CHECK: look
```

</details>

<details><summary><b>changed</b> <code>k</code> <code>T</code> · fact</summary>

```diff
   content:
     | One.
-      Tenth.
+      Third.
```

</details>

"""
    )


def test_no_change_is_said_so() -> None:
    assert "### Knowledge: no change\n" in comment([])


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field", ["title", "content", "source", "tags", "x\n# y", "reason"])
def test_no_entry_breaks_the_comment(field: str, text: str) -> None:
    value: Any = " ".join(text.split()) if field == "title" else text
    new = {**ENTRY, field: [value] if field == "tags" else value}
    if field == "reason":
        new = {"key": "k", "deleted": True, "ts": 9, "by": text, "reason": text}
    other = {**ENTRY, "key": "other"}
    written = comment(changes([ENTRY], [new, other]))
    rendered = html(written)
    plain = html(comment(changes([ENTRY], [{**ENTRY, "content": "y"}, other])))
    tags = re.compile(r"</?[a-zA-Z][^>]*>")
    assert set(tags.findall(rendered)) <= {*tags.findall(plain), "</b>", "<b>"}
    assert rendered.count("<details") == rendered.count("</details>") == 2
    assert rendered.count("<pre") == 2
    left = outside_code(rendered)
    for sign in ("@octocat", "#12", "evil", ":tada:", "Approved", "Heading"):
        assert sign not in left
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202a-\u202e\u2066-\u2069]", written)


@given(st.text(st.sampled_from("`~<>&|-# \n@[]()!a"), max_size=60))
def test_the_fence_holds_whatever_is_in_it(text: str) -> None:
    new = {**ENTRY, "content": text or "x"}
    rendered = html(comment(changes([], [new, {**ENTRY, "key": "other"}])))
    assert rendered.count("<pre") == rendered.count("</details>") == 2
    assert "@" not in outside_code(rendered)


def test_names_of_branches_and_notes_are_text_too() -> None:
    hostile = "`x`<img src=x>@octocat"
    written = comment([], old=hostile, new=hostile, notes=[hostile + "\n\n# A"])
    rendered = html(written)
    assert "<img" not in rendered
    assert "@octocat" not in outside_code(rendered)
    assert "<h1" not in rendered


# --- the bound -------------------------------------------------------------------------------


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def many(count: int, content: str) -> list[EntryChange]:
    return changes(
        [], [{**ENTRY, "key": f"k{number:04}", "content": content} for number in range(count)]
    )


@pytest.mark.parametrize(
    "content", ["x", "word " * 400, "👩‍👩‍👧‍👦" * 900, "```\n" * 300, "a\n" * 5000]
)
@pytest.mark.parametrize("budget", [SMALLEST_BUDGET, 5_000, BUDGET])
def test_a_comment_is_never_longer_than_a_forge_takes(content: str, budget: int) -> None:
    found = many(700 if len(content) < 1_000 else 150, content)
    written = comment(found, budget=budget)
    assert units(written) <= budget
    named = set(re.findall(r"<code>(k\d{4})</code>", written))
    [rest] = re.findall(r"… and (\d+) more", written) or ["0"]
    assert len(named) + int(rest) == len(found)
    assert f"### Knowledge: {len(found)} added" in written
    assert html(written).count("<details") == html(written).count("</details>")


def test_what_is_cut_is_counted() -> None:
    written = comment(many(1, "a line\n" * 3000), command="gitkb diff a..b")
    assert re.search(r"\n … \d+ more characters\n```\n", written)
    short = comment(many(40, "word " * 100), budget=12_000, command="gitkb diff a..b")
    assert "Some are named alone: <code>gitkb diff a..b</code> shows all of them." in short


def test_what_needs_a_person_is_in_it_before_all_else() -> None:
    lines = [{**ENTRY, "key": f"k{number}", "content": "word " * 300} for number in range(99)]
    check = {"key": "zz", "type": "pitfall", "content": "MUST-CHECK: look"}
    assert "+    | MUST-CHECK: look" in comment(changes([], [*lines, check]), budget=3_000)
