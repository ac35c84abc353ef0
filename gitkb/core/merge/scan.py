r"""Keys in text that is not parsed.

A merge reads only the lines that differ. Two questions are about all the others: does one of them
carry a key that was read, and are all lines sorted. Most files answer both by the first field of
each line, ``{"key":"…"``, which also shows that no line is a conflict marker.

1. No answer is a guess: what cannot be told without parsing is answered with None, and then the
   caller parses everything.
2. Texts end with ``\n`` or are empty.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.merge.rules import Key, Rules

_ESCAPES = (b"\\u", b"\\/")  # the only ways of writing one plain character that differ


def count_keys(text: bytes, keys: set[Key], rules: Rules) -> int | None:
    """Count the lines that have one of the keys; None if it cannot be told.

    A number is the proof, too, that every line begins as a record does. A line that is broken
    behind its key is counted.
    """
    pieces = _pieces(text, rules)
    if pieces is None or len(rules.key) != 1:
        return None
    is_text, heads = pieces
    if not is_text:
        numbers = _numbers(heads)
        return None if numbers is None else sum([((0, number),) in keys for number in numbers])
    forms = {_encode_text(part)[1:] for ((kind, part),) in keys if kind == 1}
    longest = max(map(len, forms), default=0)
    heads = [piece[:longest] for piece in heads]
    if any(b"\\" in form for form in forms) or _is_escaped(heads):
        return None
    lengths = {len(form) for form in forms}
    if len(lengths) == 1:
        return sum([head in forms for head in heads])
    return sum([any(head[:length] in forms for length in lengths) for head in heads])


def may_have_key(text: bytes, keys: set[Key], rules: Rules) -> bool:
    """Say whether a line of a text of any form may have one of the keys."""
    # Between two quotation marks a plain text stands as it is, whatever the spacing around it.
    wanted = set()
    for key in keys:
        words = [_encode_text(part) for kind, part in key if kind == 1]
        if not words or b"\\" in words[0]:
            return True
        wanted.add(words[0][1:-1])
    if not wanted.isdisjoint(text.split(b'"')):
        return True
    if any(escape in text for escape in _ESCAPES):
        for line in text.split(b"\n"):
            if any(escape in line for escape in _ESCAPES) and _key_of(line, rules) in keys:
                return True
    return False


def is_in_order(text: bytes, rules: Rules) -> bool | None:
    """Say whether all lines are sorted by key; None if it cannot be told."""
    keys = _first_keys(text, rules)
    if keys is None:
        return None
    order = list(map(rules.order, keys))
    for number in range(1, len(order)):
        if order[number - 1] > order[number]:
            lines = text.split(b"\n")[number - 1 : number + 1]
            # A line that is broken behind its key has no place in the order.
            return False if all(_key_of(line, rules) for line in lines) else None
    return True


def _first_keys(text: bytes, rules: Rules) -> list[Key] | None:
    pieces = _pieces(text, rules)
    if pieces is None or len(rules.key) != 1:
        return None
    is_text, rests = pieces
    if not is_text:
        numbers = _numbers(rests)
        return None if numbers is None else [((0, number),) for number in numbers]
    raw = [rest.split(b'"', 1)[0] for rest in rests]
    whole = b"\n".join(raw)
    if b"\\" in whole or whole.count(b"\n") != max(0, len(raw) - 1):
        return None
    try:
        return [((1, key),) for key in whole.decode("utf-8").split("\n")]
    except UnicodeDecodeError:
        return None


def _pieces(text: bytes, rules: Rules) -> tuple[bool, list[bytes]] | None:
    """Cut a text where its lines begin with the first field of the key, all in one spelling.

    Answers whether the keys are texts, and what follows the beginning of each line.
    """
    name = _encode_text(rules.key[0])
    for form in (b"{%s:", b"{%s: ", b"{ %s: "):
        start = form % name
        is_text = text.startswith(start + b'"')
        if is_text or (text[len(start) : len(start) + 1].isdigit() and text.startswith(start)):
            break
    else:
        return None
    if is_text:
        start += b'"'
    elif rules.is_gitkb:
        return None
    pieces = text.split(b"\n" + start)
    if len(pieces) != text.count(b"\n"):
        return None
    pieces[0] = pieces[0][len(start) :]
    return is_text, pieces


def _is_escaped(heads: list[bytes]) -> bool:
    """Say whether a key may be written with an escape."""
    if b"\\" not in b"".join(heads):
        return False
    return any(b'"' not in head.partition(b"\\")[0] for head in heads if b"\\" in head)


def _numbers(rests: list[bytes]) -> list[int] | None:
    try:
        return [int(rest.split(b",", 1)[0]) for rest in rests]
    except ValueError:
        return None


def _encode_text(text: str) -> bytes:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return b'"%s"' % text.encode("ascii")
    from gitkb.core.canonical import encode_json

    return encode_json(text)


def _key_of(line: bytes, rules: Rules) -> Key | None:
    from gitkb.core.jsonl import BadLineError

    try:
        return rules.key_of(rules.parse(line))
    except BadLineError:
        return None
