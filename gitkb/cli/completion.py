"""What could stand in place of the last word of a command line, read from the verbs' own data.

1. It is asked at every press of a key: nothing of click is imported, no more of a store is read than its
   search index, and nothing is said on stderr, whatever is wrong.
2. A value that is a file is left to the shell, which knows how: see `FILES` and `FOLDERS`.
"""

from __future__ import annotations

import contextlib
import os

from gitkb.cli.verbs import SECTIONS, load_verb
from gitkb.operations.completion import Name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitkb.cli.arguments import Option, Verb
    from gitkb.store.layout import Store

FILES = ":files"
FOLDERS = ":folders"
"""Instead of words; no key, tag or option begins with a colon."""
_KEYS = frozenset({"KEY", "OLD", "NEW", "FROM", "TO", "NAME", "QUESTION"})
_PLACES = {"PATH": FILES, "FILE": FILES, "DIR": FOLDERS}
_FIELDS = {"tag": "tags", "stack": "stack", "category": "category"}


def complete(words: Sequence[str]) -> list[Name]:
    """Give what could stand in place of the last of the words after `gitkb`."""
    given, last = list(words[:-1]), (words[-1] if words else "")
    directory: list[str] = []
    while given and (given[0] == "--dir" or given[0].startswith("--dir=")):
        count = 2 if given[0] == "--dir" else 1
        if len(given) < count:
            return [Name(FOLDERS)]
        directory, given = given[:count], given[count:]
    if not given or given[0] == "help":
        return _verbs(last, with_help=not given)
    verb = load_verb(given[0])
    if verb is None:
        return []
    return _after(verb, [*directory, *given[1:]], last)


def _verbs(last: str, *, with_help: bool) -> list[Name]:
    if last.startswith("-"):
        top = [
            Name("--help", "Show this message and exit."),
            Name("--version", "Show the version."),
        ]
        return _beginning([*top, Name("--dir", "The store.")], last)
    names = [name for _, names in SECTIONS for name in names]
    found = []
    for name in names:
        if name.startswith(last) and (verb := load_verb(name)) is not None:
            found.append(Name(name, verb.summary))
    if with_help:
        found += _beginning([Name("help", "Explain a verb.")], last)
    return found


def _after(verb: Verb, given: list[str], last: str) -> list[Name]:
    options = {f"--{option.name}": option for option in verb.all_options}
    directory: str | None = None
    count, waiting, is_over = 0, None, False
    for word in given:
        if waiting is not None:
            directory = word if waiting.name == "dir" else directory
            waiting = None
        elif is_over or not word.startswith("-") or word == "-":
            count += 1
        elif word == "--":
            is_over = True
        else:
            name, has_value, value = word.partition("=")
            option = options.get(name)
            if option is not None and option.name == "dir" and has_value:
                directory = value
            if option is not None and option.kind != "flag" and not has_value:
                waiting = option
    if waiting is not None:
        return _values(waiting, last, directory)
    if last.startswith("-") and not is_over:
        name, has_value, value = last.partition("=")
        if not has_value:
            return _options(verb, given, last)
        option = options.get(name)
        if option is None or option.kind == "flag":
            return []
        found = _values(option, value, directory)
        return [
            one._replace(word=f"{name}={one.word}") if one.word[:1] != ":" else one for one in found
        ]
    return _positional(verb, count, last, directory)


def _options(verb: Verb, given: Sequence[str], last: str) -> list[Name]:
    taken = {word.partition("=")[0] for word in given}
    found = [
        Name(f"--{option.name}", option.help)
        for option in verb.all_options
        if not option.hidden and (option.kind == "texts" or f"--{option.name}" not in taken)
    ]
    return _beginning([*found, Name("--help", "Show this message and exit.")], last)


def _values(option: Option, last: str, directory: str | None) -> list[Name]:
    if option.kind == "choice":
        return _beginning([Name(choice) for choice in option.choices], last)
    if option.name in _FIELDS:
        from gitkb.operations.completion import complete_words

        store = _store(directory)
        return complete_words(store, _FIELDS[option.name], last) if store else []
    if option.metavar in _PLACES:
        return [Name(_PLACES[option.metavar])]
    if option.metavar in ("TYPE", "STATUS"):
        from gitkb.core.entry import STATUSES, TYPES

        known = TYPES if option.metavar == "TYPE" else STATUSES
        return _beginning([Name(word) for word in known], last)
    return _keys(last, directory) if option.metavar == "KEY" else []


def _positional(verb: Verb, count: int, last: str, directory: str | None) -> list[Name]:
    arguments = verb.arguments
    if not arguments or (count >= len(arguments) and not arguments[-1].many):
        return []
    argument = arguments[min(count, len(arguments) - 1)]
    if argument.name == "REL":
        from gitkb.core.entry import RELATIONS

        return _beginning([Name(relation) for relation in RELATIONS], last)
    if argument.name in _PLACES:
        return [Name(_PLACES[argument.name])]
    if argument.choices:
        return _beginning([Name(choice) for choice in argument.choices], last)
    return _keys(last, directory) if argument.name in _KEYS else []


def _keys(last: str, directory: str | None) -> list[Name]:
    from gitkb.operations.completion import complete_names

    store = _store(directory)
    return complete_names(store, last) if store else []


def _store(directory: str | None) -> Store | None:
    from gitkb.errors import GitkbError
    from gitkb.operations.tiers.chain import find_readable
    from gitkb.store.discover import find_store

    for find in (find_store, find_readable):
        with contextlib.suppress(GitkbError, OSError):
            return find(os.path.expanduser(directory) if directory else None)
    return None


def _beginning(names: Sequence[Name], last: str) -> list[Name]:
    return [name for name in names if name.word.startswith(last)]
