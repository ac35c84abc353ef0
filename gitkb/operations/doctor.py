"""`gitkb doctor`: is everything in place for this store to be shared, merged and found.

Each check is one small function from the patient to the bad findings; a check that finds nothing
bad becomes one `ok` finding. Nothing is written by `examine`; `mend` does what can be done without
a decision of a person, and answers from a second examination, never from what it hoped to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gitkb.errors import GitkbError
from gitkb.git.install import open_ledger
from gitkb.git.repository import open_repository
from gitkb.operations.health.clone import CLONE_CHECKS
from gitkb.operations.health.files import FILE_CHECKS
from gitkb.operations.health.filters import FILTER_CHECKS
from gitkb.operations.health.finding import Finding
from gitkb.operations.health.hook_probe import HOOK_PROBE
from gitkb.operations.health.objects import OBJECT_CHECKS
from gitkb.operations.health.patient import Check, Patient, find_patient
from gitkb.operations.install import install

OtherCheck = Callable[[], Iterable[Finding]]
MENDED_BY_INSTALL = frozenset(
    {
        "driver",
        "view-driver",
        "readable-diffs",
        "attributes-clone",
        "attributes",
        "hooks",
        "hook-program",
        "hook-missing",
        "hook-silent",
    }
)
_IN_A_CLONE = (*CLONE_CHECKS, HOOK_PROBE, *OBJECT_CHECKS, *FILTER_CHECKS)


def examine(
    store_root: str, worktree: str | None, others: Iterable[OtherCheck] = ()
) -> list[Finding]:
    """Everything that was looked at, good and bad, in a fixed order.

    ``others``: checks of other rooms (the search index, the data), called in their turn.
    """
    findings: list[Finding] = []
    try:
        patient = find_patient(store_root, worktree)
    except GitkbError as error:
        why, cure = "everything that asks git stops here", error.hint or ""
        condition, is_split, command = cure.partition(": git ")
        if is_split:  # whether to trust a folder of somebody else's is asked, and then answered
            why, cure = f"{why}; {condition}, tell git", f"git {command}"
        return [Finding("repository", "error", error.message, why, cure)]
    if patient.repository is None:
        why = "nothing here is shared, merged or blamed"
        cure = "git init && gitkb install"
        findings.append(Finding("no-repository", "warning", "no git repository here", why, cure))
    checks = FILE_CHECKS if patient.repository is None else (*_IN_A_CLONE, *FILE_CHECKS)
    for check in checks:
        findings += _run_check(check, patient)
    for other in others:
        findings += other()
    return findings


def mend(store_root: str, worktree: str | None, others: Iterable[OtherCheck] = ()) -> list[Finding]:
    """Mend what needs no decision, then examine anew and answer with that."""
    others = tuple(others)
    bad = {finding.code for finding in examine(store_root, worktree) if finding.severity != "ok"}
    if worktree is not None and bad & MENDED_BY_INSTALL:
        install(worktree, store=store_root)
    if worktree is not None:
        _sweep_clone(worktree)
    if "leftovers" in bad:
        _remove_leftovers(store_root)
    return examine(store_root, worktree, others)


def is_mended_by_fix(finding: Finding) -> bool:
    """Say whether `mend` does something about a finding."""
    return finding.severity != "ok" and finding.code in MENDED_BY_INSTALL | {"leftovers"}


def _run_check(check: Check, patient: Patient) -> Iterator[Finding]:
    try:
        bad = list(check.run(patient))
    except GitkbError as error:
        # One thing that cannot be looked at hides nothing else.
        yield Finding(
            check.code, "error", f"cannot check this: {error.message}", "", error.hint or ""
        )
        return
    yield from bad or [Finding(check.code, "ok", check.good)]


def _sweep_clone(worktree: str) -> None:
    try:
        open_ledger(open_repository(worktree)).sweep()
    except GitkbError:
        return  # the checks say what is wrong with it


def _remove_leftovers(store_root: str) -> None:
    from gitkb.store.discover import store_at
    from gitkb.store.durable import remove_leftovers
    from gitkb.store.lock import locked

    with locked(store_at(store_root)):  # a temporary file of a living writer is none of ours
        remove_leftovers(store_root)
