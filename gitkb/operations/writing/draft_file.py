"""The file that an editor is opened on: where it lies, and that what was typed in it is not lost.

1. It lies in the git directory, one for each entry, until it was written, whatever happens in between:
   the editor fails, the draft does not pass, another wrote the entry, the disk is full, the machine goes down.
2. It is replaced as a store's files are: it is as it was, or as it was to be.
"""

from __future__ import annotations

import os

from gitkb.core.identity import order_of
from gitkb.errors import StateError
from gitkb.store.durable import replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store


def draft_path(store: Store, key: str, ending: str) -> str:
    """Give where the draft of an entry lies: keys that differ in case are two files everywhere."""
    return os.path.join(store.derived, "drafts", f"{key}.{order_of(key).hex()[:8]}{ending}")


def write_draft(path: str, text: bytes) -> None:
    """Write a draft.

    Raises:
        StateError: when it cannot be written; what stood there stands.
    """
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except OSError as error:
        raise StateError(
            f"cannot write the draft '{path}': {error.strerror}", "nothing was changed"
        ) from None
    replace_file(path, text)


def read_draft(path: str) -> bytes:
    """Read a draft.

    Raises:
        StateError: when it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise StateError(
            f"cannot read the draft '{path}': {error.strerror}", "nothing was changed"
        ) from None
