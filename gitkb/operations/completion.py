"""What stands in a store, as names to be completed: keys and aliases, tags, and other words of entries.

Nothing is written, said or waited for: where there is no answer there are no names.
"""

from __future__ import annotations

import re
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.index.search import Hit
    from gitkb.store.layout import Store

_MOST = 200
"""Names that are offered at once: more help nobody."""
_PATIENCE = 1.0
"""Seconds after which a search index that is not ready is given up."""
# Every line that gitkb writes begins with its key, and a list of words is one of texts.
_key = re.compile(rb'\{"key":"([^"\\]+)"')
_words = {
    name: re.compile(rb'"' + name.encode() + rb'":\[("[^\]]*")\]')
    for name in ("aliases", "tags", "stack")
}
_text = re.compile(rb'"category":"([^"\\]+)"')


class Name(NamedTuple):
    """One word, and what it stands for."""

    word: str
    about: str = ""


def complete_names(store: Store, beginning: str) -> list[Name]:
    """Give keys and aliases with this beginning, those of the entries that changed last first."""
    start = beginning.encode("utf-8", "surrogateescape")
    found: dict[bytes, bytes] = {}
    for hit in _hits(store):
        for name in _names_in(hit.line):
            if name.startswith(start):
                found.setdefault(name, hit.line)
        if len(found) >= _MOST:
            break
    return [Name(name.decode("utf-8", "replace"), _title(line)) for name, line in found.items()]


def complete_words(store: Store, field: str, beginning: str) -> list[Name]:
    """Give the tags (or words of `stack`, or categories) with this beginning, the commonest first."""
    start = beginning.encode("utf-8", "surrogateescape")
    counts: dict[bytes, int] = {}
    for hit in _hits(store):
        for word in _words_in(field, hit.line):
            if word.startswith(start):
                counts[word] = counts.get(word, 0) + 1
    words = sorted(counts, key=lambda word: (-counts[word], word))[:_MOST]
    return [Name(word.decode("utf-8", "replace"), _entries(counts[word])) for word in words]


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _hits(store: Store) -> list[Hit]:
    import time

    from gitkb.errors import GitkbError
    from gitkb.index.search import Filters
    from gitkb.operations.reading.search_index import open_index

    try:
        with open_index(store, deadline=time.monotonic() + _PATIENCE) as index:
            return index.list(Filters(include_all=True))
    except (GitkbError, OSError, TimeoutError):
        return []


def _names_in(line: bytes) -> Iterator[bytes]:
    key = _key.match(line)
    if key:
        yield key[1]
    yield from _words_in("aliases", line)


def _words_in(field: str, line: bytes) -> list[bytes]:
    if field == "category":
        return _text.findall(line)
    found = _words[field].search(line)
    # A text with an escape in it is nothing that anybody types.
    return [word for word in found[1][1:-1].split(b'","') if b"\\" not in word] if found else []


def _title(line: bytes) -> str:
    from gitkb.core.entry import Entry, parse_record
    from gitkb.core.jsonl import BadLineError

    try:
        record = parse_record(line)
    except BadLineError:
        return ""
    return record.display_title if isinstance(record, Entry) else ""
