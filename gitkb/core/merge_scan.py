"""Keys in text that is not parsed.

A merge reads only the lines that differ. Two questions are about all the others: does one of them
carry a key that was read, and are all lines sorted. Most files answer both by the first field of
each line, ``{"key":"…"``.

1. No answer is a guess: what cannot be told without parsing is answered with None, and then the
   caller parses everything.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_json
from gitkb.core.jsonl import BadLineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.core.merge_rules import Key, Rules

_ESCAPES = (b"\\u", b"\\/")  # the only ways of writing one plain character that differ


def has_key(texts: Iterable[bytes], keys: set[Key], rules: Rules) -> bool | None:
    """Say whether a line of whole lines of text has one of the keys; None if it cannot be told."""
    for text in texts:
        found = first_keys(text, rules)
        if found is None:
            if _may_have_key(text, keys, rules):
                return None
        elif not keys.isdisjoint(found):
            return True
    return False


def is_in_order(text: bytes, rules: Rules) -> bool | None:
    """Say whether all lines are sorted by key; None if it cannot be told."""
    keys = first_keys(text, rules)
    if keys is None:
        return None
    order = list(map(rules.order, keys))
    for number in range(1, len(order)):
        if order[number - 1] > order[number]:
            lines = text.split(b"\n")[number - 1 : number + 1]
            return False if all(_is_record(line, rules) for line in lines) else None
    return True


def first_keys(text: bytes, rules: Rules) -> list[Key] | None:
    r"""Read the key of each line, where all begin with it and in one spelling; else None.

    A line that is no JSON behind its key has one here all the same. `text` ends with ``\n``.
    """
    if len(rules.key) != 1 or not text:
        return None if text else []
    name = encode_json(rules.key[0])
    for begin in (b"{%s:", b"{%s: ", b"{ %s: "):
        start = begin % name
        if text.startswith(start):
            break
    else:
        return None
    is_text = text.startswith(start + b'"')
    if is_text:
        start += b'"'
    pieces = (b"\n" + text).split(b"\n" + start)
    if pieces[0] or len(pieces) - 1 != text.count(b"\n"):
        return None
    end = b'"' if is_text else b","
    raw = [piece.split(end, 1)[0] for piece in pieces[1:]]
    try:
        if not is_text:
            return None if rules.is_gitkb else [((0, int(number)),) for number in raw]
        whole = b"\n".join(raw)
        if b"\\" in whole or whole.count(b"\n") != len(raw) - 1:
            return None
        return [((1, key),) for key in whole.decode("utf-8").split("\n")]
    except ValueError:
        return None


def _may_have_key(text: bytes, keys: set[Key], rules: Rules) -> bool:
    # Between two quotation marks a plain text stands as it is, whatever the spacing around it.
    wanted = set()
    for key in keys:
        words = [part for kind, part in key if kind == 1]
        if not words or encode_json(words[0]) != b'"%s"' % words[0].encode("utf-8"):
            return True
        wanted.add(words[0].encode("utf-8"))
    if not wanted.isdisjoint(text.split(b'"')):
        return True
    if not any(escape in text for escape in _ESCAPES):
        return False
    for line in text.split(b"\n"):
        if any(escape in line for escape in _ESCAPES):
            try:
                if rules.key_of(rules.parse(line)) in keys:
                    return True
            except BadLineError:
                continue
    return False


def _is_record(line: bytes, rules: Rules) -> bool:
    try:
        return rules.key_of(rules.parse(line)) is not None
    except BadLineError:
        return False
