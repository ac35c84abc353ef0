"""Why there is no store here: a repository can have one that this worktree does not show."""

from __future__ import annotations

import os

from gitkb.errors import GitError, GitkbError, NotFoundError
from gitkb.git.repository import find_repository
from gitkb.store.discover import current_folder, find_worktree
from gitkb.store.layout import CONFIG_NAME, STORE_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.git.repository import Repository
    from gitkb.operations.install import InstallResult


def explain_absence(error: NotFoundError, directory: str | None = None) -> GitkbError:
    """Give the error that says more, or the one given where git knows nothing more.

    ``directory``: the store that was named; then nothing was looked for, and nothing is to explain.
    """
    if directory or os.environ.get("GITKB_DIR"):
        return error
    try:
        here = os.getcwd()
        repository = find_repository(find_worktree(here) or here)
        if repository is None:
            return error
        if repository.is_bare:
            return bare_error(repository)
        return _unseen(repository) or _above(repository, error) or _elsewhere(repository, error)
    except GitError as refusal:
        return refusal
    except OSError:
        return error


def install_bare(directory: str | None) -> InstallResult | None:
    """Set up a bare repository, for its worktrees and for merges that are made in it; None elsewhere."""
    if directory or os.environ.get("GITKB_DIR"):
        return None
    try:
        here = current_folder()
        repository = find_repository(find_worktree(here) or here)
    except GitError:
        return None  # whoever asks for the store says it
    if repository is None or not repository.is_bare:
        return None
    from gitkb.operations.install import install

    return install(repository.git_dir)


def bare_error(repository: Repository) -> GitError:
    """The error where git has no worktree: in a bare repository, or within a git folder."""
    return GitError(
        f"'{repository.git_dir}' is a bare repository: it has no files, and a store is files",
        "work in a worktree of it: git worktree add ../tree (gitkb install here sets up all of "
        "them); if it is no bare one: git config core.bare false",
    )


def _unseen(repository: Repository) -> NotFoundError | None:
    """A store that git has in the staging area, and that is not in the worktree."""
    config = f"{STORE_NAME}/{CONFIG_NAME}"
    listed = repository.ask("ls-files", "-t", "-z", "--", config).stdout
    if not listed:
        return None
    message = f"the knowledge base of '{repository.worktree}' is not checked out"
    if listed.startswith(b"S "):
        cone = repository.ask("config", "--type=bool", "core.sparseCheckoutCone").stdout
        wanted = STORE_NAME if cone.strip() != b"false" else f"'/{STORE_NAME}/'"
        return NotFoundError(message, f"git sparse-checkout add {wanted}")
    return NotFoundError(message, f"git checkout -- {STORE_NAME}")


def _above(repository: Repository, error: NotFoundError) -> NotFoundError | None:
    """A store in the project of which this repository is a submodule."""
    above = repository.superproject()
    if above is None or not os.path.isdir(os.path.join(above, STORE_NAME)):
        return None
    hint = f"{error.hint}; the project that holds it as a submodule has one: --dir '{above}'"
    return NotFoundError(error.message, hint)


def _elsewhere(repository: Repository, error: NotFoundError) -> NotFoundError:
    """A store on another branch."""
    refs = repository.refs("refs/heads") | repository.refs("refs/remotes")
    asked = "".join(f"{name}:{STORE_NAME}/{CONFIG_NAME}\n" for name in refs)
    answer = repository.run("cat-file", "--batch-check", feed=os.fsencode(asked))
    for name, line in zip(refs, answer.splitlines(), strict=False):
        if not line.endswith(b" missing"):
            short = name.removeprefix("refs/heads/").removeprefix("refs/remotes/")
            hint = f"the branch '{short}' has one: git merge {short}, or git switch {short}"
            return NotFoundError(error.message, hint)
    return error
