"""`gitkb conflicts` and `gitkb resolve KEY`: two people said two things, and one settles it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import BEN, Repo, script

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ALL = ".gitkb/knowledge/all.jsonl"


def write(repo: Repo, **fields: Any) -> None:
    repo.kb_add(**{"key": "retry", "type": "decision", "title": "Retries", **fields})


def archived(repo: Repo) -> str:
    return repo.read(".gitkb/archive/all.jsonl").decode()


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A merge that left `content` and `importance` contested: Ben wrote later, so his values are shown."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    write(repo, content="three times", ts=1000)
    repo.commit("start")
    repo.checkout("side", new=True)
    write(repo, content="five times", importance=5, ts=2000)
    repo.commit("five")
    repo.checkout("main")
    write(repo, content="never", importance=1, ts=3000)
    repo.commit("never", by=BEN)
    repo.merge("side")
    return repo


def shown(repo: Repo, key: str = "retry") -> dict[str, Any]:
    value = repo.run("show", key, "--json").json()
    assert isinstance(value, dict)
    return value


def test_the_table_says_who_wrote_each_value(repo: Repo) -> None:
    lines = repo.run("conflicts").lines()
    assert lines[0] == "retry  decision · Retries"
    assert lines[1].strip() == "content"
    assert lines[2].split()[:2] == ["1", "never"]
    assert "shown · Benjamin Banneker, " + repo.head("main^1")[:10] in lines[2]
    assert "Ada Lovelace, " + repo.head("side")[:10] in lines[3]
    first, second = repo.run("conflicts", "--json").json()
    assert (first["key"], first["field"], second["field"]) == ("retry", "content", "importance")
    assert [value["value"] for value in first["values"]] == ["never", "five times"]
    assert [value["shown"] for value in first["values"]] == [True, False]
    assert [value["commit"] for value in second["values"]] == [
        repo.head("main^1"),
        repo.head("side"),
    ]


def authors(repo: Repo) -> dict[str, str | None]:
    [content, _] = repo.run("conflicts", "--json").json()
    return {value["value"]: value["author"] for value in content["values"]}


def test_the_other_side_of_an_open_merge_is_named(repo: Repo) -> None:
    repo.git("reset", "-q", "--hard", "main^1")
    repo.merge("--no-commit", "side")
    assert authors(repo) == {"never": "Benjamin Banneker", "five times": "Ada Lovelace"}


def test_after_a_rebase_the_version_that_lost_is_named_while_git_knows_it(repo: Repo) -> None:
    repo.git("reset", "-q", "--hard", "main^1")
    repo.git("checkout", "-q", "side")
    repo.git("rebase", "-q", "main")  # the commit on top shows Ben's value, which is the later
    assert authors(repo) == {"never": "Benjamin Banneker", "five times": "Ada Lovelace"}
    clone = Repo.clone(repo, repo.path.parent / "clone", "--single-branch", "--branch=side")
    assert authors(clone) == {"never": "Benjamin Banneker", "five times": None}
    assert "in no commit that is here" in clone.run("conflicts").stdout


def test_a_value_is_taken_and_the_other_stays_in_the_archive(repo: Repo) -> None:
    done = repo.run("resolve", "retry", "--take", "2")
    assert done.stdout == "settled retry: content, importance\n"
    entry = shown(repo)
    assert (entry["content"], entry["importance"]) == ("five times", 5)
    assert "contested" not in entry
    assert "never" in archived(repo)
    assert repo.run("conflicts").stderr == "nothing is contested\n"
    assert repo.run("resolve", "retry", "--take", "2").stdout == "retry is not contested\n"
    assert repo.run("check").exit_code == 0


def test_each_field_can_be_settled_apart(repo: Repo) -> None:
    done = repo.run("resolve", "retry", "--field", "importance", "--take", "2")
    assert "still contested: content" in done.stderr
    entry = shown(repo)
    assert (entry["content"], entry["importance"], entry["contested"]) == ("never", 5, True)
    repo.run("resolve", "retry", "--field", "content", "--take", "1")
    assert "contested" not in shown(repo)
    wrong = repo.run("resolve", "retry", "--field", "title", "--take", "1", exit_code=2)
    assert "'title' of 'retry' is not contested" in wrong.stderr


def test_a_number_that_no_value_has_is_refused_and_nothing_is_written(repo: Repo) -> None:
    before = repo.tree()
    for number in ("0", "3"):
        done = repo.run("resolve", "retry", "--take", number, exit_code=2)
        assert f"has no value {number}, only 1 to 2" in done.stderr
    assert (
        "say two things"
        in repo.run("resolve", "retry", "--take", "1", "--both", exit_code=2).stderr
    )
    assert repo.tree() == before


def test_both_values_become_two_linked_entries(repo: Repo) -> None:
    first, second = repo.run("resolve", "retry", "--both").lines()
    assert first == "settled retry: content, importance"
    other = second.split()[0]
    entry = shown(repo, other)
    assert (entry["content"], entry["importance"], entry["title"]) == ("five times", 5, "Retries")
    assert entry["links"] == [{"rel": "relates_to", "to": "retry"}]
    assert shown(repo)["content"] == "never"
    assert "contested" not in {*shown(repo), *entry}
    assert repo.run("check").exit_code == 0


def test_two_clones_that_keep_both_get_the_same_two_entries(repo: Repo) -> None:
    other = Repo.clone(repo, repo.path.parent / "clone", person=BEN)
    assert (
        repo.run("resolve", "retry", "--both", "--json").json()
        == other.run("resolve", "retry", "--both", "--json").json()
    )


def test_without_a_terminal_the_choices_and_commands_are_shown(repo: Repo) -> None:
    before = repo.tree()
    done = repo.run("resolve", "retry", exit_code=1)
    assert "never" in done.stdout
    assert "five times" in done.stdout
    commands = [line.removeprefix("hint: ") for line in done.stderr.splitlines()]
    assert "gitkb resolve retry --take 2" in commands
    assert "gitkb resolve retry --field content --take 1" in commands
    assert "gitkb resolve retry --both" in commands
    assert "gitkb resolve retry --edit" in commands
    assert repo.run("resolve", "retry", "--json", exit_code=1).json()[0]["key"] == "retry"
    assert repo.tree() == before
    takes = [command for command in commands if "--take" in command]
    repo.run(*takes[0].split()[1:])  # they are commands that do what they say


def ask(repo: Repo, arguments: Sequence[str], typed: str) -> tuple[int, str]:
    """Run gitkb at a terminal and type."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [script("gitkb"), *arguments], cwd=repo.path, stdin=child, stdout=child, stderr=child
    )
    os.close(child)
    os.write(parent, typed.encode())
    said = b""
    while True:
        try:
            piece = os.read(parent, 4096)
        except OSError:  # the other end was closed
            break
        if not piece:
            break
        said += piece
    os.close(parent)
    return process.wait(timeout=60), said.decode()


def test_at_a_terminal_it_asks_for_each_field(repo: Repo) -> None:
    code, said = ask(repo, ["resolve", "retry"], "7\n2\n1\n")
    assert code == 0, said
    assert "retry, content: take 1 to 2" in said
    entry = shown(repo)
    assert (entry["content"], entry["importance"]) == ("five times", 1)


def test_whoever_quits_has_settled_nothing(repo: Repo) -> None:
    before = repo.tree()
    code, said = ask(repo, ["resolve", "retry"], "2\nq\n")
    assert code == 1, said
    assert repo.tree() == before


# --- in the editor ---------------------------------------------------------------------------


def editor(repo: Repo, body: str) -> dict[str, str]:
    path = repo.path.parent / "an editor"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return {"GIT_EDITOR": f"'{path}'"}


def drafts(repo: Repo) -> list[Path]:
    return list((repo.path / ".git/gitkb/drafts").glob("*"))


def test_the_editor_shows_all_values_and_what_is_saved_is_written(repo: Repo) -> None:
    env = editor(repo, 'cp "$1" ../seen && sed -i \'s/"never"/"twice"/\' "$1"')
    repo.run("resolve", "retry", "--edit", env=env)
    seen = (repo.path.parent / "seen").read_text()
    assert "#     five times" in seen
    assert "content, value 1 (the one below):" in seen
    entry = shown(repo)
    assert (entry["content"], entry["importance"]) == ("twice", 1)
    assert "contested" not in entry
    assert drafts(repo) == []


def test_a_draft_that_does_not_pass_is_kept_and_gone_on_with(repo: Repo) -> None:
    env = editor(repo, 'sed -i \'s/"never"/"typed long",/\' "$1"')
    before = repo.tree()
    done = repo.run("resolve", "retry", "--edit", exit_code=3, env=env)
    assert "the draft is no entry" in done.stderr
    assert "your draft is kept: gitkb resolve retry --edit" in done.stderr
    assert repo.tree() == before
    [draft] = drafts(repo)
    assert "typed long" in draft.read_text()
    env = editor(repo, 'sed -i \'s/long",,/long",/\' "$1"')
    done = repo.run("resolve", "retry", "--edit", env=env)
    assert "went on from the draft" in done.stderr
    assert shown(repo)["content"] == "typed long"
    assert drafts(repo) == []


@pytest.mark.parametrize(
    ("body", "exit_code", "said"),
    [
        ("true", 1, "nothing was changed"),
        (': > "$1"', 1, "nothing was changed"),
        ("exit 3", 6, "ended with 3"),
        ('sed -i \'s/"retry"/"other"/\' "$1"', 3, "cannot be changed"),
        ('sed -i \'s/"decision"/"rumour"/\' "$1"', 3, "unknown type"),
        ('gitkb archive retry >/dev/null; sed -i s/never/ever/ "$1"', 5, "archived"),
        (
            'gitkb resolve retry --take 1 >/dev/null; sed -i s/never/ever/ "$1"',
            5,
            "changed by another program",
        ),
    ],
)
def test_an_edit_that_settles_nothing_says_why(
    repo: Repo, body: str, exit_code: int, said: str
) -> None:
    env = editor(repo, body)
    env["PATH"] = os.pathsep.join([os.path.dirname(script("gitkb")), os.environ["PATH"]])
    done = repo.run("resolve", "retry", "--edit", exit_code=exit_code, env=env)
    assert said in done.stderr
    assert bool(drafts(repo)) is (exit_code != 1)


def test_a_secret_that_is_typed_into_the_editor_is_not_written(repo: Repo) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    env = editor(repo, f'sed -i \'s/"never"/"{token}"/\' "$1"')
    before = repo.tree()
    done = repo.run("resolve", "retry", "--edit", exit_code=3, env=env)
    assert "seems to hold a secret" in done.stderr
    assert token not in done.stderr
    assert "your draft is kept" in done.stderr
    assert repo.tree() == before
    env = editor(repo, "true")
    repo.run("resolve", "retry", "--edit", "--allow-secret=of a test", env=env)
    assert shown(repo)["content"] == token


# --- what is no ordinary entry ---------------------------------------------------------------


def test_two_lines_of_one_key_are_contested_and_settled_like_a_merge(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    lines = [
        {"key": "k", "type": "fact", "content": content, "tags": [content], "ts": ts}
        for content, ts in (("one", 10), ("two", 20))
    ]
    repo.write(ALL, "".join(json.dumps(line) + "\n" for line in lines))
    assert "2 lines of one key" in repo.run("conflicts").stdout
    repo.run("resolve", "k", "--take", "2")
    [entry] = map(json.loads, repo.read(ALL).splitlines())
    assert (entry["content"], entry["tags"]) == ("one", ["one", "two"])
    assert all(word in archived(repo) for word in ('"one"', '"two"'))


def test_a_change_that_waits_in_a_redirect_is_named_and_left_to_promote(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    redirect = {
        "key": "k",
        "moved": "workstation",
        "ts": 10,
        "conflicts": [{"field": "content", "value": "changed", "ts": 9}],
    }
    repo.write(ALL, json.dumps(redirect) + "\n")
    assert "moved to workstation" in repo.run("conflicts").stdout
    assert "hint: gitkb promote k" in repo.run("resolve", "k", exit_code=1).stderr
    for way in (["--take", "1"], ["--take", "2"], ["--both"], ["--edit"]):
        assert "gitkb promote k" in repo.run("resolve", "k", *way, exit_code=5).stderr
    assert json.loads(repo.read(ALL)) == redirect


def test_two_reasons_for_one_deletion_are_settled_and_it_stays_deleted(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    tombstone = {
        "key": "k",
        "deleted": True,
        "ts": 10,
        "reason": "wrong",
        "conflicts": [{"field": "reason", "value": "old", "ts": 9}],
    }
    repo.write(ALL, json.dumps(tombstone) + "\n")
    assert "k  forgotten" in repo.run("conflicts").stdout
    assert "nothing to keep twice" in repo.run("resolve", "k", "--both", exit_code=5).stderr
    repo.run("resolve", "k", "--take", "2")
    assert json.loads(repo.read(ALL)) == {"key": "k", "deleted": True, "ts": 10, "reason": "old"}


def test_what_is_archived_or_unknown_is_said(repo: Repo) -> None:
    repo.run("archive", "retry")
    assert "gitkb restore retry" in repo.run("resolve", "retry", "--take", "1", exit_code=5).stderr
    assert repo.run("resolve", "nobody", "--take", "1", exit_code=4).stderr.startswith(
        "error: no entry"
    )
    assert repo.run("conflicts", "nobody", exit_code=4).stdout == ""


# --- where readers see it --------------------------------------------------------------------


def test_every_reader_is_shown_both_values(repo: Repo) -> None:
    for words in (["recall", "retries"], ["list"], ["show", "retry"], ["context", "retries"]):
        said = repo.run(*words).stdout
        assert "contested" in said, words
        assert "never" in said, words
        assert "five times" in said, words


def test_hostile_values_move_no_cursor(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    evil = "\x1b[2Jgone\r\u202e"
    entry = {
        "key": "k",
        "type": "fact",
        "content": "x",
        "conflicts": [
            {"field": f"content{evil}", "value": evil},
            {"field": "content", "value": evil},
        ],
    }
    repo.write(ALL, json.dumps(entry) + "\n")
    for words in (["conflicts"], ["list"], ["show", "k"], ["resolve", "k"]):
        done = repo.run(*words, exit_code=None)
        assert "\x1b" not in done.stdout + done.stderr
        assert "\u202e" not in done.stdout + done.stderr
        assert "\r" not in done.stdout + done.stderr
