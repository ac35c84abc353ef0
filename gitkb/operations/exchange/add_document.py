"""The learnings of a store as ADD's records: which entries they are, and what their project is called."""

from __future__ import annotations

from collections import Counter

from gitkb.core.documents.view import is_learning
from gitkb.core.foreign.add_file import format_document
from gitkb.core.foreign.add_form import record_of
from gitkb.operations.exchange.add_place import project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitkb.core.canonical import Fields
    from gitkb.core.entry import Entry
    from gitkb.store.layout import Store


def learnings_document(store: Store, chosen: Iterable[Entry]) -> tuple[str, int]:
    """Write the document of a project's learnings; and say how many there are."""
    records, project = records_of(store, chosen)
    return format_document(records, project), len(records)


def records_of(store: Store, chosen: Iterable[Entry]) -> tuple[list[Fields], str]:
    """Give those of the entries that are learnings as ADD's records, and what their project is called."""
    own = project_of(store)
    records: list[Fields] = [record_of(entry.fields, own) for entry in chosen if is_learning(entry)]
    return records, own or _most_named(records)


def _most_named(records: Sequence[Fields]) -> str:
    """What a file calls its project: the name that most of its entries give."""
    names = Counter(str(record["source"]) for record in records if record.get("source"))
    return min(names, key=lambda name: (-names[name], name), default="")
