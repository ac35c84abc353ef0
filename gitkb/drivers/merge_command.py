"""gitkb-merge-driver: merges one file for git, by the keys of its records.

1. It reads its arguments and nothing else: no repository, configuration, clock or environment.
2. OURS is replaced, whole, or left alone; it is never opened for writing.
3. The exit code is 0 (merged) or 1 (a person has to look). git takes 129 and above in two ways.
4. Whatever goes wrong, the file that is left holds both sides; where not even that can be written,
   it is removed, so that git fails instead of taking ours for the result.
"""

from __future__ import annotations

import gc
import sys

from gitkb.drivers import result_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.merge.file import Merge
    from gitkb.core.merge.rules import Rules

HELP = """\
usage: gitkb-merge-driver [OPTION]... BASE OURS THEIRS [MARKER_SIZE] [PATH]

Merges THEIRS into OURS by the keys of the records, for git (%O %A %B %L %P in merge.NAME.driver).
Without options the files are gitkb's own: entries and tombstones by 'key', in the order of its hash.
A PATH in a folder named 'archive' is merged as a set of versions.

  --key FIELD[,FIELD]   records of another tool, named by these fields
  --clock FIELD         a time of which the later counts; the first one says which version is later
  --clock FIELD=min     a time of which the earlier counts
  --derived FIELD       computed from the record: the later version's value, never contested
  --ordered FIELD       a list whose order counts
  --help, --version

exit: 0 merged (values that both sides changed stand in 'conflicts'), 1 a person has to look.
"""

_OPTIONS = ("--key", "--clock", "--derived", "--ordered")
_MARKER_SIZE = 7


class _UsageError(Exception):
    pass


class _Job:
    """What the command line asks for."""

    __slots__ = ("base", "marker_size", "options", "ours", "path", "theirs")

    def __init__(self, arguments: list[str]) -> None:
        self.options: list[tuple[str, str]] = []
        rest = list(arguments)
        while rest and rest[0].startswith("--"):
            name, equals, value = rest.pop(0).partition("=")
            if name == "--":
                break
            if name not in _OPTIONS:
                raise _UsageError(f"unknown option '{name}'")
            if not equals:
                if not rest:
                    raise _UsageError(f"'{name}' needs the name of a field")
                value = rest.pop(0)
            if not value.strip(","):
                raise _UsageError(f"'{name}' needs the name of a field")
            self.options.append((name, value))
        if not 3 <= len(rest) <= 5:
            raise _UsageError(f"3 to 5 files and arguments are needed, not {len(rest)}")
        self.base, self.ours, self.theirs = rest[:3]
        self.marker_size = _MARKER_SIZE
        if len(rest) > 3 and rest[3].isdecimal():
            self.marker_size = max(1, int(rest[3]))
        self.path = rest[4] if len(rest) > 4 else self.ours

    def rules(self) -> Rules:
        """The rules for the records of the file."""
        from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE, LARGER, SMALLER, foreign_rules

        named: dict[str, list[str]] = {name: [] for name in _OPTIONS}
        for name, value in self.options:
            named[name].append(value)
        if not named["--key"]:
            if self.options:
                raise _UsageError(f"'{self.options[0][0]}' goes with '--key'")
            folder = self.path.replace("\\", "/").rpartition("/")[0]
            return ARCHIVE if folder.rpartition("/")[2] == "archive" else KNOWLEDGE
        clocks = []
        for value in named["--clock"]:
            field, equals, kind = value.rpartition("=")
            if equals and kind not in (LARGER, SMALLER):
                raise _UsageError(f"'--clock {value}': '{kind}' is neither 'min' nor 'max'")
            clocks.append((field, kind) if equals else (value, LARGER))
        keys = [field for value in named["--key"] for field in value.split(",") if field]
        return foreign_rules(keys, clocks, named["--derived"], named["--ordered"])


def run(arguments: list[str]) -> int:
    """Merge as the arguments say and answer the exit code, 0 or 1."""
    gc.disable()  # nothing here makes cycles, and walking 100,000 records takes its time
    if "--help" in arguments[:1] or "-h" in arguments[:1]:
        sys.stdout.write(HELP)
        return 0
    if "--version" in arguments[:1]:
        from gitkb import __version__

        sys.stdout.write(f"gitkb-merge-driver {__version__}\n")
        return 0
    try:
        job = _Job(arguments)
    except _UsageError as error:
        _say("error", f"{error}")
        _say("hint", "gitkb-merge-driver --help")
        return _leave_usage(arguments)
    return _merge(job)


def _merge(job: _Job) -> int:
    texts: result_file.Texts | None = None
    try:
        texts = result_file.Texts(job.base, job.ours, job.theirs)
        merge = _merged(texts, job)
        if merge.text is not None:
            result_file.replace(texts, merge.text)
            _report(merge, job)
            return 0
        for problem in merge.problems:
            _say("error", f"cannot merge '{job.path}' by key: {problem.message}")
            _say("hint", problem.hint)
    except _UsageError as error:
        _say("error", f"{error}")
        _say("hint", "gitkb-merge-driver --help")
    except BaseException as error:  # noqa: BLE001  # the boundary: both sides have to be left
        _say("error", f"cannot merge '{job.path}' by key: {_describe(error)}")
    if texts is None:
        _say("hint", "BASE, OURS and THEIRS are files: gitkb-merge-driver --help")
        result_file.give_up(job.ours)
        return 1
    try:
        result_file.replace(texts, result_file.text_merge(texts, job.marker_size))
        settle = f"settle what git shows in '{job.path}', then git add '{job.path}'"
        _say("hint", settle if job.options else f"gitkb resolve tries again; or {settle}")
    except BaseException as error:  # noqa: BLE001  # as above
        _say("error", f"cannot write '{job.path}': {_describe(error)}")
        if result_file.are_of_git(job.ours):
            _say("hint", "both sides are safe in git: make room, git merge --abort, merge again")
        result_file.give_up(job.ours)
    return 1


def _merged(texts: result_file.Texts, job: _Job) -> Merge:
    from gitkb.core.merge.file import merge_files

    return merge_files(texts.base, texts.ours, texts.theirs, job.rules())


def _leave_usage(arguments: list[str]) -> int:
    """Leave a text merge, if the arguments show which files are meant."""
    words = [word for word in arguments if not word.startswith("--")]
    for at in range(len(words) - 2):
        try:
            texts = result_file.Texts(*words[at : at + 3])
            result_file.replace(texts, result_file.text_merge(texts, _MARKER_SIZE))
            break
        except OSError:
            continue
    return 1


def _report(merge: Merge, job: _Job) -> None:
    contested = [line for line in merge.merged if b'"conflicts"' in line]
    if not contested:
        return
    rules = job.rules()
    for line in contested:
        fields = rules.parse(line)
        entries = fields.get("conflicts")
        names = sorted({str(entry["field"]) for entry in entries}) if entries else []
        key = ", ".join(str(fields[name]) for name in rules.key)
        _say("warning", f"'{job.path}': '{key}' is contested: {', '.join(names)}")
    _say("hint", f"gitkb resolve {key}" if rules.is_gitkb else "the values not shown: 'conflicts'")


def _describe(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f": '{error.filename}'" if isinstance(error.filename, str) else ""
        return f"{error.strerror.lower()}{place}"
    return f"{type(error).__name__}: {error}"


def _say(kind: str, text: str) -> None:
    # Keys and paths are other people's text: nothing of it may reach a terminal as a command.
    from gitkb.core.unsafe import shown_line

    try:
        sys.stderr.write(f"{kind}: {shown_line(text)}\n")
    except (OSError, ValueError, AttributeError):
        pass  # no standard error to write to
