"""Command-line arguments as data, and two readers of them.

A verb says once which options and arguments it takes. A call that is well formed is read by
`getopt`, which costs nothing; everything else (help, a mistake, completion) is click's, which is
built from the same data and costs three starts of Python. A test holds the two readers equal.
"""

from __future__ import annotations

import getopt
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from gitkb.cli.call import Call


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
    """One positional argument; `many` takes all that are left."""

    name: str
    required: bool = True
    many: bool = False

    @property
    def dest(self) -> str:
        return self.name.lower().replace("-", "_")


class Verb(NamedTuple):
    """One verb of the command line."""

    name: str
    summary: str
    run: Callable[[Call], int]
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    details: str = ""
    """More help: paragraphs, then examples as lines that begin with `$`."""
    reads: bool = True
    """Whether it answers with `--json`."""

    @property
    def all_options(self) -> tuple[Option, ...]:
        """Its own options and those that every verb has."""
        return (*self.options, *((_JSON,) if self.reads else ()), _DIR)


_JSON = Option("json", "One JSON document on stdout.", "flag")
_DIR = Option("dir", "The store: a .gitkb folder, or the folder that holds it.", metavar="DIR")


def parse_quickly(verb: Verb, words: Sequence[str]) -> dict[str, Any] | None:
    """Read the words after a verb; None when they are not plainly right, and click has to look."""
    options = {option.name: option for option in verb.all_options}
    for word in words:
        if word == "--":
            break
        # getopt would accept an abbreviation, which a later option could make ambiguous.
        if word.startswith("--") and word[2:].partition("=")[0] not in options:
            return None
    forms = [name if one.kind == "flag" else f"{name}=" for name, one in options.items()]
    try:
        found, rest = getopt.gnu_getopt(list(words), "", forms)
    except getopt.GetoptError:
        return None
    values = {option.dest: option.initial for option in options.values()}
    for name, text in found:
        option = options[name[2:]]
        if option.kind == "flag":
            values[option.dest] = True
        elif option.kind == "texts":
            values[option.dest] = [*values[option.dest], text]
        elif option.kind == "number":
            if not (text.isascii() and text.isdigit()):
                return None
            values[option.dest] = int(text)
        elif option.kind == "choice" and text not in option.choices:
            return None
        else:
            values[option.dest] = text
    return _take_arguments(verb, rest, values)


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
