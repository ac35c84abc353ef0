"""Whether what a branch would bring into another one is right: the gate in front of a merge.

Two trees are compared, before and after. Only files that differ are judged: a branch is not stopped for
what was wrong before it.
"""

from __future__ import annotations

from gitkb.core.entry import Entry
from gitkb.core.identity import KNOWLEDGE
from gitkb.core.problem import Problem
from gitkb.operations.checks.change import check_change, check_scrubbed
from gitkb.operations.checks.names import check_names, is_data
from gitkb.operations.checks.secrets import check_secrets, check_text, read_settings
from gitkb.schema.config_file import check_config, shards_in, values_in
from gitkb.schema.data_file import check_file
from gitkb.store.layout import CONFIG_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from gitkb.core.snapshot import Located


def check_outcome(
    before: dict[str, str],
    after: dict[str, str],
    conflicts: Collection[str],
    read: Callable[[list[str]], dict[str, bytes]],
) -> tuple[list[Problem], list[Located]]:
    """Judge what changes from one state of a store to another, each given as names and blobs.

    Files in `conflicts` are left out. `read` gives blobs, and nothing for an empty id. Answers the
    problems and the records that were looked at.
    """
    configs = [files.get(CONFIG_NAME, "") for files in (before, after)]
    found = read(configs)
    old_shards, shards = (shards_in(found[blob] or None) for blob in configs)
    problems: list[Problem] = []
    if configs[1] and configs[0] != configs[1]:
        problems += check_config(CONFIG_NAME, found[configs[1]])
    if after.keys() - before.keys():
        old_names = {(problem.code, problem.file) for problem in check_names(before)}
        problems += [
            problem
            for problem in check_names(after)
            if (problem.code, problem.file) not in old_names
        ]
    names = [
        name
        for name in sorted(after)
        if is_data(name)
        and name not in conflicts
        and (before.get(name) != after[name] or old_shards != shards)
    ]
    gone = [name for name in before if is_data(name) and name not in after]
    others = [
        name
        for name in sorted(after)
        if not is_data(name) and name not in conflicts and before.get(name) != after[name]
    ]
    blobs = read(
        [after[name] for name in (*names, *others)]
        + [before[name] for name in (*names, *others, *gone) if name in before]
    )
    secrets = read_settings(values_in(found[configs[1]] or None), CONFIG_NAME, problems)
    known = b"\n".join(blobs[before.get(name, "")] for name in names)
    old: list[Located] = []
    new: list[Located] = []
    for name in names:
        data = blobs[after[name]]
        judged = check_file(name, data, shards)
        problems += judged.problems
        problems += check_secrets(name, data, judged.records, secrets, known)
        new += judged.records
    for name in others:
        text, other = (blobs[files.get(name, "")] for files in (after, before))
        problems += check_text(name, text, secrets, other)
    for name in (*names, *gone):
        if name in before:
            old += check_file(name, blobs[before[name]], old_shards).records
    old = _once(old)
    # In a range of commits nobody can tell what was meant: a revert brings back what was deleted.
    problems += [problem._replace(severity="warning") for problem in check_change(old, new)]
    problems += check_scrubbed(old, new)
    return problems, new


def contested(records: list[Located], sides: list[set[bytes]]) -> list[Problem]:
    """Warn of entries that the merge leaves contested, and that were not on either side."""
    problems = []
    for at in records:
        if not at.file.startswith(KNOWLEDGE) or not isinstance(at.record, Entry):
            continue
        if not at.record.conflicts or any(at.line in lines for lines in sides):
            continue
        fields = sorted({str(one.get("field", "")) for one in at.record.conflicts})
        message = f"both sides changed '{at.record.key}': contested: {', '.join(fields)}"
        hint = f"after the merge: gitkb resolve {at.record.key}"
        problems.append(Problem("contested", message, hint, at.file, at.number, severity="warning"))
    return problems


def _once(records: list[Located]) -> list[Located]:
    # Of a key that stood twice, the line that stood for it.
    standing: dict[tuple[str, str], Located] = {}
    for at in records:
        name = (at.file.partition("/")[0], at.record.key)
        if name not in standing or standing[name].standing < at.standing:
            standing[name] = at
    return list(standing.values())
