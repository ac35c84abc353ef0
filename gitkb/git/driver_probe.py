"""Does a configured line work: the proof is a merge, or a text, not a comparison of lines."""

from __future__ import annotations

import os
import tempfile

from gitkb.errors import GitError
from gitkb.git.command import ask_git

BASE = b'{"key":"probe-a","type":"fact","content":"a","created":1,"ts":1}\n'
OURS = BASE + b'{"key":"probe-b","type":"fact","content":"b","created":2,"ts":2}\n'
THEIRS = BASE + b'{"key":"probe-c","type":"fact","content":"c","created":3,"ts":3}\n'
SECONDS = 20.0


def probe_driver(line: str) -> str | None:
    """Merge three tiny files through ``line`` as git would; what is wrong, None when it is sound.

    git's own shell runs it (as an alias), because that is what will run it in a merge. Cost: one merge.
    """
    fault, merged = _merge(line)
    if fault is None and sorted(merged.splitlines()) != sorted(
        {*OURS.splitlines(), *THEIRS.splitlines()}
    ):
        return "it ended well and lost an entry"
    return fault


def probe_view_driver(line: str) -> str | None:
    """The same for the driver of views, which has to keep ours."""
    fault, merged = _merge(line)
    return "it did not keep our side" if fault is None and merged != OURS else fault


def probe_text(line: str) -> str | None:
    """Have ``line`` write a tiny file as text, as git would; what is wrong, None when it is sound."""
    from gitkb.core.entry_text import format_file

    with tempfile.TemporaryDirectory(prefix="gitkb-probe-") as folder:
        with open(os.path.join(folder, "ours"), "wb") as file:
            file.write(OURS)
        try:
            # git puts the same `"$@"` behind an alias as behind a textconv line.
            answer = ask_git([*_as_alias(line, folder), "ours"], folder, seconds=SECONDS)
        except GitError as error:
            return error.message
    if answer.code != 0:
        return f"it ended with {answer.code}"
    if answer.stdout == OURS:
        return "its program is not there, and files are shown as they are"
    return None if answer.stdout == format_file(OURS) else "it wrote another text"


def _merge(line: str) -> tuple[str | None, bytes]:
    """What went wrong, if anything, and what was left."""
    with tempfile.TemporaryDirectory(prefix="gitkb-probe-") as folder:
        for name, data in (("base", BASE), ("ours", OURS), ("theirs", THEIRS)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        try:
            answer = ask_git(_as_alias(expand(line), folder), folder, seconds=SECONDS)
        except GitError as error:
            return error.message, b""
        with open(os.path.join(folder, "ours"), "rb") as file:
            merged = file.read()
    if answer.code != 0:
        said = answer.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"it ended with {answer.code}" + (f": {said[0]}" if said else ""), merged
    return None, merged


def _as_alias(line: str, folder: str) -> list[str]:
    # A git folder that is none: wherever temporary files lie, this is no repository.
    return [f"--git-dir={folder}/none", "-c", f"alias.gitkb-probe=!{line}", "gitkb-probe"]


def expand(line: str) -> str:
    """The line with git's placeholders replaced, `%%` included (git's strbuf_expand)."""
    values = {"O": "base", "A": "ours", "B": "theirs", "L": "7", "P": "'probe.jsonl'", "%": "%"}
    text, at = [], 0
    while at < len(line):
        if line[at] == "%" and line[at + 1 : at + 2] in values:
            text.append(values[line[at + 1]])
            at += 2
        else:
            text.append(line[at])
            at += 1
    return "".join(text)
