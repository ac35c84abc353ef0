"""What a repository brings along is data: no program of ours runs any of it, reads a configuration from it, or
follows it out of the repository."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from gitkb.cli.verbs import SECTIONS, load_verb

from mcp_client import ask
from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from pathlib import Path

VERBS = [name for _, names in SECTIONS for name in names]
READERS = (
    ("list",), ("recall", "x"), ("show", "k"), ("stats",), ("blame",), ("log", "k"), ("context", "x"), ("doctor",),
    ("check",), ("why", "k"), ("related", "k"), ("graph",), ("learnings", "--for", "plan"), ("where",), ("trust",),
    ("export", "--to", "json"), ("view", "--stdout"), ("fmt",),
)  # fmt: skip
FEW = (("list",), ("recall", "x"), ("context", "x"), ("doctor",), ("check",), ("blame",))
MODULES = (
    "json", "re", "gitkb", "sqlite3", "subprocess", "tempfile", "sitecustomize", "usercustomize", "click", "threading",
    "tomllib", "encodings", "platformdirs", "pygit2", "jsonschema", "mcp", "hashlib", "typing",
)  # fmt: skip


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a store of one entry."""
    repo = Repo.init(tmp_path / "work")
    repo.run("init", "--shards", "1")
    repo.kb_add(key="k", type="decision", title="x", content="x", importance=5)
    repo.commit("Begin")
    return repo


@pytest.fixture
def bait(tmp_path: Path) -> Path:
    """A program that leaves a trace beside itself when it runs."""
    path = tmp_path / "bait.sh"
    path.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\ncat 2>/dev/null\nexit 0\n")
    path.chmod(0o755)
    return path


def has_run(bait: Path) -> bool:
    return (bait.parent / "ran").exists()


def read_everything(repo: Repo) -> list[str]:
    """Call every reader and every hook; give what they said."""
    said = []
    for words in READERS:
        done = repo.run(*words, exit_code=None)
        assert done.exit_code not in (70, -9), done
        said.append(done.stdout + done.stderr)
    for name in ("pre-commit", "post-merge", "post-checkout"):
        said.append(str(repo.run(name, "a", "b", "1", program="gitkb-hook", exit_code=None)))
    return said


# --- modules of Python -----------------------------------------------------------------------


def test_no_module_in_the_repositorys_root_is_imported(repo: Repo, bait: Path) -> None:
    code = f"import os\nos.system({str(bait)!r})\nraise SystemExit('hijacked')\n"
    for name in MODULES:
        repo.write(f"{name}.py", code)
        repo.write(f"{name}/__init__.py", code)
    repo.add()
    repo.git("commit", "-q", "-m", "Bait")
    read_everything(repo)
    repo.run("add", "--key", "n", "--type", "fact", "--content", "n")
    repo.run("mcp", stdin="")
    for name in "oab":
        repo.write(
            f"{name}.jsonl", json.dumps({"key": "k", "type": "fact", "content": name}) + "\n"
        )
    repo.run("o.jsonl", "a.jsonl", "b.jsonl", program="gitkb-merge-driver", exit_code=None)
    assert not has_run(bait)


def test_git_starts_driver_and_hooks_apart_from_every_variable_of_python(
    repo: Repo, bait: Path, tmp_path: Path
) -> None:
    code = f"import os\nos.system({str(bait)!r})\n"
    for name in ("json", "re", "sitecustomize", "gitkb"):
        repo.write(f"{name}.py", code)
    env = {
        "PYTHONPATH": f":.:{repo.path}",
        "PYTHONSTARTUP": str(repo.path / "re.py"),
        "PYTHONHOME": "",
    }
    repo.add()
    repo.git("commit", "-q", "-m", "Bait", env=env)
    repo.checkout("side", new=True)
    repo.run("add", "--key", "a", "--type", "fact", "--content", "a")
    repo.commit("Side")
    repo.checkout("main")
    repo.run("add", "--key", "b", "--type", "fact", "--content", "b")
    repo.commit("Main")
    repo.git("merge", "-q", "--no-edit", "side", env=env)
    assert {line["key"] for line in repo.run("list", "--json").json()} == {"a", "b", "k"}
    assert not has_run(bait)


# --- configuration of git --------------------------------------------------------------------


def planted(folder: Path, bait: Path) -> None:
    """Give a folder the form of a bare repository whose configuration starts programs."""
    for name in ("objects/info", "refs/heads"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "x").write_text("")
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n"
        f"\tfsmonitor = {bait}\n\tpager = {bait}\n\tsshCommand = {bait}\n\thooksPath = ..\n"
        f"[diff]\n\texternal = {bait}\n[alias]\n\tstatus = !{bait}\n"
        f'[filter "x"]\n\tclean = {bait}\n[diff "gitkb"]\n\ttextconv = {bait}\n'
        f'[merge "gitkb"]\n\tdriver = {bait}\n[gpg]\n\tprogram = {bait}\n'
    )


@pytest.mark.parametrize("place", [".gitkb", "sub", "sub/.gitkb"])
def test_a_planted_repository_is_no_repository_of_ours(repo: Repo, bait: Path, place: str) -> None:
    if place.startswith("sub"):
        shutil.copytree(repo.path / ".gitkb", repo.path / "sub/.gitkb")
    planted(repo.path / place, bait)
    repo.write(".gitattributes", "*.jsonl filter=x\n")
    inner = Repo(repo.path / "sub") if place.startswith("sub") else repo
    # The commit is not ours to judge, and git itself stands at the top.
    repo.git("add", "-f", "-A")
    repo.git("commit", "-q", "--no-verify", "-m", "Plant")
    said = read_everything(inner)
    ask(inner.path, ("gitkb_recall", {"query": "x"}), ("gitkb_context", {"task": "x"}))
    assert not has_run(bait)
    assert any("has the form of a git repository" in text for text in said)


def test_no_file_of_the_worktree_configures_git(repo: Repo, bait: Path) -> None:
    settings = f'[core]\n\tfsmonitor = {bait}\n[filter "x"]\n\tclean = {bait}\n\tsmudge = {bait}\n[diff "x"]\n\ttextconv = {bait}\n'
    for name in (".gitconfig", ".config/git/config", "config", ".gitmodules"):
        repo.write(name, settings)
    repo.write(".gitattributes", "* filter=x diff=x\n.gitkb/** filter=x diff=x merge=x\n")
    repo.commit("Bait", "--no-verify")
    repo.run("add", "--key", "n", "--type", "fact", "--content", "n")
    read_everything(repo)
    assert not has_run(bait)


def test_a_program_that_watches_files_is_not_asked(repo: Repo, bait: Path) -> None:
    repo.config("core.fsmonitor", str(bait))
    repo.config("core.pager", str(bait))
    repo.config("diff.external", str(bait))
    repo.run("add", "--key", "n", "--type", "fact", "--content", "n")
    for words in FEW:
        repo.run(*words, exit_code=None)
    assert not has_run(bait)


@pytest.mark.parametrize(
    "variable",
    ["GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_SSH_COMMAND", "GIT_ASKPASS", "PAGER"],
)
def test_no_variable_makes_a_reader_start_a_program(repo: Repo, bait: Path, variable: str) -> None:
    for words in (("blame",), ("log", "k"), ("context", "x"), ("doctor",)):
        repo.run(*words, env={variable: str(bait)}, exit_code=None)
    assert not has_run(bait)


# --- words that git could take for options ---------------------------------------------------


@pytest.mark.parametrize(
    "url",
    ["ext::sh -c touch% ran", "--upload-pack=touch ran", "-u touch", "fd::17", "ssh://-oProxyCommand=touch/x",
     "file://x\n", "a\x1bb", "x::y"],
)  # fmt: skip
def test_no_address_of_a_tier_starts_a_program(repo: Repo, tmp_path: Path, url: str) -> None:
    done = repo.run("tier", "add", "t", "--", url, exit_code=None)
    assert done.exit_code not in (0, 70), done
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize(
    "word", ["--output=owned", "-o", "--upload-pack=x", "--exec=x", "--ext-diff"]
)
def test_a_word_that_looks_like_an_option_is_none_of_gits(repo: Repo, word: str) -> None:
    before = sorted(path.name for path in repo.path.iterdir())
    for verb in VERBS:
        loaded = load_verb(verb)
        if loaded is None or not loaded.arguments or verb in ("reshard", "session", "demo", "init"):
            continue
        done = repo.run(verb, "--", word, *([word] * (len(loaded.arguments) - 1)), exit_code=None)
        assert done.exit_code != 70, done
    assert sorted(path.name for path in repo.path.iterdir()) == before


# --- paths -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["config.toml", "knowledge/all.jsonl", "archive/all.jsonl", "knowledge"]
)
@pytest.mark.parametrize("target", ["/dev/zero", "/dev/tty", "secret"])
def test_no_link_is_followed_out_of_the_store(
    repo: Repo, tmp_path: Path, name: str, target: str
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/all.jsonl").write_text('{"key":"s","type":"fact","content":"leaked"}\n')
    path = repo.path / ".gitkb" / name
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    aim = tmp_path / "secret" if name == "knowledge" else tmp_path / "secret/all.jsonl"
    path.symlink_to(aim if target == "secret" else target)
    for words in FEW:
        done = repo.run(*words, exit_code=None)
        assert done.exit_code != 70, done
        assert "leaked" not in done.stdout + done.stderr
    assert "link to a place outside" in repo.run("context", "x", exit_code=5).stderr


def test_no_path_that_an_entry_names_is_opened(repo: Repo, tmp_path: Path) -> None:
    # Whoever opens a pipe that nobody writes waits for ever, and the test fails by its time limit.
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(repo.path / "pipe")
    paths = [
        "../pipe",
        str(tmp_path / "pipe"),
        "pipe",
        "C:\\pipe",
        "c:/pipe",
        "//host/pipe",
        "a/../../pipe",
        "~/x",
        "-x",
    ]
    line = {
        "key": "p",
        "type": "pitfall",
        "title": "x",
        "files": paths,
        "source": "adr:../pipe",
        "ts": 1,
    }
    repo.write(".gitkb/knowledge/all.jsonl", json.dumps(line) + "\n")
    read_everything(repo)
    for to in ("json", "markdown", "add", "drawbar", "mcp-memory"):
        run_program(
            [script("gitkb"), "export", "--to", to], cwd=repo.path, exit_code=None, timeout=30
        )
    assert not any(path.name in ("x", "-x") for path in repo.path.iterdir())
