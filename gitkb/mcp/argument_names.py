"""The arguments that several tools share, with the other names that models guess for them."""

from __future__ import annotations

from gitkb.core.entry import SCOPES, TYPES
from gitkb.mcp.arguments import Argument
from gitkb.operations.writing.draft import SEVERITIES

LONGEST_LINE = 1_000
LONGEST_TEXT = 100_000
MOST_TEXTS = 50
MOST_KEYS = 20

KEY = Argument("key", high=128, others=("id", "entry", "entry_id", "entry_key", "identifier"))
KEYS = Argument(
    "keys",
    "texts",
    high=MOST_KEYS,
    separator=",",
    others=("ids", "entries", "entry_ids", "entry_keys"),
)
QUERY = Argument(
    "query",
    high=LONGEST_LINE,
    others=("q", "text", "search", "question", "prompt", "search_query", "terms", "keywords"),
)
TYPE = Argument("type", choices=TYPES, others=("kind", "entry_type"))
TITLE = Argument("title", high=LONGEST_LINE, others=("name", "subject", "headline", "heading"))
CONTENT = Argument(
    "content",
    high=LONGEST_TEXT,
    others=("body", "text", "description", "details", "note", "value", "knowledge"),
)
TAGS = Argument(
    "tags", "texts", high=MOST_TEXTS, separator=",", others=("tag", "labels", "label", "topics")
)
FILES = Argument(
    "files",
    "texts",
    high=MOST_TEXTS,
    separator=",",
    others=("file", "path", "paths", "file_path", "file_paths", "filename"),
)
CATEGORY = Argument("category", high=64, others=("field", "area"))
SCOPE = Argument("scope", choices=SCOPES, others=("reach",))
STACK = Argument(
    "stack",
    "texts",
    high=MOST_TEXTS,
    separator=",",
    others=("stacks", "technologies", "technology", "languages", "frameworks"),
)
OPERATION = Argument(
    "operation",
    high=LONGEST_LINE,
    others=("for", "for_operation", "task", "skill", "command", "activity"),
)
IMPORTANCE = Argument(
    "importance",
    "number",
    low=1,
    high=5,
    words=SEVERITIES,
    others=("priority", "severity", "weight"),
)
REVIEW_BY = Argument(
    "review_by", high=10, others=("review", "review_date", "expires", "valid_until")
)
LIMIT = Argument(
    "limit",
    "number",
    low=1,
    high=50,
    default=10,
    others=("k", "n", "top_k", "max", "max_results", "num_results", "count", "size"),
)
INCLUDE_INACTIVE = Argument(
    "include_inactive",
    "flag",
    others=("all", "include_all", "include_archived", "inactive", "show_all"),
)
