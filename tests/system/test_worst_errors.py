"""The likeliest mistake with every verb, as a newcomer makes it: what is said leads on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gitkb.cli.verbs import SECTIONS

from in_process import run_here
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

VERBS = [name for _, names in SECTIONS for name in names]
MISTAKES = (
    "init --shards 3", "install now", "uninstall now", "where is it", "doctor --fxi", "demo now", "completion tcsh",
    "completion", "add", "add --type opinion --content x", "add a note", "edit", "edit nope", "edit aside", "archive",
    "archive nope", "restore nope", "forget", "forget nope", "redact nope --match x", "redact k --match (", "import",
    "import nope", "import --from adr .", "export --to pdf", "recall", "recall x --type opinion", "recall x --since soon",
    "recall x --limit 0", "show", "show nope", "show k l", "list --limit 0", "list words", "stats k",
    "context x --budget much", "session", "session begin", "session start", "session end", "for-file", "for-diff nope",
    "check-plan plan.md", "why", "related nope", "graph nope", "graph --format png", "link k", "link k about l",
    "link k part_of nope", "unlink k", "supersede k", "supersede k k", "supersede k nope", "reject nope",
    "reject k --because nope", "learnings", "learnings --for nothing", "classify", "promote nope", "promote k --to nowhere",
    "demote nope", "demote k --to workstation", "tier remove project", "tier remove workstation", "review --keep nope", "tier begin", "tier add x", "tier remove nope", "view ../x", "blame nope", "log nope",
    "log", "diff nope", "diff a..b", "trust everybody", "trust add", "mcp now", "setup", "setup emacs", "stale nope",
    "confirm", "confirm nope", "check nope", "check --merge", "conflicts nope", "resolve nope", "resolve --take 1",
    "fmt nope", "compact nope", "reshard", "reshard 3", "gc --days many", "reindex all", "usage nope",
)  # fmt: skip


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("worst") / "repo")
    repo.run("init", "--shards", "1")
    repo.write("notes.txt", b"a file")
    repo.write("docs/notes.txt", b"another")
    for key in ("k", "l", "aside"):
        repo.kb_add(key=key, type="fact", content=key)
    repo.run("archive", "aside")
    repo.commit("Begin")
    return repo


def test_every_verb_has_its_mistake() -> None:
    assert {line.split()[0] for line in MISTAKES} >= set(VERBS)


@pytest.mark.parametrize("line", MISTAKES)
def test_what_is_said_is_an_error_with_a_way_out(repo: Repo, line: str) -> None:
    before = repo.tree()
    done = run_here(line.split(), repo.path)
    assert 0 < done.code < 10, done
    assert done.out == ""
    error, hint, *more = done.err.splitlines()
    assert re.fullmatch(r"error: [^A-Z].*[^.!]", error), error
    assert hint.startswith("hint: ")
    assert all(one.startswith("      ") for one in more), done.err
    verbs = re.findall(r"\bgitkb ([a-z][a-z-]*)", done.err)
    assert set(verbs) <= {*VERBS, "help"}, verbs
    # A way out is a command, an option, or what there is to choose from.
    assert re.search(
        r"\bgitkb\b|\bgit [a-z]|--[a-z]|\bone (or more )?of\b|see |: |/|^hint: (give|Unix|leave)",
        hint,
    ), hint
    assert repo.tree() == before


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("session", "gitkb session start|end|list|drop [WORDS…]; see gitkb session --help"),
        ("completion", "gitkb completion bash|zsh|fish [WORD…]; see gitkb completion --help"),
        ("check-plan plan.md", "gitkb check-plan <PLAN.md; see gitkb check-plan --help"),
        ("show --jsno k", "is it '--json'? gitkb show --help"),
        ("add --typ fact", "is it '--type'? gitkb add --help"),
        ("add --importance 2 --severity high --type fact --title x", "give one of them; high is 4"),
        ("show K", "is it 'k'? else gitkb recall K, or gitkb list --all"),
        ("archive asid", "is it 'aside'? else gitkb recall asid, or gitkb list --all"),
        ("recall x --type decisions", "is it 'decision'? one of"),
        ("link k relates-to l", "is it 'relates_to'? one of"),
        ("learnings --for plann", "is it 'plan'? one of"),
        ("for-diff notes.txt", "gitkb for-file notes.txt"),
        ("where --dir docs", "name a .gitkb folder or the folder that holds it; gitkb init --dir docs makes one"),
        ("diff a..b", "git branch --all and git tag list the names there are"),
        ("check --merge a HEAD", "git branch --all and git tag list the names there are"),
        ("for-diff a", "git branch --all and git tag list the names there are"),
        ("list --file ../x", "name files from its top"),
    ],
)  # fmt: skip
def test_what_is_meant_is_named(repo: Repo, line: str, hint: str) -> None:
    assert run_here(line.split(), repo.path).err.splitlines()[1].startswith(f"hint: {hint}")


def test_a_folder_of_no_repository_is_told_how_to_begin(tmp_path: Path) -> None:
    done = run_here(["add", "--type", "fact", "--title", "x"], tmp_path)
    assert done.code == 4
    assert "no git repository either\nhint: git init, then gitkb init" in done.err


@pytest.mark.parametrize(
    "line", ["trust add ada@example.org", "trust add --signed", "trust accept"]
)
def test_nobody_is_trusted_where_git_tells_nobody_apart(tmp_path: Path, line: str) -> None:
    run_here(["init"], tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = run_here(line.split(), tmp_path)
    assert done.code == 6
    assert "lies in no git repository\nhint: git init, then git add and git commit" in done.err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
