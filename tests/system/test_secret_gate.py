"""No way into a store lets a secret in, and each says what to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mcp_client import ask
from repo_builder import Repo
from secret_samples import Maker
from tier_builder import make_world

if TYPE_CHECKING:
    from pathlib import Path

_SECRET = Maker(11).make("github")
_OTHER = Maker(12).make("github")
_LEAVE = "--allow-secret=a key of the test server"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo.init(tmp_path / "app")
    repo.run("init", "--shards", "1")
    repo.commit("Begin")
    return repo


def _kept(repo: Repo) -> bytes:
    return b"".join(repo.tree(".gitkb").values())


def _add(repo: Repo, *options: str, exit_code: int = 0, **fields: Any) -> str:
    entry = {"key": "k", "type": "fact", "title": "T", **fields}
    return repo.run("add", *options, stdin=json.dumps(entry), exit_code=exit_code).stderr


def test_add_refuses_it_and_names_entry_field_kind_and_cure(repo: Repo) -> None:
    said = _add(repo, content=f"use {_SECRET}", exit_code=3)
    assert (
        "error: 'k' seems to hold a secret: GitHub Token in 'content': ghp_… (40 characters)"
        in said
    )
    assert "hint: leave it out" in said
    assert "--allow-secret=REASON" in said
    assert _SECRET not in said
    assert _SECRET.encode() not in _kept(repo)
    flags = ("--type", "fact", "--title", "T", "--tag", _SECRET)
    assert "in 'tags'" in repo.run("add", *flags, exit_code=3).stderr


def test_a_batch_is_judged_line_by_line(repo: Repo) -> None:
    lines = [
        {"type": "fact", "title": "A", "content": "a"},
        {
            "type": "fact",
            "title": "B",
            "content": f"b {_SECRET}",
            "links": [{"rel": "supersedes", "to": "k"}],
        },
        {"type": "fact", "title": "C", "content": "c"},
    ]
    _add(repo, content="in force")
    done = repo.run("add", "--batch", stdin="\n".join(map(json.dumps, lines)), exit_code=3)
    assert len(done.lines()) == 2
    assert "error: line 2:" in done.stderr
    assert _SECRET.encode() not in _kept(repo)
    # What the refused line would have superseded is as it was.
    assert repo.run("show", "k", "--json").json().get("status", "active") == "active"


def test_what_is_allowed_keeps_its_reason_and_passes_the_hooks_of_colleagues(
    repo: Repo, tmp_path: Path
) -> None:
    _add(repo, _LEAVE, content=f"use {_SECRET}")
    [line] = repo.read(".gitkb/knowledge/all.jsonl").splitlines()
    [leave] = json.loads(line)["allowed_secrets"]
    assert leave["reason"] == "a key of the test server"
    repo.run("check")
    repo.git("add", "-A")
    repo.git("commit", "-m", "Allowed")
    other = Repo.clone(repo, tmp_path / "clone")
    other.run("install")
    other.run("check")
    # A correction that keeps the text passes, another text does not.
    _add(other, content=f"use {_SECRET}, carefully")
    assert "GitHub Token" in _add(other, content=f"use {_OTHER}", exit_code=3)
    assert "a reason" in _add(other, "--allow-secret= ", content=_OTHER, exit_code=2)
    assert "in 'allowed_secrets'" in _add(
        other, f"--allow-secret=see {_OTHER}", content=_OTHER, exit_code=3
    )


def test_a_commit_that_brings_one_in_is_stopped(repo: Repo) -> None:
    line = json.dumps(
        {"key": "k", "type": "fact", "title": _SECRET, "ts": 1}, separators=(",", ":")
    )
    repo.write(".gitkb/knowledge/all.jsonl", line + "\n")
    repo.git("add", "-A")
    stopped = repo.git("commit", "-m", "Leak", exit_code=1)
    assert "'k' seems to hold a secret" in stopped.stderr
    assert _SECRET not in stopped.stderr
    checked = repo.run("check", "--json", exit_code=1)
    [problem] = [one for one in checked.json()["problems"] if one["code"] == "secret"]
    assert "gitkb redact k" in problem["hint"]
    # The cure that it names works.
    repo.run("redact", "k", "--yes")
    repo.git("add", "-A")
    repo.git("commit", "-m", "Scrubbed")
    repo.run("check")


def test_a_key_that_is_one_is_refused_and_never_shown(repo: Repo) -> None:
    said = _add(repo, key=_SECRET, content="x", exit_code=3)
    assert "error: the entry seems to hold a secret: GitHub Token in 'key': ghp_…" in said
    line = json.dumps({"key": _SECRET, "type": "fact", "content": "x", "created": 1, "ts": 1})
    repo.write(".gitkb/knowledge/all.jsonl", line.replace(": ", ":").replace(", ", ",") + "\n")
    repo.git("add", "-A")
    stopped = repo.git("commit", "-m", "Leak", exit_code=1).stderr
    assert "the key of an entry seems to be a secret" in stopped
    assert "GitHub Token in 'key': ghp_…" in stopped
    assert "under another key" in stopped
    assert _SECRET not in said + stopped + repo.run("check", exit_code=1).stderr


def test_what_was_let_in_before_stops_no_other_commit(repo: Repo) -> None:
    line = json.dumps(
        {"key": "k", "type": "fact", "title": _SECRET, "ts": 1}, separators=(",", ":")
    )
    repo.write(".gitkb/knowledge/all.jsonl", line + "\n")
    repo.git("add", "-A")
    repo.git("commit", "--no-verify", "-m", "Leak")
    repo.kb_add(key="l", type="fact", title="Another")
    repo.run("archive", "k")
    repo.run("restore", "k")
    repo.git("add", "-A")
    repo.git("commit", "-m", "Other")
    repo.run("check", exit_code=1)


@pytest.mark.parametrize("name", ["config.toml", "views/own.md", "notes.txt"])
def test_other_files_of_the_store_are_judged_too(repo: Repo, name: str) -> None:
    text = "# " + _SECRET + "\n" if name != "config.toml" else f"shards = 1\n# {_SECRET}\n"
    repo.write(f".gitkb/{name}", text)
    assert name in repo.run("check", exit_code=1).stderr
    repo.git("add", "-A")
    assert "seems to be a secret" in repo.git("commit", "-m", "Leak", exit_code=1).stderr


def test_a_line_that_cannot_be_read_is_judged_too(repo: Repo) -> None:
    repo.write(".gitkb/knowledge/all.jsonl", f'{{"key":"k","content":"{_SECRET}"\n')
    assert "GitHub Token" in repo.run("check", exit_code=1).stderr


def test_sessions_let_none_in(repo: Repo) -> None:
    assert "GitHub Token" in repo.run("session", "start", f"Try {_SECRET}", exit_code=3).stderr
    repo.run("session", "start", "Try it")
    assert "'done'" in repo.run("session", "end", "--done", f"used {_SECRET}", exit_code=3).stderr
    # Nothing is lost: the session is still open.
    repo.run("session", "end", "--done", "used it", "--next", _SECRET, _LEAVE)
    assert b"allowed_secrets" in _kept(repo)


def test_the_reason_of_a_deletion_lets_none_in(repo: Repo) -> None:
    _add(repo, content="x")
    assert "'reason'" in repo.run("forget", "k", "--reason", f"had {_SECRET}", exit_code=3).stderr
    assert b'"deleted"' not in _kept(repo)


def _export(form: str, tmp_path: Path) -> Path:
    good, bad = "A sentence that is long enough.", f"The deploy key is {_SECRET}, keep it."
    if form in ("drawbar", "gitkb"):
        lines = [
            {"key": "one", "type": "decision", "title": "One", "content": good, "ts": 1},
            {"key": "two", "type": "decision", "title": "Two", "content": bad, "ts": 1},
        ]
        path = tmp_path / "corpus.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    elif form == "mcp-memory":
        path = tmp_path / "memory.jsonl"
        lines = [
            {"type": "entity", "name": "one", "entityType": "fact", "observations": [good]},
            {"type": "entity", "name": "two", "entityType": "fact", "observations": [bad]},
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    else:
        path = tmp_path / "adr"
        path.mkdir()
        for number, text in ((1, good), (2, bad)):
            page = f"# {number}. Record {number}\n\nDate: 2026-01-0{number}\n\n## Status\n\nAccepted\n\n## Context\n\n{text}\n\n## Decision\n\nSo be it.\n"
            (path / f"000{number}-record-{number}.md").write_text(page, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["drawbar", "gitkb", "mcp-memory", "adr"])
def test_an_import_drops_it_and_takes_the_rest(repo: Repo, tmp_path: Path, form: str) -> None:
    path = _export(form, tmp_path)
    found = repo.run("import", "--from", form, str(path), "--json").json()
    assert (found["imported"], len(found["dropped"])) == (1, 1)
    assert "seems to hold a secret" in found["dropped"][0]["reason"]
    assert _SECRET.encode() not in _kept(repo)
    allowed = repo.run("import", "--from", form, str(path), "--json", _LEAVE).json()
    assert allowed["dropped"] == []
    repo.run("check")


def test_an_agent_cannot_let_one_in(repo: Repo) -> None:
    given = {"type": "fact", "title": "T", "content": f"use {_SECRET}"}
    [said] = ask(repo.path, ("gitkb_remember", given))
    assert said.is_error
    assert "seems to hold a secret" in said.text
    assert _SECRET not in said.text
    assert _SECRET.encode() not in _kept(repo)


def test_no_tier_takes_one_that_another_let_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("GITKB_HOME", str(home))
    world = make_world(tmp_path, home)
    line = {
        "key": "k",
        "type": "pitfall",
        "title": "T",
        "content": _SECRET,
        "category": "process",
        "ts": 1,
    }
    world.project.write(
        ".gitkb/knowledge/all.jsonl", json.dumps(line, separators=(",", ":")) + "\n"
    )
    assert "seems to hold a secret" in world.project.run("promote", "k", exit_code=3).stderr
    assert _SECRET.encode() not in b"".join(world.workstation.tree(".gitkb").values())


def test_the_settings_of_the_team_let_by_and_forbid(repo: Repo) -> None:
    repo.write(
        ".gitkb/config.toml", f'shards = 1\n[secrets]\nallow = ["{_SECRET}"]\npersonal = true\n'
    )
    _add(repo, content=f"use {_SECRET}")
    repo.run("check")
    assert "a mail address" in _add(repo, content="ask jo.doe@acme.io", exit_code=3)


@pytest.mark.parametrize(
    "setting", ["allow = 7", 'allow = ["/(a+)+/"]', 'personal = "no"', 'allow = ["/(/"]']
)
def test_a_wrong_setting_closes_the_gate(repo: Repo, setting: str) -> None:
    repo.write(".gitkb/config.toml", f"shards = 1\n[secrets]\n{setting}\n")
    said = _add(repo, content="harmless", exit_code=3)
    assert "secrets." in said
    assert "config.toml" in said
    repo.git("add", "-A")
    repo.git("commit", "-m", "Settings", exit_code=1)
    assert "secrets." in repo.run("check", exit_code=1).stderr


def test_an_ordinary_add_imports_neither_the_library_nor_a_parser_of_settings(repo: Repo) -> None:
    code = (
        "import sys\nfrom gitkb.cli.main import run\nrun(['add', '--type', 'fact', '--title', 'Rotate the API keys',"
        " '--content', 'and the tokens, every 90 days'])\n"
        "print([name for name in ('detect_secrets', 'requests', 'tomllib') if name in sys.modules], file=sys.stderr)\n"
    )
    done = repo.run("-c", code, program="python")
    assert done.stderr.splitlines()[-1] == "[]"
