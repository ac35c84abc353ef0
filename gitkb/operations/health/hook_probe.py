"""The check of `gitkb doctor` that lets git run the hooks that stand there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gitkb.git.hook_path import examine_hooks
from gitkb.git.hook_probe import probe_hook
from gitkb.git.install import known_scripts
from gitkb.operations.health.finding import Finding
from gitkb.operations.health.patient import Check, Patient

if TYPE_CHECKING:
    from collections.abc import Iterator


def check_firing(patient: Patient) -> Iterator[Finding]:
    """git reaches us through every hook that looks as if it did."""
    clone = patient.clone
    for state in examine_hooks(clone, known_scripts(clone)):
        fault = probe_hook(clone, state) if state.works else None
        if fault is not None:
            message = f"the hook {state.name} stands there and does not reach gitkb: {fault}"
            why = "what it is for is not done, and nothing says so"
            yield Finding("hook-silent", "error", message, why, "gitkb install")


HOOK_PROBE = Check(
    "hooks-fire", "git was asked to run the hooks, and gitkb heard of it", check_firing
)
