"""Entries in git's own diffs, with the real git and the line that `gitkb install` writes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

import gitkb
from gitkb.git import driver
from gitkb.git.driver_probe import probe_text
from gitkb.operations.doctor import examine
from gitkb.operations.health.finding import Finding

from repo_builder import BEN, Repo, run_program

FILE = ".gitkb/knowledge/all.jsonl"
NEW, OLD = "+    | It rounds half up.", "-    | It rounds half down."


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit, in which one word of an entry is changed since."""
    repo = Repo.init(tmp_path / "repo")
    fill(repo)
    return repo


def fill(repo: Repo) -> None:
    repo.run("init", "--shards", "1")
    repo.kb_add(key="tax", type="pitfall", title="Tax", content="It rounds half down. Beware.")
    repo.kb_add(key="money", type="fact", title="Money", content="It is kept in cents.")
    repo.commit("One")
    repo.kb_add(key="tax", type="pitfall", title="Tax", content="It rounds half up. Beware.")


def changed_lines(text: str) -> list[str]:
    """What a diff took away and added in the knowledge, without the time of the change."""
    files = [part for part in text.split("diff --git ") if "/knowledge/" in part.split("\n")[0]]
    text = "\n".join(files)
    lines = [line for line in text.split("\n") if line[:1] in ("-", "+") and "ts: " not in line]
    return [line for line in lines if line[:3] not in ("---", "+++")]


def is_raw(text: str) -> bool:
    return '{"key":' in text


# --- where git shows it ----------------------------------------------------------------------


def test_a_diff_shows_the_sentence_that_changed_and_names_the_entry(repo: Repo) -> None:
    text = repo.git("diff").stdout
    assert changed_lines(text) == [OLD, NEW]
    assert not is_raw(text)
    hunks = [line for line in repo.git("diff", "-U0", "--", FILE).lines() if line[:2] == "@@"]
    assert len(hunks) == 2
    assert all(line.endswith(" @@ entry tax, title: Tax") for line in hunks)


@pytest.mark.parametrize(
    "arguments",
    [
        ("log", "-p", "-1"),
        ("show",),
        ("diff", "HEAD~1"),
        ("diff", "HEAD~1..HEAD"),
        ("whatchanged", "-p", "-1"),
        ("stash", "show", "-p", "--textconv", "kept"),
    ],
    ids=" ".join,
)
def test_so_does_everything_that_git_shows_to_people(
    repo: Repo, arguments: tuple[str, ...]
) -> None:
    if arguments[0] == "stash":
        arguments = (*arguments[:-1], repo.git("stash", "create").stdout.strip())
    else:
        repo.commit("Two")
    done = repo.git(*arguments, exit_code=None)
    if "whatchanged" in done.stderr:
        pytest.skip("this git is about to drop whatchanged")
    assert changed_lines(done.stdout) == [OLD, NEW]


def test_words_and_searches_of_git_see_the_text(repo: Repo) -> None:
    assert "half [-down.-]{+up.+}" in repo.git("diff", "--word-diff").stdout
    repo.commit("Two")
    assert repo.log("-G", r"^    \| It rounds") == ["Two", "One"]


def test_a_conflict_shows_its_markers(repo: Repo) -> None:
    line = b'{"key":"tax","type":"fact","content":"%s"}\n'
    repo.write(FILE, b"<<<<<<< ours\n" + line % b"a" + b"=======\n" + line % b"b" + b">>>>>>> x\n")
    added = [line[1:] for line in repo.git("diff").lines() if line[:1] == "+"]
    assert [line for line in added if line[:1] in tuple("<=>")] == [
        "<<<<<<< ours",
        "=======",
        ">>>>>>> x",
    ]
    assert "    | b" in added


def test_the_store_of_a_folder_with_an_odd_name_is_shown_too(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    folder = '-n it\'s "$HOME" знания'
    (repo.path / folder).mkdir()
    repo.run("init", "--shards", "1", "--dir", f"./{folder}")
    entry = '{"key":"tax","type":"fact","content":"It rounds half down."}\n'
    name = f"{folder}/.gitkb/knowledge/all.jsonl"
    repo.write(name, entry)
    repo.commit("One")
    repo.write(name, entry.replace("down", "up"))
    assert changed_lines(repo.git("diff").stdout) == [OLD, NEW]
    assert changed_lines(repo.git("diff", "--relative", "--", ".").stdout) == [OLD, NEW]


def test_linked_worktrees_and_clones_set_up_globally_show_it(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Two")
    linked = repo.worktree(tmp_path / "linked", "side")
    assert changed_lines(linked.git("show").stdout) == [OLD, NEW]
    clone = Repo.clone(repo, tmp_path / "clone", person=BEN)
    assert is_raw(clone.git("show").stdout)
    clone.run("install", "--global")
    assert changed_lines(clone.git("show").stdout) == [OLD, NEW]
    clone.run("uninstall", "--global")
    assert is_raw(clone.git("show").stdout)


# --- what must not see it --------------------------------------------------------------------


def test_patches_hold_bytes_and_apply(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Two")
    patch = repo.git("format-patch", "-1", "--stdout").stdout
    assert is_raw(patch)
    clone = Repo.clone(repo, tmp_path / "clone", person=BEN)
    clone.run("install")
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.git("am", "-q", stdin=patch)
    assert clone.read(FILE) == repo.read(FILE)
    clone.git("reset", "-q", "--hard", "HEAD~1")
    clone.git("apply", stdin=repo.git("diff", "--no-textconv", "HEAD~1").stdout)
    assert clone.read(FILE) == repo.read(FILE)


def test_plumbing_and_single_files_are_bytes(repo: Repo) -> None:
    assert is_raw(repo.git("diff-files", "-p").stdout)
    assert is_raw(repo.git("show", f"HEAD:{FILE}").stdout)
    assert is_raw(repo.git("cat-file", "-p", f"HEAD:{FILE}").stdout)


def test_parts_of_a_file_can_still_be_staged(repo: Repo) -> None:
    repo.git("add", "-p", stdin="y\n" * 9)
    assert repo.git("diff").stdout == ""
    assert repo.git("show", f":{FILE}").stdout.encode() == repo.read(FILE)


def test_our_own_reading_of_history_is_as_it_was(repo: Repo, tmp_path: Path) -> None:
    repo.commit("Two")
    clone = Repo.clone(repo, tmp_path / "clone")
    for verb in ("blame", "log"):
        arguments = (verb, "tax", "--json")
        assert clone.run(*arguments).json() == repo.run(*arguments).json()


def test_a_merge_is_the_same(repo: Repo) -> None:
    repo.checkout("side", new=True)
    repo.commit("Theirs")
    repo.checkout("main")
    repo.kb_add(key="money", type="fact", title="Money", content="It is kept in euros.")
    repo.commit("Ours")
    repo.merge("side")
    said = {entry["key"]: entry["content"] for entry in repo.run("list", "--json").json()}
    assert said == {"tax": "It rounds half up. Beware.", "money": "It is kept in euros."}


# --- the line --------------------------------------------------------------------------------


def copied_package(folder: Path) -> str:
    """The package in a folder of another name, and its program there."""
    shutil.copytree(Path(gitkb.__file__).parent, folder / "gitkb")
    return str(folder / "gitkb" / "drivers" / "textconv.py")


@pytest.mark.parametrize("name", ["my tools", "it's", "100% %O", 'a"b', "$HOME`x`;&", "знания"])
def test_a_program_in_any_folder_is_found(repo: Repo, tmp_path: Path, name: str) -> None:
    program = copied_package(tmp_path / name)
    line = driver.text_line(sys.executable, program)
    assert probe_text(line) is None
    repo.config(driver.TEXT, line)
    assert changed_lines(repo.git("diff").stdout) == [OLD, NEW]


@pytest.mark.parametrize("gone", ["python", "program", "core"])
def test_without_the_program_the_file_is_shown_as_it_is(
    repo: Repo, tmp_path: Path, gone: str
) -> None:
    program = copied_package(tmp_path / "there")
    python = sys.executable
    if gone == "python":
        python = "/nonexistent/python"
    elif gone == "program":
        Path(program).unlink()
    else:
        shutil.rmtree(tmp_path / "there" / "gitkb" / "core")
    repo.config(driver.TEXT, driver.text_line(python, program))
    done = repo.git("diff")
    assert done.stdout == repo.git("diff", "--no-textconv").stdout
    assert done.stderr == ""
    assert repo.git("log", "-p").exit_code == 0
    [finding] = [one for one in _findings(repo) if one.code == "readable-diffs"]
    assert "shown as they are" in finding.message
    assert finding.cure == "gitkb install"
    repo.run("install")
    assert changed_lines(repo.git("diff").stdout) == [OLD, NEW]


def _findings(repo: Repo) -> list[Finding]:
    return examine(str(repo.path / ".gitkb"), str(repo.path))


@pytest.mark.parametrize("line", ["gitkb textconv %A", "false", "true"])
def test_a_line_of_another_version_is_told_and_rewritten(repo: Repo, line: str) -> None:
    repo.config(driver.TEXT, line)
    [finding] = [one for one in _findings(repo) if one.code == "readable-diffs"]
    assert finding.severity == "warning"
    done = repo.run("install")
    assert "mended   readable diffs" in done.stdout
    assert repo.git("config", driver.TEXT).stdout == driver.text_line() + "\n"
    [finding] = [one for one in _findings(repo) if one.code == "readable-diffs"]
    assert finding.severity == "ok"


def test_doctor_mends_what_it_can(repo: Repo) -> None:
    repo.git("config", "--remove-section", "diff.gitkb")
    assert is_raw(repo.git("diff").stdout)
    repo.run("doctor", "--fix")
    assert changed_lines(repo.git("diff").stdout) == [OLD, NEW]


def test_doctor_names_a_rule_that_hides_the_text(repo: Repo) -> None:
    repo.write(".git/info/attributes", "*.jsonl -diff\n")
    [finding] = [one for one in _findings(repo) if one.code == "readable-diffs"]
    assert FILE in finding.message


def test_what_was_there_before_comes_back(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "repo")
    repo.config(driver.TEXT, "my own")
    repo.config("diff.gitkb.binary", "true")
    before = repo.read(".git/config")
    repo.run("init")
    assert repo.read(".git/config") != before
    repo.run("uninstall")
    assert repo.read(".git/config") == before


# --- the program -----------------------------------------------------------------------------


def convert(path: Path) -> str:
    line = [sys.executable, "-I", "-S", driver.package_path("drivers", "textconv.py"), str(path)]
    return run_program(line, cwd=path.parent).stdout


def test_any_bytes_are_shown_and_the_program_ends_well(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.write_bytes(b"\0\xff" * 99 + b"\n" + b"[" * 9999 + b"\n" + b'{"a":' * 999 + b"\n\n{}")
    text = convert(path)
    assert text.startswith("unreadable: \\u{0}\\xff")
    assert text.endswith("entry without a key\n  line end: none\n\n")
    path.write_bytes(b"")
    assert convert(path) == ""


def test_a_reader_that_has_seen_enough_ends_it_quietly(repo: Repo) -> None:
    line = b'{"key":"k%d","type":"fact","content":"%s"}\n'
    repo.write(FILE, b"".join(line % (number, b"x" * 900) for number in range(3000)))
    done = run_program(["sh", "-c", "git diff | head -n 1"], cwd=repo.path)
    assert done.stderr == ""
    assert done.stdout.startswith("diff --git")


def test_a_file_of_plain_lines_costs_little_more_than_a_start_of_python(repo: Repo) -> None:
    program = driver.package_path("drivers", "textconv.py")
    line = [sys.executable, "-I", "-S", "-X", "importtime", program, FILE]
    loaded = {
        entry.split("|")[-1].strip()
        for entry in run_program(line, cwd=repo.path).stderr.split("\n")
    }
    assert "gitkb.core.entry_text" in loaded
    assert not loaded & {"json", "re", "typing", "subprocess", "gitkb.core.entry"}
