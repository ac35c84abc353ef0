"""Is this clone set up: git, the merge driver, its attributes and the hooks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gitkb.git import driver, hook_path
from gitkb.git.attributes import check_attribute, clone_rule, info_path, split_block
from gitkb.git.driver_probe import probe_driver, probe_text
from gitkb.git.install import known_scripts
from gitkb.git.ledger import read_or_none
from gitkb.git.repository import MINIMUM_VERSION, git_version
from gitkb.operations.health.finding import Finding
from gitkb.operations.health.patient import Check, Patient
from gitkb.operations.health.view import VIEW_CHECKS

if TYPE_CHECKING:
    from collections.abc import Iterator

INSTALL = "gitkb install"
WHY_DRIVER = (
    "without the driver git merges entries as lines of text, and conflicts are yours to mend"
)
WHY_TEXT = "nothing is lost by it; git diff, git log -p and git show are only harder to read"
WHY_HOOK = "gitkb works without it; the search index is only made ready later, at the next search"
WHY_PRE = "nothing checks the entries before they are committed on this machine; CI has to"


def check_version(patient: Patient) -> Iterator[Finding]:
    """git is new enough for what we ask of it."""
    version = git_version(patient.clone.cwd)
    if version.numbers < MINIMUM_VERSION:
        wanted = ".".join(map(str, MINIMUM_VERSION[:2]))
        message = f"git {version.text} is too old, {wanted} or newer is needed"
        yield Finding(
            "git", "error", message, "paths are asked in a form it does not know", "upgrade git"
        )


def check_driver(patient: Patient) -> Iterator[Finding]:
    """The driver's line is exactly the one of this version, and a real merge through it works."""
    clone = patient.clone
    line, name = clone.setting(driver.DRIVER), clone.setting(driver.NAME)
    if line is None and name is not None:
        message = "the merge driver is half configured: it has a name and no command"
        yield Finding(
            "driver", "error", message, "every merge of an entry dies with status 128", INSTALL
        )
    elif line is None:
        yield Finding("driver", "error", "the merge driver is not configured", WHY_DRIVER, INSTALL)
    elif fault := probe_driver(line):
        message = f"the merge driver does not work: {fault}"
        yield Finding("driver", "error", message, WHY_DRIVER, INSTALL)
    elif line != driver.driver_line():
        origin = clone.setting_origin(driver.DRIVER)
        message = f"the merge driver's line is not the one of this version ({origin})"
        why = "a line of another version or installation may call it wrongly"
        yield Finding("driver", "warning", message, why, INSTALL)


def check_text(patient: Patient) -> Iterator[Finding]:
    """git shows records as text: the line is the one of this version, works, and is asked for."""
    clone = patient.clone
    line = clone.setting(driver.TEXT)
    if line is None:
        message = "git diff shows entries as lines of JSON here"
    elif fault := probe_text(line):
        message = f"the line that makes git show entries as text does not work: {fault}"
    elif (line, clone.setting(driver.TEXT_HEADING)) != tuple(driver.text_settings().values()):
        origin = clone.setting_origin(driver.TEXT)
        message = f"what makes git show entries as text is not that of this version ({origin})"
    else:
        values = check_attribute(clone, "diff", patient.tracked_names)
        wrong = [path for path, value in values.items() if value != "gitkb"]
        # Where the whole file is missing, `check_shared_rule` says so, with the same cure.
        shared = read_or_none(os.path.join(patient.store_root, ".gitattributes")) or b""
        if wrong and b"merge=gitkb" in shared:
            message = f"git does not show {_some(wrong)} as text"
            yield Finding("readable-diffs", "warning", message, WHY_TEXT, "gitkb init")
        return
    yield Finding("readable-diffs", "warning", message, WHY_TEXT, INSTALL)


def check_attributes(patient: Patient) -> Iterator[Finding]:
    """git gives each data file to the driver, asked file by file."""
    values = check_attribute(patient.clone, "merge", patient.tracked_names)
    wrong = [path for path, value in values.items() if value != "gitkb"]
    if wrong:
        message = f"git does not give {_some(wrong)} to the merge driver"
        yield Finding("attributes", "error", message, WHY_DRIVER, INSTALL)


def check_shared_rule(patient: Patient) -> Iterator[Finding]:
    """The rule that travels with the repository is there."""
    path = os.path.join(patient.store_root, ".gitattributes")
    text = read_or_none(path)
    if text is None or b"merge=gitkb" not in text:
        message = f"'{patient.store}/.gitattributes' does not name the merge driver"
        why = "clones of the others never hear that there is one"
        yield Finding("attributes-shared", "warning", message, why, "gitkb init")


def check_clone_rule(patient: Patient) -> Iterator[Finding]:
    """The rule of the clone is there, for branches older than the one that travels."""
    _, block = split_block(read_or_none(info_path(patient.clone)) or b"")
    if clone_rule(patient.store).splitlines()[1] in block.splitlines():
        return
    old = _branches_without_rule(patient)
    if old:
        message = f"the rule for the merge driver is missing on {_some(old)}"
        why = (
            "git reads it from the branch that is merged into, so merges into these are text merges"
        )
        yield Finding("attributes-clone", "warning", message, why, INSTALL)


def _branches_without_rule(patient: Patient) -> list[str]:
    names = [name.removeprefix("refs/heads/") for name in patient.clone.refs()]
    asked = "".join(f"refs/heads/{name}:{patient.store}/.gitattributes\n" for name in names)
    answer = patient.clone.run("cat-file", "--batch-check", feed=os.fsencode(asked))
    lines = answer.splitlines()
    return [name for name, line in zip(names, lines, strict=False) if line.endswith(b" missing")]


def check_program(patient: Patient) -> Iterator[Finding]:
    """The hooks' program is recorded, so that they find it whatever PATH a client has."""
    for name, value in driver.program_settings().items():
        found = patient.clone.setting(name)
        if found is None or not os.path.exists(found):
            state = "not recorded" if found is None else f"gone: '{found}'"
            message = f"the program of the hooks is {state}"
            why = "git run by an editor often has a PATH without gitkb"
            yield Finding("hook-program", "warning", message, why, INSTALL)
            return
        if found != value:
            message = f"the hooks run another gitkb than this one: '{found}'"
            yield Finding("hook-program", "warning", message, "they may differ in version", INSTALL)
            return


def check_hooks(patient: Patient) -> Iterator[Finding]:
    """git reaches us through each of the six hooks."""
    states = hook_path.examine_hooks(patient.clone, known_scripts(patient.clone))
    folder = patient.clone.setting("core.hooksPath")
    at = f" (core.hooksPath is '{folder}')" if folder else ""
    absent = [state for state in states if _is_absent(state)]
    elsewhere = [state for state in states if hook_path.can_be_made(state)]
    for why, names in _by_why(absent):
        message = f"git does not call gitkb, for want of a hook: {names}"
        yield Finding("hook-missing", "warning", message, why, INSTALL)
    for why, names in _by_why(elsewhere):
        message = f"git does not call gitkb, for want of a hook{at}: {names}"
        (cure,) = hook_path.advice(elsewhere[0], states)
        yield Finding("hook-elsewhere", "warning", message, why, cure)
    for state in states:
        if state.configured == "outdated":
            message = f"hook {state.name} stands in git's configuration in another form"
            yield Finding("hook-missing", "warning", message, _why(state), INSTALL)
        elif state.works or state in absent or state in elsewhere:
            continue
        elif not state.executable:
            message = f"git skips the hook '{state.path}': it is not executable"
            yield Finding("hook-missing", "warning", message, _why(state), INSTALL)
        elif state.state == "outdated":
            message = f"hook {state.name} is that of another version"
            yield Finding("hook-missing", "warning", message, _why(state), INSTALL)
        else:
            owner = "another tool" if state.owner in ("unknown", "none") else state.owner
            message = f"hook {state.name} belongs to {owner} and does not call gitkb{at}"
            cure = "\n".join(hook_path.advice(state, states))
            yield Finding("hook-foreign", "warning", message, _why(state), cure)


def _why(state: hook_path.HookState) -> str:
    return WHY_PRE if state.name in hook_path.PRE_HOOKS else WHY_HOOK


def _by_why(states: list[hook_path.HookState]) -> Iterator[tuple[str, str]]:
    for why in (WHY_PRE, WHY_HOOK):
        if names := [state.name for state in states if _why(state) == why]:
            yield why, ", ".join(names)


def _is_absent(state: hook_path.HookState) -> bool:
    is_absent = state.state == "missing" and state.configured != "outdated" and not state.works
    return is_absent and state.executable


def check_framework(patient: Patient) -> Iterator[Finding]:
    """The pre-commit framework runs only in the stages for which it was installed."""
    clone = patient.clone
    config = (
        read_or_none(os.path.join(clone.worktree or clone.cwd, ".pre-commit-config.yaml")) or b""
    )
    stages: tuple[str, ...] = ()
    if b"gitkb-check" in config:
        stages += hook_path.PRE_HOOKS
    if b"gitkb-reindex" in config:
        stages += ("post-checkout", "post-merge", "post-rewrite")
    folder = clone.hooks_dir()
    missing = []
    for stage in stages:
        data = read_or_none(os.path.join(folder, stage)) or b""
        if b"pre-commit" not in data and not hook_path.is_our_script(data, stage):
            missing.append(stage)
    if missing:
        message = f"pre-commit is not installed for {', '.join(missing)}"
        why = "`pre-commit install` alone installs only its pre-commit stage"
        if b"default_install_hook_types" not in config:
            why += "; default_install_hook_types in .pre-commit-config.yaml changes that for all"
        cure = "pre-commit install " + " ".join(f"-t {stage}" for stage in missing)
        yield Finding("pre-commit-stages", "warning", message, why, cure)


def check_history(patient: Patient) -> Iterator[Finding]:
    """The history is whole."""
    if patient.clone.is_shallow():
        message = "this clone is shallow: its history is cut"
        why = "blame can then say only 'at or before' for older entries"
        yield Finding("history", "warning", message, why, "git fetch --unshallow")


def _some(names: list[str], most: int = 3) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


CLONE_CHECKS = (
    Check("git", "git is new enough", check_version),
    Check("driver", "the merge driver is configured and merges", check_driver),
    Check("attributes", "git gives every data file to the merge driver", check_attributes),
    Check("attributes-shared", "the rule for the merge driver travels along", check_shared_rule),
    Check("attributes-clone", "old branches get the merge driver too", check_clone_rule),
    Check("readable-diffs", "git shows entries as text", check_text),
    *VIEW_CHECKS,
    Check("hook-program", "the hooks find this gitkb", check_program),
    Check("hooks", "all hooks reach gitkb", check_hooks),
    Check("pre-commit-stages", "pre-commit has the stages that gitkb needs", check_framework),
    Check("history", "the history is whole", check_history),
)
