"""The trust list that this clone has taken over, outside of what git carries.

`config.toml` travels, so a stranger's branch can bring another list along. What a person here has
accepted stands in the common folder of the clone's worktrees, and stays in force until they accept
another one. It is no cache, but losing it loses little: the next list that is seen is taken over.
"""

from __future__ import annotations

import json
import os

from gitkb.core.trust import TrustList

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

_NAME = "trust.json"


def read_accepted(store: Store) -> TrustList | None:
    """Give the list that was accepted for a store; None where none ever was."""
    found = _read(_path(store)).get(_key(store))
    if not isinstance(found, dict):
        return None
    authors, signed = found.get("authors"), found.get("signed")
    if not isinstance(authors, list) or not isinstance(signed, bool):
        return None
    return TrustList(tuple(author for author in authors if isinstance(author, str)), signed)


def write_accepted(store: Store, listed: TrustList) -> bool:
    """Keep a list as accepted; False where nothing can be written here."""
    path = _path(store)
    kept = {**_read(path), _key(store): {"authors": list(listed.authors), "signed": listed.signed}}
    text = json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    from gitkb.errors import StateError
    from gitkb.store.durable import replace_file

    try:
        replace_file(path, text.encode("utf-8", "surrogateescape"))
    except (StateError, OSError):
        return False
    return True


def _path(store: Store) -> str:
    # All worktrees of a clone share one list: a new one must not begin by trusting its branch.
    return os.path.join(store.shared, _NAME)


def _key(store: Store) -> str:
    return store.prefix or "."


def _read(path: str) -> dict[str, object]:
    try:
        with open(path, "rb") as file:
            kept = json.loads(file.read().decode("utf-8", "surrogateescape"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}
