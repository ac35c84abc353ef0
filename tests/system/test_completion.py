"""Completion in the shells themselves: what a person sees who presses the tabulator."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from gitkb.cli.arguments import Verb
from gitkb.cli.verbs import SECTIONS, load_verb

from repo_builder import Repo, run_program, script

if TYPE_CHECKING:
    from pathlib import Path

VERBS = [name for _, names in SECTIONS for name in names]
PROGRAMS = os.path.dirname(script("gitkb"))
bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
zsh = pytest.mark.skipif(shutil.which("zsh") is None, reason="there is no zsh")
fish = pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish")


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("completion") / "repo")
    repo.run("init", "--shards", "1")
    repo.kb_add(key="retry-backoff", type="fact", title="Cap the backoff", tags=["net"])
    repo.kb_add(
        key="rate-limit", type="fact", title="100 a minute", tags=["net", "the net", "api:v2"]
    )
    repo.kb_add(
        key="clock",
        type="learned",
        content="The CI is in UTC",
        category="technical",
        scope="project",
    )
    repo.write("src/invoice.py", "")
    return repo


def asked(repo: Repo, *words: str) -> list[str]:
    done = repo.run("completion", "bash", "--", *words)
    assert done.stderr == ""
    return [line.split("\t")[0] for line in done.lines()]


def verb_of(name: str) -> Verb:
    verb = load_verb(name)
    assert verb is not None
    return verb


# --- what is offered -------------------------------------------------------------------------


def test_verbs_keys_aliases_tags_and_choices_are_offered(repo: Repo) -> None:
    assert asked(repo, "") == [*VERBS, "help"]
    assert asked(repo, "rec") == ["recall"]
    assert asked(repo, "help", "dem") == ["demo", "demote"]
    assert asked(repo, "show", "r") == ["rate-limit", "retry-backoff"]
    assert asked(repo, "show", "L-") == ["L-001"]
    assert asked(repo, "recall", "--tag", "") == ["net", "api:v2", "the net"]
    assert asked(repo, "recall", "--tag=n") == ["--tag=net"]
    assert asked(repo, "recall", "--type", "dec") == ["decision"]
    assert asked(repo, "graph", "--format", "") == ["mermaid", "dot", "json"]
    assert asked(repo, "link", "clock", "part") == ["part_of"]
    assert asked(repo, "link", "clock", "part_of", "ra") == ["rate-limit"]
    assert asked(repo, "import", "sr") == [":files"]
    assert asked(repo, "--dir", "x") == [":folders"]
    assert asked(repo, "completion", "z") == ["zsh"]
    assert asked(repo, "init", "") == asked(repo, "nothing", "") == []


def test_the_store_that_is_named_is_the_one_that_is_asked(repo: Repo, tmp_path: Path) -> None:
    words = ["--dir", str(repo.path), "show", "cl"]
    done = run_program([script("gitkb"), "completion", "fish", "--", *words], cwd=tmp_path)
    assert done.stdout == "clock\tThe CI is in UTC\n"


@pytest.mark.parametrize("name", VERBS)
def test_every_option_that_help_shows_is_offered(tmp_path: Path, name: str) -> None:
    shown = {f"--{one.name}" for one in verb_of(name).all_options if not one.hidden}
    done = run_program([script("gitkb"), "completion", "bash", "--", name, "--"], cwd=tmp_path)
    assert {line.split("\t")[0] for line in done.lines()} == {*shown, "--help"}


def test_where_nothing_can_be_read_there_is_silence(tmp_path: Path) -> None:
    done = run_program([script("gitkb"), "completion", "bash", "--", "show", ""], cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("", "")
    folder = tmp_path / ".gitkb" / "knowledge"
    folder.mkdir(parents=True)
    (folder / "all.jsonl").write_bytes(b"<<<<<<< ours\n\xff\n")
    done = run_program([script("gitkb"), "completion", "bash", "--", "show", ""], cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("", "")


def test_what_an_entry_says_cannot_break_a_line(repo: Repo, tmp_path: Path) -> None:
    other = Repo.init(tmp_path / "other")
    other.run("init", "--shards", "1")
    other.kb_add(key="k", type="fact", content="\x1b[2J one\ttwo\nthree")
    out = other.run("completion", "zsh", "--", "show", "").stdout
    assert "\x1b" not in out
    assert out.count("\n") == out.count("\t") == 1


def test_keys_are_completed_without_the_library_of_the_command_line(repo: Repo) -> None:
    code = (
        "import sys; from gitkb.cli.main import run;"
        "run(['completion', 'bash', '--', 'show', 'r']);"
        "print([name for name in sys.modules if name.split('.')[0] in ('click', 'pygit2', 'rich')])"
    )
    done = run_program([sys.executable, "-c", code], cwd=repo.path)
    assert done.stdout.split("\n")[-2] == "[]"


def test_an_unknown_shell_is_refused(tmp_path: Path) -> None:
    done = run_program([script("gitkb"), "completion", "tcsh"], cwd=tmp_path, exit_code=2)
    assert (
        done.stderr == "error: no completion for the shell 'tcsh'\nhint: one of bash, zsh, fish\n"
    )


# --- in the shells ---------------------------------------------------------------------------


def press(repo: Repo, words: list[str], start: str, typed: str) -> str:
    """Type into an interactive shell and give what came out after the line that it read at last."""
    env = {
        "PATH": os.pathsep.join([PROGRAMS, os.environ["PATH"]]),
        "HOME": os.environ["HOME"],
        "TERM": "dumb",
        "PS1": "> ",
        "LC_ALL": "C.UTF-8",
    }
    main, other = pty.openpty()
    running = subprocess.Popen(
        words,
        cwd=repo.path,
        env=env,
        stdin=other,
        stdout=other,
        stderr=other,
        start_new_session=True,
    )
    os.close(other)
    try:
        os.write(main, f"{start}; echo RE''ADY\n".encode())
        _read_until(main, "READY")
        os.write(main, typed.encode())
        time.sleep(0.2)
        return _read_until(main, "DONE")
    finally:
        running.kill()
        running.wait()
        os.close(main)


def _read_until(main: int, wanted: str) -> str:
    text, end = "", time.monotonic() + 60
    while wanted not in text:
        ready, _, _ = select.select([main], [], [], max(0, end - time.monotonic()))
        assert ready, f"no {wanted!r} in {text!r}"
        text += os.read(main, 4096).decode("utf-8", "replace")
    return text


@bash
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gitkb show retry", "<show retry-backoff>"),
        ("gitkb recal", "<recall>"),
        ('gitkb show "retry', "<show retry-backoff>"),
        ("gitkb recall --tag 'the n", "<recall --tag the net>"),
        ("gitkb recall --tag the\\ n", "<recall --tag the net>"),
        ("gitkb recall --tag=n", "<recall --tag=net>"),
        ("gitkb import sr", "<import src/>"),
        ("git-kb show L-", "<show L-001>"),
    ],
)
def test_bash_completes_what_is_typed(repo: Repo, line: str, expected: str) -> None:
    start = 'eval "$(gitkb completion bash)"; gitkb() { echo "<$*>"; echo DO""NE; }; git-kb() { gitkb "$@"; }'
    said = press(repo, ["bash", "--norc", "--noprofile", "-i"], start, f"{line}\t\n")
    assert expected in said


@bash
def test_bash_completes_git_kb_as_gits_completion_asks(repo: Repo) -> None:
    code = (
        'eval "$(gitkb completion bash)"; words=(git -C . kb show ret); cword=5; cur=ret; _git_kb;'
        'echo "${COMPREPLY[@]}"'
    )
    env = {"PATH": os.pathsep.join([PROGRAMS, os.environ["PATH"]])}
    assert run_program(["bash", "-c", code], cwd=repo.path, env=env).stdout == "retry-backoff\n"


@zsh
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gitkb show retry", "<show retry-backoff>"),
        ("gitkb recal", "<recall>"),
        ("gitkb import sr", "<import src>"),  # zsh takes its own slash back
        ("git kb show retry", "<show retry-backoff>"),
    ],
)
def test_zsh_completes_what_is_typed(repo: Repo, line: str, expected: str) -> None:
    start = (
        "PS1='> '; autoload -Uz compinit; compinit -u -D; eval \"$(gitkb completion zsh)\";"
        'gitkb() { echo "<$*>"; echo DO""NE; }; git() { shift; gitkb "$@"; }'
    )
    assert expected in press(repo, ["zsh", "-f", "-i"], start, f"{line}\t\n")


@zsh
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gitkb show retry", "<show retry-backoff>"),
        ("git kb show retry", "<show retry-backoff>"),
        ("gitkb import --from mc", "<import --from mcp-memory>"),
    ],
)
def test_zsh_completes_both_names_from_the_file_that_the_help_names(
    repo: Repo, tmp_path: Path, line: str, expected: str
) -> None:
    name = re.search(r'completion zsh > "\$\{fpath\[1\]\}/([^"]+)"', verb_of("completion").details)
    assert name is not None
    (tmp_path / name[1]).write_text(repo.run("completion", "zsh").stdout, "utf-8")
    start = (
        f"PS1='> '; fpath=({tmp_path} $fpath); autoload -Uz compinit; compinit -u -D;"
        'gitkb() { echo "<$*>"; echo DO""NE; }; git() { shift; gitkb "$@"; }'
    )
    assert expected in press(repo, ["zsh", "-f", "-i"], start, f"{line}\t\n")


@zsh
def test_zsh_shows_a_choice_without_a_description_once(repo: Repo) -> None:
    start = (
        "PS1='> '; autoload -Uz compinit; compinit -u -D; eval \"$(gitkb completion zsh)\";"
        'gitkb() { echo DO""NE; }'
    )
    said = press(repo, ["zsh", "-f", "-i"], start, "gitkb import --from a\t\t\n")
    assert "adr" in said
    assert "-- adr" not in said


@fish
def test_fish_completes_both_names_from_the_file_that_the_help_names(
    repo: Repo, tmp_path: Path
) -> None:
    place = re.search(r"completion fish > ~/\.config/(\S+)", verb_of("completion").details)
    assert place is not None
    path = tmp_path / place[1]
    path.parent.mkdir(parents=True)
    path.write_text(repo.run("completion", "fish").stdout, "utf-8")
    code = "complete -C 'git kb show retry'; complete -C 'gitkb show retry'"
    env = {
        "PATH": os.pathsep.join([PROGRAMS, os.environ["PATH"]]),
        "XDG_CONFIG_HOME": str(tmp_path),
    }
    done = run_program(["fish", "-c", code], cwd=repo.path, env=env)
    assert done.lines() == ["retry-backoff\tCap the backoff"] * 2


@fish
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("gitkb show retry", ["retry-backoff\tCap the backoff"]),
        ("gitkb recal", ["recall\tSearch the knowledge, best first."]),
        ("gitkb import sr", ["src/"]),
        ("git kb show retry", ["retry-backoff\tCap the backoff"]),
    ],
)
def test_fish_completes_what_is_typed(repo: Repo, line: str, expected: list[str]) -> None:
    code = f"source (gitkb completion fish | psub); complete -C '{line}'"
    env = {"PATH": os.pathsep.join([PROGRAMS, os.environ["PATH"]])}
    done = run_program(["fish", "--no-config", "-c", code], cwd=repo.path, env=env)
    assert done.lines() == expected
