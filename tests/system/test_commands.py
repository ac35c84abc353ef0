"""The command line as users meet it: the installed programs, real git, hostile surroundings."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.cli.verbs import SECTIONS, load_verb

from repo_builder import Repo, Result, run_program, script

if TYPE_CHECKING:
    from pathlib import Path

VERBS = [name for _, names in SECTIONS for name in names]
ENTRY = {"key": "retry-backoff", "type": "learned", "content": "MUST-CHECK: cap the backoff."}


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a store in one file."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    return repo


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Repo:
    """A repository that tests only read."""
    repo = Repo.init(tmp_path_factory.mktemp("filled") / "repo")
    repo.run("init", "--shards", "16")
    lines = [
        {**ENTRY, "tags": ["auth", "retry"], "files": ["src/auth/login.py"], "ts": 1000},
        {
            "key": "oauth-flow",
            "type": "decision",
            "title": "The oauth flow retries",
            "content": "Because the provider drops one request in a hundred.",
            "tags": ["oauth"],
            "files": ["src/authz/flow.py", "docs/oauth.md"],
            "stack": ["python"],
            "ts": 2000,
        },
        {
            "key": "cpp-build",
            "type": "pitfall",
            "title": "C++ needs foo-bar, key:val and it's NOT optional 🚀",
            "content": "c++ AND c# OR NEAR(x)",
            "category": "technical",
            "scope": "project",  # else it is the workstation's
            "ts": 3000,
        },
        {"key": "old-way", "type": "decision", "title": "Retry by hand", "status": "superseded"},
        {"key": "put-aside", "type": "fact", "title": "Retry was once a cron job"},
    ]
    done = repo.run("add", "--batch", stdin="".join(json.dumps(line) + "\n" for line in lines))
    assert len(done.lines()) == len(lines)
    repo.run("archive", "put-aside")
    return repo


def found(repo: Repo, *arguments: str) -> list[str]:
    return [hit["key"] for hit in repo.run("recall", *arguments, "--json").json()]


def error_of(done: Result) -> str:
    """The first line of an error, and that it has the form of one."""
    first, *rest = done.stderr.split("\n")
    assert first.startswith("error: "), done.stderr
    assert first[7:8] == first[7:8].lower(), done.stderr
    assert not first.endswith("."), done.stderr
    assert rest[0].startswith("hint: "), done.stderr
    assert done.stdout == ""
    return first.removeprefix("error: ")


# --- every verb ------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(tmp_path: Path, verb: str) -> None:
    done = run_program([script("gitkb"), verb, "--help"], cwd=tmp_path)
    assert done.stdout.startswith(f"Usage: gitkb {verb}")
    assert "--dir" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_refuses_an_unknown_option(tmp_path: Path, verb: str) -> None:
    done = run_program([script("gitkb"), verb, "--no-such"], cwd=tmp_path, exit_code=2)
    assert "--no-such" in error_of(done)
    assert f"gitkb {verb} --help" in done.stderr


ARGUMENTS = {
    "add": ("--type", "fact", "--content", "x"),
    "archive": ("k",),
    "confirm": ("k",),
    "demote": ("k",),
    "edit": ("k",),
    "for-file": ("x",),
    "forget": ("k",),
    "gc": ("--days", "1"),
    "import": ("file.jsonl",),
    "link": ("k", "part_of", "l"),
    "log": ("k",),
    "promote": ("k",),
    "recall": ("x",),
    "redact": ("k",),
    "reject": ("k",),
    "related": ("k",),
    "reshard": ("16",),
    "resolve": ("k",),
    "restore": ("k",),
    "session": ("list",),
    "setup": ("claude",),
    "show": ("k",),
    "supersede": ("k", "l"),
    "unlink": ("k", "part_of", "l"),
    "why": ("k",),
}
NEED_NO_STORE = {"init", "demo", "completion", "uninstall", "learnings", "mcp", "tier"}


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in NEED_NO_STORE])
def test_without_a_store_every_verb_says_how_to_make_one(tmp_path: Path, verb: str) -> None:
    repo = Repo.init(tmp_path / "empty")
    repo.write("file.jsonl", "")
    done = repo.run(verb, *ARGUMENTS.get(verb, ()), exit_code=4)
    assert "no knowledge base in the repository" in error_of(done)
    assert "gitkb init" in done.stderr
    assert repo.status() == ["?? file.jsonl"]


@pytest.mark.parametrize("verb", ["stats", "list", "where", "blame", "check", "doctor", "reindex"])
def test_a_reading_verb_answers_with_one_json_document(filled: Repo, verb: str) -> None:
    done = filled.run(verb, "--json", exit_code=None)
    assert done.exit_code in (0, 1)
    assert len(done.lines()) == 1
    done.json()


def test_words_that_are_no_verb_get_a_suggestion(tmp_path: Path) -> None:
    gitkb = script("gitkb")
    done = run_program([gitkb, "recal", "x"], cwd=tmp_path, exit_code=2)
    assert error_of(done) == "no such verb 'recal'"
    assert "hint: gitkb recall" in done.stderr
    assert "gitkb --help" in run_program([gitkb, "\x1b[2J"], cwd=tmp_path, exit_code=2).stderr


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("version", "hint: gitkb --version"),
        ("push", "hint: git does that"),
        ("commit", "hint: git add .gitkb && git commit"),
        ("search", "hint: gitkb recall"),
    ],
)
def test_what_is_done_otherwise_is_told(tmp_path: Path, word: str, hint: str) -> None:
    assert hint in run_program([script("gitkb"), word], cwd=tmp_path, exit_code=2).stderr


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["link", "a"], "hint: gitkb link FROM REL TO; see gitkb link --help"),
        (["related"], "hint: gitkb related KEY; see gitkb related --help"),
        (["recall"], "hint: gitkb recall QUERY…; see gitkb recall --help"),
        (["show", "a", "b"], "hint: gitkb show KEY; see gitkb show --help"),
        (["add", "a note"], "hint: gitkb add takes options alone; see gitkb add --help"),
        (["recall", "x", "--limit", "y"], "hint: gitkb recall --help"),
    ],
)
def test_a_missing_word_or_one_too_many_shows_the_form(
    tmp_path: Path, words: list[str], hint: str
) -> None:
    done = run_program([script("gitkb"), *words], cwd=tmp_path, exit_code=2)
    assert done.stderr.splitlines()[1] == hint


def test_a_type_that_is_spelt_almost_right_is_named(filled: Repo) -> None:
    for typed in ("decisions", "Decision", "decison"):
        done = filled.run("list", "--type", typed, exit_code=2)
        assert "hint: is it 'decision'? one of decision, pitfall" in done.stderr
    assert "is it" not in filled.run("list", "--type", "rumour", exit_code=2).stderr


def test_only_a_new_store_comes_with_words_for_beginners(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    assert "Try next:" in repo.run("init").stdout
    again = repo.run("init").stdout
    assert "kept     knowledge/" in again
    assert "Try next:" not in again


def test_a_name_that_nobody_knows_is_quoted_for_the_shell(filled: Repo) -> None:
    done = filled.run("show", "it's so; really", exit_code=4)
    assert "hint: gitkb recall 'it'\"'\"'s so; really', or" in done.stderr


def test_help_lists_every_verb(tmp_path: Path) -> None:
    gitkb = script("gitkb")
    pages = [
        run_program([gitkb, *words], cwd=tmp_path).stdout
        for words in ([], ["--help"], ["-h"], ["help"])
    ]
    assert pages == [pages[0]] * 4
    for name in VERBS:
        verb = load_verb(name)
        assert verb is not None
        assert f"  {name}  " in pages[0]
        assert verb.summary in pages[0]
    one = run_program([gitkb, "help", "add"], cwd=tmp_path).stdout
    assert one == run_program([gitkb, "add", "--help"], cwd=tmp_path).stdout


def test_the_version_is_told(tmp_path: Path) -> None:
    import gitkb

    done = run_program([script("gitkb"), "--version"], cwd=tmp_path)
    assert done.stdout == f"gitkb {gitkb.__version__}\n"


def test_git_finds_the_program(filled: Repo) -> None:
    done = filled.git("kb", "recall", "oauth", "--json")
    assert [hit["key"] for hit in done.json()] == ["oauth-flow"]
    done = run_program([sys.executable, "-m", "gitkb", "show", "oauth-flow"], cwd=filled.path)
    assert "The oauth flow retries" in done.stdout


# --- which store -----------------------------------------------------------------------------


def test_the_store_can_be_named_before_and_after_the_verb(filled: Repo, tmp_path: Path) -> None:
    for name in (str(filled.path), str(filled.path / ".gitkb"), os.path.relpath(filled.path)):
        for words in (
            ["--dir", name, "recall", "oauth", "--json"],
            [f"--dir={name}", "recall", "oauth", "--json"],
            ["recall", "oauth", "--dir", name, "--json"],
            ["recall", "--json", f"--dir={name}", "--", "oauth"],
            ["--dir", name, "recall", "--json", "--", "oauth"],
        ):
            done = run_program([script("gitkb"), *words], cwd=os.getcwd())  # type: ignore[arg-type]
            assert [hit["key"] for hit in done.json()] == ["oauth-flow"], words
    done = run_program(
        [script("gitkb"), "list", "--json"], cwd=tmp_path, env={"GITKB_DIR": str(filled.path)}
    )
    assert len(done.json()) == 3


def test_the_last_naming_of_the_store_counts(filled: Repo, tmp_path: Path) -> None:
    words = ["--dir", "nowhere", "stats", "--dir", str(filled.path)]
    run_program([script("gitkb"), *words], cwd=tmp_path, env={"GITKB_DIR": "/nowhere"})
    done = run_program([script("gitkb"), "stats", "--dir", "nowhere"], cwd=tmp_path, exit_code=4)
    assert error_of(done) == "no knowledge base at 'nowhere', named by --dir"
    done = run_program([script("gitkb"), "--dir"], cwd=tmp_path, exit_code=2)
    assert "--dir" in error_of(done)


def test_the_store_is_found_from_below_and_from_a_linked_worktree(
    repo: Repo, tmp_path: Path
) -> None:
    repo.kb_add(**ENTRY)
    repo.commit("Begin")
    deep = repo.path / "src" / "deep"
    deep.mkdir(parents=True)
    assert repo.run("where", cwd=deep).stdout == f"{repo.path}/.gitkb\n"
    linked = repo.worktree(tmp_path / "linked", "side")
    linked.kb_add(key="new", type="fact", content="only in the linked worktree")
    assert linked.run("where").stdout == f"{linked.path}/.gitkb\n"
    assert found(linked, "linked") == ["new"]
    assert found(repo, "linked") == []
    assert linked.status() == [" M .gitkb/knowledge/all.jsonl"]
    assert repo.git("status", "--porcelain").stdout == ""


def test_outside_of_git_everything_works_but_what_git_would_have_to_tell(tmp_path: Path) -> None:
    plain = Repo(tmp_path / "plain")
    plain.path.mkdir()
    assert "no git repository" in plain.run("init").stdout
    assert plain.kb_add(**ENTRY)["written"]
    assert found(plain, "backoff") == ["retry-backoff"]
    assert plain.run("forget", "retry-backoff").exit_code == 0
    for verb in ("blame", "log", "install"):
        done = plain.run(verb, *ARGUMENTS.get(verb, ()), exit_code=6)
        assert "no git repository" in error_of(done), verb
    assert plain.run("where").stderr.count("outside of every git repository") == 1


def test_without_the_git_program_reading_and_writing_work(repo: Repo) -> None:
    nowhere = {"PATH": "/nonexistent"}
    repo.run("add", stdin=json.dumps(ENTRY), env=nowhere)
    assert len(repo.run("recall", "backoff", "--json", env=nowhere).json()) == 1
    done = repo.run("blame", env=nowhere, exit_code=6)
    assert "git" in error_of(done)


def test_variables_that_git_sets_for_another_repository_change_nothing(
    filled: Repo, tmp_path: Path
) -> None:
    other = Repo.init(tmp_path / "other")
    env = {"GIT_DIR": str(other.path / ".git"), "GIT_INDEX_FILE": "/nonexistent"}
    assert filled.run("where", env=env).stdout == f"{filled.path}/.gitkb\n"
    assert len(filled.run("recall", "retry", "--json", env=env).json()) == 2


def test_init_makes_the_store_at_the_top_or_where_it_is_told(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    deep = repo.path / "a" / "b"
    deep.mkdir(parents=True)
    answer = repo.run("init", "--json", cwd=deep).json()
    assert answer["store"] == f"{repo.path}/.gitkb"
    assert answer["made"] == [
        "knowledge/",
        "archive/",
        "config.toml",
        ".gitattributes",
        ".gitignore",
    ]
    again = repo.run("init", "--json", "--shards", "256").json()
    assert (again["made"], again["install"]["changed"]) == ([], False)
    assert "gitkb reshard 16" in repo.run("init", "--shards", "16", exit_code=5).stderr
    for words, env in ((["--dir", str(deep)], {}), ([], {"GITKB_DIR": str(deep / ".gitkb")})):
        answer = repo.run("init", "--json", "--no-install", *words, env=env).json()
        assert answer["store"] == f"{deep}/.gitkb"
    assert error_of(repo.run("init", "--shards", "7", exit_code=2)).startswith("cannot cut")


def test_install_and_uninstall_obey_dir(repo: Repo, tmp_path: Path) -> None:
    other = Repo.init(tmp_path / "other")
    before = other.git("config", "--list", "--local").stdout
    done = run_program([script("gitkb"), "uninstall", "--dir", str(repo.path)], cwd=other.path)
    assert "merge.gitkb" not in repo.git("config", "--list", "--local").stdout
    assert str(repo.path) in done.stdout
    run_program([script("gitkb"), "install", "--dir", str(repo.path)], cwd=other.path)
    assert "merge.gitkb" in repo.git("config", "--list", "--local").stdout
    assert other.git("config", "--list", "--local").stdout == before


def test_the_search_index_can_be_thrown_away(repo: Repo) -> None:
    repo.kb_add(**ENTRY)
    assert found(repo, "backoff") == ["retry-backoff"]
    for path in (repo.path / ".git" / "gitkb").glob("index*"):
        path.write_bytes(b"noise" * 1000)
    done = repo.run("recall", "backoff", "--json")
    assert len(done.json()) == 1
    assert done.stderr.startswith(
        "note: the search index was a copy, of another version, or damaged"
    )
    assert repo.run("recall", "backoff").stderr == ""
    assert repo.run("reindex").stdout == "indexed 1 entry\n"
    assert repo.run("reindex", "--quiet").stdout == ""
    assert repo.run("reindex", "--json").json() == {"entries": 1, "badLines": 0}


def test_the_layout_can_be_changed(repo: Repo) -> None:
    for number in range(30):
        repo.run("add", "--key", f"k{number}", "--type", "fact", "--content", f"number {number}")
    before = sorted(repo.read(".gitkb/knowledge/all.jsonl").splitlines())
    for shards in ("256", "16", "4096", "1"):
        repo.run("reshard", shards)
        files = (repo.path / ".gitkb" / "knowledge").glob("*.jsonl")
        assert sorted(line for file in files for line in file.read_bytes().splitlines()) == before
        assert len(found(repo, "number", "--limit", "50")) == 30
        assert repo.run("reshard", shards).stdout == "0 files changed\n"
    assert error_of(repo.run("reshard", "3", exit_code=2)) == "cannot cut a store into '3'"


def test_gc_asks_for_an_age_and_keeps_what_is_needed(repo: Repo) -> None:
    repo.kb_add(**ENTRY, ts=1)
    repo.commit("Begin")
    repo.git("branch", "old")
    repo.run("forget", "retry-backoff")
    repo.commit("Forget")
    assert "how old" in error_of(repo.run("gc", exit_code=2))
    before = repo.tree()
    assert "still stands in old" in repo.run("gc", "--days", "0").stdout.replace("refs/heads/", "")
    repo.git("branch", "-D", "old")
    assert "would remove" in repo.run("gc", "--days", "0", "--dry-run").stdout
    assert repo.tree() == before
    assert repo.run("gc", "--days", "0", "--json").json() == {
        "removed": ["retry-backoff"],
        "needed": {},
    }
    assert repo.read(".gitkb/knowledge/all.jsonl") == b""


# --- the seed's answers ----------------------------------------------------------------------


def test_add_answers_as_drawbar_does(repo: Repo) -> None:
    def answer(**fields: Any) -> str:
        return repo.run("add", stdin=json.dumps({**ENTRY, **fields})).stdout

    def said(written: str, superseded: str) -> str:
        return f'{{"written":{written},"superseded":{superseded},"key":"retry-backoff"}}\n'

    assert answer() == said("true", "false")
    before = repo.tree()
    assert answer() == said("false", "false")
    assert answer(ts=5, source="agent", issue=None, tags=[], files=[]) == said("false", "false")
    assert repo.tree() == before
    for change in ({"issue": "PCO-1"}, {"tags": ["a"]}, {"files": ["x"]}, {"type": "fact"}):
        assert answer(**change) == said("true", "true")
    assert len(repo.read(".gitkb/archive/all.jsonl").splitlines()) == 4
    assert len(repo.read(".gitkb/knowledge/all.jsonl").splitlines()) == 1
    stats = repo.run("stats", "--json").json()
    assert (stats["active"], stats["archived"], stats["duplicateKeys"]) == (1, 0, 0)
    assert stats["byType"] == {"fact": 1}


def test_add_by_options_says_the_same_as_by_stdin(repo: Repo) -> None:
    words = ["--type", "pitfall", "--title", "T", "--content", "C", "--tag", "b", "--tag", "A"]
    words += ["--file", "./src/a.py", "--file", "src\\b.py", "--stack", "Python", "--issue", "#1"]
    words += ["--severity", "critical", "--category", "technical", "--scope", "project"]
    words += ["--status", "rejected", "--source", "user", "--key", "k"]
    answer = repo.run("add", *words).json()
    assert (answer["written"], answer["superseded"], answer["key"]) == (True, False, "k")
    shown = repo.run("show", "k", "--json").json()
    assert shown.pop("ts") == shown.pop("created")
    assert shown == {
        "key": "k",
        "type": "pitfall",
        "title": "T",
        "content": "C",
        "status": "rejected",
        "importance": 5,
        "tags": ["a", "b"],
        "files": ["src/a.py", "src/b.py"],
        "stack": ["python"],
        "category": "technical",
        "source": "user",
        "aliases": ["L-001"],
        "classified_by": "human",
        "issue": "#1",
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "no entry on stdin"),
        ("\n", "no entry on stdin"),
        ("not json", "not JSON"),
        ("[]", "not a JSON object"),
        ("{}", "no 'type'"),
        ('{"type":"fact"}', "neither 'title' nor 'content'"),
        ('{"type":"rumour","content":"x"}', "unknown type 'rumour'"),
        ('{"type":"fact","content":"x","key":"a b"}', "form of a key"),
        ('{"type":"fact","content":"x","key":""}', "key is empty"),
        ('{"type":"fact","content":"x","importance":6}', "importance"),
        ('{"type":"fact","content":"x","severity":"dire"}', "unknown severity 'dire'"),
        ('{"type":"fact","content":"x","ts":"now"}', "'ts'"),
        ('{"type":"fact","content":"x","ts":NaN}', "NaN"),
        ('{"type":"fact","content":"x","n":1e999}', "too large"),
        ('{"type":"fact","content":"x","content":"y"}', "duplicate name 'content'"),
        ('{"type":"fact","content":"a\\u0000b"}', "NUL"),
        ('{"type":"fact","content":"\\ud800"}', "surrogate"),
        ('{"type":"fact","content":"x","files":["../../etc/passwd"]}', "outside of"),
        ('{"type":"fact","title":"a\\nb"}', "more than one line"),
        ('{"type":"fact","content":"x","deleted":true}', "'deleted'"),
        (b'{"type":"fact","content":"caf\xe9"}', "0xE9 is not UTF-8"),
        ('{"type":"fact","content":"x"}'.encode("utf-16"), "UTF-16"),
    ],
)
def test_add_refuses_bad_data_with_its_reason(repo: Repo, given: str | bytes, message: str) -> None:
    before = repo.tree()
    assert message in error_of(repo.run("add", stdin=given, exit_code=3))
    assert repo.tree() == before


def test_several_entries_without_batch_are_told_so(repo: Repo) -> None:
    two = json.dumps(ENTRY) + "\n" + json.dumps({**ENTRY, "key": "b"})
    assert "--batch" in repo.run("add", stdin=two, exit_code=3).stderr


def test_add_takes_a_byte_order_mark_and_windows_line_ends(repo: Repo) -> None:
    line = b"\xef\xbb\xbf" + json.dumps(ENTRY).encode() + b"\r\n"
    assert repo.run("add", stdin=line).json()["written"]
    batch = b"\xef\xbb\xbf" + b'{"key":"b","type":"fact","content":"x"}\r\n\r\n'
    assert repo.run("add", "--batch", stdin=batch).json()["written"]


def test_a_batch_writes_the_good_lines_and_names_each_bad_one(repo: Repo) -> None:
    lines = ['{"key":"a","type":"fact","content":"x"}', "", "{", '{"key":"b","type":"fact"}']
    lines += ['{"key":"c","type":"fact","content":"x"}', '{"key":"a","type":"fact","content":"y"}']
    done = repo.run("add", "--batch", stdin="\n".join(lines), exit_code=3)
    answers = [json.loads(line) for line in done.lines()]
    assert [(one["key"], one["superseded"]) for one in answers] == [
        ("a", False),
        ("c", False),
        ("a", True),
    ]
    assert "error: line 3: " in done.stderr
    assert "error: line 4: cannot add: neither 'title' nor 'content'" in done.stderr
    assert repo.run("add", "--batch", stdin="").stdout == ""
    done = repo.run("add", "--batch", "--key", "k", stdin="", exit_code=2)
    assert "--batch" in error_of(done)


def test_add_says_when_a_key_lives_again_and_what_has_the_same_title(repo: Repo) -> None:
    first = repo.kb_add(type="decision", title="Money is kept in cents", content="x")["key"]
    again = repo.kb_add(key="k", type="decision", title="money is kept in cents!", content="y")
    [similar] = again["similar"]
    assert (similar["key"], similar["title"]) == (first, "Money is kept in cents")
    repo.run("forget", first, "--reason", "twice")
    done = repo.run("add", "--key", first, "--type", "decision", "--title", "Money", exit_code=0)
    assert done.json()["revived"] is True
    assert "lives again" in done.stderr
    assert json.loads(repo.run("show", first, "--json").stdout)["revives"] > 0


def test_the_title_of_a_forgotten_entry_gets_another_key(repo: Repo) -> None:
    entry = {"type": "decision", "title": "Money is kept in cents"}
    first = repo.kb_add(**entry)["key"]
    repo.run("forget", first)
    second = repo.kb_add(**entry)
    assert second["written"]
    assert second["key"] != first
    assert "revived" not in second
    assert repo.kb_add(**entry) == {"written": False, "superseded": False, "key": second["key"]}
    assert repo.run("restore", first, exit_code=4).stdout == ""


# --- recall ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "c++",
        "foo-bar",
        "it's",
        "NOT",
        "key:val",
        "🚀 optional",
        "AND OR NOT",
        "NEAR(x)",
        '"c++',
        "*",
        "",
        " ",
        "''",
        "(",
        "^",
        "🚀",
        "c++ *",
        "\\",
        "content:",
        "-- DROP TABLE",
        "\u202e",
        "é" * 9999,
    ],
)
def test_nothing_typed_is_a_syntax_error(filled: Repo, query: str) -> None:
    done = filled.run("recall", "--json", "--", query)
    assert isinstance(done.json(), list)
    if query in ("c++", "foo-bar", "it's", "key:val", "🚀 optional"):
        assert [hit["key"] for hit in done.json()][:1] == ["cpp-build"]


def test_filters_are_exact(filled: Repo) -> None:
    assert found(filled, "retry", "retries") == ["retry-backoff", "oauth-flow"] or found(
        filled, "retry", "retries"
    ) == ["oauth-flow", "retry-backoff"]
    words = ("retry", "retries", "optional")
    assert found(filled, *words, "--tag", "auth") == ["retry-backoff"]
    assert found(filled, *words, "--tag", "AUTH") == ["retry-backoff"]
    assert found(filled, *words, "--tag", "oauth") == ["oauth-flow"]
    assert found(filled, *words, "--tag", "aut") == []
    assert found(filled, *words, "--tag", "auth", "--tag", "oauth") == []
    assert found(filled, *words, "--file", "src/auth") == ["retry-backoff"]
    assert found(filled, *words, "--file", "./src/auth/") == ["retry-backoff"]
    assert found(filled, *words, "--file", str(filled.path / "src/auth")) == ["retry-backoff"]
    assert found(filled, *words, "--file", "src/auth/login.p") == []
    assert found(filled, *words, "--file", "*.md") == ["oauth-flow"]
    assert found(filled, *words, "--file", "src/**/*.py", "--since", "1001") == ["oauth-flow"]
    assert found(filled, *words, "--since", "3000") == ["cpp-build"]
    assert found(filled, *words, "--since", "3001") == []
    assert found(filled, *words, "--since", "2026-01-01") == []
    assert found(filled, *words, "--type", "pitfall") == ["cpp-build"]
    assert sorted(found(filled, *words, "--type", "pitfall", "--type", "learned")) == [
        "cpp-build",
        "retry-backoff",
    ]
    assert found(filled, *words, "--stack", "Python") == ["oauth-flow"]
    assert found(filled, *words, "--category", "technical") == ["cpp-build"]
    assert found(filled, *words, "--must-check") == ["retry-backoff"]
    assert found(filled, *words, "--status", "superseded") == ["old-way"]
    assert len(found(filled, *words, "--limit", "1")) == 1
    assert sorted(found(filled, *words, "--all")) == [
        "cpp-build",
        "oauth-flow",
        "old-way",
        "put-aside",
        "retry-backoff",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--limit", "0"], "--limit must be at least 1"),
        (["--limit", "-1"], "--limit"),
        (["--limit", "many"], "--limit"),
        (["--limit", "9" * 30], "--limit"),
        (["--type", "rumour"], "unknown type 'rumour'"),
        (["--type", ""], "unknown type ''"),
        (["--status", "dead"], "unknown status 'dead'"),
        (["--since", "yesterday"], "cannot read the time 'yesterday'"),
        (["--since", "2026-13-01"], "cannot read the time"),
        (["--since", "9" * 5000], "cannot read the time"),
        (["--tag", ""], "--tag is empty"),
        (["--file", ""], "--file is empty"),
        (["--file", "/etc/passwd"], "outside of"),
        (["--tag"], "--tag"),
    ],
)
@pytest.mark.parametrize("verb", [["recall", "x"], ["list"]])
def test_a_filter_that_nothing_could_pass_is_refused(
    filled: Repo, verb: list[str], words: list[str], message: str
) -> None:
    assert message in error_of(filled.run(*verb, *words, exit_code=2))


def test_recall_marks_what_is_archived_and_explains_itself(filled: Repo) -> None:
    hits = filled.run("recall", "cron", "job", "--all", "--json", "--explain").json()
    assert [hit["key"] for hit in hits] == ["put-aside"]
    assert hits[0]["archived"] is True
    assert hits[0]["status"] == "archived"
    assert 0 < hits[0]["score"] <= 1
    in_title = hits[0]["explain"]["words"]["title"]
    assert [(word["typed"], word["how"]) for word in in_title] == [
        ("cron", "exact"),
        ("job", "exact"),
    ]
    text = filled.run("recall", "provid", "oauth", "--explain").stdout
    for where in (
        "title: oauth",
        "tags: oauth",
        "content: provider",
        "files: oauth",
        "names: oauth",
    ):
        assert f"    {where}\n" in text


def test_an_empty_answer_is_an_answer(filled: Repo, repo: Repo) -> None:
    done = filled.run("recall", "zebra")
    assert (done.stdout, done.stderr) == ("", "nothing found\n")
    assert filled.run("recall", "zebra", "--json").stdout == "[]\n"
    assert repo.run("list", "--json").stdout == "[]\n"
    assert repo.run("list").stdout == ""
    assert filled.run("recall", exit_code=2).stdout == ""


# --- show, archive, restore, forget ----------------------------------------------------------


def test_show_finds_by_key_and_alias_also_in_the_archive(repo: Repo) -> None:
    repo.kb_add(key="a", type="fact", content="one", aliases=["L-007"])
    repo.kb_add(key="a", type="fact", content="two")
    for name in ("a", "L-007"):
        assert repo.run("show", name, "--json").json()["content"] == "two"
        assert "1 older version: gitkb log a" in repo.run("show", name).stderr
    repo.run("archive", "a")
    for name in ("a", "L-007"):
        assert repo.run("show", name, "--json").json()["archived"] is True
    done = repo.run("show", "nothing", exit_code=4)
    assert error_of(done) == "no entry 'nothing'"
    repo.run("forget", "a", "--reason", "no longer true")
    done = repo.run("show", "a", exit_code=4)
    assert error_of(done) == "'a' was forgotten by Ada Lovelace: no longer true"


def test_archive_needs_keys_or_days_and_says_what_it_moved(repo: Repo) -> None:
    for key, ts in (("old", 1), ("new", None), ("timeless", 0)):
        repo.kb_add(key=key, type="fact", title=f"The {key} one", ts=ts)
    repo.write(
        ".gitkb/knowledge/all.jsonl",
        repo.read(".gitkb/knowledge/all.jsonl").replace(b'"created":0,"ts":0', b'"x":1'),
    )
    for words in ([], ["old", "--days", "5"]):
        assert "keys, or --days N" in error_of(repo.run("archive", *words, exit_code=2))
    before = repo.tree()
    assert error_of(repo.run("archive", "old", "nope", exit_code=4)) == "no entry 'nope'"
    assert repo.tree() == before
    done = repo.run("archive", "--days", "30")
    assert done.stdout == "archived old  The old one\n"
    assert "gitkb restore old" in done.stderr
    assert repo.run("archive", "--days", "30", "--json").json() == {"archived": []}
    assert repo.run("restore", "old", "--json").json()["restored"][0]["key"] == "old"
    assert "nothing to restore" in repo.run("restore", "old").stderr
    done = repo.run("forget", "old", "--json")
    assert done.json()["forgotten"] == [{"key": "old", "title": "The old one", "written": True}]
    assert "was forgotten before" in repo.run("forget", "old").stdout
    assert "forgotten" in error_of(repo.run("restore", "old", exit_code=4))
    assert "forgotten" in error_of(repo.run("archive", "old", exit_code=4))
    assert found(repo, "old", "--all") == []


def test_lists_and_counts_agree(filled: Repo) -> None:
    stats = filled.run("stats", "--json").json()
    assert stats["byType"] == {"decision": 2, "learned": 1, "pitfall": 1}
    assert (stats["active"], stats["archived"], stats["tombstones"]) == (3, 1, 0)
    assert (stats["duplicateKeys"], stats["badLines"]) == (0, 0)
    keys = [entry["key"] for entry in filled.run("list", "--json").json()]
    assert keys == ["cpp-build", "oauth-flow", "retry-backoff"]
    assert len(filled.run("list", "--all", "--json").json()) == 5
    assert re.search("duplicate keys +0\n", filled.run("stats").stdout)


# --- damaged stores --------------------------------------------------------------------------


def test_bad_lines_are_served_around_and_reported(repo: Repo) -> None:
    repo.kb_add(**ENTRY)
    good = repo.read(".gitkb/knowledge/all.jsonl")
    repo.write(
        ".gitkb/knowledge/all.jsonl", good + b'{"key":"cut o\n' + good.replace(b'"ts":', b'"ts":1')
    )
    stats = repo.run("stats", "--json").json()
    assert (stats["active"], stats["duplicateKeys"], stats["badLines"]) == (1, 1, 1)
    assert stats["problems"][0]["line"] == 2
    assert "knowledge/all.jsonl:2" in repo.run("stats").stderr
    assert found(repo, "backoff") == ["retry-backoff"]
    repo.run("add", "--key", "retry-backoff", "--type", "fact", "--content", "mended")
    lines = repo.read(".gitkb/knowledge/all.jsonl").splitlines()
    assert len(lines) == 2
    assert b'{"key":"cut o' in lines
    assert len(repo.read(".gitkb/archive/all.jsonl").splitlines()) == 2


def test_archiving_a_key_with_two_lines_loses_neither(repo: Repo) -> None:
    repo.kb_add(key="a", type="fact", content="one")
    one = repo.read(".gitkb/knowledge/all.jsonl")
    two = one.replace(b'"one"', b'"two"').replace(b'"ts":', b'"ts":1')
    repo.write(".gitkb/knowledge/all.jsonl", one + two)
    repo.run("archive", "a")
    archived = repo.read(".gitkb/archive/all.jsonl")
    assert one in archived
    assert b'"two"' in archived
    assert repo.read(".gitkb/knowledge/all.jsonl") == b""


def test_a_conflicted_file_is_read_but_not_written(repo: Repo) -> None:
    repo.kb_add(key="a", type="fact", content="one")
    ours = repo.read(".gitkb/knowledge/all.jsonl")
    theirs = ours.replace(b"one", b"two")
    conflict = b"<<<<<<< HEAD\n" + ours + b"=======\n" + theirs + b">>>>>>> side\n"
    repo.write(".gitkb/knowledge/all.jsonl", conflict)
    for words in (
        ["add", "--key", "a", "--type", "fact", "--content", "three"],
        ["add", "--key", "b", "--type", "fact", "--content", "new"],
        ["archive", "a"],
        ["forget", "a"],
    ):
        done = repo.run(*words, exit_code=5)
        assert "conflict markers" in error_of(done)
    assert repo.read(".gitkb/knowledge/all.jsonl") == conflict
    assert found(repo, "one", "two") == ["a"]
    assert repo.run("stats", "--json").json()["badLines"] == 3
    batch = '{"key":"b","type":"fact","content":"x"}\n'
    assert repo.run("add", "--batch", stdin=batch, exit_code=5).stdout == ""


def test_a_store_that_git_ignores_says_so_once(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.write(".gitignore", ".gitkb\n")
    repo.run("init")
    assert "git ignores" in repo.run("add", stdin=json.dumps(ENTRY)).stderr
    assert "git ignores" not in repo.run("recall", "backoff").stderr
    assert found(repo, "backoff") == ["retry-backoff"]


def test_a_fresh_clone_is_told_once_that_it_has_no_driver(repo: Repo, tmp_path: Path) -> None:
    repo.kb_add(**ENTRY)
    repo.commit("Begin")
    clone = Repo.clone(repo, tmp_path / "clone")
    done = clone.run("recall", "backoff", "--json")
    assert len(done.json()) == 1
    assert "hint: gitkb install" in done.stderr
    assert clone.run("recall", "backoff", "--json").stderr == ""


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="gives files away")
def test_a_repository_of_somebody_else_gets_no_wrong_advice(repo: Repo) -> None:
    repo.kb_add(**ENTRY)
    (repo.path / ".git" / "gitkb" / "setup-told").unlink()
    os.chown(repo.path, 12345, 12345)
    done = repo.run("recall", "backoff")
    assert done.stdout.startswith("retry-backoff")
    assert done.stderr == ""
    assert "safe.directory" in repo.run("blame", exit_code=6).stderr


# --- streams and terminals -------------------------------------------------------------------


def shell(repo: Repo, command: str, **env: str) -> Result:
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=repo.path,
        capture_output=True,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    text = [data.decode("utf-8", "surrogateescape") for data in (done.stdout, done.stderr)]
    return Result((command,), done.returncode, *text)


def test_a_reader_who_goes_away_is_no_error(repo: Repo) -> None:
    lines = [{"type": "fact", "content": f"{number} {'long ' * 200}"} for number in range(300)]
    repo.run("add", "--batch", stdin="".join(json.dumps(line) + "\n" for line in lines))
    for verb in ("list --json", "list", "recall long --limit 300", "stats", "--help"):
        done = shell(repo, f"gitkb {verb} | head -c 1; echo ${{PIPESTATUS[0]}}")
        assert done.stderr.replace("note", "") == "", verb
        assert done.stdout.endswith("\n0\n") or done.stdout.endswith("0\n"), verb


def test_closed_streams_are_no_bug(filled: Repo, repo: Repo) -> None:
    assert shell(filled, "gitkb recall oauth >&-").exit_code == 0
    assert shell(filled, "gitkb recall oauth 2>&-").exit_code == 0
    assert shell(filled, "gitkb recall oauth <&-").exit_code == 0
    assert shell(filled, "gitkb recall oauth <&- >&- 2>&-").exit_code == 0
    done = shell(repo, "gitkb add <&-")
    assert done.exit_code == 2
    assert "nothing to add" in done.stderr
    done = shell(repo, "gitkb add --type fact --content x >&-")
    assert done.exit_code == 0
    assert found(repo, "x") != []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_answer_that_cannot_be_written_is_told(filled: Repo) -> None:
    for verb in ("recall oauth --json", "list", "--help", "add --help"):
        done = shell(filled, f"gitkb {verb} >/dev/full")
        assert done.exit_code == 5, verb
        assert "cannot write the answer: No space left on device" in done.stderr
    assert shell(filled, "gitkb recall zebra 2>/dev/full").exit_code == 0


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1", "tr_TR.UTF-8"])
def test_every_script_is_written_in_any_locale(repo: Repo, locale: str) -> None:
    env = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": ""}
    text = "größe 中文 العربية 👩‍👩‍👧 I ı"
    repo.run("add", stdin=json.dumps({"key": "k", "type": "fact", "content": text}), env=env)
    assert repo.run("recall", "k", "--json", env=env).json()[0]["content"] == text
    assert text in repo.run("recall", "k", env=env).stdout
    assert text.encode() in repo.read(".gitkb/knowledge/all.jsonl")


def test_an_argument_that_is_no_text_is_refused(filled: Repo) -> None:
    for words in ("recall $'\\xff'", "add --type fact --title $'a\\xff'", "show $'\\xff'"):
        done = shell(filled, f"gitkb {words}")
        assert done.exit_code == 2
        assert "is not text in UTF-8" in error_of(done)


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_a_folder_of_any_name_will_do(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9 %20?#'\" x")
    repo = Repo.init(tmp_path / name)
    repo.run("init")
    repo.kb_add(**ENTRY)
    repo.commit("Begin")
    assert found(repo, "backoff") == ["retry-backoff"]
    assert repo.run("blame", "--json").json()[0]["author"] == "Ada Lovelace"
    assert len(repo.run("log", "retry-backoff").lines()) > 0
    assert repo.run("where", "--json").json()["worktree"] == str(repo.path)
    assert "caf" in repo.run("where").stdout
    assert repo.run("doctor", exit_code=None).exit_code == 0
    for words in (["--dir", name, "recall", "backoff"], ["recall", "backoff", f"--dir={name}"]):
        done = run_program([script("gitkb"), *words], cwd=tmp_path)
        assert "retry-backoff" in done.stdout


HOSTILE = "\x1b[31mred\x1b[0m \x07 \x9b2J \u202eback\u2066 \u200bhidden \U000e0041 \x7f \r over"
RAW = {char for char in HOSTILE if not char.isprintable()}


def test_hostile_text_never_reaches_the_terminal(repo: Repo) -> None:
    title = HOSTILE.replace("\r", "")
    entry: dict[str, Any] = {
        "key": "evil",
        "type": "decision",
        "title": title,
        "content": f"{HOSTILE}\nkey  fact",
    }
    entry |= {"tags": [HOSTILE, "two\nlines"], "files": [HOSTILE], "issue": HOSTILE}
    entry |= {"category": HOSTILE, "source": HOSTILE, "aliases": [HOSTILE]}
    repo.run("add", stdin=json.dumps(entry))
    repo.commit("Begin")
    repo.run("add", "--key", "other", "--type", "decision", "--title", title)
    bad = json.dumps({"key": HOSTILE, "type": HOSTILE}, ensure_ascii=False)
    data = repo.read(".gitkb/knowledge/all.jsonl")
    repo.write(".gitkb/knowledge/all.jsonl", data + bad.encode() + b"\n")
    runs = [
        repo.run(*words, exit_code=None)
        for words in (
            ["recall", "evil", "--explain"],
            ["recall", "evil", "--json"],
            ["list"],
            ["list", "--json"],
            ["show", "evil"],
            ["show", "evil", "--json"],
            ["stats"],
            ["check"],
            ["check", "--json"],
            ["log", "evil"],
            ["log", "evil", "--json"],
            ["blame"],
            ["archive", "other"],
            ["restore", "other"],
            ["forget", "other", "--reason", HOSTILE],
            ["show", "other"],
            ["show", HOSTILE],
            ["recall", HOSTILE, "--type", HOSTILE],
            [HOSTILE],
            ["recall", f"--{HOSTILE}"],
            ["add", "--type", HOSTILE, "--content", "x"],
            ["fmt"],
            ["compact"],
        )
    ]
    for done in runs:
        assert done.exit_code != 70, done
        assert not RAW & set(done.stdout + done.stderr), done
    assert runs[5].json()["content"] == entry["content"]
    page = runs[4].stdout.split("\n")
    assert "    key  fact" in page, "a line of content could pass for one of ours"
    assert len([line for line in page if line.startswith("evil  decision")]) == 1


def test_no_terminal_is_needed(filled: Repo) -> None:
    """Without a terminal, and on one, the answer of `recall` says the same; on one it names authors."""
    pty = pytest.importorskip("pty")
    plain = filled.run("recall", "oauth").stdout
    assert "\x1b" not in plain
    parent, child = pty.openpty()
    done = subprocess.run(
        [script("gitkb"), "recall", "oauth"],
        cwd=filled.path,
        stdin=child,
        stdout=child,
        stderr=child,
    )
    os.close(child)
    said = os.read(parent, 65536).decode().replace("\r\n", "\n")
    os.close(parent)
    assert (done.returncode, said.replace(" · uncommitted", "")) == (0, plain)


def test_add_at_a_terminal_says_what_it_waits_for(repo: Repo) -> None:
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    done = subprocess.run(
        [script("gitkb"), "add"], cwd=repo.path, stdin=child, capture_output=True, timeout=30
    )
    os.close(child)
    os.close(parent)
    assert done.returncode == 2
    assert b"nothing to add" in done.stderr


# --- many at once, and cut short -------------------------------------------------------------


def test_twenty_adds_at_once_lose_nothing(repo: Repo) -> None:
    def add(number: int) -> Result:
        text = json.dumps({"key": f"k{number}", "type": "fact", "content": f"number {number}"})
        return run_program([script("gitkb"), "add"], cwd=repo.path, stdin=text)

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(add, range(20)))
    assert all(answer.json()["written"] for answer in answers)
    lines = repo.read(".gitkb/knowledge/all.jsonl").splitlines()
    assert {json.loads(line)["key"] for line in lines} == {f"k{number}" for number in range(20)}
    assert len(lines) == 20
    assert len(found(repo, "number", "--limit", "30")) == 20
    assert repo.run("check", exit_code=None).exit_code == 0


def test_twenty_corrections_at_once_are_all_kept(repo: Repo) -> None:
    def add(number: int) -> Result:
        text = json.dumps({"key": "k", "type": "fact", "content": f"number {number}"})
        return run_program([script("gitkb"), "add"], cwd=repo.path, stdin=text)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(add, range(20)))
    [line] = repo.read(".gitkb/knowledge/all.jsonl").splitlines()
    lines = [line, *repo.read(".gitkb/archive/all.jsonl").splitlines()]
    contents = {json.loads(each)["content"] for each in lines}
    assert contents == {f"number {number}" for number in range(20)}
    assert len({json.loads(each)["ts"] for each in lines}) == 20


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupt_ends_with_130_and_writes_nothing(repo: Repo) -> None:
    before = repo.tree()
    process = subprocess.Popen(
        [script("gitkb"), "add"],
        cwd=repo.path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(b'{"type":')
    process.stdin.flush()
    time.sleep(1.5)  # it waits for the rest
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, b"")
    assert b"interrupted" in stderr
    assert b"Traceback" not in stderr
    assert repo.tree() == before


def test_a_bug_ends_with_70_and_a_report_to_paste(repo: Repo, tmp_path: Path) -> None:
    code = (
        "import sys; from gitkb.cli import main; from gitkb.cli.commands import stats\n"
        "def broken(*_): raise RuntimeError('a \\x1b[31m bug')\n"
        "stats.stats_across = broken; sys.argv[1:] = ['stats']; main.main()"
    )
    for folder in (str(tmp_path), "/nonexistent"):
        done = run_program(
            [sys.executable, "-c", code], cwd=repo.path, exit_code=70, env={"TMPDIR": folder}
        )
        assert done.stderr.startswith("error: a bug in gitkb: RuntimeError: a \\u{1b}[31m bug\n")
        assert "RuntimeError at broken, line 2" in done.stderr
        assert "Traceback" not in done.stderr
    [log] = tmp_path.glob("gitkb-*.log")
    assert "RuntimeError" in log.read_text()


# --- stores that cannot be written -----------------------------------------------------------


def powerless(repo: Repo, *words: str, exit_code: int) -> Result:
    """Run gitkb as one who may not write everywhere, also where the tests run as root."""
    command = [script("gitkb"), *words]
    if os.geteuid() == 0:
        drop = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--bounding-set={drop}", f"--inh-caps={drop}", *command]
        probe = subprocess.run([*command[:3], "true"], capture_output=True, check=False)
        if probe.returncode:
            pytest.skip("root cannot give its power away here")
    return run_program(command, cwd=repo.path, exit_code=exit_code)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
@pytest.mark.parametrize("folder", [".gitkb/knowledge", ".git"])
def test_what_cannot_be_written_is_read_and_said(repo: Repo, folder: str) -> None:
    repo.kb_add(**ENTRY)
    before = repo.tree()
    if folder == ".git":
        for path in (repo.path / ".git" / "gitkb").iterdir():
            path.unlink()
        (repo.path / ".git" / "gitkb").rmdir()
    (repo.path / folder).chmod(0o555)
    try:
        done = powerless(repo, "recall", "backoff", "--json", exit_code=0)
        assert [hit["key"] for hit in done.json()] == ["retry-backoff"]
        done = powerless(repo, "add", "--type", "fact", "--content", "x", exit_code=5)
        error_of(done)
    finally:
        (repo.path / folder).chmod(0o755)
    assert repo.tree() == before
    assert repo.run("add", "--type", "fact", "--content", "x").json()["written"]
