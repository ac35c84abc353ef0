"""Are the data files whole, and does git see them as they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitkb.core.identity import ARCHIVE, KNOWLEDGE, is_shard_name
from gitkb.core.jsonl import is_marker, split_lines
from gitkb.core.tidy import MARKER_HINT
from gitkb.git.ignored import find_ignored
from gitkb.operations.checks.unmerged import find_one_sided
from gitkb.operations.health.finding import Finding
from gitkb.operations.health.patient import Check, Patient

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_NAMED = 8
"""How many files a cure names one by one."""


def check_markers(patient: Patient) -> Iterator[Finding]:
    """No conflict markers, in or outside a merge: they are never JSON, so no alarm is false."""
    for name, path in patient.files:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            continue  # `check_data` names it
        marks = [at for at, line in enumerate(split_lines(data), 1) if is_marker(line)]
        if marks:
            message = f"conflict markers at '{name}:{marks[0]}'"
            why = "the entries between them are not read"
            yield Finding("markers", "error", message, why, MARKER_HINT)


def check_lost_side(patient: Patient) -> Iterator[Finding]:
    """No file in conflict holds our side alone: that is what a driver leaves that could not run (M1)."""
    if patient.repository is None:
        return
    for path, _, is_staged in find_one_sided(patient.repository, patient.store):
        if is_staged:
            message = f"'{path}' was in conflict and is staged with one side alone"
            why = "a commit would drop what the other side wrote"
            # Without its name a file that was staged is taken for settled.
            yield Finding("lost-side", "error", message, why, f"gitkb resolve '{path}'")
        else:
            message = f"'{path}' is in conflict and holds our side alone, without markers"
            why = "`git add` would drop what the others wrote"
            yield Finding("lost-side", "error", message, why, MARKER_HINT)


def check_leftovers(patient: Patient) -> Iterator[Finding]:
    """No temporary file of a killed writer."""
    for folder in (KNOWLEDGE, ARCHIVE):
        path = os.path.join(patient.store_root, folder)
        names = sorted(os.listdir(path)) if os.path.isdir(path) else []
        for name in names:
            if name.startswith(".") and name.endswith(".jsonl.tmp"):
                message = f"'{folder}/{name}' was left by a writer that was killed"
                yield Finding(
                    "leftovers",
                    "warning",
                    message,
                    "it is no data and is in the way",
                    "gitkb doctor --fix",
                )


def check_index_flags(patient: Patient) -> Iterator[Finding]:
    """git looks at every data file: no `skip-worktree` or `assume-unchanged` hides a change, and no
    sparse checkout leaves some out."""
    if patient.repository is None:
        return
    listed = patient.repository.run("ls-files", "-v", "-z", "--", patient.store)
    left_out = 0
    hidden: dict[str, list[str]] = {}
    for record in filter(None, listed.split(b"\0")):
        tag, path = record[:1], os.fsdecode(record[2:])
        top = patient.repository.worktree or patient.repository.cwd
        if tag == b"S" and not os.path.exists(os.path.join(top, path)):
            left_out += is_shard_name(os.path.basename(path))
            continue  # a sparse checkout, where this flag says that the file is not wanted here
        if tag == b"S" or tag.islower():
            flag = "skip-worktree" if tag in (b"S", b"s") else "assume-unchanged"
            hidden.setdefault(flag, []).append(path)
    for flag, paths in hidden.items():
        others = f", and {len(paths) - 1} more" if len(paths) > 1 else ""
        message = f"'{paths[0]}' is marked {flag}{others}"
        why = "git hides its changes, and merges refuse to start"
        if (
            len(paths) > _MOST_NAMED and not left_out
        ):  # else it would name files that are not wanted
            cure = (
                f"git ls-files -z -- '{patient.store}' | xargs -0 git update-index --no-{flag} --"
            )
        else:
            names = " ".join(f"'{path}'" for path in paths)
            cure = f"git update-index --no-{flag} -- {names}"
        yield Finding("index-flags", "error", message, why, cure)
    if left_out:
        message = f"a sparse checkout leaves out data files: {left_out} of them"
        why = "their entries are not found, and git does not commit what is written there"
        cone = patient.repository.ask("config", "--type=bool", "core.sparseCheckoutCone")
        wanted = patient.store if cone.stdout.strip() == b"true" else f"/{patient.store}/**"
        cure = f"git sparse-checkout add '{wanted}'"
        yield Finding("index-flags", "warning", message, why, cure)


def check_ignored(patient: Patient) -> Iterator[Finding]:
    """git ignores neither a data file nor one that a new entry would make, nor what goes with them."""
    if patient.repository is None:
        return
    found = find_ignored(patient.repository, patient.store, patient.tracked_names)
    if found is not None:
        message = f"git ignores '{found.path}' (rule {found.rule})"
        why = "it would never be committed; the rule may go, or another speak against it"
        yield Finding("ignored", "error", message, why, found.cure)


FILE_CHECKS = (
    Check("markers", "no conflict markers in the data", check_markers),
    Check("lost-side", "no conflict that lost a side", check_lost_side),
    Check("leftovers", "no leftovers of killed writers", check_leftovers),
    Check("index-flags", "git looks at every data file", check_index_flags),
    Check("ignored", "git ignores no data file", check_ignored),
)
