"""After git changed the files: the index is made ready, numbers are healed, and views written anew.

1. Whatever happens, a post-* hook ends with 0, within the time limit, and says at most one line, and one more
   where it wrote views or numbers, or where a revert brought back what was scrubbed.
2. A checkout of files and a step of a rebase only leave a mark; git calls us once for every pick. The
   scripts do the same without starting us; this is for hooks of other tools that call us.
3. A view is a file of the worktree that git knows, so a checkout writes none: the next one would stop at
   it. Nothing is staged.
"""

from __future__ import annotations

import os

from gitkb.hooks.place import derived_folder, stores
from gitkb.hooks.process import (
    TimeUpError,
    allowed_seconds,
    close_terminal,
    run_with_site_if_needed,
    set_limit,
)
from gitkb.hooks.report import log, report, say


def run(name: str, arguments: list[str]) -> int:
    """Do what follows from what git did."""
    folder = None
    try:
        if not stores():
            return 0
        folder = derived_folder()
        if folder is not None and _is_only_a_step(name, arguments, os.path.dirname(folder)):
            _mark_stale(folder)
            return 0
        close_terminal()
        set_limit(allowed_seconds(), folder)
        if name in ("post-merge", "post-commit") and arguments[:1] != ["1"]:  # 1: not committed yet
            run_with_site_if_needed(lambda: _heal_numbers(is_merge=True))
        elif name == "post-rewrite" and arguments[:1] == ["rebase"]:
            run_with_site_if_needed(lambda: _heal_numbers(is_merge=False))
        if name == "post-commit":
            run_with_site_if_needed(_tell_of_scrubbed)
        # pre-commit's framework calls us by one name for all; this is how it says what for.
        if name != "post-checkout" and "PRE_COMMIT_CHECKOUT_TYPE" not in os.environ:
            run_with_site_if_needed(_write_views)  # first, because a search index heals itself
        run_with_site_if_needed(_prepare_all)
    except TimeUpError:
        log(
            folder,
            name,
            f"stopped after {allowed_seconds():g} seconds; the next search does the rest",
        )
    except BaseException as error:  # noqa: BLE001  a hook is a face, and invariant 1 knows no exception
        if not isinstance(error, KeyboardInterrupt):
            report(folder, name, error)
    return 0


def _is_only_a_step(name: str, arguments: list[str], git_dir: str) -> bool:
    """A checkout of single files, or a pick within a rebase (after which post-rewrite comes)."""
    if name == "post-checkout" and arguments[2:3] == ["0"]:
        return True
    if name == "post-rewrite" and arguments[:1] == ["rebase"]:
        return False  # the end of the rebase; git removes its folder only afterwards
    return os.path.isdir(os.path.join(git_dir, "rebase-merge")) or os.path.isdir(
        os.path.join(git_dir, "rebase-apply")
    )


def _mark_stale(folder: str) -> None:
    """Leave the mark for the search index, which takes it away; where there is none, nothing is stale."""
    if os.path.isdir(folder):
        os.close(os.open(os.path.join(folder, "stale"), os.O_WRONLY | os.O_CREAT, 0o644))


def _prepare_all() -> int:
    from gitkb.operations.prepare import prepare

    top = os.getcwd()
    for store in stores():
        prepare(os.path.dirname(os.path.join(top, store)), allowed_seconds())
    return 0


def _heal_numbers(*, is_merge: bool) -> int:
    from gitkb.errors import GitkbError
    from gitkb.operations.prepare import heal_numbers

    top = os.getcwd()
    for store in stores():
        try:
            healed = heal_numbers(os.path.dirname(os.path.join(top, store)), is_merge=is_merge)
        except GitkbError:
            continue  # the next learning that is written does it
        if healed:
            named = ", ".join(f"{one.old} of '{one.key}' is {one.new}" for one in healed[:3])
            say(
                f"gitkb: both sides had given the same numbers: {named} now; git add .gitkb, and commit"
            )
    return 0


def _tell_of_scrubbed() -> int:
    from gitkb.errors import GitkbError
    from gitkb.operations.prepare import tell_unjudged

    try:
        found = tell_unjudged(os.getcwd())
    except GitkbError:  # as in a clone that lacks the content of HEAD^
        return 0
    for problem in found:
        say(f"{problem.severity}: {problem.located}", f"hint: {problem.hint}")
    return 0


def _write_views() -> int:
    from gitkb.errors import GitkbError
    from gitkb.operations.prepare import prepare_views

    top = os.getcwd()
    for store in stores():
        try:
            paths = prepare_views(os.path.dirname(os.path.join(top, store)))
        except GitkbError as error:
            say(f"gitkb: the views were not written: {error.message}; gitkb view does it")
            continue
        for path in paths:
            say(f"gitkb: '{path}' was written anew for what git changed; commit it too")
    return 0
