"""Everything that git does to files of two branches, each as one operation on the world of `history_world`.

An operation is given a clone that stands on `main`, with `base`, `topic`, `line` and `joined` beside it. It
prepares with steps that must succeed, does its one thing however that ends, and answers where the store is
to be found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from history_world import corrected
from repo_builder import Repo, run_program

STORE = ".gitkb"
WHOLE = "nothing"
MOVE = "git does not find small files again that were moved and changed: abort, and do as in the next row"
RESOLVE = "`gitkb resolve`, or the recipe above"


class Ended(NamedTuple):
    """How git ended, and where the store is now: a folder below the worktree, or ``tree:ID``."""

    exit_code: int
    store: str = STORE


class Operation(NamedTuple):
    """One thing that git can do."""

    name: str
    """As a person would type it, and as the page shows it."""
    run: Callable[[Repo], Ended]
    """Does it, however that ends."""
    advice: str = WHOLE
    """What to do where the driver runs."""
    bare_advice: str = WHOLE
    """What to do in a clone without driver and hooks."""
    goes_on: tuple[str, ...] = ()
    """What makes git go on after a conflict; empty where the recipe does not fit."""
    needs: tuple[str, ...] = ()
    """A command of git that not every git has."""


def _do(*commands: str, before: tuple[str, ...] = ()) -> Callable[[Repo], Ended]:
    """Run commands of git: those before must succeed, and after one that does not nothing more is done."""

    def run(repo: Repo) -> Ended:
        for command in before:
            repo.git(*command.split())
        code = 0
        for command in commands:
            code = repo.git(*command.split(), exit_code=None).exit_code
            if code:
                break
        return Ended(code)

    return run


def _end(repo: Repo, *arguments: str, store: str = STORE, **more: Any) -> Ended:
    return Ended(repo.git(*arguments, exit_code=None, **more).exit_code, store)


def _rebase(*options: str, editor: str = "true") -> Callable[[Repo], Ended]:
    def run(repo: Repo) -> Ended:
        repo.checkout("topic")
        order = {"GIT_SEQUENCE_EDITOR": editor}
        return _end(repo, "rebase", *options, "main", env=order)

    return run


def _autosquash(repo: Repo) -> Ended:
    repo.checkout("topic")
    corrected(repo)
    repo.add()
    repo.git("commit", "-q", "--fixup", "HEAD~2")
    return _end(repo, "rebase", "-i", "--autosquash", "main")


def _amend(repo: Repo) -> Ended:
    repo.checkout("joined")
    corrected(repo)
    repo.add()
    return _end(repo, "commit", "-q", "--amend", "--no-edit")


def _merge_tree(repo: Repo) -> Ended:
    said = repo.git("merge-tree", "--write-tree", "main", "topic", exit_code=None)
    return Ended(said.exit_code, f"tree:{said.lines()[0]}")


def _mail(*options: str, onto: str) -> Callable[[Repo], Ended]:
    def run(repo: Repo) -> Ended:
        repo.checkout(onto)
        patches = repo.git("format-patch", "--stdout", "base..topic").stdout
        return _end(repo, "am", *options, stdin=patches)

    return run


def _apply(repo: Repo) -> Ended:
    patch = repo.git("diff", "--no-textconv", "base", "topic").stdout
    return _end(repo, "apply", "-3", stdin=patch)


def _uncommitted(repo: Repo) -> None:
    """Stand on `base` with all that topic did in the work tree and in no commit."""
    repo.checkout("base")
    repo.git("read-tree", "-u", "-m", "base", "topic")


def _stash(verb: str) -> Callable[[Repo], Ended]:
    def run(repo: Repo) -> Ended:
        _uncommitted(repo)
        repo.git("stash", "-q")
        repo.checkout("main")
        return _end(repo, "stash", verb, "-q")

    return run


def _checkout_m(repo: Repo) -> Ended:
    _uncommitted(repo)
    repo.git("reset", "-q")
    return _end(repo, "checkout", "-q", "-m", "main")


def _revert_of_revert(repo: Repo) -> Ended:
    repo.checkout("line")
    ended = _end(repo, "revert", "--no-edit", "base..topic")
    return ended if ended.exit_code else _end(repo, "revert", "--no-edit", "HEAD~3..HEAD")


def _revert_of_an_addition(repo: Repo) -> Ended:
    repo.checkout("topic")
    corrected(repo, "topic-new")
    repo.commit("Edit what was added")
    return _end(repo, "revert", "--no-edit", "HEAD~1")


def _subtree(*options: str) -> Callable[[Repo], Ended]:
    def run(repo: Repo) -> Ended:
        repo.checkout("host")
        return _end(repo, "merge", "-q", "--no-edit", *options, "topic", store="lib/.gitkb")

    return run


def _filter_branch(repo: Repo) -> Ended:
    move = "mkdir -p ../new/kb && mv .gitkb ../new/kb/ && mv ../new/kb . && rm -rf ../new"
    quiet = {"FILTER_BRANCH_SQUELCH_WARNING": "1"}
    refs = ("base", "main", "topic")
    wanted = f"if test -d .gitkb; then {move}; fi"
    repo.git("filter-branch", "--tree-filter", wanted, "--", *refs, env=quiet)
    return _end(repo, "merge", "-q", "--no-edit", "topic", store="kb/.gitkb")


def _filter_repo(repo: Repo) -> Ended:
    repo.git("filter-repo", "--force", "--quiet", "--path-rename", ".gitkb/:kb/.gitkb/")
    return _end(repo, "merge", "-q", "--no-edit", "topic", store="kb/.gitkb")


def _moved_here(repo: Repo) -> Ended:
    _move_store(repo)
    return _end(repo, "merge", "-q", "--no-edit", "topic", store="kb/.gitkb")


def _moved_there(repo: Repo) -> Ended:
    repo.checkout("topic")
    _move_store(repo)
    repo.checkout("main")
    return _end(repo, "merge", "-q", "--no-edit", "topic", store="kb/.gitkb")


def _merged_up_to_the_move(repo: Repo) -> Ended:
    _move_store(repo)
    repo.checkout("topic")
    ended = _end(repo, "merge", "-q", "--no-edit", "main~1")
    if ended.exit_code:
        return ended
    move = ("-c", "merge.directoryRenames=true")
    return _end(repo, *move, "merge", "-q", "--no-edit", "main", store="kb/.gitkb")


def _move_store(repo: Repo) -> None:
    repo.write("kb/README", "Here it is.\n")
    repo.git("mv", ".gitkb", "kb/.gitkb")
    repo.commit("Move the store")


def _replay(repo: Repo) -> Ended:
    said = repo.git("replay", "--onto", "main", "base..topic", exit_code=None)
    if said.stdout:  # from git 2.52 on it updates the branch itself
        repo.git("update-ref", "--stdin", stdin=said.stdout)
    if said.exit_code == 0:
        repo.checkout("topic")
    return Ended(said.exit_code)


def _pull(*options: str, local: str) -> Callable[[Repo], Ended]:
    def run(repo: Repo) -> Ended:
        repo.git("checkout", "-q", "-B", "main", local)
        repo.git("branch", "-q", "--set-upstream-to=origin/main")
        return _end(repo, "pull", "-q", "--no-edit", *options)

    return run


def add_branches(repo: Repo) -> None:
    """The branches that single operations need besides: made where a driver runs."""
    line = '{"key":"%s","type":"fact","title":"%s","content":"Apart."}'
    for branch in ("apart", "apart-too"):
        repo.git("checkout", "-q", "-b", branch, "base")
        repo.run("add", stdin=line % (branch, branch))
        repo.commit(branch)
    for branch, tags in (("one", "x"), ("other", "y")):
        repo.git("checkout", "-q", "-b", branch, "base")
        repo.run(
            "add", stdin=f'{{"key":"quiet","type":"fact","content":"{tags}","tags":["{tags}"]}}'
        )
        repo.commit(branch)
    for branch, start, other, picked in (
        ("cross-main", "one", "other", "base..main"),
        ("cross-topic", "other", "one", "base..topic"),
    ):
        repo.git("checkout", "-q", "-b", branch, start)
        repo.merge(other)
        repo.git("cherry-pick", picked)
    repo.git("checkout", "-q", "-b", "squashed", "main")
    repo.git("merge", "-q", "--squash", "topic")
    repo.git("commit", "-q", "-m", "Squashed")
    repo.git("checkout", "-q", "--orphan", "begun", "main")
    repo.git("commit", "-q", "-m", "Begun anew")
    repo.git("checkout", "-q", "--orphan", "host", "main")
    repo.git("rm", "-rfq", ".")
    repo.write("HOST", "A larger project.\n")
    repo.commit("Host")
    repo.git("merge", "-s", "ours", "--no-commit", "--allow-unrelated-histories", "main")
    repo.git("read-tree", "--prefix=lib/", "-u", "main")
    repo.git("commit", "-q", "-m", "Take it in under lib")
    repo.checkout("main")


MERGE = ("commit", "--no-edit")
REVERSED = 'sh -c \'grep ^pick "$1" | sed "1!G;h;\\$!d" >"$1.new" && mv "$1.new" "$1"\' -'

OPERATIONS: dict[str, list[Operation]] = {
    "Merges": [
        Operation(
            "git merge topic", _do("merge --no-edit topic"), bare_advice=RESOLVE, goes_on=MERGE
        ),
        Operation(
            "git merge --no-commit topic, git commit",
            _do("merge --no-commit topic", "commit -q --no-edit"),
            bare_advice=RESOLVE,
            goes_on=MERGE,
        ),
        Operation(
            "git merge --squash topic, git commit",
            _do("merge -q --squash topic", "commit -q -m Squash"),
            bare_advice=RESOLVE,
            goes_on=("commit", "-q", "-m", "Squash"),
        ),
        Operation(
            "git merge topic, after a squash merge of it",
            _do("merge -q --no-edit topic", before=("checkout -q squashed",)),
            bare_advice=RESOLVE,
            goes_on=MERGE,
        ),
        Operation(
            "git merge, criss-cross (two bases)",
            _do("merge -q --no-edit cross-topic", before=("checkout -q cross-main",)),
            bare_advice=RESOLVE,
            goes_on=MERGE,
        ),
        Operation(
            "git merge --allow-unrelated-histories topic",
            _do(
                "merge -q --no-edit --allow-unrelated-histories topic",
                before=("checkout -q begun",),
            ),
            "there is no base: an entry that one side archived is alive; `gitkb check` names it",
            RESOLVE,
            MERGE,
        ),
        Operation(
            "git merge main, a fast-forward", _do("merge -q main", before=("checkout -q base",))
        ),
        Operation(
            "git merge topic apart (octopus), both changed an entry",
            _do("merge -q --no-edit topic apart"),
            "git changes nothing: merge the branches one at a time",
            "the same",
        ),
        Operation(
            "git merge topic apart (octopus), nothing in common",
            _do("merge -q --no-edit topic apart", before=("checkout -q apart-too",)),
        ),
        Operation(
            "git merge -s ours topic",
            _do("merge -q --no-edit -s ours topic"),
            "our hook stops the commit, for topic would be lost: `git merge --abort`; if that is meant,"
            " `git commit --no-verify`",
            "**all of topic is dropped**, as -s ours means; `gitkb check` names what was lost",
        ),
        Operation(
            "git merge -X ours topic",
            _do("merge -q --no-edit -X ours topic"),
            "git does not tell the driver of -X: both sides are merged",
            "**lines of topic are dropped silently**: do without -X; `gitkb check` names them",
        ),
        Operation(
            "git merge -X theirs topic",
            _do("merge -q --no-edit -X theirs topic"),
            "as with -X ours",
            "**lines of main are dropped silently**: do without -X; `gitkb check` names them",
        ),
        Operation(
            "git merge -s resolve topic",
            _do("merge -q --no-edit -s resolve topic"),
            "this strategy calls no driver: `git merge --abort`, and merge without -s",
            "the same, after `gitkb install`",
        ),
        Operation(
            "git merge -X subtree=lib topic",
            _subtree("-X", "subtree=lib"),
            bare_advice=RESOLVE,
            goes_on=MERGE,
        ),
        Operation(
            "git merge -s subtree topic",
            _subtree("-s", "subtree"),
            bare_advice=RESOLVE,
            goes_on=MERGE,
        ),
        Operation(
            "git merge-tree --write-tree main topic",
            _merge_tree,
            bare_advice="`gitkb check --merge main topic` merges as the driver would",
        ),
        Operation(
            "git merge topic, main moved the folder of the store",
            _moved_here,
            MOVE,
            MOVE,
        ),
        Operation(
            "git merge topic, topic moved the folder of the store",
            _moved_there,
            MOVE,
            MOVE,
        ),
        Operation(
            "git merge main~1, git -c merge.directoryRenames=true merge main (main~1 is before the move)",
            _merged_up_to_the_move,
            bare_advice=RESOLVE,
        ),
    ],
    "Rebases and picks": [
        Operation(
            "git rebase main",
            _rebase("--merge"),
            bare_advice=RESOLVE,
            goes_on=("rebase", "--continue"),
        ),
        Operation(
            "git rebase --apply main",
            _rebase("--apply"),
            bare_advice=RESOLVE,
            goes_on=("rebase", "--continue"),
        ),
        Operation(
            "git rebase -i main, commits in another order",
            _rebase("-i", editor=REVERSED),
            bare_advice=RESOLVE,
            goes_on=("rebase", "--continue"),
        ),
        Operation(
            "git rebase -i --autosquash main",
            _autosquash,
            bare_advice=RESOLVE,
            goes_on=("rebase", "--continue"),
        ),
        Operation(
            "git pull --rebase",
            _pull("--rebase", local="topic"),
            bare_advice=RESOLVE,
            goes_on=("rebase", "--continue"),
        ),
        Operation(
            "git pull (a merge)",
            _pull("--no-rebase", local="topic"),
            bare_advice=RESOLVE,
            goes_on=MERGE,
        ),
        Operation("git pull --ff-only", _pull("--ff-only", local="base")),
        Operation(
            "git cherry-pick base..topic",
            _do("cherry-pick base..topic"),
            bare_advice=RESOLVE,
            goes_on=("cherry-pick", "--continue"),
        ),
        Operation(
            "git replay --onto main base..topic",
            _replay,
            bare_advice="git changes nothing where it would conflict: rebase instead",
            needs=("replay",),
        ),
        Operation("git commit --amend", _amend),
    ],
    "Taking back": [
        Operation(
            "git revert of topic's commits, main's after them",
            _do("revert --no-edit base..topic", before=("checkout -q line",)),
            "what topic deleted, archived or moved is back, as it was meant; a field that main changed after"
            " topic is contested",
            RESOLVE,
        ),
        Operation(
            "git revert of the commit that added an entry, edited since",
            _revert_of_an_addition,
            "git asks no driver about a file that it would remove: `gitkb resolve`, and go on; the edited entry stays",
            "`gitkb resolve`, and go on; the edited entry stays",
        ),
        Operation("git revert of these reverts", _revert_of_revert, bare_advice=RESOLVE),
        Operation(
            "git revert -m 1 of the merge",
            _do("revert --no-edit -m 1 HEAD", before=("checkout -q joined",)),
        ),
        Operation(
            "git merge topic again, after that revert",
            _do(
                "merge -q --no-edit topic",
                before=("checkout -q joined", "revert --no-edit -m 1 HEAD"),
            ),
            "git has merged these commits and brings nothing: revert the revert instead",
            "revert the revert instead",
        ),
        Operation("git reset --hard topic", _do("reset -q --hard topic")),
        Operation(
            "git checkout topic -- .gitkb",
            _do("checkout -q topic -- .gitkb"),
            "takes main's changes of the same files away: merge instead",
            "merge instead",
        ),
    ],
    "Patches and the stash": [
        Operation("git format-patch, git am on base", _mail(onto="base")),
        Operation(
            "git format-patch, git am on main",
            _mail(onto="main"),
            "git applies nothing where main changed an entry too: `git am --abort`, then `git am -3`",
            "`git am --abort`, then `git am -3`",
        ),
        Operation(
            "git format-patch, git am -3 on main",
            _mail("-3", onto="main"),
            bare_advice=RESOLVE,
            goes_on=("am", "--continue"),
        ),
        Operation("git diff --no-textconv base topic, git apply -3", _apply, bare_advice=RESOLVE),
        Operation("git stash pop", _stash("pop"), bare_advice=RESOLVE, goes_on=("stash", "drop")),
        Operation("git stash apply", _stash("apply"), bare_advice=RESOLVE, goes_on=("status",)),
        Operation("git checkout -m main", _checkout_m, bare_advice=RESOLVE, goes_on=("status",)),
    ],
    "Rewriting history": [
        Operation(
            "git filter-branch that moves the folder, then git merge topic",
            _filter_branch,
            bare_advice=RESOLVE,
        ),
        Operation(
            "git filter-repo that moves the folder, then git merge topic",
            _filter_repo,
            bare_advice=RESOLVE,
            needs=("filter-repo",),
        ),
    ],
}


def has_command(name: str, repo: Repo) -> bool:
    """Whether this git has a command."""
    said = run_program(["git", name, "-h"], cwd=repo.path, exit_code=None)
    return "is not a git command" not in said.stderr
