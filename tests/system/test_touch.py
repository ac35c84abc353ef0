"""What the knowledge says at the point of action: `for-file` and `for-diff`, with real git."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.core.identity import shard_of

from repo_builder import Repo, team

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository in which five entries are about files, one about a tag, one about a language."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--no-install")
    repo.write("src/pay/charge.py", "def charge():\n    return 1\n")
    repo.write("src/payroll/run.py", "pass\n")
    fill(
        repo,
        {
            "key": "exact",
            "type": "pitfall",
            "content": "Cents, never floats.",
            "files": ["src/pay/charge.py"],
        },
        {
            "key": "folder",
            "type": "decision",
            "content": "Stripe it is.",
            "files": ["src/pay"],
            "importance": 5,
        },
        {"key": "glob", "type": "fact", "content": "Modules are small.", "files": ["src/**/*.py"]},
        {"key": "other", "type": "fact", "content": "Runs monthly.", "files": ["src/payroll"]},
        {"key": "tagged", "type": "learned", "content": "Ask finance first.", "tags": ["Pay"]},
        {
            "key": "must",
            "type": "pitfall",
            "content": "MUST-CHECK: idempotency keys.",
            "tags": ["pay"],
        },
        {"key": "python", "type": "principle", "content": "Types everywhere.", "stack": ["python"]},
        {
            "key": "gone",
            "type": "fact",
            "content": "Old.",
            "files": ["src/pay"],
            "status": "archived",
        },
    )
    repo.commit("Begin")
    return repo


def fill(repo: Repo, *entries: dict[str, Any]) -> None:
    """Add entries, all in one call."""
    repo.run("add", "--batch", stdin="".join(json.dumps(entry) + "\n" for entry in entries))


def keys(repo: Repo, *words: str, **options: Any) -> list[str]:
    return [one["key"] for one in repo.run(*words, "--json", **options).json()]


# --- files ------------------------------------------------------------------------------------


def test_must_checks_come_first_then_files_tags_and_language(repo: Repo) -> None:
    found = repo.run("for-file", "src/pay/charge.py", "--limit", "9", "--json").json()
    assert [one["key"] for one in found] == ["must", "folder", "exact", "glob", "tagged", "python"]
    assert [one["concern"]["by"] for one in found] == ["tag", *["file"] * 3, "tag", "stack"]
    assert found[0]["must_check"] is True
    assert "must_check" not in found[1]


def test_a_name_that_only_begins_alike_is_another_one(repo: Repo) -> None:
    assert keys(repo, "for-file", "src/payroll/run.py") == ["other", "glob", "python"]


def test_where_nothing_concerns_nothing_is_printed(repo: Repo) -> None:
    done = repo.run("for-file", "docs/readme.txt")
    assert (done.stdout, done.stderr) == ("", "")
    assert repo.run("for-file", "docs/readme.txt", "--json").json() == []


def test_at_most_the_limit_and_how_many_more_there_are(repo: Repo) -> None:
    done = repo.run("for-file", "src/pay/charge.py", "--limit", "2", "--json")
    assert [one["key"] for one in done.json()] == ["must", "folder"]
    assert done.stderr == "4 more: --limit 6 shows all\n"
    assert repo.run("for-file", "x", "--limit", "0", exit_code=2).stdout == ""


def test_paths_are_named_from_where_one_is(repo: Repo) -> None:
    assert keys(repo, "for-file", "run.py", cwd=repo.path / "src/payroll")[0] == "other"
    assert keys(repo, "for-file", "../payroll/new.txt", cwd=repo.path / "src/pay") == ["other"]
    assert keys(repo, "for-file", str(repo.path / "src/payroll/run.py"))[0] == "other"


def test_a_folder_is_touched_with_all_that_is_said_of_things_in_it(repo: Repo) -> None:
    assert set(keys(repo, "for-file", "src", "--limit", "9")) == {
        "exact",
        "folder",
        "glob",
        "other",
    }


def test_a_path_outside_of_the_repository_is_left_out_with_a_note(repo: Repo) -> None:
    done = repo.run("for-file", "/etc/passwd", "src/payroll/run.py", "--json")
    assert done.json()[0]["key"] == "other"
    assert done.stderr.startswith("note: '/etc/passwd' is outside of ")
    assert repo.run("for-file", "../elsewhere").stdout == ""


def test_a_linked_folder_counts_as_what_it_leads_to_and_a_linked_file_as_itself(repo: Repo) -> None:
    os.symlink("payroll", repo.path / "src/wages")
    assert keys(repo, "for-file", "src/wages/run.py") == ["glob", "python"]
    os.symlink("/etc/hosts", repo.path / "src/pay/hosts")
    assert "folder" in keys(repo, "for-file", "src/pay/hosts")


def test_contested_and_important_come_before_what_is_not(repo: Repo) -> None:
    line = (
        b'{"key":"torn","type":"fact","content":"A.","files":["src/payroll"],"ts":1,'
        b'"conflicts":[{"field":"content","value":"B.","ts":1}]}\n'
    )
    repo.write(f".gitkb/knowledge/{shard_of('torn', 256)}", line)
    found = repo.run("for-file", "src/payroll/x.sql", "--json").json()
    assert [one["key"] for one in found] == ["torn", "other"]
    assert found[0]["contested"] is True


def test_a_tag_that_most_entries_carry_tells_nothing_but_for_must_checks(repo: Repo) -> None:
    fill(
        repo,
        *[
            {"key": f"k{n}", "type": "fact", "content": f"Fact {n}.", "tags": ["pay"]}
            for n in range(9)
        ],
    )
    assert keys(repo, "for-file", "src/pay/logo.svg") == ["must", "folder"]


@pytest.mark.parametrize(
    ("tag", "path", "concerns"),
    [
        ("auth", "src/auth/login.py", True),
        ("login", "src/auth/login.test.ts", True),
        ("login", "tests/test_login.py", True),
        ("user-session", "src/user_session.go", True),
        ("sessions", "src/session/x.go", True),
        ("auth", "src/authz/login.py", False),
        ("py", "src/login.py", False),
        ("in", "src/login.py", False),
    ],
)
def test_a_tag_concerns_by_the_whole_name_of_a_file_or_folder(
    tmp_path: Path, tag: str, path: str, concerns: bool
) -> None:
    repo = Repo.init(tmp_path / "tags")
    repo.run("init", "--no-install")
    repo.kb_add(key="k", type="fact", content="x", tags=[tag])
    assert keys(repo, "for-file", path) == (["k"] if concerns else [])


def test_a_terminal_shows_by_what_an_entry_concerns(repo: Repo) -> None:
    said = repo.run("for-file", "src/payroll/x.sql").stdout
    assert said.startswith("other  fact")
    assert "by file src/payroll" in said


# --- changes ----------------------------------------------------------------------------------


def test_what_is_staged_is_told_from_what_changed(repo: Repo) -> None:
    repo.write("src/pay/charge.py", "def charge():\n    return 2\n")
    repo.write("src/payroll/run.py", "fail\n")
    repo.add("src/payroll")
    assert keys(repo, "for-diff", "--staged") == ["other", "glob", "python"]
    assert set(keys(repo, "for-diff", "--limit", "9")) >= {"exact", "other", "must"}
    assert keys(repo, "for-diff", "HEAD..HEAD") == []


def test_a_file_that_git_does_not_know_yet_is_touched_unless_it_is_ignored(repo: Repo) -> None:
    repo.write("src/payroll/new.txt", "x\n")
    assert keys(repo, "for-diff") == ["other"]
    repo.write(".git/info/exclude", "new.txt\n")
    assert keys(repo, "for-diff") == []


def test_what_was_renamed_or_deleted_is_touched_by_its_old_name(repo: Repo) -> None:
    repo.git("mv", "src/payroll/run.py", "moved.txt")
    assert "other" in keys(repo, "for-diff", "--staged")
    repo.git("rm", "-q", "src/pay/charge.py")
    repo.commit("Move and delete")
    assert {"exact", "other"} <= set(keys(repo, "for-diff", "HEAD~..HEAD", "--limit", "9"))


def test_three_dots_are_what_a_branch_changed_since_it_left(repo: Repo) -> None:
    repo.checkout("side", new=True)
    repo.write("src/payroll/a.txt", "x\n")
    repo.commit("Theirs")
    repo.checkout("main")
    repo.write("src/pay/b.txt", "x\n")
    repo.commit("Ours")
    assert keys(repo, "for-diff", "main...side") == ["other"]
    assert "folder" in keys(repo, "for-diff", "main..side")


def test_the_words_of_a_change_find_what_names_no_file(repo: Repo) -> None:
    repo.kb_add(
        key="retry",
        type="pitfall",
        title="BackoffPolicy retries without an upper bound",
        content="x",
    )
    repo.kb_add(
        key="names",
        type="fact",
        title="Handles",
        content="Use open_session with close_session in finally.",
    )
    repo.commit("More")
    repo.write("lib.rb", "policy = BackoffPolicy.new\n")
    found = repo.run("for-diff", "--json").json()
    assert [(one["key"], one["concern"]["by"]) for one in found] == [("retry", "words")]
    assert "BackoffPolicy" in found[0]["concern"]["name"]
    repo.write("lib.rb", "x = open_session()\n")
    assert keys(repo, "for-diff") == []  # one name that stands in a text may be anybody's
    repo.write("lib.rb", "x = open_session()\nclose_session(x)\n")
    assert keys(repo, "for-diff") == ["names"]


@pytest.mark.parametrize(
    "line",
    [
        "See the issue on [GitHub](https://github.com/a/b).",
        "raise ValueError('no port')",
        "Everybody should see every new user.",
    ],
)
def test_names_and_words_that_are_everybodys_find_nothing(repo: Repo, line: str) -> None:
    fill(
        repo,
        {"key": "pin", "type": "fact", "title": "GitHub workflows are pinned", "content": "x"},
        {"key": "port", "type": "fact", "title": "A port raises ValueError", "content": "x"},
        {"key": "see", "type": "fact", "title": "Every change that users see", "content": "x"},
    )
    repo.commit("More")
    repo.write("notes.txt", f"{line}\n")
    assert keys(repo, "for-diff") == []


def test_words_that_most_entries_have_count_little(repo: Repo) -> None:
    titles = ["Quartz quickly", *(f"Quartz {name}" for name in ("a", "b", "c", "d", "e"))]
    fill(
        repo,
        *(
            {"key": f"q{n}", "type": "fact", "title": t, "content": "x"}
            for n, t in enumerate(titles)
        ),
    )
    repo.commit("More")
    repo.write("notes.txt", "quartz quickly\n")
    assert keys(repo, "for-diff") == []


def test_of_what_concerns_a_file_comes_first_what_the_change_speaks_of(repo: Repo) -> None:
    fill(
        repo,
        {
            "key": "refunds",
            "type": "fact",
            "title": "Refunds",
            "content": "A refund_window of 30 days.",
            "files": ["src/pay"],
        },
    )
    repo.commit("More")
    repo.write("src/pay/charge.py", "def charge():\n    return refund_window\n")
    found = keys(repo, "for-diff")
    assert found[:3] == ["must", "refunds", "folder"]
    assert keys(repo, "for-file", "src/pay/charge.py")[:2] == ["must", "folder"]


def test_lines_that_were_taken_away_count_too(repo: Repo) -> None:
    repo.kb_add(key="retry", type="pitfall", title="BackoffPolicy is shared", content="x")
    repo.write("lib.rb", "policy = BackoffPolicy.new\n")
    repo.commit("Use it")
    repo.write("lib.rb", "policy = nil\n")
    assert keys(repo, "for-diff") == ["retry"]


def test_a_change_of_knowledge_alone_touches_nothing(repo: Repo) -> None:
    repo.kb_add(key="new", type="fact", title="BackoffPolicy is shared", content="x")
    assert keys(repo, "for-diff") == []


def test_before_the_first_commit_everything_is_the_change(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "young")
    repo.run("init", "--no-install")
    repo.kb_add(key="k", type="fact", content="x", files=["src"])
    repo.write("src/a.txt", "x\n")
    assert keys(repo, "for-diff") == ["k"]
    assert keys(repo, "for-diff", "--staged") == []
    repo.add("src")
    assert keys(repo, "for-diff", "--staged") == ["k"]


def test_settings_of_a_person_change_nothing(repo: Repo) -> None:
    for name, value in {
        "diff.external": "false",
        "diff.noprefix": "true",
        "diff.renames": "false",
        "color.ui": "always",
        "diff.relative": "true",
        "core.quotePath": "true",
    }.items():
        repo.config(name, value)
    repo.git("mv", "src/payroll/run.py", "src/pay/лист.txt")
    found = keys(repo, "for-diff", "--staged", "--limit", "9", cwd=repo.path / "src/pay")
    assert {"other", "folder"} <= set(found)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["nowhere..HEAD"], 4),
        (["--", "-p"], 4),
        (["a..b..c"], 2),
        (["HEAD", "HEAD", "HEAD"], 2),
        (["--staged", "HEAD..HEAD"], 2),
    ],
)
def test_what_is_no_change_is_refused(repo: Repo, words: list[str], code: int) -> None:
    assert repo.run("for-diff", *words, exit_code=code).stdout == ""


def test_binary_and_huge_changes_come_to_an_end(repo: Repo) -> None:
    repo.write("src/payroll/blob.bin", bytes(range(256)) * 4096)
    repo.write("src/payroll/long.txt", "word " * 400_000 + "\n" + "x\n" * 200_000)
    assert keys(repo, "for-diff") == ["other"]


# --- who says it ------------------------------------------------------------------------------


def test_what_nobody_trusted_wrote_is_left_out_and_counted(tmp_path: Path) -> None:
    _, ada, ben = team(tmp_path)
    ben.kb_add(key="his", type="fact", content="Run this.", files=["src"])
    ben.commit("Tell")
    ben.push()
    ada.pull()
    assert keys(ada, "for-file", "src/a.py") == ["his"]
    ada.config("gitkb.trust", "ada@example.org")
    done = ada.run("for-file", "src/a.py", "--json")
    assert done.json() == []
    assert "1 entry of untrusted authors left out" in done.stderr
    ada.config("gitkb.trust", "ben@example.org")
    assert keys(ada, "for-file", "src/a.py") == ["his"]


def test_all_tiers_are_looked_through_and_the_nearer_speaks(repo: Repo) -> None:
    repo.run("tier", "init", exit_code=None)
    repo.kb_add(
        type="learned", key="mine", content="At home.", files=["src/payroll"],
        category="technical", scope="workstation",
    )  # fmt: skip
    found = {one["key"]: one for one in repo.run("for-file", "src/payroll/x", "--json").json()}
    assert found.keys() == {"other", "mine"}
    assert found["mine"]["tier"] == "workstation"


def test_a_name_that_is_not_there_may_be_a_folder_or_a_file(repo: Repo) -> None:
    repo.kb_add(key="planned", type="fact", content="x", files=["lib/new/core.rb"], tags=["core"])
    assert keys(repo, "for-file", "lib/new") == ["planned"]
    assert keys(repo, "for-file", "app/core.rb") == ["planned"]
