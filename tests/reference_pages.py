"""The pages of docs/reference that are made from the code. Run this file to write them anew (`make reference`).

tests/docs/test_reference.py compares them, so that a page never says what the code does not.
"""

from __future__ import annotations

import json
import os
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from gitkb import errors
from gitkb.cli.verbs import SECTIONS, load_verb
from gitkb.core.entry import FIELDS, OBJECT_SET_FIELDS, SET_FIELDS, TOMBSTONE_FIELDS
from gitkb.core.merge.rules import KNOWLEDGE, LARGER
from gitkb.hooks.main import AGENT_HOOKS, POST_HOOKS, PRE_HOOKS, REMINDERS

from reference_json import json_page
from reference_manual import manual_page, other_name
from reference_meanings import GIT_SETTINGS, VARIABLES
from seal import ROOT, sealed_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.cli.arguments import Option, Verb

REFERENCE = ROOT / "docs" / "reference"


def iter_verbs() -> Iterator[tuple[str, Verb]]:
    """Each verb with the section that it is in."""
    for title, names in SECTIONS:
        for name in names:
            verb = load_verb(name)
            assert verb is not None
            yield title, verb


# --- commands --------------------------------------------------------------------------------


def commands_page() -> str:
    """docs/reference/commands.md from the verbs."""
    lines = [
        "# Commands",
        "",
        "Results go to stdout, all else to stderr. `--json` gives one [JSON document](json.md) on verbs that read;",
        "`--dir` names the store on every verb, before or after the verb's name. How a command ends is said by its",
        "[exit code](exit-codes.md).",
    ]
    section = ""
    for title, verb in iter_verbs():
        if title != section:
            section = title
            lines += ["", f"## {title}"]
        lines += ["", *_verb_section(verb)]
    return "\n".join(lines) + "\n"


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


# --- MCP -------------------------------------------------------------------------------------


def mcp_page() -> str:
    """docs/reference/mcp-tools.md from the tools that the server offers."""
    from gitkb.mcp.tools import INSTRUCTIONS, TOOLS, VERBS

    verbs = {tool: verb for verb, tool in VERBS.items()}
    lines = [
        "# MCP tools",
        "",
        "What [`gitkb mcp`](../how-to/mcp.md) offers, word for word as a model sees it. Every answer has text and structured",
        "values; beside those named here it says `store`, `branch` and, where something was left out, `left_out`.",
        "",
        "The server introduces itself with:",
        "",
        *(f"> {line}" for line in INSTRUCTIONS.split("\n")),
    ]
    for tool in TOOLS:
        lines += ["", f"## `{tool.name}`", "", tool.description, ""]
        lines += [f"{_EFFECTS[tool.effect]} As a verb: `gitkb {verbs[tool.name]}`."]
        lines += ["", "| argument | JSON type | what it is |", "|---|---|---|"]
        required = tool.input_schema.get("required", [])
        for name, form in tool.input_schema["properties"].items():
            lines += [f"| `{name}` | {_form_words(form)} | {_form_help(form, name in required)} |"]
        values = ", ".join(f"`{name}` ({type_})" for name, type_ in tool.output.items())
        lines += ["", f"Answers with {values}."]
    return "\n".join(lines) + "\n"


_EFFECTS = {
    "reads": "Reads only.",
    "adds": "Writes, and destroys nothing.",
    "deletes": "Deletes.",
}


def _form_words(form: dict[str, Any]) -> str:
    if form["type"] == "array":
        return f"array of {form['items'].get('type', 'anything')}, at most {form['maxItems']}"
    if "minimum" in form:
        return f"{form['type']}, {form['minimum']} to {form['maximum']}"
    return str(form["type"])


def _form_help(form: dict[str, Any], is_required: bool) -> str:
    parts = ["Required."] if is_required else []
    parts += [str(form["description"])] if "description" in form else []
    if "enum" in form:
        parts.append("One of " + ", ".join(f"`{value}`" for value in form["enum"]) + ".")
    if "default" in form:
        parts.append(f"Default: `{json.dumps(form['default'])}`.")
    return " ".join(parts).replace("|", "\\|")


# --- the entry and its merge -----------------------------------------------------------------


def entry_page() -> str:
    """docs/reference/entry.md from the JSON Schema."""
    schema = _schema("entry")
    lines = [
        "# The entry",
        "",
        "One object, one line, UTF-8. Fields stand in this order and are absent when they hold their default.",
        "Fields that gitkb does not know are kept. The contract is the JSON Schema that the package brings,",
        "`gitkb/schema/entry.schema.json`. How each field is merged: [merge rules](merge-rules.md).",
        "",
        "| field | what it is |",
        "|---|---|",
        *_field_rows(schema, "entry", FIELDS),
        "",
        "## The tombstone",
        "",
        "The line that stays of an entry that was deleted, or that moved to another tier. It stands in the place of the entry,",
        "so that the deletion reaches every clone.",
        "",
        "| field | what it is |",
        "|---|---|",
        *_field_rows(schema, "tombstone", TOMBSTONE_FIELDS),
        "",
        "## The files",
        "",
        "A key belongs into the file that the first digits of the SHA-256 of its bytes name (`knowledge/3f.jsonl` with 256",
        "shards, `knowledge/all.jsonl` with one). Lines of `knowledge/` are in the order of those hashes, one a key; lines of",
        "`archive/` are versions. Every line ends in LF, the last one too.",
        "",
        "```text",
        ".gitkb/",
        "    knowledge/3f.jsonl  the entries, one line each; a deleted one leaves a tombstone",
        "    archive/3f.jsonl    older versions, and what was put aside",
        "    config.toml         settings that the team shares",
        "    confirmed           what was confirmed to be still true, and for which text",
        "    views/              Markdown for people, where the team wants it",
        "    .gitattributes      tells git to merge these files with gitkb",
        "    .gitignore",
        "```",
        "",
        "A file that holds nothing any more stays, empty: git calls no merge driver for a deleted one.",
    ]
    return "\n".join(lines) + "\n"


def _field_rows(schema: dict[str, Any], kind: str, names: tuple[str, ...]) -> Iterator[str]:
    properties = schema["$defs"][kind]["properties"]
    for name in names:
        if name in properties:
            reference = properties[name].get("$ref", f"#/$defs/{kind}").rpartition("/")[2]
            shared = schema["$defs"][reference] if reference != kind else {}
            yield f"| `{name}` | {_cell({**shared, **properties[name]})} |"


def _cell(field: dict[str, Any]) -> str:
    text = str(field.get("description", ""))
    if "enum" in field:
        text += " One of " + ", ".join(f"`{value}`" for value in field["enum"]) + "."
    if "const" in field:
        text += f" Always `{json.dumps(field['const'])}`."
    if "default" in field:
        text += f" Default: `{json.dumps(field['default'])}`."
    return text.replace("|", "\\|").replace("\n", " ")


def _schema(name: str) -> dict[str, Any]:
    text = files("gitkb.schema").joinpath(f"{name}.schema.json").read_text("utf-8")
    return dict(json.loads(text))


def merge_page() -> str:
    """docs/reference/merge-rules.md from the rules that the merge works by."""
    lines = [
        "# Merge rules",
        "",
        "What becomes of each field when both sides of a merge changed an entry. Where only one side changed it, that",
        "side's value is taken. [How gitkb merges](../explanation/merging.md) says what holds for the entry as a whole, and",
        "which laws the merge obeys.",
        "",
        "| field | when both sides changed it |",
        "|---|---|",
        *(f"| `{name}` | {_merge_words(name)} |" for name in FIELDS),
        "| any other field | a value: as `title`; an object: name by name; a list without repeats: as a set |",
        "",
        "Without a base, what both sides brought counts as added by both; `importance` is then the larger.",
        "",
        "| lines | what is taken |",
        "|---|---|",
        "| both sides alike | that |",
        "| one side as the base | the other side |",
        "| a tombstone and a change | the tombstone, unless the entry's `revives` names it |",
        "| a redirect and a change | the redirect, with the change in its `conflicts` |",
        "| no line and a change | the change |",
        "| unreadable, changed by both | git's own merge of the text, with markers, exit 1 |",
    ]
    return "\n".join(lines) + "\n"


def _merge_words(name: str) -> str:
    if name in KNOWLEDGE.key:
        return "is what the lines are matched by"
    if name in KNOWLEDGE.clocks:
        return "the later one" if KNOWLEDGE.clocks[name] == LARGER else "the earlier one"
    if name == "conflicts":
        return "those of both sides that are still open, and the new ones"
    if name in SET_FIELDS or name in OBJECT_SET_FIELDS:
        return "a set: what either side added is added, what either side removed is removed"
    if name in KNOWLEDGE.ordered:
        return "the list of the later version, the other in `conflicts`"
    return "the value of the later version, the other in `conflicts`"


# --- exit codes, settings, hooks -------------------------------------------------------------


def exit_codes_page() -> str:
    """docs/reference/exit-codes.md from the tree of errors."""
    kinds = sorted(
        (kind.exit_code, kind.slug, str(kind.__doc__))
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.GitkbError) and "slug" in vars(kind)
        if kind is not errors.GitkbError
    )
    lines = [
        "# Exit codes",
        "",
        "An empty answer is an answer: 0. `gitkb-hook` ends with 0 or 1 only, the merge driver with 0 (merged) or 1 (git's",
        "conflict).",
        "",
        "| code | what it says |",
        "|---|---|",
        f"| {errors.EXIT_DONE} | Done. |",
        f"| {errors.EXIT_NO} | The answer is no: problems were found, or there is a difference. |",
        *(f"| {code} | {text} |" for code, slug, text in kinds if slug != "git-owner"),
        f"| {errors.EXIT_BUG} | A bug in gitkb. The message says where its report lies. |",
        f"| {errors.EXIT_INTERRUPTED} | You stopped it. |",
        "",
        "A message on stderr says the failure first, and what helps on the next line:",
        "",
        "```text",
        "error: cannot read entry at 'knowledge/3f.jsonl:17': duplicate name 'tags'",
        "hint: gitkb check",
        "```",
    ]
    return "\n".join(lines) + "\n"


def configuration_page() -> str:
    """docs/reference/configuration.md from the JSON Schema of config.toml."""
    schema = _schema("config")
    lines = [
        "# Configuration",
        "",
        f"## {'`.gitkb/config.toml`'}",
        "",
        str(schema["description"]),
        "",
        "| setting | type | what it is |",
        "|---|---|---|",
        *_setting_rows(schema, schema["properties"], ""),
        "",
        "## Variables of the environment",
        "",
        "| variable | what it does |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, text in VARIABLES.items()),
        "",
        "## git's configuration of a clone",
        "",
        "| setting | what it does |",
        "|---|---|",
        *(f"| `{name}` | {text} |" for name, text in GIT_SETTINGS.items()),
    ]
    return "\n".join(lines) + "\n"


def _setting_rows(schema: dict[str, Any], properties: dict[str, Any], path: str) -> Iterator[str]:
    for name, form in properties.items():
        reference = form.get("$ref", "").rpartition("/")[2]
        kind = schema["$defs"][reference] if reference else form
        inner = form.get("properties")
        if inner:
            yield from _setting_rows(schema, inner, f"{path}{name}.")
            continue
        shown = f"{path}{name}"
        if "additionalProperties" in form:
            shown, kind = f"{shown}.NAME", schema["$defs"]["texts"]
        words = (
            "array of texts" if kind["type"] == "array" else {"string": "text"}.get(kind["type"])
        )
        yield f"| `{shown}` | {words or kind['type']} | {_cell(form)} |"


def hooks_page() -> str:
    """docs/reference/hooks.md from the hooks' program and from what pre-commit is offered."""
    offered = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    lines = [
        "# Hooks",
        "",
        "## Of git",
        "",
        "`gitkb install` sets these up beside [the hooks of other tools](../how-to/hooks-of-other-tools.md).",
        "",
        "| hook | what it does |",
        "|---|---|",
        *(
            f"| `{name}` | Judges what is staged, and stops a commit that would break it. |"
            for name in PRE_HOOKS
        ),
        *(
            f"| `{name}` | Makes the search index ready. Never stops anything. |"
            for name in POST_HOOKS
        ),
        "",
        "`gitkb-hook NAME` is what they call; coding agents call it too, with "
        + ", ".join(f"`{name}`" for name in (*AGENT_HOOKS, *REMINDERS))
        + ".",
        "",
        "## For the pre-commit framework",
        "",
        "[How to use them](../how-to/pre-commit.md).",
        "",
        "| id | stages | what it does |",
        "|---|---|---|",
        *(
            f"| `{hook['id']}` | {', '.join(hook['stages'])} | {' '.join(hook['description'].split())} |"
            for hook in offered
        ),
    ]
    return "\n".join(lines) + "\n"


PAGES: list[tuple[str, Callable[[], str]]] = [
    ("commands.md", commands_page),
    ("configuration.md", configuration_page),
    ("entry.md", entry_page),
    ("exit-codes.md", exit_codes_page),
    ("git-kb.1", other_name),
    ("gitkb.1", manual_page),
    ("hooks.md", hooks_page),
    ("json.md", json_page),
    ("mcp-tools.md", mcp_page),
    ("merge-rules.md", merge_page),
]


def main() -> None:
    """Write every page, in the same surroundings as the tests have."""
    with tempfile.TemporaryDirectory() as folder:
        environment = sealed_environment(Path(folder))
        os.environ.clear()
        os.environ.update(environment)
        for name, page in PAGES:
            (REFERENCE / name).write_text(page(), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
