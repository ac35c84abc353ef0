"""A whole file of ours among an agent's files, known again by the hash in its last line."""

from __future__ import annotations

import re

from gitkb.core.agents.block import digest
from gitkb.core.agents.edit import Refusal, newline_of

_mark = re.compile(r"<!-- gitkb:file ([0-9a-f]{8}) -->\s*\Z").search


def own_text(content: str) -> str:
    """Give a content its last line."""
    return f"{content}\n<!-- gitkb:file {digest(content)} -->\n"


def put_file(text: str | None, content: str) -> str:
    """Make the file, or bring it up to date.

    Raises:
        Refusal: when it was changed by hand, or is not ours.
    """
    wanted = own_text(content)
    if text is None:
        return wanted
    _check_ours(text)
    return wanted.replace("\n", newline_of(text))


def take_file(text: str) -> None:
    """Take the file away.

    Raises:
        Refusal: as `put_file`.
    """
    _check_ours(text)


def _check_ours(text: str) -> None:
    mark = _mark(text)
    if mark is None:
        raise Refusal("it is there already, and not from gitkb setup")
    # The line end before the mark is the mark's.
    if digest("\n".join(text[: mark.start()].splitlines())) != mark[1]:
        raise Refusal("it was changed by hand")
