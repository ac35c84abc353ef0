"""Are the objects there that history is made of, those included that another repository lends."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitkb.operations.health.finding import Finding
from gitkb.operations.health.patient import Check, Patient

if TYPE_CHECKING:
    from collections.abc import Iterator

_WHY = "blame and log stop, and so do git's own commits and merges; the store itself is whole"


def check_lenders(patient: Patient) -> Iterator[Finding]:
    """The repositories that lend objects to this clone (gitrepository-layout(5)) are where they were."""
    path = patient.clone.path("objects/info/alternates")
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:
        return
    objects = os.path.dirname(os.path.dirname(path))
    for line in lines:
        if not line or line.startswith((b"#", b'"')):  # git quotes what holds odd bytes
            continue
        lender = os.path.join(objects, os.fsdecode(line))
        if not os.path.isdir(lender):
            message = f"a repository that lent its objects is gone: '{lender}'"
            cure = f"bring it back, or name where it is now in '{path}'; then: git repack -a -d"
            yield Finding("objects", "error", message, _WHY, cure)


def check_head(patient: Patient) -> Iterator[Finding]:
    """The commit at HEAD and its files can be read."""
    clone = patient.clone
    asked = clone.ask("rev-parse", "--verify", "--quiet", "HEAD")
    if asked.code != 0:
        return  # before the first commit
    read = clone.ask("cat-file", "-e", "HEAD^{tree}")
    if read.code != 0:
        said = read.stderr.decode("utf-8", "replace").strip().splitlines()
        message = "the commit at HEAD cannot be read" + (f": {said[0]}" if said else "")
        cure = "git fsck names what is missing; git fetch --refetch brings back what a remote has"
        yield Finding("head", "error", message, _WHY, cure)


OBJECT_CHECKS = (
    Check("objects", "every repository that lends objects is there", check_lenders),
    Check("head", "the commit at HEAD can be read", check_head),
)
