"""What a store and a system can put in the way of any verb: one error and a way out, and never a bug of ours.

A verb that can still answer does; what it cannot do is an error with its exit code, and nothing changes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from gitkb.cli.verbs import SECTIONS

from in_process import Answer, run_here
from repo_builder import Repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERBS = [name for _, names in SECTIONS for name in names]
CALLS = (
    "init", "install", "uninstall", "where", "doctor", "demo --help", "completion bash", "add --type fact --title new",
    "edit k", "archive k", "restore aside", "forget k", "redact k --all --yes", "import --from gitkb given.json", "export",
    "recall words", "show k", "list", "stats", "context words", "session start goal", "for-file a.py", "for-diff",
    "check-plan", "why k", "related k", "graph", "link k relates_to l", "unlink k relates_to l", "supersede k l",
    "reject k", "learnings --for plan", "classify k", "promote k", "demote k", "review", "tier", "view", "blame", "log k",
    "diff", "trust", "mcp --help", "setup agents --dry-run", "stale", "confirm k", "usage", "check", "conflicts", "resolve",
    "fmt", "compact", "reshard 16", "gc --days 0", "reindex",
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, _sealed_session: None) -> Repo:
    repo = Repo.init(tmp_path_factory.mktemp("way") / "repo")
    repo.run("init", "--shards", "1", "--no-install")
    for key in ("k", "l", "aside"):
        repo.kb_add(key=key, type="fact", content=f"words of {key}", files=["a.py"])
    repo.run("archive", "aside")
    repo.write("given.json", b'{"key":"g","type":"fact","content":"given","ts":1}\n')
    repo.commit("Begin")
    return repo


def _folder_for(name: str) -> Callable[[Path], None]:
    def put(store: Path) -> None:
        (store / name).rename(store / f"{os.path.basename(name)}.kept")
        (store / name).mkdir()

    return put


def _loop_for(name: str) -> Callable[[Path], None]:
    def put(store: Path) -> None:
        (store / name).rename(store.parent / "kept")
        os.symlink(store / name, store / name)

    return put


def _no_text_for(name: str) -> Callable[[Path], None]:
    def put(store: Path) -> None:
        (store / name).write_bytes(b"\xff\xfe")

    return put


OBSTACLES = {
    "a folder in the place of the data": _folder_for("knowledge/all.jsonl"),
    "a folder in the place of the settings": _folder_for("config.toml"),
    "a link that leads to itself for the settings": _loop_for("config.toml"),
    "settings that are no text": _no_text_for("config.toml"),
}


@pytest.fixture(params=OBSTACLES)
def blocked(request: pytest.FixtureRequest, made: Repo, tmp_path: Path) -> Callable[[str], Answer]:
    clone = Repo.clone(made, tmp_path / "clone")
    OBSTACLES[request.param](clone.path / ".gitkb")

    def run(line: str) -> Answer:
        return run_here(line.split(), clone.path, b"A plan of words.")

    return run


def test_every_verb_is_called() -> None:
    assert {line.split()[0] for line in CALLS} == set(VERBS)


def test_no_verb_takes_what_stands_in_the_way_for_a_bug(blocked: Callable[[str], Answer]) -> None:
    for line in CALLS:
        done = blocked(line)
        assert done.code in (0, 1, 3, 4, 5, 6), (line, done)
        assert "Traceback" not in done.err, (line, done)
        if done.code > 1:
            assert re.match(r"error: .*\n(hint: .*\n?)", done.err), (line, done)


@pytest.mark.parametrize(
    ("module", "line", "hint"),
    [
        ("Stemmer", "recall words", "-m pip install --force-reinstall gitkb"),
        ("click", "nope", "-m pip install --force-reinstall gitkb"),
        ("sqlite3", "recall words", "install gitkb with a Python that has it"),
    ],
)
def test_a_package_that_is_missing_is_no_bug(made: Repo, module: str, line: str, hint: str) -> None:
    code = (
        f"import sys; sys.modules[{module!r}] = None; "
        "from gitkb.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", code, *line.split()]
    done = subprocess.run(words, cwd=made.path, capture_output=True, check=False)
    said = done.stderr.decode()
    assert done.returncode == 5, said
    assert f"no module '{module}'" in said
    assert hint in said


def test_what_cannot_be_read_is_told_of_by_whoever_leaves_it_out(
    made: Repo, tmp_path: Path
) -> None:
    clone = Repo.clone(made, tmp_path / "clone")
    with open(clone.path / ".gitkb/knowledge/all.jsonl", "ab") as file:
        file.write(b'{"key":"half\n')
    note = re.compile(r"(note|warning|error): cannot read entry at 'knowledge/all\.jsonl:\d'")
    for line in (
        "list", "recall words", "context words", "for-file a.py", "check-plan", "why k", "related k", "graph", "export",
        "stats", "stale", "show k",
    ):  # fmt: skip
        done = run_here(line.split(), clone.path, b"A plan of words.")
        assert note.search(done.err), (line, done)
    assert "a line of the store cannot be read" in run_here(["show", "half"], clone.path).err


# --- what goes elsewhere -----------------------------------------------------------------------


def test_an_export_never_takes_the_place_of_what_is_no_file(made: Repo, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    made.run("export", "--output", pipe)
    data, _ = reader.communicate(timeout=30)
    assert data.startswith(b'{"gitkb":1')
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["knowledge/all.jsonl", "archive/new.json", "config.toml"])
def test_an_export_never_takes_the_place_of_the_knowledge(made: Repo, name: str) -> None:
    before = made.tree()
    done = made.run("export", "--output", f".gitkb/{name}", exit_code=2)
    assert "where the knowledge base keeps its own" in done.stderr
    assert made.tree() == before


def test_an_import_reads_a_pipe_once(made: Repo, tmp_path: Path) -> None:
    clone, pipe = Repo.clone(made, tmp_path / "clone"), tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = subprocess.Popen(["cp", "given.json", str(pipe)], cwd=made.path)
    done = clone.run("import", "--from", "gitkb", pipe)
    writer.wait(timeout=30)
    assert done.stdout.startswith("1 found: 1 imported")


def test_an_import_of_which_nothing_came_is_no_success(made: Repo, tmp_path: Path) -> None:
    clone = Repo.clone(made, tmp_path / "clone")
    clone.write("words.txt", b"nothing of the kind\n")
    for form in ("drawbar", "gitkb", "engram", "mcp-memory", "adr"):
        done = clone.run("import", "--from", form, "words.txt", exit_code=3)
        assert "error: nothing was imported\nhint: it was read as" in done.stderr
        assert clone.run("import", "--from", form, "words.txt", "--json", exit_code=3).json()[
            "dropped"
        ]
    clone.run("import", "--from", "gitkb", "given.json")
    clone.run("forget", "g")
    assert "was forgotten" in clone.run("import", "--from", "gitkb", "given.json").stderr


def test_redact_claims_nothing_of_a_history_that_it_could_not_read(
    made: Repo, tmp_path: Path
) -> None:
    clone = Repo.clone(made, tmp_path / "clone")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\nexit 128\n")
    (programs / "git").chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    done = clone.run("redact", "k", "--all", "--yes", env={"PATH": path})
    assert "cannot look into git's history" in done.stderr
    assert "No commit" not in done.stderr
    assert "is not known" in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_reminder_that_cannot_be_written_stops_nothing(made: Repo) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            ["gitkb-hook", "before-edit", "a.py"], cwd=made.path, stdout=full, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
    assert done.returncode == 0
    assert b"Exception ignored" not in done.stderr
