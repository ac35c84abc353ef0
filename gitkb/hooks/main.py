"""`gitkb-hook NAME [ARGUMENT]...`: the one program behind every hook of ours.

post-checkout, post-merge, post-rewrite and post-commit make the search index ready beforehand; a
search finds out by content whether it is, so these may fail, be skipped or never be called. After a
merge, a rebase or a commit they also write the views anew that the team commits, and give learnings
that got one number on two branches numbers of their own.
pre-commit and pre-merge-commit judge the entries in the staging area that is being committed.
Coding agents call session-start and before-compact (`hooks.agent`), and before-edit (`hooks.remind`).

Invariants:

1. A post-* hook, and one of an agent, ends with 0, whatever happens, within the time limit, and says at most one line, and one
   more where it wrote views or numbers.
2. Where there is no store nothing happens: no output, exit 0 (the scripts do not even start us).
3. A checkout of files and a step of a rebase only leave a mark; git calls us once for every pick. The
   scripts do the same without starting us; this is for hooks of other tools that call us.
4. A pre-* hook writes nothing and stages nothing, and reads the staging area that git names (GIT_INDEX_FILE),
   not the one in the repository: `commit -a` and `commit -- FILE` make one of their own.
5. A view is a file of the worktree that git knows, so a checkout writes none: the next one would stop at
   it. Nothing is staged.
6. Only `os` and `sys` are imported before it is known that there is work to do.

git starts us at the top of the worktree. The scripts start us without Python's site (`-S`): what we
need lies beside us as a rule, and where it does not the site is read then.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

POST_HOOKS = ("post-checkout", "post-merge", "post-rewrite", "post-commit")
PRE_HOOKS = ("pre-commit", "pre-merge-commit")
AGENT_HOOKS = ("session-start", "before-compact")
REMINDERS = ("remind", "before-edit")
SECONDS = 10.0
"""How long a post-* hook may take; GITKB_HOOK_SECONDS changes it."""
PROBE = "GITKB_HOOK_PROBE"
"""With this variable a hook only says its value: `gitkb doctor` asks whether git reaches us."""
_HELP = """\
usage: gitkb-hook NAME [ARGUMENTS]

What git's hooks call; gitkb install sets them up. NAME is one of
{known}.
The post-* hooks prepare the search index and always succeed; the pre-* hooks check what is staged.
What coding agents call, with what gitkb setup writes: {agents}, and the agent's name.
remind tells in three lines what concerns what is staged; before-edit [PATH]... what concerns the file of
an agent's event on stdin, or the paths. Both always succeed.
"""
LOG_LIMIT = 256 * 1024
"""Bytes of log that are kept; beyond it the log starts anew."""


def main(argv: list[str] | None = None) -> int:
    """Run the hook that the first argument names; the rest are git's arguments to it."""
    arguments = sys.argv[1:] if argv is None else argv
    name = arguments[0] if arguments else ""
    if name in POST_HOOKS + PRE_HOOKS and PROBE in os.environ:
        _say(os.environ[PROBE])
        return 0
    if name in POST_HOOKS:
        return _run_post(name, arguments[1:])
    if name in PRE_HOOKS:
        return _run_pre(name)
    if name in AGENT_HOOKS:
        return _run_agent(name, arguments[1:])
    if name in REMINDERS:
        return _run_reminder(name, arguments[1:])
    known = ", ".join(PRE_HOOKS + POST_HOOKS)
    if name in ("--help", "-h"):
        sys.stdout.write(_HELP.format(known=known, agents=", ".join(AGENT_HOOKS)))
        return 0
    if name == "--version":
        from gitkb import __version__

        sys.stdout.write(f"gitkb {__version__}\n")
        return 0
    _say(f"error: unknown hook '{name}'", f"hint: gitkb-hook NAME, with NAME one of {known}")
    return 2


class _TimeUpError(BaseException):
    """The time limit passed. Not an Exception: nothing on the way may take it for a fault of its own."""


def _run_post(name: str, arguments: list[str]) -> int:
    folder = None
    try:
        if not _stores():
            return 0
        folder = _derived_folder()
        if folder is not None and _is_only_a_step(name, arguments, os.path.dirname(folder)):
            _mark_stale(folder)
            return 0
        _close_terminal()
        _set_limit(_seconds(), folder)
        if name in ("post-merge", "post-commit") and arguments[:1] != ["1"]:  # 1: not committed yet
            _run_with_site_if_needed(lambda: _heal_numbers(is_merge=True))
        elif name == "post-rewrite" and arguments[:1] == ["rebase"]:
            _run_with_site_if_needed(lambda: _heal_numbers(is_merge=False))
        # pre-commit's framework calls us by one name for all; this is how it says what for.
        if name != "post-checkout" and "PRE_COMMIT_CHECKOUT_TYPE" not in os.environ:
            _run_with_site_if_needed(_write_views)  # first, because a search index heals itself
        _run_with_site_if_needed(_prepare_all)
    except _TimeUpError:
        _log(folder, name, f"stopped after {_seconds():g} seconds; the next search does the rest")
    except BaseException as error:  # noqa: BLE001  a hook is a face, and invariant 1 knows no exception
        if not isinstance(error, KeyboardInterrupt):
            _report(folder, name, error)
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


def _derived_folder() -> str | None:
    """`<git dir of this worktree>/gitkb`, None where there is no repository."""
    git_dir = os.environ.get("GIT_DIR")  # git names it in linked worktrees and submodules
    if git_dir is None:
        if os.path.isdir(".git"):
            git_dir = ".git"
        else:
            from gitkb.git.repository import find_repository

            repository = find_repository(os.getcwd(), own_environment=True)
            if repository is None:
                return None
            git_dir = repository.git_dir
    return os.path.join(os.path.abspath(git_dir), "gitkb")


def _mark_stale(folder: str) -> None:
    """Leave the mark for the search index, which takes it away; where there is none, nothing is stale."""
    if os.path.isdir(folder):
        os.close(os.open(os.path.join(folder, "stale"), os.O_WRONLY | os.O_CREAT, 0o644))


def _prepare_all() -> int:
    from gitkb.operations.prepare import prepare

    top = os.getcwd()
    for store in _stores():
        prepare(os.path.dirname(os.path.join(top, store)), _seconds())
    return 0


def _heal_numbers(*, is_merge: bool) -> int:
    from gitkb.errors import GitkbError
    from gitkb.operations.prepare import heal_numbers

    top = os.getcwd()
    for store in _stores():
        try:
            healed = heal_numbers(os.path.dirname(os.path.join(top, store)), is_merge=is_merge)
        except GitkbError:
            continue  # the next learning that is written does it
        if healed:
            named = ", ".join(f"{one.old} of '{one.key}' is {one.new}" for one in healed[:3])
            _say(
                f"gitkb: both sides had given the same numbers: {named} now; git add .gitkb, and commit"
            )
    return 0


def _write_views() -> int:
    from gitkb.errors import GitkbError
    from gitkb.operations.prepare import prepare_views

    top = os.getcwd()
    for store in _stores():
        try:
            paths = prepare_views(os.path.dirname(os.path.join(top, store)))
        except GitkbError as error:
            _say(f"gitkb: the views were not written: {error.message}; gitkb view does it")
            continue
        for path in paths:
            _say(f"gitkb: '{path}' was written anew for what git changed; commit it too")
    return 0


def _stores() -> list[str]:
    return [".gitkb"] if os.path.isdir(".gitkb") else _other_stores()


def _other_stores() -> list[str]:
    """Stores that lie deeper in the worktree, as `gitkb install` noted them for its clone."""
    if not os.path.lexists(".git") and "GIT_DIR" not in os.environ:
        return []
    from gitkb.git.command import ask_git

    said = ask_git(["config", "--null", "--get-all", "gitkb.store"], ".", own_environment=True)
    stores = os.fsdecode(said.stdout).split("\0")
    return [store for store in dict.fromkeys(stores) if store and os.path.isdir(store)]


def _seconds() -> float:
    try:
        return max(0.1, float(os.environ.get("GITKB_HOOK_SECONDS", SECONDS)))
    except ValueError:
        return SECONDS


def _set_limit(seconds: float, folder: str | None) -> None:
    """Two limits: an exception that ends children properly, and, a moment later, the end of the process.

    The second one is a thread because a signal waits for the end of a long call into SQLite.
    """
    import _thread
    import signal
    import time

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise _TimeUpError

    def end() -> None:
        time.sleep(seconds + 1)
        _log(folder, "hook", f"ended after {seconds + 1:g} seconds; the next search does the rest")
        os._exit(0)

    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    _thread.start_new_thread(end, ())


def _close_terminal() -> None:
    """Nobody is asked anything and nothing is coloured, even if a person's terminal is at hand."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.environ["NO_COLOR"] = "1"
    os.environ["GIT_TERMINAL_PROMPT"] = "0"


def _run_with_site_if_needed(work: Callable[[], int]) -> int:
    """Run ``work``; again with Python's site where something it imports lies in another folder than we."""
    try:
        return work()
    except ModuleNotFoundError:
        if not sys.flags.no_site or "site" in sys.modules:
            raise
        import site

        site.main()
        return work()


def _run_pre(name: str) -> int:
    folder = None
    try:
        if not _stores():
            return 0
        folder = _derived_folder()
        _close_terminal()
        code = _run_with_site_if_needed(_check_staged)
        if code == 0 and name == "pre-commit":
            _run_with_site_if_needed(_remind_after_check)
        return code
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001  a hook is a face: this is its one boundary
        return _judge_failure(folder, name, error)


def _run_agent(name: str, arguments: list[str]) -> int:
    folder = None
    try:
        from gitkb.hooks.agent import answer, read_event

        event = read_event()
        folder = _derived_folder()
        _close_terminal()
        _set_limit(_seconds(), folder)
        said = answer(name, arguments[0] if arguments else "", event)
        if said:
            sys.stdout.write(f"{said}\n")
            sys.stdout.flush()
    except _TimeUpError:
        _log(folder, name, f"stopped after {_seconds():g} seconds")
    except BaseException as error:  # noqa: BLE001  invariant 1: an agent goes on without us
        if not isinstance(error, KeyboardInterrupt):
            _report(folder, name, error)
    return 0


def _run_reminder(name: str, arguments: list[str]) -> int:
    try:
        from gitkb.hooks.remind import answer_before_edit, read_edit, staged_lines

        edit = read_edit(arguments) if name == "before-edit" else None
        if name == "before-edit" and edit is None:
            return 0  # as most do, and pay for nothing that follows
        _set_limit(min(_seconds(), 5.0), None)
        if edit is not None:
            said = answer_before_edit(*edit)
        else:
            _close_terminal()
            said = "\n".join(staged_lines(_stores(), os.getcwd(), only_wanted=False))
        if said:
            sys.stdout.write(f"{said}\n")
            sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001  a reminder never stands in the way
        if not isinstance(error, KeyboardInterrupt | _TimeUpError):
            _say(f"gitkb: {name} could not look: {type(error).__name__}: {error}")
    return 0


def _remind_after_check() -> int:
    from gitkb.hooks.remind import lines_after_check

    for line in lines_after_check(_stores(), os.getcwd()):
        _say(line)
    return 0


def _check_staged() -> int:
    """1 when a staged entry is wrong. What may be meant so is a warning, and let by."""
    from gitkb.operations.check import check_staged

    found = 0
    for problem in check_staged(os.getcwd()).problems:  # of every store in the worktree
        found += problem.is_error
        at = f" at '{problem.place}'" if problem.place else ""
        _say(f"{problem.severity}: {problem.message}{at}")
        if problem.hint:
            _say(f"hint: {problem.hint}")
    if found:
        _say(
            f"gitkb: {found} {'problem' if found == 1 else 'problems'} in what is staged; not committed"
        )
    return 1 if found else 0


def _judge_failure(folder: str | None, name: str, error: Exception) -> int:
    """What we say of the data blocks a commit. A fault of our own only does so where the team wants it."""
    from gitkb.errors import GitkbError

    if isinstance(error, GitkbError):
        _say(f"error: {error.message}", *([f"hint: {error.hint}"] if error.hint else []))
        return 1
    _report(folder, name, error)
    _say("warning: this commit was not checked; run 'gitkb check' before you push it")
    from gitkb.git.command import ask_git

    asked = ["config", "--type=bool", "--get", "gitkb.requireHook"]
    return 1 if ask_git(asked, os.getcwd(), own_environment=True).stdout == b"true\n" else 0


def _report(folder: str | None, name: str, error: BaseException) -> None:
    """One line for the person, the whole of it for the log."""
    import traceback

    log = _log(folder, name, "".join(traceback.format_exception(error)))
    where = f"; see '{log}'" if log else ""
    if name in POST_HOOKS:
        _say(f"gitkb: {name} could not make the search index ready; the next search will{where}")
    else:
        _say(f"gitkb: {name} failed: {type(error).__name__}: {error}{where}")


def _log(folder: str | None, name: str, text: str) -> str | None:
    """Add to the log in the derived folder; its path, None when it cannot be written."""
    import time

    if folder is None:
        return None
    path = os.path.join(folder, "hook.log")
    try:
        os.makedirs(folder, exist_ok=True)
        fresh = not os.path.exists(path) or os.path.getsize(path) > LOG_LIMIT
        with open(path, "w" if fresh else "a", encoding="utf-8", errors="backslashreplace") as log:
            log.write(
                f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {name}: {text.rstrip()}\n"
            )
    except OSError:
        return None
    return path


def _say(*lines: str) -> None:
    # What they tell of was written by others: each stays one line, and nothing in it is a command.
    from gitkb.core.unsafe import shown_line

    try:
        sys.stderr.write("".join(f"{shown_line(line)}\n" for line in lines))
    except (OSError, ValueError, AttributeError):  # no terminal to speak to
        pass
