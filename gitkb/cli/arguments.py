"""Command-line arguments as data, and two readers of them.

A verb says once which options and arguments it takes. A call that is well formed is read here, at
no cost; everything else (help, a mistake, completion) is click's, which is built from the same data
and costs three starts of Python. A test holds the two readers equal.
"""

# No deferred annotations here: see `core.problem`.
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Option(NamedTuple):
    """One option. `kind` is flag, text, texts (repeatable), number or choice."""

    name: str
    help: str
    kind: str = "text"
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: Any = None
    hidden: bool = False

    @property
    def dest(self) -> str:
        return self.name.replace("-", "_")

    @property
    def initial(self) -> Any:
        """The value when the option is not given."""
        if self.kind == "flag":
            return False
        return [] if self.kind == "texts" else self.default


class Argument(NamedTuple):
    """One positional argument; `many` takes all that are left, `choices` are for completion."""

    name: str
    required: bool = True
    many: bool = False
    choices: tuple[str, ...] = ()

    @property
    def dest(self) -> str:
        return self.name.lower().replace("-", "_")


class Verb(NamedTuple):
    """One verb of the command line."""

    name: str
    summary: str
    run: Callable[..., int]
    """Takes the `Call`, gives the exit code."""
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    details: str = ""
    """More help: paragraphs, then examples as lines that begin with `$`."""
    reads: bool = True
    """Whether it answers with `--json`."""
    pages: bool = False
    """Whether what it prints may be long, and goes to the pager of a terminal when it is."""

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Its own options and those that every verb has."""
        common = (*((_JSON,) if self.reads else ()), *((_NO_PAGER,) if self.pages else ()), _DIR)
        return (*self.options, *common)


LARGEST_NUMBER = 10**18 - 1
"""What a number may be at most: it has to fit into 64 bits wherever it goes."""

_JSON = Option("json", "One JSON document on stdout.", "flag")
_NO_PAGER = Option("no-pager", "Print a long answer as it is.", "flag", hidden=True)
_DIR = Option("dir", "The store: a .gitkb folder, or the folder that holds it.", metavar="DIR")


def parse_quickly(verb: Verb, words: Sequence[str]) -> dict[str, Any] | None:
    """Read the words after a verb; None when they are not plainly right, and click has to look."""
    options = {f"--{option.name}": option for option in verb.all_options}
    values = {option.dest: option.initial for option in verb.all_options}
    rest: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word == "--":
            rest.extend(waiting)
        elif not word.startswith("-") or word == "-":
            rest.append(word)
        else:
            name, has_value, value = word.partition("=")
            option = options.get(name)
            if option is None or (option.kind == "flag" and has_value):
                return None
            text = value if has_value or option.kind == "flag" else next(waiting, None)
            if text is None or not _take_value(option, text, values):
                return None
    return _take_arguments(verb, rest, values)


def _take_value(option: Option, text: str, values: dict[str, Any]) -> bool:
    if option.kind == "flag":
        values[option.dest] = True
    elif option.kind == "texts":
        values[option.dest] = [*values[option.dest], text]
    elif option.kind == "number":
        if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST_NUMBER)):
            return False
        values[option.dest] = int(text)
    elif option.kind == "choice" and text not in option.choices:
        return False
    else:
        values[option.dest] = text
    return True


def _take_arguments(verb: Verb, rest: list[str], values: dict[str, Any]) -> dict[str, Any] | None:
    for argument in verb.arguments:
        if argument.many:
            if argument.required and not rest:
                return None
            values[argument.dest], rest = list(rest), []
        elif rest:
            values[argument.dest] = rest.pop(0)
        elif argument.required:
            return None
        else:
            values[argument.dest] = None
    return None if rest else values
