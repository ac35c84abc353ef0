"""Where git looks for hooks here, and who owns what stands there.

Invariants:

1. Ours is what equals our script byte for byte, or what our ledger says we wrote. Everything else is
   somebody else's: never edited, replaced, chained or moved.
2. We write only into the repository's own hooks folder, and only where git looks there. A folder
   named by core.hooksPath belongs to whoever set it.
3. A hook of somebody else that calls us counts as installed, wherever its tool keeps its text.
4. git 2.54 and newer get our hooks in the configuration as well, where no other tool is in the way. The
   file stays for older gits, which desktop clients bring along; it sees that the configuration runs.
"""

from __future__ import annotations

import os
import re
from typing import Literal, NamedTuple

from gitkb.git.driver import package_path
from gitkb.git.ledger import read_or_none
from gitkb.git.repository import HOOKS_IN_CONFIGURATION, Repository, git_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

POST_HOOKS = ("post-checkout", "post-merge", "post-rewrite", "post-commit")
PRE_HOOKS = ("pre-commit", "pre-merge-commit")
HOOK_NAMES = PRE_HOOKS + POST_HOOKS

Owner = Literal["none", "ours", "pre-commit", "lefthook", "husky", "git-lfs", "unknown"]
State = Literal[
    "ours",  # our script, by its bytes, at its name
    "legacy",  # our script as NAME.legacy, run by the framework that renamed it
    "outdated",  # our script of an older version, as our ledger knows it
    "called",  # somebody else's hook that calls us
    "foreign",  # somebody else's hook that does not
    "missing",  # nothing
    "elsewhere",  # nothing, and the folder is not ours to write into
]
# The file may be everybody's: whoever has no gitkb has to be able to commit.
_CALL = 'if command -v gitkb-hook >/dev/null; then gitkb-hook %s "$@" || exit; fi'
WORKING: frozenset[State] = frozenset({"ours", "legacy", "called"})


class HookState(NamedTuple):
    """One hook as it stands: whether it reaches us, who owns it, and where a line would go."""

    name: str
    state: State
    path: str
    owner: Owner
    executable: bool = True
    configured: Literal["no", "yes", "outdated"] = "no"
    """Whether git's configuration names us; `no` with a git that does not know such hooks."""

    @property
    def works(self) -> bool:
        """git reaches gitkb through this hook."""
        return self.configured == "yes" or (self.state in WORKING and self.executable)


class HookPlace(NamedTuple):
    """The folder git looks in, and whether we may write there."""

    folder: str
    is_ours: bool
    in_configuration: bool


def script(name: str) -> bytes:
    """Our script for the hook ``name``: constant bytes, LF line ends."""
    for folder in (package_path("hooks", "scripts"), os.path.join(package_path(), "..", "hooks")):
        data = read_or_none(os.path.join(folder, name))
        if data is not None:
            return data.replace(b"\r\n", b"\n")  # a checkout with core.autocrlf (H27)
    raise FileNotFoundError(f"the gitkb package lacks its hook script '{name}'")


def find_place(repository: Repository) -> HookPlace:
    """Ask git where it looks for hooks."""
    folder, own = repository.hooks_dir(), repository.own_hooks_dir()
    version = git_version(repository.cwd).numbers
    return HookPlace(
        folder,
        os.path.realpath(folder) == os.path.realpath(own),
        version >= HOOKS_IN_CONFIGURATION,
    )


def examine_hooks(repository: Repository, known: frozenset[str] = frozenset()) -> list[HookState]:
    """The state of each of our six hooks. ``known``: hashes of scripts that our ledger says are ours."""
    place = find_place(repository)
    states = [_examine_file(repository, place, name, known) for name in HOOK_NAMES]
    if not place.in_configuration:
        return states
    return [state._replace(configured=_configured(repository, state.name)) for state in states]


def is_our_script(data: bytes | None, name: str, known: frozenset[str] = frozenset()) -> bool:
    """Whether these bytes are our script, of this version or one that we are known to have written."""
    if data is None:
        return False
    from gitkb.git.ledger import digest

    return data == script(name) or digest(data) in known


def _examine_file(
    repository: Repository, place: HookPlace, name: str, known: frozenset[str]
) -> HookState:
    path = os.path.join(place.folder, name)
    data = read_or_none(path)
    if is_our_script(data, name, known):
        state: State = "ours" if data == script(name) else "outdated"
        return HookState(name, state, path, "ours", os.access(path, os.X_OK))
    owner = _owner(data, path)
    line_at = line_place(repository, path, owner)
    if is_our_script(read_or_none(path + ".legacy"), name, known) and owner == "pre-commit":
        return HookState(name, "legacy", path + ".legacy", owner)
    if _calls_us(repository, name, data, line_at, owner):
        return HookState(name, "called", line_at, owner)
    if data is not None:
        return HookState(name, "foreign", line_at, owner)
    return HookState(name, "missing" if place.is_ours else "elsewhere", line_at, owner)


def _configured(repository: Repository, name: str) -> Literal["no", "yes", "outdated"]:
    wanted = configured_settings(name)
    found = {key: repository.setting(key) for key in wanted}
    if found == wanted:
        return "yes"
    return "no" if set(found.values()) == {None} else "outdated"


def configured_settings(name: str) -> dict[str, str]:
    """Our hook as configuration, in the order of writing: git dies of an event without a command.

    The script stands in the line itself: it outlives our package, and a repository that is moved, and
    ends as quietly as the file would. Its `$0` tells it that it was started from here. It is one line,
    because programs read `git config --list` line by line (git-filter-repo 2.47 dies of any other).
    """
    text = script(name).decode("utf-8").replace("\\", "\\\\").replace("\n", "\\n")
    text = text.replace("'", "'\\''")
    return {
        f"hook.gitkb-{name}.command": f"sh -c \"$(printf %b '{text}')\" gitkb-hook",
        f"hook.gitkb-{name}.event": name,
    }


def line_place(repository: Repository, path: str, owner: Owner) -> str:
    """The file into which a person writes the line that calls us."""
    if owner == "husky":  # husky 9 generates `_/`; what people write stands one folder above
        return os.path.join(os.path.dirname(os.path.dirname(path)), os.path.basename(path))
    if owner in ("lefthook", "pre-commit"):
        top = repository.worktree or repository.cwd
        return os.path.join(top, _tool_file(top, owner))
    return path


def can_be_made(state: HookState) -> bool:
    """Nothing stands where the hook would, in a folder that is not ours to write into."""
    is_elsewhere = state.state in ("elsewhere", "foreign") and not state.works
    has_settings = state.owner in ("pre-commit", "lefthook")
    return is_elsewhere and not has_settings and not os.path.exists(state.path)


def advice(state: HookState, states: Sequence[HookState]) -> tuple[str, ...]:
    """What to add, and where, so that somebody else's hook calls us too.

    For hooks that nobody has yet, of all six, it is one command that makes them.
    """
    if can_be_made(state):
        return (_command_for([one for one in states if can_be_made(one)]),)
    name, where = state.name, f"in '{state.path}'"
    if state.owner == "pre-commit":
        return (f"{where}, under 'repos:', add:", *_framework_lines(name))
    if state.owner == "lefthook":
        run = f"      run: gitkb-hook {name} {{0}}"
        return (f"{where} add:", f"{name}:", "  commands:", "    gitkb:", run)
    return (f"{where} add the line:", _CALL % name)


def _command_for(states: Sequence[HookState]) -> str:
    from shlex import quote  # only where hooks are somebody else's

    folder = quote(os.path.dirname(states[0].path))
    names = " ".join(state.name for state in states)
    make = f"printf '#!/bin/sh\\n{_CALL}\\n' $hook >{folder}/$hook && chmod +x {folder}/$hook"
    return f"mkdir -p {folder} && for hook in {names}; do {make}; done"


def _framework_lines(name: str) -> tuple[str, ...]:
    return (
        "  - repo: local",
        "    hooks:",
        f"      - id: gitkb-{name}",
        f"        name: gitkb {name}",
        f"        entry: gitkb-hook {name}",
        "        language: system",
        f"        stages: [{name}]",
        "        always_run: true",
        "        pass_filenames: false",
    )


def _owner(data: bytes | None, path: str) -> Owner:
    folder = os.path.dirname(path)
    if os.path.basename(folder) == "_" and os.path.basename(os.path.dirname(folder)) == ".husky":
        return "husky"
    if data is None:
        return "none"
    if b"File generated by pre-commit" in data or b"pre_commit" in data:
        return "pre-commit"
    if b"lefthook" in data:
        return "lefthook"
    if b"git lfs" in data or b"git-lfs" in data:
        return "git-lfs"
    return "unknown"


def _tool_file(top: str, owner: Owner) -> str:
    names = {
        "pre-commit": (".pre-commit-config.yaml",),
        "lefthook": ("lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml"),
    }[owner]
    return next((name for name in names if os.path.exists(os.path.join(top, name))), names[0])


def _calls_us(
    repository: Repository, name: str, data: bytes | None, line_at: str, owner: Owner
) -> bool:
    texts = [data or b""]
    if owner in ("husky", "lefthook", "pre-commit"):
        texts.append(read_or_none(line_at) or b"")
    if owner == "pre-commit":
        # The framework's own hooks of ours carry other names (.pre-commit-hooks.yaml).
        names = b"gitkb-check" if name in PRE_HOOKS else b"gitkb-reindex"
        if re.search(rb"(?m)^[^#\n]*\bid:\s*['\"]?" + names + rb"\b", texts[1]):
            return True
    word = re.escape(name.encode())
    call = re.compile(rb"(?m)^[^#\n]*\bgitkb[- ]hook['\"]?\s+['\"]?" + word + rb"(?![\w-])")
    return any(call.search(text) for text in texts)
