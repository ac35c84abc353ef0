"""A section of ours in a text of somebody else's: Markdown between two comments, TOML likewise.

1. The section comes last, one empty line below what was there. Where the text had no line end at its
   end, the section has none either: that is how taking it out knows.
2. The first line holds a hash of the lines between the two marks. A section with another hash was
   changed by hand, and is left as it is.
3. Several agents may read one file: the first line names them, and the section goes with the last.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

from gitkb.core.agents.edit import Refusal, newline_of

_fence = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


class Form(NamedTuple):
    """How a comment looks in a kind of text."""

    opening: str
    closing: str


MARKDOWN = Form("<!-- ", " -->")
TOML = Form("# ", "")


class _Found(NamedTuple):
    start: int
    end: int
    users: tuple[str, ...]
    body: str
    """With LF."""


def put_block(text: str | None, form: Form, body: str, user: str = "") -> str:
    """Put a section in, or bring it up to date.

    Raises:
        Refusal: when it was changed by hand, or stands there twice or in part.
    """
    if text is None:
        return _block(form, body, (user,), "\n") + "\n"
    newline = newline_of(text)
    found = _find(text, form)
    if found is not None:
        users = tuple(sorted({*found.users, user} - {""}))
        block = _block(form, body, users, newline)
        return text[: found.start] + block + text[found.end :]
    if form is MARKDOWN:
        _check_closed(text)
    block = _block(form, body, (user,), newline)
    if not text:
        return block
    if text.endswith("\n"):
        return f"{text}{newline}{block}{newline}"
    return f"{text}{newline}{newline}{block}"


def take_block(text: str, form: Form, user: str = "") -> str | None:
    """Take a section out; None when the file held nothing else.

    Raises:
        Refusal: as `put_block`.
    """
    found = _find(text, form)
    if found is None or (user and user not in found.users):
        return text
    newline = newline_of(text)
    users = tuple(one for one in found.users if one != user)
    if users:
        return text[: found.start] + _block(form, found.body, users, newline) + text[found.end :]
    before, after = text[: found.start], text[found.end :]
    if not before and after == newline:
        return None
    if not after:
        return before.removesuffix(newline).removesuffix(newline)
    return before.removesuffix(newline) + after.removeprefix(newline)


def has_block(text: str, form: Form) -> bool:
    """Whether there is a section of ours, changed or not."""
    return bool(_begin(form).search(text))


def digest(lines: str) -> str:
    """Hash lines, whatever their line ends are."""
    return sha256("\n".join(lines.splitlines()).encode()).hexdigest()[:8]


def _block(form: Form, body: str, users: tuple[str, ...], newline: str) -> str:
    words = ["gitkb:begin", *(user for user in users if user), digest(body)]
    lines = [
        f"{form.opening}{' '.join(words)}{form.closing}",
        *body.rstrip("\n").split("\n"),
        f"{form.opening}gitkb:end{form.closing}",
    ]
    return newline.join(lines)


def _begin(form: Form) -> re.Pattern[str]:
    opening, closing = re.escape(form.opening), re.escape(form.closing)
    return re.compile(rf"(?m)^{opening}gitkb:begin((?: [a-z]+)*) ([0-9a-f]{{8}}){closing}\r?$")


def _find(text: str, form: Form) -> _Found | None:
    found = list(_begin(form).finditer(text))
    if not found:
        return None
    if len(found) > 1:
        raise Refusal("gitkb's section stands there twice")
    begin = found[0]
    mark = re.escape(f"{form.opening}gitkb:end{form.closing}")
    end = re.compile(rf"(?m)^{mark}(?=\r?$)").search(text, begin.end())
    if end is None:
        raise Refusal("the end of gitkb's section is missing")
    body = "\n".join(text[begin.end() : end.start()].removeprefix("\n").splitlines())
    if digest(body) != begin[2]:
        raise Refusal("gitkb's section was changed by hand")
    return _Found(begin.start(), end.end(), tuple(begin[1].split()), body)


def _check_closed(text: str) -> None:
    """A section after an open code block or comment would be part of it."""
    opened = ""
    for line in text.splitlines():
        found = _fence.match(line)
        if found is None:
            continue
        if not opened:
            opened = found[1]
        elif found[1].startswith(opened) and not found[2].strip():
            opened = ""
    if opened:
        raise Refusal("a code block in it is not closed")
    if text.rfind("<!--") > text.rfind("-->"):
        raise Refusal("a comment in it is not closed")
