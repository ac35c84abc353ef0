"""The arguments of tools as data: the schema that a model sees, and the reader of what it sends.

1. What the schema allows is read as it is; what it does not allow is refused, except for what is
   forgiven (2). A law test holds the two together.
2. Forgiven, and kept out of the schema, which every conversation pays for: other names that models
   guess, null for "not given", one text for a list, a list of one for a text, numbers and truth
   values as text, a choice in another case.
3. A name that nobody knows is never passed over: the error says which names there are, and which of
   them may have been meant.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from gitkb.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitkb.core.canonical import Json

_SHOWN = 60
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_find_humps = re.compile(r"(?<=[a-z0-9])(?=[A-Z])").sub


class Argument(NamedTuple):
    """One argument. `kind` is text, texts, number or flag."""

    name: str
    kind: str = "text"
    help: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    low: int = 0
    high: int = 0
    """The largest number, the most items of a list, the most characters of a text."""
    default: Any = None
    words: Mapping[str, int] | None = None
    """Words that stand for numbers."""
    separator: str = ""
    """What one text is cut at when it stands for a list."""
    others: tuple[str, ...] = ()
    """Other names that are understood."""

    @property
    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        if self.kind == "flag":
            form: dict[str, Any] = {"type": "boolean"}
        elif self.kind == "number":
            form = {"type": "integer", "minimum": self.low, "maximum": self.high}
            if self.default is not None:
                form["default"] = self.default
        elif self.kind == "texts":
            form = {"type": "array", "items": {"type": "string"}, "maxItems": self.high}
        elif self.choices:
            form = {"type": "string", "enum": list(self.choices)}
        else:
            form = {"type": "string", "maxLength": self.high}
        if self.help:
            form["description"] = self.help
        return form

    @property
    def absent(self) -> Any:
        """The value when the argument is not given."""
        if self.kind == "flag":
            return False
        return () if self.kind == "texts" else self.default


def schema_of(arguments: Sequence[Argument]) -> dict[str, Any]:
    """Give the JSON Schema of a tool's arguments."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {argument.name: argument.schema for argument in arguments},
    }
    required = [argument.name for argument in arguments if argument.required]
    if required:
        schema["required"] = required
    return schema


def read_arguments(
    tool: str, arguments: Sequence[Argument], given: Mapping[str, Json]
) -> dict[str, Any]:
    """Read what a model sent: every argument by its name, lists as tuples.

    Raises:
        UsageError: naming the argument and what it has to be.
    """
    values = {argument.name: argument.absent for argument in arguments}
    names: dict[str, str] = {}
    for name, value in given.items():
        argument = _find(tool, arguments, name)
        if value is None:
            continue
        read = _read(argument, value, arguments)
        if argument.name in names and read != values[argument.name]:
            raise UsageError(
                f"'{names[argument.name]}' and '{name}' both stand for '{argument.name}', and differ",
                f"give '{argument.name}' alone",
            )
        names[argument.name] = name
        values[argument.name] = read
    for argument in arguments:
        if argument.required and not values[argument.name]:
            hint = f"one of {', '.join(argument.choices)}" if argument.choices else argument.help
            raise UsageError(f"{tool} needs '{argument.name}'", hint or None)
    return values


def _find(tool: str, arguments: Sequence[Argument], name: str) -> Argument:
    plain = _find_humps("_", name).replace("-", "_").lower()
    for argument in arguments:
        if argument.name == plain:
            return argument
    for argument in arguments:
        if plain in argument.others:
            return argument
    from difflib import get_close_matches  # dear, and seldom needed

    known = [argument.name for argument in arguments]
    close = get_close_matches(plain, known, 1, 0.6)
    meant = f"did you mean '{close[0]}'? " if close else ""
    raise UsageError(
        f"{tool} has no argument '{name[:_SHOWN]}'", f"{meant}it takes {', '.join(known)}"
    )


def _read(argument: Argument, value: Json, arguments: Sequence[Argument]) -> Any:
    if argument.kind == "flag":
        return _read_flag(argument, value)
    if argument.kind == "number":
        return _read_number(argument, value)
    if argument.kind == "texts":
        return _read_texts(argument, value)
    return _read_text(argument, value, arguments)


def _read_flag(argument: Argument, value: Json) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if isinstance(value, str | int) and word in _TRUTH:
        return _TRUTH[word]
    raise UsageError(f"'{argument.name}' is true or false, not {_shown(value)}")


def _read_number(argument: Argument, value: Json) -> int:
    if isinstance(value, str):
        word = value.strip().lower()
        if argument.words and word in argument.words:
            return argument.words[word]
        if word.isascii() and word.removeprefix("-").isdigit() and len(word) < 20:
            value = int(word)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        if argument.low <= value <= argument.high:
            return value
    raise UsageError(
        f"'{argument.name}' is a whole number from {argument.low} to {argument.high}, "
        f"not {_shown(value)}"
    )


def _read_texts(argument: Argument, value: Json) -> tuple[str, ...]:
    if isinstance(value, str):
        value = _list_in(value) or (
            value.split(argument.separator) if argument.separator else [value]
        )
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"'{argument.name}' is a list of texts, not {_shown(value)}")
    texts = tuple(item for item in (str(item).strip() for item in value) if item)
    if len(texts) > argument.high:
        raise UsageError(
            f"'{argument.name}' takes at most {argument.high} texts, not {len(texts)}",
            "call again for the rest",
        )
    return texts


def _list_in(text: str) -> list[Json] | None:
    # A model that is used to text alone writes the list into it.
    if not text.lstrip().startswith("["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _read_text(argument: Argument, value: Json, arguments: Sequence[Argument]) -> str | None:
    if isinstance(value, list):
        if len(value) != 1:
            plural = f"{argument.name}s"
            has_plural = any(other.name == plural for other in arguments)
            raise UsageError(
                f"'{argument.name}' is one text, not a list",
                f"several go into '{plural}'" if has_plural else "call once for each",
            )
        value = value[0]
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise UsageError(f"'{argument.name}' is a text, not {_shown(value)}")
    if argument.choices:
        return _read_choice(argument, value)
    if len(value) > argument.high:
        raise UsageError(
            f"'{argument.name}' takes at most {argument.high} characters, not {len(value)}",
            "shorten it, or divide it",
        )
    return value if value.strip() else None


def _read_choice(argument: Argument, value: str) -> str | None:
    word = value.strip().lower()
    for choice in (word, word.replace(" ", "_").replace("-", "_"), word.removesuffix("s")):
        if choice in argument.choices:
            return choice
    if not word:
        return None
    raise UsageError(
        f"'{argument.name}' cannot be {_shown(value)}", f"one of {', '.join(argument.choices)}"
    )


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
