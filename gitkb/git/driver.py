"""The lines in git's configuration that start our merge driver and textconv program, and their fallbacks.

git runs the line with `sh`, after replacing %O %A %B %L %P (base, ours, theirs, length of conflict
markers, path; git quotes %P itself) and `%%`. A driver that dies without touching %A makes git keep *ours*
without markers, and the next `git add` drops the other side. Hence:

Invariants:

1. The line ends with 0 or 1 and %A holds both sides, or %A is gone: git then fails the merge and
   changes nothing ("failed to execute internal merge", seen with 2.39.5 and 2.55.0).
2. Only the driver itself ends with 0. Where git's text merge stood in for it the merge is a conflict,
   and a person looks at it.
3. %A is only ever replaced by a finished file.
4. The line carries its version, so that two clones can compare theirs byte by byte.
5. The driver of views keeps ours, which is never wrong: a view is written anew from the merged entries.
   `true` needs no program of ours, so it works wherever git does.
6. The textconv line ends with 0 whatever became of our program: git gives up a whole diff, or the log
   that it is a part of, when it does not. Without the program a diff shows the file as it is.
"""

from __future__ import annotations

import os
import sys

from gitkb.git.command import ask_git, run_git
from gitkb.git.ledger import Ledger
from gitkb.git.lock_file import edit_file
from gitkb.git.repository import Repository, read_setting

LINE_VERSION = 1
SECTION = "merge.gitkb"
DRIVER = "merge.gitkb.driver"
NAME = "merge.gitkb.name"
NAME_VALUE = "gitkb: entries merged by key"
VIEW_SECTION = "merge.gitkb-view"
VIEW_DRIVER = "merge.gitkb-view.driver"
VIEW_LINE = "true"
VIEW_NAME = "merge.gitkb-view.name"
VIEW_NAME_VALUE = "gitkb: views keep ours, and are written anew from the merged entries"
TEXT_VERSION = 1
TEXT_SECTION = "diff.gitkb"
TEXT = "diff.gitkb.textconv"
TEXT_HEADING = "diff.gitkb.xfuncname"
TEXT_HEADING_FORM = "^((entry|forgotten|moved) .*)$"
"""Which line of the text git writes behind `@@`: the one that names the record. git takes the first group."""
SECTIONS = (SECTION, VIEW_SECTION, TEXT_SECTION)
PYTHON = "gitkb.python"
HOOK = "gitkb.hook"


def package_path(*names: str) -> str:
    """A file of the installed package, absolute."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return os.path.join(package, *names)


def interpreter() -> str:
    """This interpreter as its environment names it: the link of a venv, which knows what it is for.

    One venv has several names for it (`python`, `python3`, `python3.11`), and two ways to start gitkb see
    different ones; the line must not depend on that.
    """
    found = os.path.abspath(sys.executable)
    for name in ("python3", "python"):
        other = os.path.join(os.path.dirname(found), name)
        if os.path.exists(other) and os.path.samefile(other, found):
            return other
    return found


def driver_line(python: str | None = None, program: str | None = None) -> str:
    """The exact value of `merge.gitkb.driver` for this installation.

    `-I -S` starts Python without the environment's and the site's additions: three quarters of a bare
    start (git-facts), and nobody's PYTHONPATH in between.
    """
    start = _quoted(python or interpreter()) + " -I -S "
    start += _quoted(program or package_path("drivers", "merge.py"))
    return (
        f": gitkb-driver {LINE_VERSION}; "
        f"{start} %O %A %B %L %P; s=$?; test $s -le 1 && exit $s; "
        "gitkb-merge-driver %O %A %B %L %P; s=$?; test $s -le 1 && exit $s; "
        "echo 'warning: the gitkb merge driver is missing; text merge instead, see gitkb doctor' >&2; "
        "git merge-file -p --marker-size=%L %A %O %B >%A.gitkb; "
        "test $? -le 127 && mv -f %A.gitkb %A || rm -f %A %A.gitkb; exit 1"
    )


def text_line(python: str | None = None, program: str | None = None) -> str:
    """The exact value of `diff.gitkb.textconv` for this installation.

    git runs it with `sh -c` and puts `"$@"` behind it, the name of one file (run_textconv in git's
    diff.c, prepare_shell_cmd in run-command.c); it knows no placeholders here. Our program writes all or
    nothing, so what stands in for it begins anew. It is silent: its complaint would come twice a file.
    """
    start = f"{_shell_quoted(python or interpreter())} -I -S "
    start += _shell_quoted(program or package_path("drivers", "textconv.py"))
    return f': gitkb-textconv {TEXT_VERSION}; t() {{ {start} "$1" 2>/dev/null || cat -- "$1"; }}; t'


def write_settings(
    repository: Repository | str, wanted: dict[str, str], scope: str, path: str, ledger: Ledger
) -> list[str]:
    """Set each name in the configuration of ``scope``, in the order given; the names that changed.

    ``path`` is the file that ``scope`` (`--local`, `--global`) means. In a repository, a name whose
    value in force is right already, from whichever file, is left alone.
    """
    cwd, own = _place(repository)
    seen = () if scope == "--local" else (scope,)
    changed = [
        name
        for name, value in wanted.items()
        if read_setting(cwd, name, *seen, own_environment=own) != value
    ]
    if changed:
        ledger.before(path)

        def edit(copy: str) -> None:
            for name in changed:
                args = ["config", "--file", copy, "--replace-all", name, wanted[name]]
                run_git(args, cwd, own_environment=own, write=True)

        # All at once: a name without its line makes merges die, and a killed git its lock stay.
        edit_file(path, edit)
        ledger.after(path)
    return changed


def remove_settings(
    repository: Repository | str, sections: list[str], names: list[str], path: str
) -> bool:
    """Remove sections whole, then single names, from a file. False when nothing was there."""
    cwd, own = _place(repository)
    wanted = [["--remove-section", section] for section in sections]
    wanted += [["--unset-all", name] for name in names]
    codes: list[int] = []

    def edit(copy: str) -> None:
        for args in wanted:
            answer = ask_git(
                ["config", "--file", copy, *args], cwd, own_environment=own, write=True
            )
            codes.append(answer.code)

    edit_file(path, edit)
    return 0 in codes


def _place(repository: Repository | str) -> tuple[str, bool]:
    if isinstance(repository, str):
        return repository, False
    return repository.cwd, repository.own_environment


def driver_settings() -> dict[str, str]:
    """What the driver needs, in the order of writing: a name without a line makes merges die (M3)."""
    return {
        DRIVER: driver_line(),
        NAME: NAME_VALUE,
        VIEW_DRIVER: VIEW_LINE,
        VIEW_NAME: VIEW_NAME_VALUE,
    }


def text_settings() -> dict[str, str]:
    """What makes git show the records of a file as text."""
    return {TEXT: text_line(), TEXT_HEADING: TEXT_HEADING_FORM}


def program_settings() -> dict[str, str]:
    """Where the hook scripts find their program when PATH does not lead there (H18)."""
    return {PYTHON: interpreter(), HOOK: package_path("hooks", "__main__.py")}


def _quoted(path: str) -> str:
    """A path for `sh`, in single quotes, its percent signs doubled for git."""
    return _shell_quoted(path).replace("%", "%%")


def _shell_quoted(path: str) -> str:
    return "'" + path.replace("'", "'\\''") + "'"
