"""Where the words that a query found stand in a text, and the piece of it that is shown."""

from __future__ import annotations

import pytest

from gitkb.core.search.snippet import Snippet, cut_snippet, find_matches


def marked(snippet: Snippet) -> str:
    text = snippet.text
    for match in reversed(snippet.matches):
        text = f"{text[: match.start]}[{text[match.start : match.end]}]{text[match.end :]}"
    return text


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("two retries of one Retry", {"retries", "retry"}, "two [retries] of one [Retry]"),
        ("the HTTPServer of RetryPolicy", {"http", "retrypolicy"}, "the [HTTP]Server of [RetryPolicy]"),
        ("in snake_case_names", {"case"}, "in snake_[case]_names"),
        ("C# is not C++", {"csharp"}, "[C#] is not C++"),
        ("ПЛАТЁЖ и платежи", {"платёж"}, "[ПЛАТЁЖ] и платежи"),
        ("п'ять запитів", {"пять"}, "[п'ять] запитів"),
        ("don't stop", {"stop"}, "don't [stop]"),
        ("支払いの再試行は五回", {"再試", "試行"}, "支払いの[再試行]は五回"),
        ("冪等キーはAPIで", {"api"}, "冪等キーは[API]で"),
        ("naïve café", {"café"}, "naïve [café]"),
        ("half-open", {"open"}, "half-[open]"),
        ("nothing here", {"elsewhere"}, "nothing here"),
    ],
)  # fmt: skip
def test_words_are_found_as_they_are_written(text: str, words: set[str], expected: str) -> None:
    assert marked(cut_snippet(text, words, 100)) == expected


def test_the_piece_is_the_one_in_which_the_words_stand() -> None:
    text = f"{'before ' * 60}the jitter of a retry {'after ' * 60}".strip()
    snippet = cut_snippet(text, {"jitter", "retry"}, 80)
    assert "the [jitter] of a [retry]" in marked(snippet)
    assert snippet.text.startswith("…")
    assert snippet.text.endswith("…")
    assert len(snippet.text) <= 80


def test_a_piece_that_holds_more_different_words_wins() -> None:
    text = f"retry {'x ' * 100}retry retry {'y ' * 100}jitter and retry {'z ' * 100}"
    assert "[jitter] and [retry]" in marked(cut_snippet(text, {"jitter", "retry"}, 60))


def test_a_text_that_begins_with_all_words_is_shown_from_its_beginning() -> None:
    text = f"A retry waits. {'more ' * 60}"
    assert cut_snippet(text, {"retry"}, 60).text.startswith("A retry waits. more")


def test_room_at_the_end_is_filled_with_what_comes_before() -> None:
    text = f"{'before ' * 60}retry"
    assert len(cut_snippet(text, {"retry"}, 80).text) > 60


def test_without_a_match_it_is_the_beginning() -> None:
    assert cut_snippet("one two three four five", {"six"}, 12).text == "one two…"


def test_many_matches_cost_little() -> None:
    text = "retry jitter " * 20_000
    assert len(find_matches(text, {"retry", "jitter"})) == 40_000
    assert len(cut_snippet(text, {"retry", "jitter"}, 100).text) <= 100
