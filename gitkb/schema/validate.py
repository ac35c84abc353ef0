"""Data held against the published schemas, with messages for people.

1. A schema comes from the package and refers to nothing outside itself: nothing is ever fetched.
2. An integer is a number written as one: 3.0 is none, and neither is true.
3. `is_valid` and `core.entry.check_fields` say the same of every object (a property test). The fast
   check reads every line; this room explains the few that it refuses.
"""

from __future__ import annotations

import json
from functools import cache
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

    from gitkb.core.canonical import Fields, Json

ENTRY = "entry"
CONFIG = "config"
_LONGEST_VALUE = 40
_TYPE_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "boolean": "true or false",
    "null": "null",
}


class Fault(NamedTuple):
    """One thing that breaks a schema. `path` names the place, as in ``links[0].rel``."""

    path: str
    message: str
    hint: str


def read_schema(name: str) -> dict[str, Any]:
    """Read a schema of the package, `ENTRY` or `CONFIG`, as JSON."""
    from importlib.resources import files

    text = files("gitkb.schema").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def is_valid(fields: Fields, schema: str = ENTRY) -> bool:
    """Say whether an object is what a schema describes."""
    return bool(_validator(schema).is_valid(fields))


def explain(fields: Fields, schema: str = ENTRY) -> list[Fault]:
    """Say what in an object breaks a schema, each thing once, in the order of the places."""
    document = read_schema(schema)
    errors = _leaves(_validator(schema).iter_errors(fields))
    return sorted({fault for error in errors for fault in _faults(error, document)})


def unknown_names(values: Fields) -> list[Fault]:
    """Name the settings of a config file that its schema does not know, and what they resemble."""
    return list(_unknown(values, read_schema(CONFIG)["properties"], ""))


@cache
def _validator(name: str) -> Validator:
    # Costs as much as seven starts of Python, and is wanted only when something is wrong.
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    checker = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
    strict = extend(Draft202012Validator, type_checker=checker)  # type: ignore[no-untyped-call]
    validator: Validator = strict(read_schema(name))
    return validator


def _is_integer(_: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _leaves(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    # `then`, `else` and `$ref` carry the errors that matter; the alternatives of `anyOf` would
    # only contradict one another.
    for error in errors:
        if error.context and error.validator not in ("anyOf", "oneOf"):
            yield from _leaves(iter(error.context))
        else:
            yield error


def _faults(error: ValidationError, schema: dict[str, Any]) -> Iterator[Fault]:
    path = _path(error.absolute_path)
    place = list(error.absolute_schema_path)[:-1]
    if error.validator == "required":  # one error for each that is missing, all of them alike
        wanted: Any = error.validator_value
        found: Any = error.instance
        for name in wanted:
            if name not in found:
                message = f"no '{name}'" + (f" in '{path}'" if path else "")
                yield Fault(path, message, _describe(schema, [*place, "properties", name]))
    else:
        yield Fault(path, _message(error, path), _describe(schema, place))


def _describe(schema: dict[str, Any], place: list[str | int]) -> str:
    """Say what was wanted at a place of a schema, in the schema's own words."""
    hint: str = ""
    node: Any = schema
    for part in place:
        if isinstance(node, dict) and part not in node and "$ref" in node:
            node = _target(schema, node)  # jsonschema leaves references out of the path
        node = node[part]
        if isinstance(node, dict):
            hint = node.get("description", hint)
    if isinstance(node, dict) and "$ref" in node and "description" not in node:
        hint = _target(schema, node).get("description", hint)
    return hint


def _target(schema: dict[str, Any], node: dict[str, Any]) -> Any:
    return schema["$defs"][node["$ref"].rpartition("/")[2]]


def _message(error: ValidationError, path: str) -> str:
    name, found = f"'{path}'", error.instance
    wanted: Any = error.validator_value
    match error.validator:
        case "enum":
            close = _closest(found, wanted)
            meant = f"; did you mean {close}?" if close else ""
            return f"{name} is {_show(found)}, not one of {', '.join(map(str, wanted))}{meant}"
        case "const":
            return f"{name} is {_show(found)}, not {_show(wanted)}"
        case "type":
            kind = _TYPE_NAMES.get(wanted, wanted)
            return f"{name} is {_show(found)}, not {kind}" if path else f"not {kind}"
        case "minimum":
            return f"{name} is {_show(found)}, less than {wanted}"
        case "maximum":
            return f"{name} is {_show(found)}, more than {wanted}"
        case "minLength":
            return f"{name} is empty"
        case "pattern":
            return f"{name} is {_show(found)}, which has not the form of a key"
        case "not" if path == "title":
            return f"{name} has more than one line"
        case "not":
            return f"{name} is {_show(found)}, which has not the form of a key"
        case "anyOf" if not path:
            return "neither 'title' nor 'content'"
        case "anyOf":
            return f"{name} is {_show(found)}, neither null nor text"
        case _:
            return f"{name}: {error.message}"


def _path(parts: Any) -> str:
    path = ""
    for part in parts:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


def _show(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def _closest(word: Json, words: list[Any]) -> str:
    if not isinstance(word, str):
        return ""
    from difflib import get_close_matches

    found = get_close_matches(word.lower(), [str(item) for item in words], 1)
    return found[0] if found else ""


def _unknown(values: Fields, known: Fields, path: str) -> Iterator[Fault]:
    for name, value in values.items():
        place = f"{path}.{name}" if path else name
        if name not in known:
            close = _closest(name, list(known))
            meant = f"did you mean {close}?" if close else f"known here: {', '.join(known)}"
            yield Fault(place, f"unknown setting '{place}'", meant)
        elif isinstance(value, dict) and "properties" in known[name]:
            yield from _unknown(value, known[name]["properties"], place)
