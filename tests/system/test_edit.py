"""`gitkb edit`: an entry in the editor that git would open, and nothing that was typed is lost."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.entry import Entry, encode_record

from fault_builder import copies, fault_at
from repo_builder import Repo, Result, script

if TYPE_CHECKING:
    from pathlib import Path

GITHUB_TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
ALL = ".gitkb/knowledge/all.jsonl"
LINE = {
    "key": "retry",
    "type": "decision",
    "title": "Retries are capped",
    "content": "Three times.\n\n- why: the provider drops one in a hundred",
    "tags": ["net"],
    "files": ["src/net.py"],
    "created": 1000,
    "ts": 1000,
    "x_none": None,
    "x_score": {"b": [1, None, 0.5], "a": "ü"},
}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    repo.write(ALL, encode_record(Entry(LINE)) + b"\n")
    return repo


def edit(repo: Repo, body: str, *options: str, exit_code: int | None = 0) -> Result:
    """Edit the entry with an editor that is a line of shell; `$1` is the draft."""
    path = repo.path.parent / "an editor"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    env = {"GIT_EDITOR": f"'{path}'"}
    return repo.run("edit", "retry", *options, exit_code=exit_code, env=env)


def shown(repo: Repo) -> dict[str, Any]:
    value = repo.run("show", "retry", "--json").json()
    assert isinstance(value, dict)
    return value


def drafts(repo: Repo) -> list[Path]:
    return sorted((repo.path / ".git" / "gitkb" / "drafts").glob("*.md"))


def test_the_draft_is_markdown_with_a_front_matter(repo: Repo) -> None:
    edit(repo, 'cp "$1" ../seen')
    lines = (repo.path.parent / "seen").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        "---",
        "key: retry",
        "type: decision",
        "title: Retries are capped",
        "importance: 3",
        "tags: [net]",
        "files: [src/net.py]",
        "x_none: null",
        'x_score: {"b":[1,null,0.5],"a":"\\u00fc"}'.replace("\\u00fc", "ü"),
        "---",
        "",
        "Three times.",
        "",
        "- why: the provider drops one in a hundred",
    ]


def test_what_is_saved_is_written_and_the_rest_stays_byte_for_byte(repo: Repo) -> None:
    before = repo.read(ALL)
    done = edit(repo, """sed -i 's/^tags:.*/tags: [net, "a, b"]/; s/^Three/Four/' "$1" """)
    assert done.stdout == "changed retry: content, tags\n"
    after = json.loads(repo.read(ALL))
    assert after == {
        **LINE,
        "content": LINE["content"].replace("Three", "Four"),  # type: ignore[attr-defined]
        "tags": ["a, b", "net"],
        "ts": after["ts"],
    }
    assert before.split(b'"x_score":')[1] == repo.read(ALL).split(b'"x_score":')[1]
    assert before in repo.read(".gitkb/archive/all.jsonl")
    assert drafts(repo) == []


@pytest.mark.parametrize("body", ["true", ': > "$1"', 'printf "\\n\\n" > "$1"', 'touch "$1"'])
def test_no_change_and_an_empty_file_write_nothing(repo: Repo, body: str) -> None:
    before = repo.tree()
    done = edit(repo, body)
    assert "nothing was written" in done.stderr
    assert repo.tree() == before
    assert drafts(repo) == []


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        ("s/^title:.*/title: One\\nTwo/", 7, "'Two' is neither 'name: value'"),
        ("s/^importance:.*/importance: 9/", 7, "'importance' is not a whole number from 1 to 5"),
        ("s/^type:.*/type: opinion/", 5, "unknown type 'opinion'"),
        ("s/^key:.*/key: other/", 4, "the key of 'retry' cannot be changed"),
        ("s/^files:.*/files: [..\\/x]/", 9, "outside of"),
        ("s/^tags:.*/tags: [a, b\\ntags: [c]/", 9, "'tags' stands twice"),
        ("s/^x_score:.*/x_score: {1/", 11, "'x_score'"),
        ("1d", 3, "below a line of ---"),
        ("s/^x_score:.*/ts: 1/", 11, "'ts' cannot be set here"),
    ],
)
def test_a_draft_that_does_not_pass_is_kept_and_the_line_at_fault_named(
    repo: Repo, change: str, line: int, reason: str
) -> None:
    before = repo.tree()
    done = edit(repo, f"sed -i '{change}' \"$1\"", exit_code=3)
    assert done.stderr.startswith(f"error: line {line} of the draft: ")
    assert reason in done.stderr
    assert f"gitkb edit retry goes on from '{drafts(repo)[0]}'" in done.stderr
    assert repo.tree() == before
    marked = drafts(repo)[0].read_text(encoding="utf-8").splitlines()
    mark = next(text for text in marked if text.startswith("#! error: "))
    assert reason in mark
    # The line that it names is the one that stands there now.
    assert mark.startswith(f"#! error: line {line + 1}: ")


def test_the_next_edit_goes_on_from_what_was_kept_twice_over(repo: Repo) -> None:
    edit(
        repo, "sed -i 's/^importance:.*/importance: 9/; s/^Three/Long thought/' \"$1\"", exit_code=3
    )
    again = edit(repo, "true", exit_code=3)
    assert "an earlier edit has left this draft" in again.stderr
    assert drafts(repo)[0].read_text(encoding="utf-8").count("#! error") == 1
    edit(repo, "sed -i 's/^importance:.*/importance: 5/' \"$1\"")
    assert shown(repo)["content"].startswith("Long thought times.")
    assert shown(repo)["importance"] == 5
    assert drafts(repo) == []


def test_a_draft_that_the_editor_removed_is_not_said_to_be_kept(repo: Repo) -> None:
    before = repo.tree()
    done = edit(repo, 'rm "$1"', exit_code=5)
    assert done.stderr.splitlines()[-1] == "hint: nothing was changed; gitkb edit retry begins anew"
    assert repo.tree() == before
    edit(repo, 'sed -i s/Three/Four/ "$1"')
    assert shown(repo)["content"].startswith("Four")


def test_an_editor_that_dies_leaves_the_draft(repo: Repo) -> None:
    done = edit(repo, "sed -i 's/^Three/Four/' \"$1\"; kill -9 $$", exit_code=6)
    assert "hint: your draft is kept" in done.stderr  # which editor it is is not the question
    edit(repo, "true")
    assert shown(repo)["content"].startswith("Four")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full", "kill"])
def test_a_full_disk_and_a_death_at_any_call_lose_nothing_that_was_typed(
    repo: Repo, tmp_path: Path, kind: str
) -> None:
    path, typed, log = tmp_path / "editor", tmp_path / "typed", tmp_path / "fault" / "log"
    path.write_text(f"#!/bin/sh\nsed -i 's/^Three/Four/' \"$1\"; touch {typed}\n", encoding="utf-8")
    path.chmod(0o755)
    place = os.sep + "copy-"  # the store and the git directory alike
    for number, copy in copies(repo, tmp_path, step=5):
        fault = fault_at(tmp_path / "fault", number, kind, place)
        copy.run("edit", "retry", exit_code=None, env={**fault, "GIT_EDITOR": str(path)})
        kept = [draft.read_text(encoding="utf-8") for draft in drafts(copy)]
        assert not typed.exists() or any("Four" in text for text in (shown(copy)["content"], *kept))
        typed.unlink(missing_ok=True)
        copy.run("edit", "retry", env={"GIT_EDITOR": str(path)})
        assert shown(copy)["content"].startswith("Four")
        assert drafts(copy) == []
        typed.unlink()
        if not log.exists():
            break
        log.unlink()
    assert number > 9


def test_what_others_wrote_meanwhile_is_merged_by_field(repo: Repo) -> None:
    add = f"'{script('gitkb')}' add --key retry --type decision --title Renamed --tag net --content"
    content = "'Three times.\n\n- why: the provider drops one in a hundred'"
    done = edit(repo, f"sed -i 's/^importance:.*/importance: 5/' \"$1\"; {add} {content} >&2")
    assert "others had changed it meanwhile" in done.stderr
    now = shown(repo)
    assert (now["title"], now["importance"]) == ("Renamed", 5)
    assert "conflicts" not in now


def test_what_both_changed_is_contested_and_both_values_are_kept(repo: Repo) -> None:
    add = f"'{script('gitkb')}' add --key retry --type decision --content Theirs"
    done = edit(repo, f"sed -i 's/^Three/Mine/' \"$1\"; {add} >&2")
    assert "contested now: content" in done.stderr
    now = shown(repo)
    assert now["content"].startswith("Mine")
    assert [one["value"] for one in now["conflicts"]] == ["Theirs"]


def test_a_draft_that_was_left_is_merged_with_what_was_written_since(repo: Repo) -> None:
    edit(repo, "sed -i 's/^importance:.*/importance: 9/' \"$1\"", exit_code=3)
    repo.kb_add(**{**LINE, "tags": ["later", "net"], "ts": 2000})
    edit(repo, "sed -i 's/^importance:.*/importance: 4/' \"$1\"")
    now = shown(repo)
    assert (now["importance"], now["tags"]) == (4, ["later", "net"])


def test_an_entry_that_is_forgotten_meanwhile_stays_so_and_the_draft_too(repo: Repo) -> None:
    done = edit(
        repo, f"sed -i 's/^Three/Mine/' \"$1\"; '{script('gitkb')}' forget retry >&2", exit_code=4
    )
    assert "was forgotten" in done.stderr
    assert "your draft is kept" in done.stderr
    assert "Mine" in drafts(repo)[0].read_text(encoding="utf-8")


def test_a_secret_that_is_typed_is_not_written_and_a_reason_lets_it_pass(repo: Repo) -> None:
    done = edit(repo, f"printf '{GITHUB_TOKEN}\\n' >> \"$1\"", exit_code=3)
    assert GITHUB_TOKEN not in done.stderr
    assert GITHUB_TOKEN.encode() not in repo.read(ALL)
    edit(repo, "true", "--allow-secret", "made for a test")
    assert GITHUB_TOKEN in shown(repo)["content"]


def test_the_editor_is_the_one_that_git_would_open(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIT_EDITOR", raising=False)
    repo.config("core.editor", "sed -i s/^Three/Five/")
    repo.run("edit", "retry", env={"VISUAL": "false", "EDITOR": "false"})
    assert shown(repo)["content"].startswith("Five")


def test_an_interrupt_at_the_keyboard_is_the_editors(repo: Repo) -> None:
    body = "trap '' INT; touch ../open; sleep 1; sed -i 's/^Three/Four/' \"$1\""
    path = repo.path.parent / "editor"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    running = subprocess.Popen(
        [script("gitkb"), "edit", "retry"],
        cwd=repo.path,
        env={**os.environ, "GIT_EDITOR": str(path)},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    while not (repo.path.parent / "open").exists():
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    assert running.wait(60) == 0
    assert shown(repo)["content"].startswith("Four")


def test_at_a_terminal_it_asks_and_goes_on(repo: Repo) -> None:
    body = (
        "if grep -q '^#! error' \"$1\"; then sed -i 's/^importance:.*/importance: 5/' \"$1\";"
        " else sed -i 's/^importance:.*/importance: 9/' \"$1\"; fi"
    )
    path = repo.path.parent / "editor"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    main, other = pty.openpty()
    running = subprocess.Popen(
        [script("gitkb"), "edit", "retry"],
        cwd=repo.path,
        env={**os.environ, "GIT_EDITOR": str(path)},
        stdin=other,
        stdout=other,
        stderr=other,
    )
    os.close(other)
    os.write(main, b"y\n")
    said = b""
    while True:
        try:
            part = os.read(main, 4096)
        except OSError:
            break
        if not part:
            break
        said += part
    assert running.wait(60) == 0
    assert b"go on editing? (y)es, (n)o and keep the draft: " in said  # and there one types
    assert shown(repo)["importance"] == 5


def test_the_answer_in_json_says_what_became_of_it(repo: Repo) -> None:
    assert edit(repo, "sed -i 's/^Three/Four/' \"$1\"", "--json").json() == {
        "key": "retry",
        "written": True,
        "fields": ["content"],
        "merged": False,
        "contested": [],
    }


def test_a_learning_keeps_its_number_and_links_can_be_typed_as_words(repo: Repo) -> None:
    repo.kb_add(key="base", type="fact", content="Base.")
    edit(repo, "sed -i 's/^type:.*/type: decision\\nlinks:\\n  - depends_on base/' \"$1\"")
    assert shown(repo)["links"] == [{"rel": "depends_on", "to": "base"}]
