"""Knowledge as one JSON document: what `export` writes and `import --from gitkb` takes back.

``{"gitkb":1,"entries":[...],"links":[...]}``: entries in their canonical form and in the order of their
lines, one a line, then every edge that leaves them, those that a content implies with `derived`.
The links say nothing that the entries do not say.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_json
from gitkb.core.entry import encode_record
from gitkb.core.identity import order_of
from gitkb.core.jsonl import BYTE_ORDER_MARK, parse_object
from gitkb.core.link import edges_of
from gitkb.core.unsafe import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitkb.core.canonical import Json
    from gitkb.core.entry import Entry
    from gitkb.core.link import Edge

VERSION = 1
_START = b'{"gitkb":'


def format_json(entries: Iterable[Entry]) -> str:
    """Write entries as one document that ends in a line feed."""
    ordered = sorted(entries, key=lambda entry: order_of(entry.key))
    lines = [encode_record(entry).decode("utf-8") for entry in ordered]
    edges = sorted({edge for entry in ordered for edge in edges_of(entry.fields)})
    links = [encode_json(_link(edge)).decode("utf-8") for edge in edges]
    text = f'{{"gitkb":{VERSION},"entries":[{_listed(lines)}],"links":[{_listed(links)}]}}\n'
    return escaped(text)


def _listed(lines: list[str]) -> str:
    return "\n" + ",\n".join(lines) + "\n" if lines else ""


def _link(edge: Edge) -> dict[str, Json]:
    link: dict[str, Json] = {"from": edge.source, "rel": edge.relation, "to": edge.target}
    return {**link, "derived": True} if edge.derived else link


def is_document(data: bytes) -> bool:
    """Say whether bytes begin as such a document does, however it is spaced."""
    head = data[:200].removeprefix(BYTE_ORDER_MARK)
    return b"".join(head.split()).startswith(_START)


def parse_entries(data: bytes) -> list[Json]:
    """Read the entries of a document, whatever each of them is.

    Raises:
        BadLineError: when it is no document.
    """
    data = data.removeprefix(BYTE_ORDER_MARK)
    document = parse_object(data.replace(b"\r", b" ").replace(b"\n", b" ").strip())
    entries = document.get("entries", [])
    return entries if isinstance(entries, list) else [entries]
