"""Every kind of repository that git can make, as folders to work in.

1. A `Kind` is a value: its name, how it is made, since which git, and what a user has to know.
2. A kind is made by the git program alone, never by writing into a git folder what git would write.
3. What a kind answers otherwise than a plain repository does is declared here, in `but`; the matrix
   test holds it against what happens, and the page for users is written from it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from repo_builder import BEN, Repo, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

SUBMODULES = ("git-sh-setup", "git-submodule")
FILE_TRANSPORT = ("-c", "protocol.file.allow=always")


class Place(NamedTuple):
    """Where a user of such a repository works, and with which environment."""

    repo: Repo
    env: Mapping[str, str] = {}
    setup: tuple[str, ...] = ("init", "--shards", "1")
    """What the user types first: in a clone of a repository with a store it is `install`."""
    store: str = ".gitkb"
    """The store's folder from the top of the worktree."""
    gitkb_env: Mapping[str, str] = {}
    """What gitkb is started with beside `env`, and git is not."""

    def git(self, *arguments: str, exit_code: int | None = 0) -> Result:
        """Run git as the user does."""
        return self.repo.git(*arguments, exit_code=exit_code, env=self.env)

    def kb(self, *arguments: str, exit_code: int | None = 0, stdin: str | None = None) -> Result:
        """Run gitkb as the user does."""
        env = {**self.env, **self.gitkb_env}
        return self.repo.run(*arguments, exit_code=exit_code, env=env, stdin=stdin)

    def data_file(self) -> Path:
        """The one data file of a store in one shard."""
        return self.repo.path / self.store / "knowledge" / "all.jsonl"


class Kind(NamedTuple):
    """One kind of repository."""

    name: str
    make: Callable[[Path], Place]
    note: str = ""
    """What a user has to know, in a few words."""
    since: tuple[int, int] = (2, 31)
    """The first git that can make it."""
    needs: tuple[str, ...] = ()
    """Programs of git's that it is made with, where some gits come without."""
    but: Mapping[str, str] = {}
    """What a column says instead of `yes`; `from 2.54` is yes from that git on and something else before."""


def begun(path: Path, *options: str) -> Repo:
    """A repository with one commit and no store."""
    repo = Repo.init(path, *options)
    repo.write("README", "A project.\n")
    repo.commit("Begin")
    return repo


def with_store(path: Path, *options: str) -> Repo:
    """A repository with a store that holds one entry, which Ben wrote; two commits."""
    repo = begun(path, *options)
    repo.run("init", "--shards", "1")
    repo.kb_add(key="older", type_="fact", content="The harbour freezes in January.")
    repo.add()
    repo.git("commit", "-q", "-m", "Know the harbour", person=BEN)
    repo.write("src/main.c", "int main;\n")
    repo.commit("Code")
    return repo


# --- worktrees -------------------------------------------------------------------------------


def plain(folder: Path) -> Place:
    return Place(begun(folder / "repo"))


def unborn(folder: Path) -> Place:
    return Place(Repo.init(folder / "repo"))


def detached(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.git("checkout", "-q", "--detach")
    return Place(repo)


def deeper(folder: Path) -> Place:
    repo = begun(folder / "repo")
    (repo.path / "part").mkdir()
    env = {"GITKB_DIR": str(repo.path / "part")}
    return Place(repo, env, store="part/.gitkb")


def linked(folder: Path) -> Place:
    return Place(begun(folder / "worktrees").worktree(folder / "linked", "side-tree"))


def linked_relative(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.git("worktree", "add", "-q", "--relative-paths", "-b", "side-tree", "../linked")
    return Place(Repo(folder / "linked"))


def linked_to_bare(folder: Path) -> Place:
    bare = Repo.clone(begun(folder / "repo"), folder / "bare.git", "--bare")
    bare._set_identity()
    return Place(bare.worktree(folder / "tree", "side-tree"))


def bare_hidden(folder: Path) -> Place:
    """The layout in which a bare repository lies as `.bare` beside its worktrees."""
    Repo.clone(begun(folder / "origin"), folder / "project" / ".bare", "--bare")
    (folder / "project" / ".git").write_text("gitdir: ./.bare\n")
    top = Repo(folder / "project")
    return Place(top.worktree(folder / "project" / "tree", "side-tree"))


def separate(folder: Path) -> Place:
    repo = begun(folder / "repo", f"--separate-git-dir={folder / 'elsewhere.git'}")
    return Place(repo)


def core_worktree(folder: Path) -> Place:
    bare = Repo.init(folder / "store.git", bare=True)
    (folder / "tree").mkdir()
    bare.config("core.bare", "false")
    bare.config("core.worktree", str(folder / "tree"))
    (folder / "tree" / ".git").write_text(f"gitdir: {bare.path}\n")
    return Place(Repo(folder / "tree"))


def named_by_environment(folder: Path) -> Place:
    """The way of people who keep their home folder under git."""
    bare = Repo.init(folder / "home.git", bare=True)
    bare.config("core.bare", "false")
    home = folder / "home"
    home.mkdir()
    env = {"GIT_DIR": str(bare.path), "GIT_WORK_TREE": str(home)}
    return Place(Repo(home), env)


def foreign_environment(folder: Path) -> Place:
    """What a hook of another repository hands down to whatever it starts; git itself is not told."""
    other = begun(folder / "other")
    index = other.path / ".git" / "index"
    foreign = {"GIT_DIR": str(other.path / ".git"), "GIT_INDEX_FILE": str(index)}
    return Place(begun(folder / "repo"), gitkb_env=foreign)


# --- submodules ------------------------------------------------------------------------------


def submodule(folder: Path) -> Place:
    above = begun(folder / "above")
    part = begun(folder / "part")
    above.git(*FILE_TRANSPORT, "submodule", "--quiet", "add", str(part.path), "part")
    above.commit("Take in a part")
    repo = Repo(above.path / "part")
    repo._set_identity()
    return Place(repo)


def superproject(folder: Path) -> Place:
    return Place(Repo(submodule(folder).repo.path.parent))


def moved_submodule(folder: Path) -> Place:
    place = submodule(folder)
    above = Repo(place.repo.path.parent)
    place.kb(*place.setup)
    (above.path / "lib").mkdir()
    above.git("mv", "part", "lib/part")
    above.commit("Move the part")
    return place._replace(repo=Repo(above.path / "lib" / "part"))


# --- clones that lack something --------------------------------------------------------------


def clone(folder: Path, *options: str) -> Repo:
    origin = with_store(folder / "origin")
    origin.config("uploadpack.allowFilter", "true")
    origin.config("uploadpack.allowAnySHA1InWant", "true")
    return Repo.clone(origin.path.as_uri(), folder / "clone", *options)


def fresh_clone(folder: Path) -> Place:
    return Place(clone(folder), setup=("install",))


def shallow(folder: Path) -> Place:
    return Place(clone(folder, "--depth=1"), setup=("install",))


def blobless(folder: Path) -> Place:
    return Place(clone(folder, "--filter=blob:none"), setup=("install",))


def treeless(folder: Path) -> Place:
    return Place(clone(folder, "--filter=tree:0"), setup=("install",))


def shared_objects(folder: Path) -> Place:
    return Place(
        Repo.clone(with_store(folder / "origin"), folder / "clone", "--shared"), setup=("install",)
    )


def referenced_objects(folder: Path) -> Place:
    origin = with_store(folder / "origin")
    near = Repo.clone(origin, folder / "near.git", "--bare")
    repo = Repo.clone(origin.path.as_uri(), folder / "clone", "--reference", str(near.path))
    return Place(repo, setup=("install",))


def sparse(folder: Path) -> Place:
    repo = Repo.clone(with_store(folder / "origin"), folder / "clone", "--sparse")
    repo.git("sparse-checkout", "set", "--cone", ".gitkb")
    return Place(repo, setup=("install",))


def sparse_index(folder: Path) -> Place:
    place = sparse(folder)
    place.git("sparse-checkout", "init", "--cone", "--sparse-index")
    place.git("sparse-checkout", "set", ".gitkb")
    return place


def split_index(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.config("core.splitIndex", "true")
    repo.git("update-index", "--split-index")
    return Place(repo)


# --- formats ---------------------------------------------------------------------------------


def sha256(folder: Path) -> Place:
    return Place(begun(folder / "repo", "--object-format=sha256"))


def reftable(folder: Path) -> Place:
    return Place(begun(folder / "repo", "--ref-format=reftable"))


def worktree_config(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.config("extensions.worktreeConfig", "true")
    return Place(repo.worktree(folder / "linked", "side-tree"))


def index_v4(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.config("feature.manyFiles", "true")
    repo.config("index.skipHash", "true")
    return Place(repo)


def watched(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.write("watch", "#!/bin/sh\nprintf 'token\\0/\\0'\n").chmod(0o755)
    repo.commit("Watch")
    repo.config("core.fsmonitor", str(repo.path / "watch"))
    repo.config("core.untrackedCache", "true")
    return Place(repo)


def replaced(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.write("README", "Another.\n")
    repo.commit("Second")
    repo.git("replace", "--graft", "HEAD")
    return Place(repo)


# --- paths -----------------------------------------------------------------------------------


def odd_path(folder: Path) -> Place:
    return Place(begun(folder / 'it\'s a "100%" Проєкт $(x)'))


def no_utf8(folder: Path) -> Place:
    return Place(begun(folder / os.fsdecode(b"caf\xe9")))


def line_break(folder: Path) -> Place:
    return Place(begun(folder / "line\nbreak"))


def through_link(folder: Path) -> Place:
    begun(folder / "real")
    (folder / "link").symlink_to("real")
    return Place(Repo(folder / "link"))


def linked_store(folder: Path) -> Place:
    repo = begun(folder / "repo")
    (repo.path / "docs" / ".gitkb").mkdir(parents=True)
    (repo.path / ".gitkb").symlink_to("docs/.gitkb")
    return Place(repo, store="docs/.gitkb")


# --- configuration ---------------------------------------------------------------------------


def configured(**settings: str) -> Callable[[Path], Place]:
    """A plain repository with settings; `__` stands for the dot of a name."""

    def make(folder: Path) -> Place:
        repo = begun(folder / "repo")
        for name, value in settings.items():
            repo.config(name.replace("__", "."), value)
        return Place(repo)

    return make


def hooks_path(folder: Path) -> Place:
    repo = begun(folder / "repo")
    (folder / "hooks").mkdir()
    repo.config("core.hooksPath", str(folder / "hooks"))
    return Place(repo)


def own_hooks_folder(folder: Path) -> Place:
    """A team's hooks in the repository, which call gitkb as `gitkb install` says."""
    repo = begun(folder / "repo")
    repo.config("core.hooksPath", ".githooks")
    for name in (
        "pre-commit",
        "pre-merge-commit",
        "post-checkout",
        "post-merge",
        "post-rewrite",
        "post-commit",
    ):
        text = f'#!/bin/sh\nif command -v gitkb-hook >/dev/null; then gitkb-hook {name} "$@" || exit; fi\n'
        repo.write(f".githooks/{name}", text).chmod(0o755)
    repo.commit("Hooks")
    return Place(repo)


def own_attributes(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.write(".gitattributes", "* text eol=crlf\n*.jsonl binary merge=union\n")
    repo.commit("Attributes")
    return Place(repo)


def globally_ignored(folder: Path) -> Place:
    place = plain(folder)
    (folder / "ignore").write_text("*.jsonl\n")
    place.repo.config("core.excludesFile", str(folder / "ignore"))
    return place


def ignored_by_project(folder: Path) -> Place:
    repo = begun(folder / "repo")
    repo.write(".gitignore", "*.jsonl\nbuild/\n")
    repo.commit("Ignore")
    return Place(repo)


def odd_taste(folder: Path) -> Place:
    """Everything in a person's configuration that changes what git prints."""
    repo = begun(folder / "repo")
    for name, value in {
        "color.ui": "always", "color.status": "always", "diff.noprefix": "true",
        "diff.renames": "copies", "diff.algorithm": "patience", "diff.context": "9",
        "diff.interHunkContext": "9", "diff.external": "false", "diff.submodule": "log",
        "diff.colorMoved": "zebra", "diff.relative": "true", "log.showSignature": "true",
        "log.abbrevCommit": "true", "log.decorate": "full", "log.mailmap": "false",
        "log.date": "relative", "format.pretty": "oneline", "core.abbrev": "5",
        "core.quotePath": "true", "core.pager": "false", "core.editor": "false",
        "status.showUntrackedFiles": "no", "status.relativePaths": "false",
        "status.branch": "true", "status.short": "true", "i18n.logOutputEncoding": "latin1",
        "merge.conflictStyle": "diff3", "merge.log": "true", "merge.renormalize": "true", "pull.rebase": "true",
        "rerere.enabled": "true", "column.ui": "always", "advice.detachedHead": "false",
        "notes.displayRef": "refs/notes/*", "tag.gpgSign": "false", "core.warnAmbiguousRefs": "true",
    }.items():  # fmt: skip
        repo.config(name, value)
    return Place(repo)


KINDS = (
    Kind("a plain repository", plain),
    Kind("before the first commit", unborn),
    Kind("a detached HEAD", detached),
    Kind("a store deeper in the worktree", deeper, "`--dir` or `GITKB_DIR` names it"),
    Kind("a linked worktree", linked, "a search index each; driver and hooks are shared"),
    Kind("a linked worktree with relative paths", linked_relative, since=(2, 48)),
    Kind("a worktree of a bare repository", linked_to_bare),
    Kind("`.bare` beside its worktrees", bare_hidden),
    Kind("a git folder somewhere else", separate, "`--separate-git-dir`"),
    Kind("`core.worktree`", core_worktree),
    Kind("a home under `GIT_DIR` and `GIT_WORK_TREE`", named_by_environment, "both are needed"),
    Kind("`GIT_DIR`, `GIT_INDEX_FILE` of another one", foreign_environment, "they are not obeyed"),
    Kind("a submodule", submodule, "its own store, driver and hooks", needs=SUBMODULES),
    Kind("a project with submodules", superproject, "stores of submodules are not part of its own", needs=SUBMODULES),
    Kind("a submodule that was moved", moved_submodule, needs=SUBMODULES),
    Kind("a clone", fresh_clone, "`gitkb install` once"),
    Kind(
        "a shallow clone", shallow, "`git fetch --unshallow` brings the authors",
        but={"blame": "at or before", "doctor": "warns: history"},
    ),
    Kind("a partial clone, `blob:none`", blobless, "the first `blame` fetches, all at once"),
    Kind("a partial clone, `tree:0`", treeless, "the first `blame` fetches"),
    Kind("`clone --shared`", shared_objects, "the lender has to stay"),
    Kind("`clone --reference`", referenced_objects, "the lender has to stay"),
    Kind("a sparse checkout with `.gitkb`", sparse, "`git sparse-checkout add .gitkb`"),
    Kind("a sparse index", sparse_index, since=(2, 34)),
    Kind("a split index", split_index),
    Kind("SHA-256 objects", sha256),
    Kind("reftable", reftable, since=(2, 45)),
    Kind("`extensions.worktreeConfig`", worktree_config),
    Kind("index version 4, `index.skipHash`", index_v4, "`feature.manyFiles`"),
    Kind("`core.fsmonitor`, `core.untrackedCache`", watched),
    Kind("grafts, replaced commits", replaced, "`blame` names the commits as they were made"),
    Kind("a path with blanks, quotes, `$`, `%`, Cyrillic", odd_path),
    Kind("a path that is no UTF-8", no_utf8),
    Kind("a path with a line break", line_break),
    Kind("reached through a symbolic link", through_link),
    Kind("`.gitkb` a link within the repository", linked_store),
    Kind("`core.autocrlf=true`", configured(core__autocrlf="true", core__eol="crlf"), "lines end in LF"),
    Kind("`core.ignoreCase=true`", configured(core__ignoreCase="true")),
    Kind("`core.fileMode`, `core.symlinks` off", configured(core__fileMode="false", core__symlinks="false")),
    Kind("attributes of the project for `*` and `*.jsonl`", own_attributes, "those in `.gitkb` are nearer"),
    Kind("`safe.bareRepository=explicit`", configured(safe__bareRepository="explicit")),
    Kind("`core.sharedRepository=group`", configured(core__sharedRepository="group")),
    Kind(
        "`core.hooksPath` of a person", hooks_path, "`gitkb install` says which lines to add there",
        but={"hooks": "from 2.54", "doctor": "from 2.54"},
    ),
    Kind("`core.hooksPath` of the team", own_hooks_folder, "with those lines in it"),
    Kind("a global ignore rule `*.jsonl`", globally_ignored, "`init` writes a rule against it"),
    Kind("`*.jsonl` in the project's `.gitignore`", ignored_by_project, "the same"),
    Kind("a person's colours, pagers and formats", odd_taste),
)  # fmt: skip
