"""The tools that write entries, relate them and delete them."""

from __future__ import annotations

from gitkb.errors import UsageError
from gitkb.mcp.argument_names import (
    CATEGORY,
    CONTENT,
    FILES,
    IMPORTANCE,
    KEY,
    KEYS,
    LONGEST_LINE,
    REVIEW_BY,
    SCOPE,
    STACK,
    TAGS,
    TITLE,
    TYPE,
)
from gitkb.mcp.arguments import Argument
from gitkb.mcp.fence import one_line
from gitkb.mcp.tool import Tool
from gitkb.operations.add import add
from gitkb.operations.forget import forget
from gitkb.operations.reading.trust_rule import left_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.mcp.answer import Answer
    from gitkb.operations.writing.put import Added
    from gitkb.store.layout import Store

_WRITTEN = (
    *("key", "type", "title", "content", "tags", "files", "importance"),
    *("category", "scope", "stack", "review_by"),
)


def _remember(store: Store, given: dict[str, Any], answer: Answer) -> None:
    show_added(answer, add(store, entry_of(given)))


def entry_of(given: dict[str, Any]) -> dict[str, Any]:
    """Give the fields of an entry that a model named."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in _WRITTEN
        if (value := given.get(name))
    }


def show_added(answer: Answer, added: Added) -> None:
    """Add to an answer what became of an entry."""
    answer.values.update(key=added.key, written=added.written, superseded=added.superseded)
    if not added.written:
        answer.say(f"[{added.key}] says this already; nothing was written.")
    elif added.superseded:
        answer.say(f"[{added.key}] corrected; its old version is in the archive.")
    else:
        answer.say(f"[{added.key}] written.")
    if added.tier:
        _show_place(answer, added)
    if added.emptied:
        answer.values["emptied"] = list(added.emptied)
        answer.say(
            f"It no longer has {one_line(', '.join(added.emptied), 200)}: with a key, the whole entry has to be "
            "given. To add to it instead, give the same type and title without a key."
        )
    if added.revived:
        answer.values["revived"] = True
        answer.say("It had been forgotten, and lives again.")
    if added.similar:
        _show_similar(answer, added)


def _show_place(answer: Answer, added: Added) -> None:
    answer.values.update(alias=added.alias, scope=added.scope, tier=added.tier)
    why = ""
    if added.reasons:
        answer.values["reasons"] = list(added.reasons)
        # A reason may hold words of the entry.
        why = f", for {one_line('; '.join(added.reasons), 500)}"
    answer.say(f"{added.alias or added.key} in the tier {added.tier}, scope {added.scope}{why}.")
    answer.notices.extend(added.notes)


def _show_similar(answer: Answer, added: Added) -> None:
    place = answer.place.store
    bad = left_out(place, [other.key for other in added.similar], answer.notices)
    similar = [other for other in added.similar if other.key not in bad]
    if not similar:
        return
    answer.values["similar"] = [other._asdict() for other in similar]
    keys = ", ".join(other.key for other in similar)
    answer.say(
        f"Similar: {keys}. Read them (gitkb_get). If one says the same, forget [{added.key}] and "
        f"correct that one; if this replaces one, gitkb_supersede old=THAT new={added.key}; if "
        "both hold, gitkb_link them."
    )
    answer.quote("\n".join(f"{other.key}: {other.title}" for other in similar))


def _forget(store: Store, given: dict[str, Any], answer: Answer) -> None:
    keys = [*([given["key"].strip()] if given["key"] else []), *given["keys"]]
    if not keys:
        raise UsageError("gitkb_forget needs 'key' or 'keys'", "gitkb_recall finds them")
    forgotten = forget(store, keys, given["reason"] or "")
    answer.values["forgotten"] = [{"key": item.key, "written": item.written} for item in forgotten]
    for item in forgotten:
        done = "forgotten" if item.written else "had been forgotten before"
        answer.say(f"[{item.key}] {done}.")
        for key in item.left_superseded:
            answer.say(f"[{key}] stays superseded, though nothing in force takes its place now.")
    answer.say("The next commit carries it to the team; gitkb_remember with the key undoes it.")


REMEMBER = Tool(
    "gitkb_remember",
    "Write down knowledge for a later reader without context, above all the why. The same type and "
    "title again corrects the entry and adds tags and files. Answers with similar entries.",
    _remember,
    (
        TYPE._replace(required=True),
        TITLE._replace(help="The thing itself, not its topic"),
        CONTENT,
        TAGS,
        FILES,
        IMPORTANCE._replace(help="5: everything rests on it"),
        CATEGORY._replace(
            help="Makes it a learning: technical, architecture, anti-pattern, performance, "
            "collaboration, process"
        ),
        SCOPE._replace(help="How far a learning reaches; judged unless given"),
        STACK._replace(help="Technologies a learning holds for"),
        REVIEW_BY._replace(help="Stale after this day, YYYY-MM-DD"),
        KEY._replace(help="Replace this whole entry"),
    ),
    "adds",
    {"key": "string", "written": "boolean"},
)
FORGET = Tool(
    "gitkb_forget",
    "Delete entries for the whole team. For what was replaced use gitkb_supersede.",
    _forget,
    (
        KEY,
        KEYS,
        Argument("reason", high=LONGEST_LINE, others=("why", "because", "cause", "message")),
    ),
    "deletes",
    {"forgotten": "array"},
)
