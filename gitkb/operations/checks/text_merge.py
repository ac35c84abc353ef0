"""What a merge of the text alone does to a store: a forge's merge button, a clone without our driver.

1. A file that comes out by text as it does by key is right; only the others are looked at.
2. Every problem names the keys that it concerns.
"""

from __future__ import annotations

from gitkb.core.entry import encode_record, parse_record
from gitkb.core.identity import KNOWLEDGE
from gitkb.core.jsonl import BadLineError, split_lines
from gitkb.core.problem import Problem
from gitkb.core.snapshot import iter_records
from gitkb.operations.checks.merge import find_losses
from gitkb.operations.checks.names import is_data
from gitkb.schema.data_file import check_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from gitkb.operations.checks.merge import Tree

    Blobs = Mapping[str, bytes]

_NAMED = 5
_BEGIN, _END = b"<<<<<<<", b">>>>>>>"


def check_text_merge(
    by_text: Tree,
    by_key: Tree,
    sides: list[Tree],
    bases: list[Tree],
    conflicts: Collection[str],
    shards: int,
    read: Callable[[list[str]], dict[str, bytes]],
) -> list[Problem]:
    """Compare the store that a merge by text makes with the one that a merge by key makes.

    `conflicts` are the names of the files in which the text is in conflict, `read` gives blobs.
    The problems say what happens; what helps is the same for all, and the caller knows it.
    """
    names = [
        name
        for name in sorted(by_text.files.keys() | by_key.files.keys() | set(conflicts))
        if name in conflicts or by_text.files.get(name) != by_key.files.get(name)
    ]
    if not names:
        return []
    ids = [tree.files[name] for name in names for tree in (by_text, by_key) if name in tree.files]
    blobs = read(ids)
    problems = [
        _conflict(name, blobs.get(by_text.files.get(name, ""), b""), sides)
        for name in names
        if name in conflicts
    ]
    clean = [name for name in names if name not in conflicts]
    told: set[str] = set()
    if clean:
        for loss in find_losses(by_text, sides, bases):
            if loss.problem.file in clean:
                told.add(loss.key)
                code = f"text-{loss.problem.code}"
                message = loss.problem.message.replace("the merge", "a merge by text", 1)
                problems.append(loss.problem._replace(code=code, message=message, hint="", line=0))
    for name in clean:
        found = check_file(name, blobs.get(by_text.files.get(name, ""), b""), shards).problems
        known = {
            (problem.code, problem.message)
            for problem in check_file(
                name, blobs.get(by_key.files.get(name, ""), b""), shards
            ).problems
        }
        for problem in found:
            if (problem.code, problem.message) not in known:
                message = f"after a merge by text: {problem.message}"
                problems.append(
                    problem._replace(code=f"text-{problem.code}", message=message, hint="")
                )
        if not any(problem.file == name for problem in problems):
            problems += _difference(name, blobs, by_text, by_key, told)
    return problems


def named(keys: Iterable[str]) -> str:
    """``'a', 'b' and 3 more``."""
    found = sorted(keys)
    text = ", ".join(f"'{key}'" for key in found[:_NAMED])
    more = len(found) - _NAMED
    return f"{text} and {more} more" if more > 0 else text


def keys_in_conflict(data: bytes) -> list[str]:
    """The keys of the lines between conflict markers."""
    keys, inside = set(), False
    for line in split_lines(data):
        if line.startswith(_BEGIN):
            inside = True
        elif line.startswith(_END):
            inside = False
        elif inside:
            try:
                keys.add(parse_record(line).key)
            except BadLineError:
                continue
    return sorted(keys)


def _conflict(name: str, data: bytes, sides: list[Tree]) -> Problem:
    if not is_data(name):
        message = "a merge by text ends in a conflict here"
    elif any(name not in side.files for side in sides):
        message = "a merge by text ends in a conflict: one side has no such file any more"
    else:
        keys = keys_in_conflict(data)
        over = f" over {named(keys)}" if keys else ""
        message = f"a merge by text ends in a conflict{over}"
    return Problem("text-conflict", message, "", name)


def _difference(
    name: str, blobs: Blobs, by_text: Tree, by_key: Tree, told: Collection[str]
) -> list[Problem]:
    forms = []
    for tree in (by_text, by_key):
        found: dict[str, list[bytes]] = {}
        for at in iter_records(name, blobs.get(tree.files.get(name, ""), b""), []):
            found.setdefault(at.record.key, []).append(encode_record(at.record))
        forms.append(found)
    keys = {
        key
        for key in forms[0].keys() | forms[1].keys()
        if sorted(forms[0].get(key, ())) != sorted(forms[1].get(key, ()))
    }
    keys -= set(told)
    if not keys:
        return []
    what = "entries" if name.startswith(KNOWLEDGE) else "versions"
    message = f"a merge by text makes other {what} of {named(keys)} than the rules of merging"
    return [Problem("text-differs", message, "", name)]
