"""A learning held against the project: what exists here, what it is built with, what it is called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gitkb.operations.classify import classifier, classify
from gitkb.operations.clone.setup import make_store
from gitkb.store.discover import store_at

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from gitkb.store.layout import Store


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a store and a few files."""
    repo = Repo.init(tmp_path / "repo")
    make_store(str(repo.path), 1)
    repo.write("src/deep/ledger.py", "")
    repo.write("pyproject.toml", '[project]\ndependencies = ["frobnicate"]\n')
    repo.commit("Begin")
    return repo


def store_of(repo: Repo) -> Store:
    return store_at(str(repo.path / ".gitkb"))


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("FastAPI is called in src/deep/ledger.py", "project"),
        ("FastAPI is called in src/deep", "project"),
        ("FastAPI is called in ledger.py", "project"),
        ("FastAPI is called in other.py", "workstation"),
        ("FastAPI is called in ../repo/src/deep/ledger.py", "workstation"),
        ("FastAPI is called in /etc/passwd", "workstation"),
        ("FastAPI reads pyproject.toml", "workstation"),
        ("frobnicate leaks", "workstation"),
        ("it leaks", "project"),
    ],
)
def test_what_exists_here_counts(repo: Repo, text: str, scope: str) -> None:
    assert classify(store_of(repo), {"content": text}).scope == scope


def test_a_new_file_counts_before_it_is_committed_and_a_glob_is_only_a_name(repo: Repo) -> None:
    repo.write("lib/fresh.py", "")
    store = store_of(repo)
    assert classify(store, {"content": "FastAPI in fresh.py"}).scope == "project"
    assert classify(store, {"content": "FastAPI", "files": ["*.py"]}).scope == "workstation"


def test_only_a_declared_name_counts(repo: Repo) -> None:
    text = {"content": "FastAPI behind the repo, said dossier"}
    assert classify(store_of(repo), text).scope == "workstation"
    repo.write(".gitkb/config.toml", '[project]\nname = "dossier"\n')
    assert classify(store_of(repo), text).scope == "project"


def test_settings_that_cannot_be_read_say_nothing(repo: Repo) -> None:
    repo.write(".gitkb/config.toml", "[project\n")
    assert classify(store_of(repo), {"content": "FastAPI"}).scope == "workstation"


def test_without_git_files_are_found_where_they_are_named(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "ledger.py").write_bytes(b"")
    store = make_store(str(plain), 1).store
    assert classify(store, {"content": "FastAPI in ledger.py"}).scope == "project"
    monkeypatch.setenv("PATH", "/nonexistent")
    assert classify(store_of(repo), {"content": "FastAPI in ledger.py"}).scope == "workstation"


# --- the verb --------------------------------------------------------------------------------


def test_the_verb_takes_a_key_options_or_an_object(repo: Repo) -> None:
    entry = {"type": "learned", "title": "FastAPI must yield", "content": "x", "stack": ["python"]}
    key = repo.kb_add(**entry)["key"]
    by_key = repo.run("classify", key, "--json").json()
    assert by_key == repo.run("classify", "--json", stdin=json.dumps(entry)).json()
    assert by_key["scope"] == "workstation"
    assert len(by_key["reasons"]) == 2
    done = repo.run("classify", "--title", "t", "--file", "src/deep/ledger.py")
    assert done.lines()[0] == "project"
    assert "src/deep/ledger.py" in done.lines()[1]


def test_the_verb_refuses_what_it_cannot_judge(repo: Repo) -> None:
    assert "not both" in repo.run("classify", "k", "--title", "t", exit_code=2).stderr
    assert "no entry" in repo.run("classify", "nowhere", exit_code=4).stderr
    assert "hint:" in repo.run("classify", stdin="", exit_code=3).stderr
    assert "hint:" in repo.run("classify", stdin="[1]", exit_code=3).stderr


def test_learnings_of_add_are_judged_as_it_judged_them_for_the_most_part(
    repo: Repo, shared_data: Path
) -> None:
    """What it put on the workstation all goes there; of what it kept, more than seven in ten stay."""
    repo.write(".gitkb/config.toml", '[project]\nname = "ADD"\n')
    judge = classifier(store_of(repo))
    judged: dict[str, list[str]] = {}
    for name in ("learnings.json", "learnings-migrated.json"):
        document = json.loads((shared_data / "corpora" / "add" / name).read_bytes())
        for entry in document["entries"]:
            fields = {"title": entry["title"], "content": entry["body"], "stack": entry["stack"]}
            answer = judge({**fields, "category": entry.get("category")})
            judged.setdefault(entry["scope"], []).append(answer.scope)
    assert set(judged["workstation"]) == {"workstation"}
    kept = judged["project"]
    assert kept.count("project") / len(kept) > 0.7


def test_what_an_entry_says_cannot_move_the_cursor(repo: Repo) -> None:
    done = repo.run("classify", "--title", "x", "--stack", "py\x1b[2J")
    assert "\x1b" not in done.stdout
