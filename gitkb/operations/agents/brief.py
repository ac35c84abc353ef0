"""What an agent is told as its session begins: a short context pack, or nothing.

Silent where the store holds nothing that concerns everybody, and no session is open.
"""

from __future__ import annotations

from gitkb.operations.context import INTRO, context
from gitkb.operations.packs.settings import read_settings
from gitkb.operations.usage_log.record import record_pack
from gitkb.store.open_session import OpenSession, read_sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

BUDGET = 1_000
"""Tokens. Less than for a task: nobody has said yet what the work is about."""


def brief(store: Store) -> str:
    """Give the briefing, fenced as a pack is; of the one session that is open, if there is one.

    Raises:
        DataError: when config.toml cannot be read.
    """
    opened = open_sessions(store)
    session = opened[0] if len(opened) == 1 else ""
    budget = min(BUDGET, read_settings(store).budget)
    pack = context(store, "", budget=budget, session=session)
    record_pack(store, pack)
    text = pack.text
    if text and not text.startswith(INTRO):
        text = INTRO + text
    lines = [f"The gitkb session {one} is open: gitkb session end {one}" for one in opened]
    return "\n".join([*lines, *([text] if text else [])])


def open_sessions(store: Store) -> list[str]:
    """Name the sessions that are open in this worktree, the oldest first."""
    return [one.id for one in read_sessions(store) if isinstance(one, OpenSession)]
