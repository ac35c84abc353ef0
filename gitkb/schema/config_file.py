"""`config.toml` judged: whether it is TOML, and whether each setting is what it has to be.

A setting that this gitkb does not know is a warning: a colleague's may be newer, but a slip of the
finger should not go unseen.
"""

from __future__ import annotations

import re

from gitkb.core.entry import CATEGORIES
from gitkb.core.identity import DEFAULT_SHARDS, SHARD_COUNTS
from gitkb.core.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_is_shards_line = re.compile(rb"shards[ \t]*=[ \t]*([0-9]+)[ \t]*").fullmatch


def check_config(name: str, data: bytes) -> list[Problem]:
    """Judge the bytes of a config file. `name` is what the problems call it."""
    from gitkb.core.toml_text import TomlError, parse_toml

    try:
        values = parse_toml(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        message = f"the byte 0x{data[error.start]:02X} is not UTF-8"
        return [Problem("bad-config", message, "save the file as UTF-8", name, line)]
    except TomlError as error:
        return [Problem("bad-config", f"not TOML: {error}", "mend the line", name, _line_of(error))]
    from gitkb.schema.validate import CONFIG, explain, unknown_names

    wrong = [
        Problem("bad-config", f"no valid setting: {fault.message}", fault.hint, name)
        for fault in explain(values, CONFIG)
    ]
    unknown = [
        Problem("unknown-setting", fault.message, fault.hint, name, severity="warning")
        for fault in unknown_names(values)
    ]
    if wrong:
        return wrong + unknown
    return [*unknown, *_unknown_categories(name, values), *_bad_view_names(name, values)]


def _unknown_categories(name: str, values: dict[str, Any]) -> Iterator[Problem]:
    """An operation that asks for a category which no learning has finds nothing, without a word."""
    known = {*CATEGORIES, *values.get("categories", {}).get("extra", ())}
    for operation, wanted in values.get("operations", {}).items():
        for category in wanted:
            if category not in known:
                message = f"'operations.{operation}' asks for the unknown category '{category}'"
                hint = f"known: {', '.join(sorted(known))}; [categories] extra names more"
                yield Problem("unknown-category", message, hint, name, severity="warning")


def _bad_view_names(name: str, values: dict[str, Any]) -> Iterator[Problem]:
    """A view whose name is none for a file is not written, without a word."""
    names = values.get("views", {}).get("names", ())
    if not names:
        return
    from gitkb.core.documents.view import is_view_name, view_name  # needs the patterns of Markdown

    for given in names:
        if not is_view_name(view_name(given)):
            message = f"'views.names' has '{given}', which cannot be the name of a view"
            hint = "letters, digits, '.', '_' and '-', no folder"
            yield Problem("view-name", message, hint, name, severity="warning")


def shards_in(data: bytes | None) -> int:
    """Read the number of shards out of a config file that may be broken or not exist."""
    plain = _plain_shards(data)
    shards = values_in(data).get("shards", DEFAULT_SHARDS) if plain is None else plain
    fine = isinstance(shards, int) and not isinstance(shards, bool) and shards in SHARD_COUNTS
    return shards if fine else DEFAULT_SHARDS


def _plain_shards(data: bytes | None) -> int | None:
    """Read it where the file says little else: a commit hook should not wait for a TOML parser."""
    if not data:
        return DEFAULT_SHARDS
    lines = [line for line in data.split(b"\n") if line.strip() and not line.startswith(b"#")]
    found = _is_shards_line(lines[0]) if len(lines) == 1 else None
    return int(found[1]) if found else None


def categories_in(data: bytes | None) -> frozenset[str]:
    """Read the categories that a config file adds; none if it is broken."""
    table = values_in(data).get("categories", {})
    extra = table.get("extra", []) if isinstance(table, dict) else []
    return frozenset(name for name in extra if isinstance(name, str))


def values_in(data: bytes | None) -> dict[str, Any]:
    """Read all settings out of a config file that may not exist; none if it is broken."""
    from gitkb.core.toml_text import TomlError, parse_toml

    try:
        return parse_toml((data or b"").decode("utf-8"))
    except (UnicodeDecodeError, TomlError):
        return {}


def _line_of(error: Exception) -> int:
    found = re.search(r"line (\d+)", str(error))
    return int(found[1]) if found else 0
