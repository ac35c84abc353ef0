"""What keeps the outside out of a test; conftest.py puts it on.

1. A sealed process has no home, configuration, identity, zone or locale but those given here.
2. In the test process itself, the real home and the network raise `SealError` with the reason.
"""

from __future__ import annotations

import os
import socket
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

ROOT = Path(__file__).resolve().parent.parent
START = 1_767_225_600  # 2026-01-01T00:00:00Z, in Unix seconds
REAL_HOME = os.path.realpath(os.path.expanduser("~"))  # read before the seal is on


class Person(NamedTuple):
    """Who commits."""

    name: str
    email: str


DEFAULT_PERSON = Person("Ada Lovelace", "ada@example.org")


class SealError(RuntimeError):
    """A test reached for something outside its seal."""


# --- the environment of a sealed process ---------------------------------------------------

# Kept from outside because programs do not start without them, or answer differently for no reason.
_KEPT = ("PATH", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR")
_KEPT_PREFIXES = ("PYTEST_", "HYPOTHESIS_", "COVERAGE_")


def sealed_environment(
    folder: Path, *, wheelhouse: Path | None = None, shared_data: Path | None = None
) -> dict[str, str]:
    """The whole environment of a sealed process whose home lies in `folder`, which it makes.

    An empty file stands for git's global configuration: as root, `git config --global` replaces a
    device node such as /dev/null by a file.
    """
    home = folder / "home"
    for name in ("home", "cwd"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    git_config, pip_config = folder / "gitconfig", folder / "pip.conf"
    git_config.touch()
    pip_config.touch()
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    scripts = sysconfig.get_path("scripts")
    environment = {
        **kept,
        "PATH": os.pathsep.join([scripts, kept.get("PATH", os.defpath)]),
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_RUNTIME_DIR": str(home / ".run"),
        "LC_ALL": "C.UTF-8",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "GIT_CONFIG_GLOBAL": str(git_config),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_EDITOR": "true",
        **identity(DEFAULT_PERSON),
        "GIT_AUTHOR_DATE": f"{START} +0000",
        "GIT_COMMITTER_DATE": f"{START} +0000",
        # Written byte code beside the wheel would make the second run of a test another one.
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "PIP_CONFIG_FILE": str(pip_config),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INDEX": "1",
        "NO_COLOR": "1",
    }
    if wheelhouse is not None:
        environment["GITKB_WHEELHOUSE"] = str(wheelhouse)
        # As a URI: pip cuts the variable at white space.
        environment["PIP_FIND_LINKS"] = wheelhouse.resolve().as_uri()
    if shared_data is not None:
        environment["GITKB_SHARED_DATA"] = str(shared_data)
    return environment


def identity(person: Person) -> dict[str, str]:
    """git's variables for one person as author and committer."""
    return {
        "GIT_AUTHOR_NAME": person.name,
        "GIT_AUTHOR_EMAIL": person.email,
        "GIT_COMMITTER_NAME": person.name,
        "GIT_COMMITTER_EMAIL": person.email,
    }


# --- guards in the test process ------------------------------------------------------------


class _Guard:
    on = False
    installed = False  # an audit hook cannot be taken out again
    allowed: tuple[str, ...] = ()


def guard_home(allowed: Iterable[Path]) -> None:
    """From now on, reaching into the real home raises, except into `allowed` and what runs us."""
    roots = [os.fspath(root) for root in (ROOT, *allowed)]
    roots += [tempfile.gettempdir(), sys.prefix, sys.base_prefix, *filter(None, sys.path)]
    spellings = {os.path.realpath(root) for root in roots} | {
        os.path.abspath(root) for root in roots
    }
    # A root that holds the whole home (`/` on sys.path, a home inside TMPDIR) would allow all of it.
    _Guard.allowed = tuple(root for root in spellings if not _is_within(REAL_HOME, root))
    _Guard.on = os.path.realpath(os.sep) != REAL_HOME
    if not _Guard.installed:
        sys.addaudithook(_check_home)
        _Guard.installed = True


def unguard_home() -> None:
    """The end of the seal: pytest itself may write where it likes."""
    _Guard.on = False


def _check_home(event: str, args: tuple[Any, ...]) -> None:
    """Audit hook: opening or listing anything in the real home is a leak, except what runs us."""
    if event not in {"open", "os.listdir", "os.scandir", "os.mkdir", "os.remove", "os.rename"}:
        return
    if not _Guard.on or not args or not isinstance(args[0], str | bytes):
        return
    path = os.path.abspath(os.fsdecode(args[0]))
    if not _is_within(path, REAL_HOME) or any(_is_within(path, root) for root in _Guard.allowed):
        return
    raise SealError(
        f"a test reached into the real home: {event} '{path}'. Tests have a home of their own in "
        "HOME; take paths from there, from tmp_path or from os.path.expanduser at call time."
    )


def _is_within(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def forbid_network(patch: pytest.MonkeyPatch) -> None:
    """Connecting by TCP or UDP raises, to this machine too: a port is shared with everything."""
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _refusing(getattr(socket.socket, name)))


def _refusing(original: Any) -> Any:
    def connect(self: socket.socket, address: Any) -> Any:
        if self.family in {socket.AF_INET, socket.AF_INET6}:
            raise SealError(f"a test reached for the network: connect to {address!r}")
        return original(self, address)

    return connect
