"""The tools of the graph: what replaced what, what belongs together, and why."""

from __future__ import annotations

from gitkb.core.entry import RELATIONS
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
from gitkb.mcp.entry_list import show_list
from gitkb.mcp.entry_view import View, edge_values, show_entries, tier_values, trusted_views
from gitkb.mcp.tool import Tool
from gitkb.mcp.tools_write import entry_of, show_added
from gitkb.operations.link import link
from gitkb.operations.related import related
from gitkb.operations.supersede import supersede
from gitkb.operations.why import why
from gitkb.operations.writing.replace import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.mcp.answer import Answer
    from gitkb.store.layout import Store

_LONGEST_KEY = 128
_TITLE = 200


def _supersede(store: Store, given: dict[str, Any], answer: Answer) -> None:
    new, fields = given["new"], entry_of(given)
    has_words = "title" in fields or "content" in fields
    if has_words == bool(new):
        raise UsageError(
            "gitkb_supersede needs either 'new', a key, or the new entry itself",
            "give new, or title and content of what is true now",
        )
    if has_words:
        added, done = replace(store, given["old"], fields)
        show_added(answer, added)
        del answer.values["superseded"]  # there it means that the entry was corrected
    else:
        done = supersede(store, given["old"], new)
    answer.values.update(old=done.old, new=done.new, written=done.written)
    if done.written:
        answer.say(f"[{done.new}] supersedes [{done.old}].")
    else:
        answer.say(f"[{done.new}] superseded [{done.old}] already; nothing was written.")
    if done.also:
        answer.values["also"] = list(done.also)
        answer.say(f"So do {', '.join(done.also)}.")


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
        marks: dict[str, Any] = {"created": step.entry.created, **tier_values(step.tier)}
        if step.archived:
            marks["archived"] = True
        if step.edges:
            marks["relations"] = [edge_values(edge) for edge in step.edges]
        views.append(View(step.entry, marks))
    answer.more = "gitkb_get reads single ones"
    show_entries(answer, store, views)
    answer.notices += [f"{key} was forgotten, or never written" for key in story.missing]
    others = [
        view.entry for view in trusted_views(answer, store, [View(o, {}) for o in story.others])
    ]
    if others:
        answer.values["others"] = [
            {"key": other.key, "title": other.display_title[:_TITLE]} for other in others
        ]
        answer.say("Also found, and not part of this:")
        answer.quote("\n".join(f"{o.key}: {o.display_title[:_TITLE]}" for o in others))


def _related(store: Store, given: dict[str, Any], answer: Answer) -> None:
    found = related(store, given["key"], given["depth"], given["limit"], answer.notices)
    answer.values.update(root=found.root.key, **tier_values(found.tier))
    answer.left_out = found.left_out
    if not found.nodes:
        answer.say(f"Nothing is linked to [{found.root.key}].")
    views = []
    for node in found.nodes:
        marks: dict[str, Any] = {"depth": node.depth, "relations": [edge_values(node.via)]}
        marks.update(tier_values(node.tier))
        if node.archived:
            marks["archived"] = True
        views.append(View(node.entry, marks))
    show_list(answer, store, views)


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
