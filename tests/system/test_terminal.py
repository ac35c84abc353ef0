"""What a person sees on a terminal, and that a pipe is none."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitkb.cli.terminal.width import cells

from repo_builder import BEN, Repo, run_program, script
from terminal_builder import Shown, show

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GITKB = script("gitkb")
LONG = (
    "We looked at three ways of spreading load after an outage. Fixed intervals made every client come back in the "
    "same second; linear back-off only shifted the peak, and nobody could say by how much. What works is exponential "
    "back-off with full jitter, at most five retries."
)
KANA = "決済プロバイダーが停止した場合、再試行は最大五回までとし、指数バックオフにジッターを加える。冪等キーは同じ。"
CYRILLIC = (
    "Когда запрос повторяется, кэш ответов нужно сбросить: иначе клиент получает старый ответ."
)
ENTRIES = [
    {"key": "jitter", "type": "decision", "title": "Retries back off", "content": LONG, "tags": ["http"], "ts": 50},
    {"key": "kana", "type": "fact", "title": "支払いの再試行", "content": KANA, "ts": 40},
    {"key": "kesh", "type": "learned", "title": "Кэш ответов", "content": CYRILLIC, "ts": 30},
    {"key": "lock", "type": "pitfall", "title": "Lock the ledger", "content": "MUST-CHECK: the ledger first", "ts": 20},
    {"key": "old", "type": "decision", "title": "Retry at once", "content": "x", "status": "rejected", "ts": 10},
    {"key": "torn", "type": "fact", "title": "Five", "content": "y", "ts": 5,
     "conflicts": [{"field": "title", "value": "Six", "ts": 4}]},
]  # fmt: skip
WIDTHS = (40, 80, 200)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("terminal") / "repo")
    repo.run("init", "--shards", "1")
    lines = [json.dumps(entry, ensure_ascii=False) + "\n" for entry in ENTRIES]
    repo.write(".gitkb/knowledge/all.jsonl", "".join(lines))
    repo.git("add", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Knowledge", person=BEN)
    repo.run("fmt")
    repo.git("commit", "-qa", "--no-verify", "-m", "Form", person=BEN)
    repo.run("list", "--all")
    return repo


def seen(repo: Repo, *words: str, columns: int = 80, env: Mapping[str, str] | None = None) -> Shown:
    found = show([GITKB, *words], repo.path, columns=columns, env=env)
    assert found.exit_code == 0, found.said
    return found


CALLS = (
    ("recall", "retry", "--all"),
    ("list", "--all"),
    ("list", "--all", "--format", "table"),
    ("show", "jitter"),
    ("show", "kana"),
    ("log", "kana"),
    ("blame",),
    ("stats",),
    ("why", "jitter"),
    ("related", "jitter"),
    ("conflicts",),
    ("context", "retry the ledger"),
)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_every_row_fits_and_says_what_a_pipe_says(
    shelf: Repo, words: tuple[str, ...], columns: int
) -> None:
    found = seen(shelf, *words, columns=columns)
    # Had a row been longer than the terminal is wide, it would have broken it, in the first column.
    said = found.said.replace(b"\r\n", b"\n").decode()
    assert found.rows == [row.rstrip() for row in _bare(said).split("\n")][: len(found.rows)]
    assert max(map(cells, _bare(said).split("\n"))) <= columns


def _bare(said: str) -> str:
    return re.sub(r"\x1b\[[0-9;]+m", "", said)


@pytest.mark.parametrize("columns", WIDTHS)
def test_wide_signs_stay_whole_and_in_order(shelf: Repo, columns: int) -> None:
    # A cell behind a wide sign is empty.
    text = "".join(row.strip() for row in seen(shelf, "show", "kana", columns=columns).rows)
    assert KANA in text


def test_the_cells_of_two_scripts_stand_under_each_other(shelf: Repo) -> None:
    _, *rows = seen(shelf, "list", "--all", "--format", "table", columns=120).rows
    at = {
        cells(row[: row.index(title)])
        for row in rows
        for title in ("支払", "Кэш", "Lock")
        if title in row
    }
    assert len(at) == 1


def test_words_are_marked_where_they_stand(shelf: Repo) -> None:
    found = seen(shelf, "recall", "retry")
    assert "Retries" in found.coloured("match")
    assert "retries" in found.coloured("match")
    assert "five retries." in found.text  # at the end of a content that is longer than a preview
    assert "three ways" not in found.text
    # The cell behind a wide sign is empty.
    assert "再試" in seen(shelf, "recall", "再試").coloured("match")


def test_what_matters_is_seen_at_a_glance(shelf: Repo) -> None:
    found = seen(shelf, "list", "--all")
    assert "MUST-CHECK" in found.coloured("red")
    assert "contested" in found.coloured("red")
    assert "rejected" in found.coloured("brown")
    assert BEN.name in found.coloured("green")


def test_what_an_entry_is_stale_for_stands_below_it(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    repo.write("src/a.py", "one\n")
    repo.run("add", "--key", "a", "--type", "fact", "--title", "About a", "--file", "src/a.py")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "First")
    repo.git("rm", "-q", "src/a.py")
    repo.git("commit", "-q", "-m", "Second")
    for words in (("list",), ("recall", "about"), ("for-file", "src/a.py")):
        found = seen(repo, *words)
        assert "a  fact · stale · " in found.rows[0]
        assert "    stale: src/a.py vanished" in found.rows
        assert found.coloured("brown") == "stale|stale:"
    found = seen(repo, "stale")
    assert found.coloured("cyan").startswith("a")
    assert "src/a.py vanished" in found.coloured("brown")


def test_writers_name_entries_as_readers_do(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    repo.run("add", "--key", "one", "--type", "decision", "--title", "The first")
    for verb in ("reject", "restore", "archive", "restore", "confirm", "forget"):
        found = seen(repo, verb, "one")
        assert found.coloured("cyan").startswith("one"), found.said
        assert found.rows[0].endswith(" one  The first")


def test_a_pack_shows_its_parts_and_what_to_know_at_a_glance(shelf: Repo) -> None:
    found = seen(shelf, "context", "retry five times", "--budget", "4000")
    assert {"jitter", "torn"} <= set(found.coloured("cyan").split("|"))
    assert found.coloured("red") == "contested"
    assert found.text.startswith("# ")
    started = seen(shelf, "session", "start", "Retry the ledger")
    assert started.rows[0].startswith("session ses_")
    assert "jitter" in started.coloured("cyan")


def test_the_plan_that_runs_into_something_says_it_in_colour(shelf: Repo) -> None:
    found = show(["sh", "-c", 'echo Retry at once | "$0" check-plan', str(GITKB)], shelf.path)
    assert found.exit_code == 1
    assert "rejected" in found.coloured("brown")
    assert "old" in found.coloured("cyan")


def test_authors_stand_under_each_other(shelf: Repo) -> None:
    rows = seen(shelf, "blame", columns=120).rows
    assert len({row.index(BEN.name) for row in rows if "first written" not in row}) == 1
    assert re.search("^old  [0-9a-f]{10}  ", shelf.run("blame").stdout, re.MULTILINE)


def test_an_author_is_nobody_where_nothing_is_committed(shelf: Repo, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "new")
    repo.run("init")
    repo.run("add", "--key", "k", "--type", "fact", "--title", "New")
    assert "uncommitted" in seen(repo, "list").text


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"CLICOLOR": "0"},
                                 {"NO_COLOR": "1", "FORCE_COLOR": "1"}])  # fmt: skip
@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_without_colour_there_is_no_escape_at_all(
    shelf: Repo, words: tuple[str, ...], env: dict[str, str]
) -> None:
    assert b"\x1b" not in seen(shelf, *words, env=env).said


@pytest.mark.parametrize("words", [*CALLS, ("recall", "nosuchword"), ("diff",)], ids=" ".join)
def test_a_pipe_gets_plain_lines_however_long(shelf: Repo, words: tuple[str, ...]) -> None:
    plain = shelf.run(*words, env={"NO_COLOR": "", "TERM": "xterm", "COLUMNS": "20"})
    assert "\x1b" not in plain.stdout + plain.stderr
    if words == ("show", "jitter"):
        assert f"\n    {LONG}\n" in plain.stdout


@pytest.mark.parametrize("name", ["FORCE_COLOR", "CLICOLOR_FORCE"])
def test_colour_can_be_forced_into_a_pipe_and_adds_nothing_else(shelf: Repo, name: str) -> None:
    plain = shelf.run("list", "--all").stdout
    forced = shelf.run("list", "--all", env={"NO_COLOR": "", name: "1"}).stdout
    assert "\x1b[" in forced
    assert _bare(forced) == plain
    assert "\x1b" not in shelf.run("list", env={"NO_COLOR": "", name: "0"}).stdout


def test_a_search_into_a_pipe_draws_nothing(shelf: Repo) -> None:
    code = (
        "import sys; from gitkb.cli.main import run; run(['recall', 'retry']);"
        "print(*(name for name in sys.modules if name.split('.')[0] == 'rich'"
        " or name.startswith('gitkb.cli.terminal.') and name != 'gitkb.cli.terminal.line'))"
    )
    done = run_program([sys.executable, "-c", code], cwd=shelf.path)
    assert done.lines()[-1] == ""


def test_a_snippet_is_plain_text_in_a_pipe(shelf: Repo) -> None:
    plain = shelf.run("recall", "jitter").stdout
    assert "We looked at three ways" in plain
    assert "five retries." not in plain
    snippet = shelf.run("recall", "retry", "--snippet").stdout
    assert "five retries." in snippet
    assert "\x1b" not in snippet


# --- forms -----------------------------------------------------------------------------------


def test_lines_of_json_are_what_one_document_holds(shelf: Repo) -> None:
    for words in (("recall", "retry"), ("list",)):
        document = shelf.run(*words, "--json").json()
        assert shelf.run(*words, "--format", "json").json() == document
        lines = shelf.run(*words, "--format", "jsonl").lines()
        assert [json.loads(line) for line in lines] == document


def test_markdown_is_a_list(shelf: Repo) -> None:
    item = shelf.run("list", "--format", "markdown").lines()[0]
    assert item == "- **Retries back off** (jitter): decision · http · 1970-01-01"


def test_a_table_in_a_pipe_cuts_nothing(shelf: Repo) -> None:
    table = shelf.run("list", "--all", "--format", "table").lines()
    assert table[0].split() == ["key", "type", "status", "title", "tags", "changed"]
    assert len(table) == 1 + len(ENTRIES)


def test_a_row_of_a_table_is_an_entry_however_long_its_title(shelf: Repo) -> None:
    for columns in (40, 60, 80, 120, 200):
        heading, *rows = seen(shelf, "list", "--all", "--format", "table", columns=columns).rows
        assert len(rows) == len(ENTRIES)
        assert heading.split()[0] == "key"
        # The title is what a table is read for: the others make room.
        assert columns - len(heading[: heading.index("title")]) >= columns // 3


def test_a_key_that_is_longer_than_its_column_is_whole_on_a_row_of_its_own(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    for key in ("short", "a-key-that-was-made-from-a-sentence"):
        repo.run("add", "--key", key, "--type", "fact", "--title", f"Of {key}")
    found = seen(repo, "list", "--format", "table", columns=60)
    assert "a-key-that-was-made-from-a-sentence" in found.rows
    at = {row.index("Of ") for row in found.rows if "Of " in row}
    assert len(at) == 1
    assert seen(repo, "list", "--format", "table", columns=200).text.count("\n") == 2


def test_a_wide_table_names_authors_and_keeps_the_colours_of_marks(shelf: Repo) -> None:
    found = seen(shelf, "list", "--all", "--format", "table", columns=120)
    assert BEN.name in found.coloured("green")
    assert "MUST-CHECK" in found.coloured("red")
    assert "rejected" in found.coloured("brown")
    narrow = seen(shelf, "list", "--all", "--format", "table", columns=40)
    assert "MUST-CHECK" in narrow.coloured("red")


def test_a_script_is_not_folded(shelf: Repo) -> None:
    said = seen(shelf, "completion", "bash", columns=40).said.replace(b"\r\n", b"\n").decode()
    assert said == shelf.run("completion", "bash").stdout


def test_the_diff_of_a_setup_has_the_colours_of_a_diff(shelf: Repo) -> None:
    found = seen(shelf, "setup", "claude", "--dry-run")
    assert '+  "mcpServers": {' in found.coloured("green")
    assert "@@ -0,0" in found.coloured("cyan")


def test_two_forms_at_once_are_a_mistake(shelf: Repo) -> None:
    done = shelf.run("list", "--json", "--format", "table", exit_code=2)
    assert "one form at a time" in done.stderr


# --- pager -----------------------------------------------------------------------------------


def pager(tmp_path: Path, body: str = 'cat > "$(dirname "$0")/read"') -> str:
    path = tmp_path / "pager"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def long_words(shelf: Repo, *more: str, **env: str) -> Shown:
    return show([GITKB, *more, "list", "--all"], shelf.path, lines=5, env=env)


@pytest.mark.parametrize("name", ["GIT_PAGER", "PAGER"])
def test_a_long_answer_goes_to_the_pager(shelf: Repo, tmp_path: Path, name: str) -> None:
    found = long_words(shelf, **{name: pager(tmp_path)})
    assert found.exit_code == 0
    assert "jitter" in (tmp_path / "read").read_text()
    assert "jitter" not in found.text


def test_the_pager_is_the_one_that_git_is_told_of(shelf: Repo, tmp_path: Path) -> None:
    shelf.git("config", "core.pager", pager(tmp_path))
    try:
        assert "jitter" not in long_words(shelf).text
    finally:
        shelf.git("config", "--unset", "core.pager")
    assert "jitter" in (tmp_path / "read").read_text()


def test_what_is_said_behind_a_long_answer_stays_behind_it(shelf: Repo, tmp_path: Path) -> None:
    found = show([GITKB, "show", "torn"], shelf.path, lines=5, env={"PAGER": pager(tmp_path)})
    assert "gitkb resolve torn" in found.text
    assert "gitkb resolve" not in (tmp_path / "read").read_text()


def test_a_short_answer_goes_to_no_pager(shelf: Repo, tmp_path: Path) -> None:
    found = show([GITKB, "list"], shelf.path, lines=60, env={"PAGER": pager(tmp_path)})
    assert "jitter" in found.text


@pytest.mark.parametrize("words", [("--no-pager", "list"), ("list", "--no-pager")])
def test_a_pager_can_be_done_without(shelf: Repo, tmp_path: Path, words: tuple[str, ...]) -> None:
    found = show([GITKB, *words], shelf.path, lines=5, env={"PAGER": pager(tmp_path)})
    assert "jitter" in found.text


@pytest.mark.parametrize("body", ["exit 0", "head -c 1 >/dev/null", "exit 3"])
def test_who_leaves_the_pager_early_has_seen_enough(shelf: Repo, tmp_path: Path, body: str) -> None:
    found = long_words(shelf, PAGER=pager(tmp_path, body))
    assert (found.exit_code, found.text) == (0, "")


def test_a_pager_that_is_not_there_loses_no_answer(shelf: Repo) -> None:
    assert "jitter" in long_words(shelf, PAGER="no-such-pager-here").text


def test_in_a_pipe_there_is_no_pager(shelf: Repo, tmp_path: Path) -> None:
    assert "jitter" in shelf.run("list", env={"PAGER": pager(tmp_path), "LINES": "3"}).stdout


def test_what_reads_only_the_beginning_of_a_pipe_is_no_error(shelf: Repo) -> None:
    done = subprocess.run(
        ["sh", "-c", f"'{GITKB}' list --all; echo $? >&2"],
        cwd=shelf.path,
        stdout=os.open(os.devnull, os.O_WRONLY),
        stderr=subprocess.PIPE,
        check=False,
    )
    assert done.stderr == b"0\n"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{GITKB}' list --all --format jsonl | head -c 5"],
        cwd=shelf.path,
        capture_output=True,
        check=False,
    )
    assert (done.stderr, len(done.stdout)) == (b"", 5)


# --- beside the answer -----------------------------------------------------------------------


def test_an_error_is_told_by_its_colour_and_folded(shelf: Repo) -> None:
    found = show([GITKB, "show", "n" * 60], shelf.path, columns=40)
    assert found.exit_code == 4
    assert "error:" in found.coloured("red")
    assert "hint:" in found.coloured("cyan")
    assert all(row.startswith((" ", "error: ", "hint: ")) for row in found.rows)


def test_a_change_of_words_is_told_by_its_colours(shelf: Repo, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    words = ("add", "--key", "k", "--type", "fact", "--title", "Base", "--content")
    repo.run(*words, "the base of the jitter is 200 ms and always was so")
    repo.commit("One")
    repo.run(*words, "the base of the jitter is 300 ms and always was so")
    found = seen(repo, "diff")
    assert "[-200-]" in found.coloured("red")
    assert "{+300+}" in found.coloured("green")


def test_long_work_shows_how_far_it_has_come_and_leaves_nothing(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    entry = {"type": "fact", "content": "word " * 60, "ts": 1}
    lines = [json.dumps({"key": f"k{number}", **entry}) + "\n" for number in range(6000)]
    repo.write("many.jsonl", "".join(lines))
    found = seen(repo, "import", "--from", "gitkb", "many.jsonl", "--dry-run")
    assert b"entries/s" in found.said
    assert "entries/s" not in found.text
    assert found.rows[0].startswith("6000 found")
    assert found.said.count(b"\x1b[?25l") == found.said.count(b"\x1b[?25h")
    plain = seen(
        repo, "import", "--from", "gitkb", "many.jsonl", "--dry-run", env={"NO_COLOR": "1"}
    )
    assert b"entries/s" in plain.said
    assert b"\x1b" not in plain.said
    assert plain.rows == found.rows
