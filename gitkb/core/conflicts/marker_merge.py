"""A file in conflict becomes whole again, by the merge that the driver makes (`core.merge.file`).

1. Nothing that a side says is dropped: what the driver would have done with the sides is done.
2. Where the markers tell no base, the archive does: a side's line that it holds as an older version is
   the base of the other side's later line; and a line that the other side lacks is its own base if the
   archive has what it says as put aside later. Else there is none, and both sides' values stay.
3. A side that holds markers itself, as when somebody committed them, is made whole first.
4. A conflict inside a side of another is made whole before the outer one.
"""

from __future__ import annotations

from gitkb.core.canonical import encode_sorted
from gitkb.core.conflicts.marker import (
    Conflict,
    MarkerError,
    has_markers,
    own_lines,
    parse_conflicts,
)
from gitkb.core.jsonl import BadLineError, split_lines
from gitkb.core.merge.file import Merge, merge_files
from gitkb.core.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gitkb.core.canonical import Fields
    from gitkb.core.conflicts.marker import Node
    from gitkb.core.merge.rules import Rules


class Stages:
    """What the staging area has of a file in conflict; None where a side has no such file."""

    __slots__ = ("base", "ours", "theirs")

    def __init__(self, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> None:
        self.base = base
        self.ours = ours
        self.theirs = theirs

    @property
    def texts(self) -> tuple[bytes, bytes, bytes]:
        """The three texts; an empty one stands for none."""
        return self.base or b"", self.ours or b"", self.theirs or b""


class _RefusedError(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def merge_marked(data: bytes, rules: Rules, archived: Collection[bytes] = ()) -> Merge:
    """Make a text with markers whole. `archived` are the lines of the archive.

    The answer has no text where the markers are no whole conflicts, or as `merge_files` says.
    """
    try:
        return _merge(parse_conflicts(data), rules, archived)
    except MarkerError as error:
        hint = "mend the markers by hand, or take a whole version from git: git log -p -- FILE"
        return Merge(None, [Problem("marker", error.reason, hint, line=error.line)])
    except _RefusedError as refused:
        return Merge(None, [refused.problem])


def merge_stages(
    stages: Stages, work: bytes | None, rules: Rules, archived: Collection[bytes] = ()
) -> Merge:
    """Merge the stages of a file in conflict.

    `work` is the file in the work tree. Where it says something that no stage says, somebody wrote it
    since: then its lines stand for ours, and what its markers still leave open is merged.
    """
    base, ours, theirs = stages.texts
    if work is not None and is_edited(work, stages):
        if not has_markers(work):
            ours = work
        else:
            marked = _sides_of(work, rules, archived)
            if isinstance(marked, Merge):
                return marked
            ours, theirs = marked
    try:
        base, ours, theirs = (_whole(text, rules, archived) for text in (base, ours, theirs))
    except _RefusedError as refused:
        return Merge(None, [refused.problem])
    return merge_files(base, ours, theirs, rules)


def is_edited(work: bytes, stages: Stages) -> bool:
    """Say whether a file in the work tree has lines that no stage has."""
    known = {line for text in stages.texts for line in own_lines(text)}
    return any(line not in known and line.strip() for line in own_lines(work))


def _whole(text: bytes, rules: Rules, archived: Collection[bytes]) -> bytes:
    if not has_markers(text):
        return text
    merge = merge_marked(text, rules, archived)
    if merge.text is None:
        raise _RefusedError(merge.problems[0])
    return merge.text


def _sides_of(
    work: bytes, rules: Rules, archived: Collection[bytes]
) -> tuple[bytes, bytes] | Merge:
    try:
        nodes = parse_conflicts(work)
        _, ours, theirs = _texts(nodes, rules, archived)
    except MarkerError:
        return merge_marked(work, rules, archived)
    except _RefusedError as refused:
        return Merge(None, [refused.problem])
    return ours, theirs


def _merge(nodes: Sequence[Node], rules: Rules, archived: Collection[bytes]) -> Merge:
    merge = merge_files(*_texts(nodes, rules, archived), rules)
    if merge.text is None:
        raise _RefusedError(merge.problems[0])
    return merge


def _texts(
    nodes: Sequence[Node], rules: Rules, archived: Collection[bytes]
) -> tuple[bytes, bytes, bytes]:
    base: list[bytes] = []
    ours: list[bytes] = []
    theirs: list[bytes] = []
    for node in nodes:
        if not isinstance(node, Conflict):
            for side in (base, ours, theirs):
                side.append(node)
            continue
        our_lines = _lines(node.ours, rules, archived)
        their_lines = _lines(node.theirs or [], rules, archived)
        if node.base is not None:
            base += _lines(node.base, rules, archived)
        elif not rules.is_archive:
            base += _older(our_lines, their_lines, rules, archived)
            base += _older(their_lines, our_lines, rules, archived)
        ours += our_lines
        theirs += their_lines
    return _join(base), _join(ours), _join(theirs)


def _lines(nodes: Sequence[Node], rules: Rules, archived: Collection[bytes]) -> list[bytes]:
    plain = [node for node in nodes if not isinstance(node, Conflict)]
    if len(plain) == len(nodes):
        return plain
    return split_lines(_merge(nodes, rules, archived).text or b"")


def _older(
    lines: list[bytes], others: list[bytes], rules: Rules, archived: Collection[bytes]
) -> list[bytes]:
    """Give the lines of one side that the archive shows to be older than what the other side has."""
    if not archived:
        return []
    times: dict[object, int] = {}
    for line in others:
        if line not in lines:
            fields = _fields(line, rules)
            key, ts = fields.get("key"), _time(fields)
            times[key] = max(ts, times.get(key, ts))
    found = []
    for line in lines:
        fields = {} if line in others else _fields(line, rules)
        key = fields.get("key")
        if key in times:
            if line in archived and _time(fields) <= times[key]:
                found.append(line)
        elif key is not None and _is_put_aside(fields, rules, archived):
            found.append(line)
    return found


def _is_put_aside(fields: Fields, rules: Rules, archived: Collection[bytes]) -> bool:
    """Say whether the archive has an entry, as it stands here, as archived later."""
    name = str(fields.get("key")).encode()
    for line in archived:
        if name in line:
            version = _fields(line, rules)
            if version.get("status") == "archived" and _time(version) >= _time(fields):
                if _lasting(version) == _lasting(fields):
                    return True
    return False


def _lasting(fields: Fields) -> bytes:
    return encode_sorted({name: fields[name] for name in fields if name not in ("status", "ts")})


def _fields(line: bytes, rules: Rules) -> Fields:
    try:
        return rules.parse(line)
    except BadLineError:
        return {}


def _time(fields: Fields) -> int:
    ts = fields.get("ts")
    return ts if type(ts) is int else 0


def _join(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
