"""What becomes of one of an agent's files: the new text, or why it is left alone.

1. An edit changes nothing but what it puts in or takes out: every other byte stays.
2. Whatever was put in can be taken out by anybody who has the file, in any clone, without a record of
   it: how it stands there says what the file was without it. Each edit that puts something in is
   undone once before it is given out, and refused where that would not give back what was there.
3. What cannot be edited safely is a `Refusal` that says why, and never guessed at.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Edit = Callable[[str | None], str | None]
    """From a file's text to its new text; None stands for a file that is not there."""

BOM = "\ufeff"


class Refusal(Exception):  # noqa: N818  it says no, and nothing went wrong
    """A file is left as it is; the text says why."""


class Part(NamedTuple):
    """What one agent needs in one file."""

    path: str
    """From the top of the project, with `/`."""
    put: Edit
    take: Edit
    paste: str
    """What a person puts there where we cannot."""


def edit_bytes(data: bytes | None, edit: Edit) -> bytes | None:
    """Edit a file as bytes; a byte order mark stays.

    Raises:
        Refusal: when it is not UTF-8, or as the edit says.
    """
    if data is None:
        text = edit(None)
        return None if text is None else text.encode()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Refusal(f"the byte 0x{data[error.start]:02X} in it is not UTF-8") from None
    if "\0" in text:
        raise Refusal("there is a NUL byte in it")
    mark = BOM if text.startswith(BOM) else ""
    new = edit(text.removeprefix(BOM))
    return None if new is None else (mark + new).encode()


def checked(put: Edit, take: Edit) -> Edit:
    """Make an edit that is given out only if it can be undone, and if doing it again changes nothing."""

    def edit(text: str | None) -> str | None:
        new = put(
            text
        )  # refuses what was changed by hand, so that take(text) is what was there before
        if new != text and (take(new) != take(text) or put(new) != new):
            raise Refusal("what stands there could not be given back byte for byte")
        return new

    return edit


def newline_of(text: str) -> str:
    """Give the line end that a text uses."""
    return "\r\n" if "\r\n" in text else "\n"
