"""One answer of a tool: text for the model, the same as values, and how much was cut.

1. An answer has a bounded size, in bytes of UTF-8, and no tokenizer makes more tokens than bytes.
   Whatever is cut is counted, and the answer says how to get the rest.
2. Text that others wrote stands between fences (`fence`); everything outside of them is ours, or a
   name that a fence cannot be needed for (a key, a hash).
3. The first line names the store and the branch.
4. Text and values say the same: some clients hand on the one to the model, and some the other
   (Claude Code and VS Code the values, wherever there are any). In the values it is the quotes of
   JSON that nothing said by others can close.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.mcp.fence import FENCE_NOTE, VALUES_NOTE, fence, name_of, one_line, size_of, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.mcp.place import Place

ROOM = 20_000
"""Bytes of an answer's fenced text; what stands around it is a few lines more."""
_LONGEST_NOTE = 500
_LEAST = 400
"""Less than this is not worth beginning an entry."""


class Reply(NamedTuple):
    """What goes to the client."""

    text: str
    values: dict[str, Any] | None
    """None in an error: a schema of the values would not hold for it."""
    is_error: bool = False


class Answer:
    """An answer while it is being made."""

    def __init__(self, place: Place, room: int = ROOM) -> None:
        self.place = place
        self.values: dict[str, Any] = {}
        self.notices: list[str] = []
        """What operations noticed; see their parameter of this name."""
        self.left_out = 0
        """Entries that were found and are not shown."""
        self.at_least = False
        """There are more than `left_out` of them; nobody counted."""
        self.more = "raise limit, or narrow it down"
        """How to see what was left out."""
        self.longer = "gitkb_get KEY has more"
        """How to see what was cut."""
        self.cut = 0
        """Characters that are missing at the ends of the texts that are shown."""
        self._room = room
        self._parts: list[str] = []
        self._messages: list[str] = []
        self._quoted: set[int] = set()
        """Which of the parts are words of others."""

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another entry."""
        return self._room < _LEAST

    @property
    def room(self) -> int:
        """Bytes that are left for words of others."""
        return self._room

    def say(self, text: str) -> None:
        """Add words of ours that the values do not say."""
        self._parts.append(text)
        self._messages.append(text)

    def head(self, text: str) -> None:
        """Add words of ours that put into words what the values say."""
        self._parts.append(text)

    def quote(self, text: str) -> None:
        """Add words of others."""
        text = visible(text)
        self._room -= size_of(text)
        self._quoted.add(len(self._parts))
        self._parts.append(text)

    def shorten(self, text: str, most: int) -> str:
        """Cut a text to `most` bytes or the room that is left, and count what is cut."""
        most = max(0, min(most, self._room))
        data = visible(text).encode()
        if len(data) <= most:
            return text
        kept = data[:most].decode("utf-8", "ignore")
        lost = len(data.decode()) - len(kept)
        self.cut += lost
        return f"{kept.rstrip()}… [{lost} characters more]"

    def start_again(self) -> None:
        """Take back what was said."""
        self._parts.clear()
        self._messages.clear()
        self._quoted.clear()

    def reply(self) -> Reply:
        """Put it together: the line about the store first, then notes, then what was added."""
        place, loss = self.place, self._loss()
        values: dict[str, Any] = {"store": place.name, "branch": place.branch}
        head = [f"store {place.name} · {place.branch_words} · {loss or 'nothing cut'}"]
        if self._messages:
            values["message"] = " ".join(self._messages)
        if self._quoted:
            head.append(FENCE_NOTE)
            values["about"] = VALUES_NOTE
        values.update(self.values)
        values.update(left_out=self.left_out, cut=self.cut)
        if loss:
            values["rest"] = loss
        if self.notices:
            # On one line each, because one may tell what somebody wrote.
            values["notes"] = [one_line(notice, _LONGEST_NOTE) for notice in self.notices]
            head += [f"note: {note}" for note in values["notes"]]
        text = "\n".join([*head, "", *self._fenced(head)]).rstrip("\n")
        return Reply(text, _clean(values))

    def _fenced(self, head: list[str]) -> list[str]:
        """Give the parts, the words of others between fences."""
        quoted = "\n".join(self._parts[number] for number in sorted(self._quoted))
        ours = [part for number, part in enumerate(self._parts) if number not in self._quoted]
        name = name_of(quoted, "\n".join([*head, *ours])) if self._quoted else ""
        return [
            fence(part, name) if number in self._quoted else part
            for number, part in enumerate(self._parts)
        ]

    def _loss(self) -> str:
        losses = []
        if self.left_out:
            count = f"{self.left_out}{' or more' if self.at_least else ''}"
            losses.append(f"{count} left out: {self.more}")
        if self.cut:
            losses.append(f"{self.cut} characters cut: {self.longer}")
        return ", ".join(losses)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {visible(name): _clean(item) for name, item in value.items()}
    return value
