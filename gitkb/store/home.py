"""The user's own folder: the workstation's store, the copies of further tiers, and what they are.

```
HOME/workstation/.gitkb   the store of this person on this machine; a git repository around it
HOME/tiers/NAME/          a clone of each further tier
HOME/tiers.json           their names, addresses and whether one may write them; the nearer first
HOME/projects.json        the projects seen here (`project_index`)
```

1. `GITKB_HOME` names the folder; without it, it is where the system keeps a user's data.
2. A settings file that cannot be read is a value for readers, and stops writers.
"""

# No deferred annotations here: see `core.problem`.
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from gitkb.core.canonical import encode_json
from gitkb.errors import StateError, UsageError
from gitkb.store.durable import replace_file, temporary_of
from gitkb.store.home_path import PROJECT as PROJECT
from gitkb.store.home_path import home_folder as home_folder

WORKSTATION = "workstation"
UNIVERSAL = "universal"
SETTINGS_NAME = "tiers.json"
PATIENCE_SECONDS = 30.0
_is_name = re.compile(r"[a-z0-9][a-z0-9._-]{0,31}").fullmatch


class Remote(NamedTuple):
    """One further tier as its user set it up."""

    name: str
    url: str
    push: bool = False


class Settings(NamedTuple):
    """The further tiers, the nearer first; `fault` says why they cannot be known."""

    remotes: tuple[Remote, ...] = ()
    fault: str = ""


def workstation_folder(home: str) -> str:
    """Give the repository of the workstation's store."""
    return os.path.join(home, WORKSTATION)


def tier_folder(home: str, name: str) -> str:
    """Give the clone of a further tier."""
    return os.path.join(home, "tiers", name)


def check_name(name: str) -> None:
    """Refuse what cannot be the name of a further tier."""
    if name in (PROJECT, WORKSTATION, UNIVERSAL):
        raise UsageError(f"'{name}' is a tier of its own", "choose another name, such as org")
    if not _is_name(name) or name.endswith((".", ".lock")):
        raise UsageError(
            f"'{name}' cannot be the name of a tier",
            "up to 32 small letters, digits, '.', '_' and '-', beginning with one of the former",
        )


def read_settings(home: str) -> Settings:
    """Read the further tiers; what is wrong with the file is said in the answer."""
    path = os.path.join(home, SETTINGS_NAME)
    try:
        with open(path, "rb") as file:
            values = json.loads(file.read())
    except FileNotFoundError:
        return Settings()
    except OSError as error:
        return Settings(fault=f"cannot read '{path}': {error.strerror}")
    except (ValueError, RecursionError):
        return Settings(fault=f"'{path}' is not JSON")
    rows = values.get("tiers") if isinstance(values, dict) else None
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        return Settings(fault=f"'{path}' is not a list of tiers with name and url")
    remotes = [Remote(row["name"], row["url"], row.get("push") is True) for row in rows]
    return Settings(tuple(remotes))


def write_settings(home: str, remotes: Sequence[Remote]) -> None:
    """Write the further tiers. The caller holds the lock `tiers`."""
    rows = [remote._asdict() for remote in remotes]
    replace_file(os.path.join(home, SETTINGS_NAME), encode_json({"tiers": rows}) + b"\n")


def settings_to_change(home: str) -> Settings:
    """Read the further tiers before they are changed.

    Raises:
        StateError: when the file is broken: writing it anew would lose what it says.
    """
    settings = read_settings(home)
    if settings.fault:
        raise StateError(settings.fault, "mend the file, or remove it and add the tiers again")
    return settings


@contextmanager
def locked_home(home: str, name: str) -> Iterator[None]:
    """Hold one of the locks of the folder: `tiers`, `workstation` or `projects`.

    Raises:
        StateError: when another process holds it for too long, or the folder cannot be written.
    """
    from filelock import FileLock, Timeout

    path = os.path.join(home, f".{name}.lock")
    try:
        os.makedirs(home, exist_ok=True)
        lock = FileLock(path)
        lock.acquire(timeout=PATIENCE_SECONDS, poll_interval=0.02)
    except Timeout:
        raise StateError(
            f"another gitkb has been changing '{home}' for {PATIENCE_SECONDS:g} seconds",
            f"wait for it, or see who holds '{path}'",
        ) from None
    except OSError as error:
        raise StateError(
            f"cannot write '{home}': {error.strerror}",
            "mend its permissions, or name another folder with GITKB_HOME",
        ) from None
    try:
        # Of a writer that was killed: only who holds this lock writes that file.
        left = temporary_of(os.path.join(home, f"{name}.json"))
        with suppress(OSError):
            os.unlink(left)
        yield
    finally:
        lock.release()


def _is_row(row: Any) -> bool:
    return (
        isinstance(row, dict)
        and isinstance(row.get("name"), str)
        and bool(_is_name(row["name"]))
        and row["name"] not in (PROJECT, WORKSTATION, UNIVERSAL)
        and isinstance(row.get("url"), str)
    )
