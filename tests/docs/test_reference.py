"""The reference pages are what the code says: they are generated, and compared here.

To write them anew after a change, run this file with the Python of `.venv`.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.cli.verbs import SECTIONS, load_verb
from gitkb.core.entry import FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from gitkb.cli.arguments import Option, Verb

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def commands_page() -> str:
    """docs/reference/commands.md from the verbs."""
    lines = [
        "# Commands",
        "",
        "Results go to stdout, all else to stderr. `--json` gives one JSON document on verbs that read;",
        "`--dir` names the store on every verb, before or after the verb's name.",
        "",
        "Exit codes: 0 done · 1 the answer is no · 2 usage · 3 bad data · 4 not found · 5 state (locked,",
        "conflicted, full) · 6 git · 7 search index · 70 a bug in gitkb · 130 interrupted.",
    ]
    for title, names in SECTIONS:
        lines += ["", f"## {title}"]
        for name in names:
            verb = load_verb(name)
            assert verb is not None
            lines += ["", *_verb_section(verb)]
    return "\n".join(lines) + "\n"


def entry_page() -> str:
    """docs/reference/entry.md from the JSON Schema."""
    schema = json.loads(files("gitkb.schema").joinpath("entry.schema.json").read_text("utf-8"))
    entry = schema["$defs"]["entry"]["properties"]
    lines = [
        "# The entry",
        "",
        "One object, one line, UTF-8. Fields stand in this order and are absent when they hold their default.",
        "Fields that gitkb does not know are kept. The contract is the JSON Schema that the package brings,",
        "`gitkb/schema/entry.schema.json`.",
        "",
        "| field | what it is |",
        "|---|---|",
    ]
    for name in FIELDS:
        shared = schema["$defs"][entry[name].get("$ref", "#/$defs/entry").rpartition("/")[2]]
        lines.append(f"| `{name}` | {_cell({**shared, **entry[name]})} |")
    return "\n".join(lines) + "\n"


def _cell(field: dict[str, Any]) -> str:
    text = str(field.get("description", ""))
    if "enum" in field:
        text += " One of " + ", ".join(f"`{value}`" for value in field["enum"]) + "."
    if "default" in field:
        text += f" Default: `{json.dumps(field['default'])}`."
    return text.replace("|", "\\|").replace("\n", " ")


def _verb_section(verb: Verb) -> list[str]:
    words = [f"gitkb {verb.name}", *(_argument(a.name, a.required, a.many) for a in verb.arguments)]
    lines = [f"### `{' '.join(words)}`", "", verb.summary, ""]
    for block in verb.details.strip().split("\n\n"):
        if block.startswith("$"):
            lines += ["```sh", *(line.removeprefix("$ ") for line in block.split("\n")), "```", ""]
        elif block:
            lines += [block, ""]
    shown = [option for option in verb.options if not option.hidden]
    if shown:
        lines += ["| option | what it does |", "|---|---|"]
        lines += [_option_row(option) for option in shown]
    return lines if shown else lines[:-1]


def _argument(name: str, required: bool, many: bool) -> str:
    text = name + ("…" if many else "")
    return text if required else f"[{text}]"


def _option_row(option: Option) -> str:
    metavar = "\\|".join(option.choices) if option.choices else option.metavar
    return f"| `--{option.name}{' ' + metavar if metavar else ''}` | {option.help} |"


PAGES = [("commands.md", commands_page), ("entry.md", entry_page)]


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_the_reference_page_says_what_the_code_says(name: str, page: Callable[[], str]) -> None:
    assert (REFERENCE / name).read_text("utf-8") == page()


if __name__ == "__main__":
    for name, page in PAGES:
        (REFERENCE / name).write_text(page(), "utf-8", newline="\n")
