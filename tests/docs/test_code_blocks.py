"""What the documents show is what happens.

Each fenced block of README.md and docs/ runs or parses, in the order of the document and in one sealed
folder a document, so that a later block sees what an earlier one did:

- ```console: lines that begin `$ ` are commands (a line that ends in a backslash goes on, `> ` lines go
  on too); what follows is the output they print, both streams together. `...` stands for any part of a
  line, a line of `...` alone for any number of lines. A command without output shown may print anything.
  A command has to succeed unless it is followed by `echo $?`.
- ```json, ```jsonl, ```toml, ```yaml parse; ```python runs; other languages are for reading.

The marker `<!-- not run: REASON -->` on the line before a block leaves it alone.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from seal import ROOT

DOCUMENTS = sorted([*ROOT.glob("README.md"), *(ROOT / "docs").rglob("*.md")])


class Block(NamedTuple):
    document: str
    line: int  # of the opening fence, from 1
    language: str
    text: str


class Step(NamedTuple):
    command: str
    expected: list[str]


def read_blocks(document: str, markdown: str) -> list[Block]:
    """The fenced blocks of a document that are to be tried."""
    blocks, lines = [], markdown.splitlines()
    number = 0
    while number < len(lines):
        opening = re.match(r"( *)(```+|~~~+) *([\w-]*)", lines[number])
        if opening is None:
            number += 1
            continue
        start, indent = number, len(opening[1])
        body = []
        number += 1
        while number < len(lines) and not re.match(rf" *{opening[2]}+ *$", lines[number]):
            body.append(lines[number][indent:])
            number += 1
        number += 1
        above = lines[start - 1] if start else ""
        if not above.strip().startswith("<!-- not run:"):
            text = "\n".join(body) + "\n"
            blocks.append(Block(document, start + 1, opening[3], text))
    return blocks


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def read_steps(text: str) -> list[Step]:
    """The commands of a console block with the output shown for each."""
    steps: list[Step] = []
    lines = iter(text.splitlines())
    for line in lines:
        if not line.startswith("$ "):
            if steps:
                steps[-1].expected.append(line)
            continue
        command = line[2:]
        while command.endswith("\\") or _is_open(command):
            command += "\n" + next(lines).removeprefix("> ")
        steps.append(Step(command, []))
    return steps


def _is_open(command: str) -> bool:
    """Whether the shell would go on reading: a quote that is not closed, a here-document."""
    here = re.search(r"<<-?\s*['\"]?(\w+)", command)
    if here:
        return command.splitlines()[-1].strip() != here[1] or "\n" not in command
    try:
        shlex.split(command, comments=True)
    except ValueError:
        return True
    return False


def matches(expected: list[str], printed: list[str]) -> bool:
    """Whether output is as shown, `...` standing for anything."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else _pattern_of_line(line) for line in expected
    )
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def _pattern_of_line(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n"


# --- the documents ---------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_a_document_shows_what_happens(document: Path, tmp_path: Path) -> None:
    shell = _Shell(tmp_path)
    for block in read_blocks(_name(document), document.read_text(encoding="utf-8")):
        try:
            if block.language == "console":
                shell.run(block)
            elif block.language in _PARSERS:
                _PARSERS[block.language](block.text)
        except Exception as error:
            error.add_note(f"in the block at {block.document}:{block.line}")
            raise


def _parse_json_lines(text: str) -> None:
    for line in text.splitlines():
        json.loads(line)


def _run_python(text: str) -> None:
    exec(compile(text, "<document>", "exec"), {"__name__": "document"})  # noqa: S102 - ours


_PARSERS: dict[str, Callable[[str], object]] = {
    "json": json.loads,
    "jsonl": _parse_json_lines,
    "python": _run_python,
    "toml": tomllib.loads,
    "yaml": yaml.safe_load,
}


class DocumentError(AssertionError):
    """A command of a document did something else than the document says."""


class _Shell:
    """A shell whose folder and exported variables carry on from one command to the next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.saved = folder.parent / f"{folder.name}-state"

    def run(self, block: Block) -> None:
        steps = read_steps(block.text)
        for number, step in enumerate(steps):
            asks_code = number + 1 < len(steps) and steps[number + 1].command.strip() == "echo $?"
            code, printed = self._run(step.command)
            if code and not asks_code:
                raise DocumentError(f"`{step.command}` ended in {code}:\n{_lines(printed)}")
            if step.expected and not matches(step.expected, printed):
                raise DocumentError(
                    f"`{step.command}` printed\n{_lines(printed)}\ninstead of\n"
                    f"{_lines(step.expected)}"
                )

    def _run(self, command: str) -> tuple[int, list[str]]:
        state = shlex.quote(str(self.saved))
        script = (
            f"test -e {state} && . {state}\n"
            f"{command}\n"
            "gitkb_code=$?\n"
            f'{{ export -p; printf \'cd %q\\n\' "$PWD"; echo "(exit $gitkb_code)"; }} >{state}\n'
            "exit $gitkb_code\n"
        )
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "COLUMNS": "100"},
            timeout=300,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8").splitlines()


def _lines(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for line in lines) or "    (nothing)"


# --- the reader of documents -----------------------------------------------------------------


def test_blocks_are_found_with_their_line_and_language() -> None:
    text = "a\n\n```console\n$ true\n```\n\n- b\n\n  ```json\n  {}\n  ```\n"
    assert read_blocks("x.md", text) == [
        Block("x.md", 3, "console", "$ true\n"),
        Block("x.md", 9, "json", "{}\n"),
    ]


def test_a_block_marked_as_not_run_is_left_alone() -> None:
    assert read_blocks("x.md", "<!-- not run: a forge -->\n```console\n$ false\n```\n") == []


def test_commands_and_their_output_are_told_apart() -> None:
    text = "$ one\nout\n\nout 2\n$ two \\\n>   more\n$ cat <<EOF\nx\nEOF\nx\n$ echo 'a\nb'\n"
    assert read_steps(text) == [
        Step("one", ["out", "", "out 2"]),
        Step("two \\\n  more", []),
        Step("cat <<EOF\nx\nEOF", ["x"]),
        Step("echo 'a\nb'", []),
    ]


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        (["a ... c"], ["a b c"], True),
        (["a", "...", "z"], ["a", "z"], True),
        (["a", "...", "z"], ["a", "b", "c", "z"], True),
        (["a", "...", "z"], ["a", "b"], False),
        (["a.c"], ["abc"], False),
        (["a"], ["a", "b"], False),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(
    expected: list[str], printed: list[str], same: bool
) -> None:
    assert matches(expected, printed) is same


def test_the_shell_remembers_its_folder_and_variables(tmp_path: Path) -> None:
    shell = _Shell(tmp_path)
    text = '$ mkdir "it\'s" && cd "it\'s"\n$ export X=1\n$ echo $X $(basename "$PWD")\n1 it\'s\n'
    shell.run(Block("x.md", 1, "console", text))


def test_a_command_that_fails_is_a_failure_unless_its_code_is_shown(tmp_path: Path) -> None:
    shell = _Shell(tmp_path)
    with pytest.raises(DocumentError, match="ended in 3"):
        shell.run(Block("x.md", 1, "console", "$ (exit 3)\n"))
    shell.run(Block("x.md", 1, "console", "$ (exit 3)\n$ echo $?\n3\n"))
