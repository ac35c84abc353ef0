"""The verbs of the command line, by what they are for; a verb's module is imported when called."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.cli.arguments import Verb

SECTIONS = (
    ("Start", ("init", "install", "uninstall", "where", "doctor", "demo", "completion")),
    ("Write", ("add", "edit", "archive", "restore", "forget", "redact", "import", "export")),
    ("Find", ("recall", "show", "list", "stats")),
    ("Work", ("context", "session", "for-file", "for-diff", "check-plan")),
    ("Reason", ("why", "related", "graph", "link", "unlink", "supersede", "reject")),
    ("Learn", ("learnings", "classify", "promote", "demote", "review", "tier", "view")),
    ("Who and when", ("blame", "log", "diff", "trust")),
    ("Serve", ("mcp", "setup")),
    ("Still true", ("stale", "confirm", "usage")),
    ("Care", ("check", "conflicts", "resolve", "fmt", "compact", "reshard", "gc", "reindex")),
)
_MODULES = {name: name.replace("-", "_") for _, names in SECTIONS for name in names}
_MODULES["import"] = "import_"


def load_verb(name: str) -> Verb | None:
    """Import the module of a verb; None where there is no such verb."""
    module = _MODULES.get(name)
    if module is None:
        return None
    verb: Verb = import_module(f"gitkb.cli.commands.{module}").VERB
    return verb
