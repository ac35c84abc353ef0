"""Why records or lines are not merged; a room of its own so that a merge can start on little."""

from __future__ import annotations


class NoListError(Exception):
    """A record's own `conflicts` is no list of objects: nothing can be recorded there."""


class UnreadableError(Exception):
    """Both sides changed lines that cannot be read: only a text merge is left."""


class DisorderError(Exception):
    """The sides disagree on the order, and not all lines are known: read them all."""
