"""Repositories in which something cannot work, what gitkb says there, and what cures it.

1. What is said is declared here word for word; the test holds it against what happens, does what the
   answer advises, and sees that it helps; the page for users is written from it.
2. A cure is the hint as a user reads it: where it can be run, the test runs that text.
"""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

from repo_builder import Repo, run_program
from repository_kinds import FILE_TRANSPORT, Place, bare_hidden, begun, plain, with_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Refusal(NamedTuple):
    """One repository in which one command cannot do its work."""

    name: str
    make: Callable[[Path], Place]
    words: tuple[str, ...]
    """The command that stops."""
    exit_code: int
    says: str
    """What its message holds."""
    advises: str
    """What its hint, or the cure of the doctor, holds; `{place}` is the repository's folder."""
    cure: Callable[[Place], object]
    """Do what is advised; afterwards `then` works."""
    then: tuple[str, ...] = ("recall", "harbour")
    works: str = ""
    """What works meanwhile, for the page."""
    meanwhile: tuple[str, ...] = ()
    """A command that works before the cure."""
    needs_root: bool = False


def type_in(place: Place, line: str) -> object:
    """Type a line into a shell at the top of the worktree."""
    return run_program(["sh", "-c", line], cwd=place.repo.path)


def bare(folder: Path) -> Place:
    return Place(Repo.clone(with_store(folder / "repo"), folder / "bare.git", "--bare"))


def look_from_worktree(place: Place) -> None:
    place.git("worktree", "add", "-q", "../tree")
    tree = Place(Repo(place.repo.path.parent / "tree"))
    assert tree.kb("recall", "harbour", "--json").json()


def sparse_without(folder: Path) -> Place:
    repo = Repo.clone(with_store(folder / "origin"), folder / "clone")
    repo.git("sparse-checkout", "set", "--cone", "src")
    assert not (repo.path / ".gitkb").exists()
    return Place(repo)


def deleted(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    shutil.rmtree(repo.path / ".gitkb")
    return Place(repo)


def of_another_user(folder: Path) -> Place:
    repo = with_store(folder / "it's")
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 12345, 12345)
    # sudo's variable makes git trust that user's files
    return Place(repo, {"SUDO_UID": ""})


def lender_gone(folder: Path) -> Place:
    repo = Repo.clone(with_store(folder / "origin"), folder / "clone", "--shared")
    repo.run("install")
    (folder / "origin").rename(folder / "moved")
    return Place(repo)


def name_the_lender(place: Place) -> None:
    path = place.repo.path / ".git" / "objects" / "info" / "alternates"
    path.write_text(path.read_text().replace("/origin/", "/moved/"))


def newer_format(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    repo.config("core.repositoryFormatVersion", "1")
    repo.config("extensions.unheardOf", "true")
    return Place(repo)


def forget_format(place: Place) -> None:
    # In place of a newer git, which is not to be had for a format that nobody has made yet.
    config = place.repo.path / ".git" / "config"
    config.write_text(config.read_text().replace("unheardOf", "noop"))


def leading_out(folder: Path) -> Place:
    place = plain(folder)
    private = with_store(folder / "private")
    (place.repo.path / ".gitkb").symlink_to(private.path / ".gitkb")
    return place


def leading_nowhere(folder: Path) -> Place:
    place = plain(folder)
    (place.repo.path / ".gitkb").symlink_to("nowhere")
    return place


def put_a_folder(place: Place) -> None:
    (place.repo.path / ".gitkb").unlink()
    place.kb("init")


def folder_ignored(*rules: str) -> Callable[[Path], Place]:
    """A repository whose .gitignore has such rules, and a store that was made in spite of them."""

    def make(folder: Path) -> Place:
        repo = begun(folder / "repo")
        repo.write(".gitignore", "".join(f"{rule}\n" for rule in rules))
        repo.git("add", "-f", ".gitignore")
        repo.git("commit", "-q", "-m", "Ignore")
        said = repo.run("init", "--shards", "1").stderr
        assert f"(rule .gitignore:{len(rules)}:{rules[-1]})" in said
        return Place(repo)

    return make


def take_the_doctors_cures(place: Place) -> None:
    """Do what the doctor says until it has nothing more to say of ignored files."""
    for _ in range(4):
        findings = place.kb("doctor", "--json", exit_code=None).json()
        cures = [finding["cure"] for finding in findings if finding["code"] == "ignored"]
        if not any(cures):
            break
        type_in(place, cures[0])
    place.kb("add", stdin=json.dumps({"key": "k", "type": "fact", "content": "The harbour."}))
    place.git("add", "-A")
    place.git("commit", "-q", "-m", "Know it")
    names = place.git("ls-tree", "-r", "--name-only", "HEAD").lines()
    for name in (".gitattributes", ".gitignore", "config.toml", "knowledge/all.jsonl"):
        assert f".gitkb/{name}" in names


def flagged(flag: str) -> Callable[[Path], Place]:
    def make(folder: Path) -> Place:
        repo = with_store(folder / "repo")
        repo.git("update-index", f"--{flag}", ".gitkb/knowledge/all.jsonl")
        return Place(repo)

    return make


def submodule_without(folder: Path) -> Place:
    above = with_store(folder / "above")
    part = begun(folder / "part")
    above.git(*FILE_TRANSPORT, "submodule", "--quiet", "add", str(part.path), "part")
    return Place(Repo(above.path / "part"))


def branch_without(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    repo.git("checkout", "-q", "-b", "old", "HEAD~2")
    return Place(repo)


def half_named(folder: Path) -> Place:
    bare_one = Repo.init(folder / "home.git", bare=True)
    bare_one.config("core.bare", "false")
    (folder / "home").mkdir()
    return Place(Repo(folder / "home"), {"GIT_DIR": str(bare_one.path)})


def name_both(place: Place) -> None:
    env = {**place.env, "GIT_WORK_TREE": str(place.repo.path)}
    place._replace(env=env).kb("init")


def remote_away(folder: Path) -> Place:
    origin = with_store(folder / "origin")
    origin.config("uploadpack.allowFilter", "true")
    origin.config("core.hooksPath", "none")
    for number in range(12):
        line = (
            f'{{"key":"older","type":"fact","content":"The harbour.","created":1,"ts":{number}}}\n'
        )
        origin.write(".gitkb/knowledge/all.jsonl", line)
        origin.git("commit", "-q", "-a", "-m", f"Change {number}")
    repo = Repo.clone(origin.path.as_uri(), folder / "clone", "--filter=blob:none")
    repo.run("install")
    origin.path.rename(folder / "away")
    return Place(repo)


def bring_back(place: Place) -> None:
    folder = place.repo.path.parent
    (folder / "away").rename(folder / "origin")


def case_twins(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    repo.write(".gitkb/knowledge/ALL.jsonl", b"")
    return Place(repo)


def corrupted_head(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    commit = repo.head()
    path = repo.path / ".git" / "objects" / commit[:2] / commit[2:]
    path.rename(folder / "commit")
    return Place(repo)


def restore_head(place: Place) -> None:
    commit = (place.repo.path / ".git" / "refs" / "heads" / "main").read_text().strip()
    path = place.repo.path / ".git" / "objects" / commit[:2] / commit[2:]
    (place.repo.path.parent / "commit").rename(path)


def main_moved(folder: Path) -> Place:
    main = with_store(folder / "main")
    side = main.worktree(folder / "side", "side")
    main.path.rename(folder / "moved")
    return Place(side)


def repair(place: Place) -> None:
    moved = Repo(place.repo.path.parent / "moved")
    assert not (place.repo.path.parent / "main").exists()  # nothing of ours made it anew
    moved.git("worktree", "repair", str(place.repo.path))


def taken_for_bare(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    repo.config("core.bare", "true")
    return Place(repo)


def above_worktrees(folder: Path) -> Place:
    place = bare_hidden(folder)
    return Place(Repo(place.repo.path.parent))


def filtered(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.write(".gitattributes", "*.jsonl filter=turn\n")
    for name in ("clean", "smudge"):
        repo.config(f"filter.turn.{name}", "tr a-z n-za-m")
    repo.run("init", "--shards", "1")
    return Place(repo)


def empty_hooks_path(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    repo.config("core.hooksPath", "")
    return Place(repo)


def silent_hook(folder: Path) -> Place:
    repo = with_store(folder / "repo")
    (repo.path / ".git" / "hooks" / "broken.py").write_text("raise SystemExit(0)\n")
    repo.config("gitkb.hook", str(repo.path / ".git" / "hooks" / "broken.py"))
    return Place(repo)


REFUSALS = (
    Refusal(
        "a bare repository", bare, ("recall", "harbour"), 6, "is a bare repository",
        "git worktree add ../tree", look_from_worktree, (), "`gitkb install`: the driver for all its worktrees",
        ("install",),
    ),
    Refusal(
        "a sparse checkout without `.gitkb`", sparse_without, ("recall", "harbour"), 4,
        "is not checked out", "git sparse-checkout add .gitkb",
        lambda place: type_in(place, "git sparse-checkout add .gitkb"),
    ),
    Refusal(
        "`.gitkb` deleted and still in git", deleted, ("list",), 4, "is not checked out",
        "git checkout -- .gitkb", lambda place: type_in(place, "git checkout -- .gitkb"),
    ),
    Refusal(
        "a branch without a store", branch_without, ("recall", "harbour"), 4, "no knowledge base",
        "the branch 'main' has one: git merge main",
        lambda place: type_in(place, "git merge -q main"),
    ),
    Refusal(
        "a submodule without a store, its project has one", submodule_without, ("recall", "harbour"),
        4, "no knowledge base", "has one: --dir '{place}/..'",
        lambda place: place.kb("--dir", "..", "recall", "harbour"), (),
    ),
    Refusal(
        "a repository of another user", of_another_user, ("blame", "older"), 6,
        "belongs to another user", "git config --global --add safe.directory",
        lambda place: type_in(place, hint_of(place, "blame", "older").partition(": ")[2]),
        ("blame", "older"), "`recall`, `show`, `list`, `add`", ("recall", "harbour"), needs_root=True,
    ),
    Refusal(
        "a lender of objects is gone", lender_gone, ("blame", "older"), 6, "alternate object path",
        "gitkb doctor says which repository lent them", name_the_lender, ("blame", "older"),
        "`recall`, `add`; no commits", ("recall", "harbour"),
    ),
    Refusal(
        "a format newer than this git", newer_format, ("blame",), 6, "unknown repository extension",
        "upgrade git", forget_format, ("blame",), "`recall`, `add`", ("recall", "harbour"),
    ),
    Refusal(
        "`.gitkb` a link that leads out", leading_out, ("list",), 5, "a link that leads out of the repository",
        "put a folder in its place", put_a_folder, ("list",),
    ),
    Refusal(
        "`.gitkb` a link that leads nowhere", leading_nowhere, ("init",), 5,
        "a link that leads out of the repository", "put a folder in its place", put_a_folder, ("list",),
    ),
    Refusal(
        "`.gitkb/` ignored by the project", folder_ignored("build/", ".gitkb/"), ("doctor",), 1,
        "(rule .gitignore:2:.gitkb/)", "printf '%s\\n' '!/.gitkb/' >> .gitignore", take_the_doctors_cures,
        ("doctor",), "everything on this machine; nothing is committed", ("list",),
    ),
    Refusal(
        "everything with a dot ignored", folder_ignored("!.gitignore", ".*"), ("doctor",), 1,
        "(rule .gitignore:2:.*)", "printf '%s\\n' '!/.gitkb/' >> .gitignore", take_the_doctors_cures,
        ("doctor",), "the same", ("list",),
    ),
    Refusal(
        "`skip-worktree`", flagged("skip-worktree"), ("doctor",), 1, "is marked skip-worktree",
        "git update-index --no-skip-worktree -- '.gitkb/knowledge/all.jsonl'",
        lambda place: type_in(place, "git update-index --no-skip-worktree -- '.gitkb/knowledge/all.jsonl'"),
        ("doctor",), "everything; git commits nothing of it", ("recall", "harbour"),
    ),
    Refusal(
        "`assume-unchanged`", flagged("assume-unchanged"), ("doctor",), 1, "is marked assume-unchanged",
        "git update-index --no-assume-unchanged -- '.gitkb/knowledge/all.jsonl'",
        lambda place: type_in(place, "git update-index --no-assume-unchanged -- '.gitkb/knowledge/all.jsonl'"),
        ("doctor",), "everything; git commits nothing of it", ("recall", "harbour"),
    ),
    Refusal(
        "a partial clone whose remote is away", remote_away, ("blame",), 6,
        "this partial clone lacks", "make 'origin' reachable once", bring_back, ("blame",),
        "`recall`, `add`, commits", ("add", "--type", "fact", "--content", "x"),
    ),
    Refusal(
        "an object of HEAD is missing", corrupted_head, ("doctor",), 1, "the commit at HEAD cannot be read",
        "git fsck names what is missing", restore_head, ("doctor",), "`recall`, `add`", ("recall", "harbour"),
    ),
    Refusal(
        "two data files that differ in case alone", case_twins, ("check",), 1, "in case alone",
        "move its lines to the other file, git rm it",
        lambda place: type_in(place, "rm .gitkb/knowledge/ALL.jsonl"), ("check",), "everything on this machine",
        ("recall", "harbour"),
    ),
    Refusal(
        "a linked worktree whose repository was moved", main_moved, ("blame",), 6, "not a git repository: ",
        "git worktree repair FOLDER", repair, ("blame",), "`recall`, `add`", ("recall", "harbour"),
    ),
    Refusal(
        "the folder above the worktrees of `.bare`", above_worktrees, ("init",), 6, "is a bare repository",
        "git worktree add ../tree", lambda place: Repo(place.repo.path / "tree").run("init"), (),
    ),
    Refusal(
        "`core.bare` set by mistake", taken_for_bare, ("doctor",), 1, "takes this repository for a bare one",
        "git config core.bare false", lambda place: type_in(place, "git config core.bare false"),
        ("doctor",), "`recall`, `add`; no commits", ("recall", "harbour"),
    ),
    Refusal(
        "a filter on `*.jsonl` (git-lfs, git-crypt)", filtered, ("doctor",), 1,
        "filter is 'turn'", "printf '%s\\n' '*.jsonl -filter' >> '.gitkb/.gitattributes'",
        lambda place: type_in(place, "printf '%s\\n' '*.jsonl -filter' >> '.gitkb/.gitattributes'"),
        ("doctor",), "everything on this machine; commits are refused", ("list",),
    ),
    Refusal(
        "an empty `core.hooksPath`", empty_hooks_path, ("install",), 6, "The empty string is not a valid path",
        "git config --show-origin core.hooksPath",
        lambda place: type_in(place, "git config --unset core.hooksPath"), ("install",), "everything but hooks",
        ("recall", "harbour"),
    ),
    Refusal(
        "`GIT_DIR` without `GIT_WORK_TREE`", half_named, ("init",), 6, "cannot tell where the worktree",
        "set GIT_WORK_TREE too", name_both, (),
    ),
    Refusal(
        "a hook that does not reach gitkb", silent_hook, ("doctor",), 1, "does not reach gitkb",
        "gitkb install", lambda place: place.kb("install"), ("doctor",),
        "everything; nothing is checked at the commit", ("recall", "harbour"),
    ),
)  # fmt: skip


def hint_of(place: Place, *words: str) -> str:
    """The hint that a command gives, without its label."""
    said = place.kb(*words, exit_code=None).stderr
    [line] = [line for line in said.splitlines() if line.startswith("hint: ")]
    return line.removeprefix("hint: ")
