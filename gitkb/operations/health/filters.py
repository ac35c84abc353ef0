"""Does git keep the files of a store as they are, and take their folder for a worktree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitkb.git.attributes import check_attribute
from gitkb.operations.health.finding import Finding
from gitkb.operations.health.patient import Check, Patient

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = ("unspecified", "unset", "")


def check_filters(patient: Patient) -> Iterator[Finding]:
    """No attribute makes what git keeps another text than the file: the driver merges what git keeps."""
    probe = [f"{patient.store}/knowledge/00.jsonl"]
    for name in ("filter", "working-tree-encoding", "ident"):
        values = check_attribute(patient.clone, name, [*patient.tracked_names, *probe])
        found = next(((path, value) for path, value in values.items() if value not in _PLAIN), None)
        if found is not None:
            path, value = found
            message = f"git changes '{path}' on its way into a commit: {name} is '{value}'"
            why = "merges, blame and checks read what git keeps, and that is no entry any more"
            cure = f"printf '%s\\n' '*.jsonl -{name}' >> '{patient.store}/.gitattributes'"
            yield Finding("filters", "error", message, why, cure)


def check_worktree(patient: Patient) -> Iterator[Finding]:
    """git takes the folder that the store lies in for a worktree."""
    if patient.clone.is_bare:
        origin = patient.clone.setting_origin("core.bare") or "its configuration"
        message = f"git takes this repository for a bare one (core.bare in {origin})"
        why = "nothing here can be committed or merged"
        yield Finding("worktree", "error", message, why, "git config core.bare false")


FILTER_CHECKS = (
    Check("filters", "git keeps data files as they are", check_filters),
    Check("worktree", "git takes this folder for a worktree", check_worktree),
)
