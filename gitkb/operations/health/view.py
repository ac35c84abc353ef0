"""Do committed views merge without a conflict, here and in clones that nobody set up."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitkb.git import driver
from gitkb.git.attributes import check_attribute
from gitkb.git.driver_probe import probe_view_driver
from gitkb.git.ledger import read_or_none
from gitkb.operations.health.finding import Finding
from gitkb.operations.health.patient import Check, Patient
from gitkb.store.discover import store_at
from gitkb.store.view import committed_settings, file_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_WHY = "a merge of two branches that both changed a view can then end in a conflict"
_ATTRIBUTE = "gitkb-view"
_RULE = b"views/*.md "


def check_view_driver(patient: Patient) -> Iterator[Finding]:
    """git gives the views that the team commits to a driver that keeps our side."""
    settings = committed_settings(store_at(patient.store_root))
    if settings is None:
        return
    paths = [f"{patient.store}/{file_of(name)}" for name in settings.names]
    values = check_attribute(patient.clone, "merge", paths)
    line = patient.clone.setting(driver.VIEW_DRIVER)
    fault = "it is not configured" if line is None else probe_view_driver(line)
    if fault:
        message = f"the merge driver of views does not work: {fault}"
        yield Finding("view-driver", "error", message, _WHY, "gitkb install")
    for path, value in values.items():
        if value != _ATTRIBUTE:
            message = f"git does not give '{path}' to the merge driver of views"
            yield Finding("view-driver", "error", message, _WHY, "gitkb install")


def check_view_rule(patient: Patient) -> Iterator[Finding]:
    """The rule that travels keeps clones without our configuration from conflicts."""
    if committed_settings(store_at(patient.store_root)) is None:
        return
    text = read_or_none(os.path.join(patient.store_root, ".gitattributes")) or b""
    if not any(line.startswith(_RULE) for line in text.splitlines()):
        message = f"'{patient.store}/.gitattributes' has no rule for views"
        why = "it is for clones in which nobody ran gitkb install, and for forges"
        yield Finding("view-rule", "warning", message, why, "gitkb init")


VIEW_CHECKS = (
    Check("view-driver", "committed views merge without a conflict", check_view_driver),
    Check("view-rule", "committed views merge without a conflict elsewhere", check_view_rule),
)
