"""What edges and statuses say together: edges that lead nowhere, supersessions of which half is there.

Each is a warning, since a merge may bring it about without anyone's fault, and names a command that
cures it.
"""

from __future__ import annotations

from gitkb.core.entry import Entry, Tombstone
from gitkb.core.graph import REASONS, circles
from gitkb.core.link import Edge, edges_of
from gitkb.core.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from gitkb.core.snapshot import Located


def check_links(current: Mapping[str, Located], archived: Collection[str]) -> Iterator[Problem]:
    """Judge the edges of all live entries. `archived` are the keys that the archive has."""
    edges: list[Edge] = []
    for at in current.values():
        if isinstance(at.record, Entry):
            found = edges_of(at.record.fields)
            edges += found
            for edge in found:
                yield from _check_edge(edge, at, current, archived)
    supersessions = [edge for edge in edges if edge.relation == "supersedes"]
    replaced = {edge.target for edge in supersessions if edge.source != edge.target}
    for key, at in current.items():
        if (
            isinstance(at.record, Entry)
            and at.record.status == "superseded"
            and key not in replaced
        ):
            message = f"'{key}' is superseded, but no live entry says that it supersedes it"
            yield _warning("superseded-by-nothing", message, f"gitkb restore {key}", at)
    for circle in circles(supersessions):
        chain = " supersedes ".join(f"'{key}'" for key in (*circle, circle[0]))
        message = f"entries supersede each other in a circle, and none is in force: {chain}"
        hint = f"gitkb unlink {circle[0]} supersedes {circle[1]}, if '{circle[1]}' is in force"
        yield _warning("circle", message, hint, current[circle[0]])


def _check_edge(
    edge: Edge, at: Located, current: Mapping[str, Located], archived: Collection[str]
) -> Iterator[Problem]:
    target = current.get(edge.target)
    record = target.record if target is not None else None
    says = f"'{edge.source}' {edge.relation} '{edge.target}'"
    cure = f"gitkb unlink {edge.source} {edge.relation} {edge.target}"
    if edge.derived:
        says = f"the content of '{edge.source}' names '[[{edge.target}]]'"
        cure = f"write its content anew: gitkb show {edge.source}"
    if edge.source == edge.target:
        yield _warning("self-link", f"{says}: an edge to itself", cure, at)
    elif isinstance(record, Tombstone):
        if not record.moved:  # a redirect leads on to where it is
            yield _warning("dangling-link", f"{says}, which was forgotten", cure, at)
    elif record is None and edge.target not in archived:
        yield _warning("dangling-link", f"{says}, which does not exist", cure, at)
    elif record is None:
        # A story may well lead into the archive, and so may words.
        if not edge.derived and edge.relation not in REASONS:
            hint = f"gitkb restore {edge.target}, or {cure}"
            yield _warning("link-to-archived", f"{says}, which is archived", hint, at)
    elif edge.relation == "supersedes" and record.status not in ("superseded", "archived"):
        message = f"{says}, which does not say so: half a change"
        hint = f"gitkb supersede {edge.target} {edge.source}"
        yield _warning("half-superseded", message, hint, at)


def _warning(code: str, message: str, hint: str, at: Located) -> Problem:
    return Problem(code, message, hint, at.file, at.number, "warning")
