"""The tools of the graph: what replaced what, what belongs together, and why."""

from __future__ import annotations

from gitkb.core.entry import RELATIONS
from gitkb.core.identity import normal_title
from gitkb.errors import UsageError
from gitkb.mcp.argument_names import (
    CONTENT,
    FILES,
    IMPORTANCE,
    KEY,
    LIMIT,
    QUERY,
    TAGS,
    TITLE,
    TYPE,
)
from gitkb.mcp.arguments import Argument
from gitkb.mcp.entry_view import View, edge_values, show_entries
from gitkb.mcp.tool import Tool
from gitkb.mcp.tools_write import entry_of, show_added
from gitkb.operations.add import add
from gitkb.operations.link import link
from gitkb.operations.related import related
from gitkb.operations.show import show
from gitkb.operations.supersede import SUPERSEDES, supersede
from gitkb.operations.why import why

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.core.entry import Entry
    from gitkb.mcp.answer import Answer
    from gitkb.store.layout import Store

_LONGEST_KEY = 128
_TITLE = 200


def _supersede(store: Store, given: dict[str, Any], answer: Answer) -> None:
    new = given["new"]
    is_written_here = bool(given["title"] or given["content"])
    if is_written_here == bool(new):
        raise UsageError(
            "gitkb_supersede needs either 'new', a key, or the new entry itself",
            "give new, or title and content of what is true now",
        )
    if is_written_here:
        old = show(store, given["old"]).entry
        fields = {"type": old.type, **entry_of(given)}
        _refuse_same_title(old, fields)
        # The edge is part of what is added, so that the two are written together or not at all.
        added = add(store, {**fields, "links": [{"rel": SUPERSEDES, "to": old.key}]})
        show_added(answer, added)
        new = added.key
    done = supersede(store, given["old"], new)
    answer.values.update(old=done.old, new=done.new, written=is_written_here or done.written)
    if answer.values["written"]:
        answer.say(f"[{done.new}] supersedes [{done.old}].")
    else:
        answer.say(f"[{done.new}] superseded [{done.old}] already; nothing was written.")
    if done.also:
        answer.values["also"] = list(done.also)
        answer.say(f"So do {', '.join(done.also)}.")


def _refuse_same_title(old: Entry, fields: dict[str, Any]) -> None:
    # The key is made from type and title: it would be the old entry that is written.
    title = fields.get("title") or fields.get("content", "")
    if fields["type"] == old.type and normal_title(title) == normal_title(old.display_title):
        raise UsageError(
            f"the new entry has the title of '{old.key}'",
            "say in its title what is true now; to correct the old one, gitkb_remember",
        )


def _link(store: Store, given: dict[str, Any], answer: Answer) -> None:
    done = link(store, given["from"], given["rel"], given["to"])
    answer.values.update(done._asdict())
    state = "linked" if done.written else "was linked already"
    answer.say(f"[{done.source}] {done.relation} [{done.target}]: {state}.")


def _why(store: Store, given: dict[str, Any], answer: Answer) -> None:
    question = given["key"] or given["query"]
    if not question:
        raise UsageError("gitkb_why needs 'query' or 'key'", "a question such as: why not X")
    story = why(store, question, answer.notices)
    answer.values["root"] = story.root.key if story.root is not None else None
    if story.root is None:
        answer.say("Nothing found. Try other words, or gitkb_recall.")
    elif story.steps[1:]:
        answer.say(f"How [{story.root.key}] came about, in order of time:")
    views = []
    for step in story.steps:
        marks: dict[str, Any] = {"created": step.entry.created}
        if step.archived:
            marks["archived"] = True
        if step.edges:
            marks["relations"] = [edge_values(edge) for edge in step.edges]
        views.append(View(step.entry, marks))
    answer.more = "gitkb_get reads single ones"
    show_entries(answer, store, views)
    answer.notices += [f"{key} was forgotten, or never written" for key in story.missing]
    if story.others:
        answer.values["others"] = [
            {"key": other.key, "title": other.display_title[:_TITLE]} for other in story.others
        ]
        answer.say("Also found, and not part of this:")
        answer.quote("\n".join(f"{o.key}: {o.display_title[:_TITLE]}" for o in story.others))


def _related(store: Store, given: dict[str, Any], answer: Answer) -> None:
    found = related(store, given["key"], given["depth"], given["limit"])
    answer.values["root"] = found.root.key
    answer.left_out = found.left_out
    if not found.nodes:
        answer.say(f"Nothing is linked to [{found.root.key}].")
    views = []
    for node in found.nodes:
        marks: dict[str, Any] = {"depth": node.depth, "relations": [edge_values(node.via)]}
        if node.archived:
            marks["archived"] = True
        views.append(View(node.entry, marks))
    show_entries(answer, store, views)


SUPERSEDE = Tool(
    "gitkb_supersede",
    "Say that what was true is replaced: old stays as history. Give new, the key of an entry, or "
    "title and content to write it.",
    _supersede,
    (
        Argument("old", required=True, high=_LONGEST_KEY, others=("old_key", "old_id", "replaces")),
        Argument("new", high=_LONGEST_KEY, others=("new_key", "new_id", "replacement", "by")),
        TYPE,
        TITLE,
        CONTENT,
        TAGS,
        FILES,
        IMPORTANCE,
    ),
    "adds",
    {"old": "string", "new": "string", "written": "boolean"},
)
LINK = Tool(
    "gitkb_link",
    "Relate two entries: from REL to.",
    _link,
    (
        Argument(
            "from",
            required=True,
            high=_LONGEST_KEY,
            others=("source", "from_key", "from_id", "src", "subject"),
        ),
        Argument(
            "rel",
            required=True,
            choices=RELATIONS,
            others=("relation", "relationship", "type", "kind", "edge", "link_type"),
        ),
        Argument(
            "to",
            required=True,
            high=_LONGEST_KEY,
            others=("target", "to_key", "to_id", "dst", "destination", "object"),
        ),
    ),
    "adds",
    {"written": "boolean"},
)
WHY = Tool(
    "gitkb_why",
    "Why is it so, or why not X: the history of a decision in order of time, with what was "
    "superseded, rejected and suffered.",
    _why,
    (QUERY, KEY),
    "reads",
    {"entries": "array"},
)
RELATED = Tool(
    "gitkb_related",
    "Entries linked to one, in both directions.",
    _related,
    (
        KEY._replace(required=True),
        Argument(
            "depth", "number", low=1, high=5, default=1, others=("hops", "levels", "max_depth")
        ),
        LIMIT,
    ),
    "reads",
    {"entries": "array"},
)
