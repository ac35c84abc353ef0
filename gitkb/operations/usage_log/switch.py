"""Whether what is used is logged, and whether that counts in ranking.

1. The nearest word counts: `GITKB_USAGE` in the environment, then `gitkb.usage` of git's configuration,
   then `[usage] log` of config.toml. Without any of them it is logged.
2. Where the log is off, ranking does not look at it either; `[usage] rank = false` switches that off alone.
3. Settings that cannot be read switch both off: what is not sure to be wanted is not kept.
"""

# No deferred annotations here: see `core.problem`.
import os
from collections.abc import Mapping
from typing import NamedTuple

from gitkb.core.late_pattern import LatePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

VARIABLE, SETTING = "GITKB_USAGE", "gitkb.usage"
_NO = ("0", "false", "no", "off")
# What the parser of TOML need not be imported for.
_table = LatePattern(
    r"(?m)^\[usage\][ \t]*(?:#.*)?\n((?:[ \t]*(?:(?:log|rank)[ \t]*=[ \t]*(?:true|false)[ \t]*)?(?:#.*)?\n)*)(?=\[|\Z)"
).finditer
_line = LatePattern(r"(?m)^[ \t]*(log|rank)[ \t]*=[ \t]*(true|false)").finditer


class Switch(NamedTuple):
    """What is wanted."""

    log: bool
    rank: bool
    off_by: str = ""
    """Who switched the log off, in a few words."""


def read_switch(store: "Store", environ: Mapping[str, str] | None = None) -> Switch:
    """Read what is wanted in a store, without a process and mostly without a parser."""
    environ = os.environ if environ is None else environ
    said = environ.get(VARIABLE, "").strip().lower()
    if said in _NO:
        return Switch(False, False, f"{VARIABLE} in the environment")
    log, rank = _read_table(store)
    if said:
        return Switch(True, rank is not False)
    wanted = None
    if os.path.basename(store.derived) == "gitkb":
        from gitkb.git.plain_setting import read_switch as read_git

        section, _, name = SETTING.partition(".")
        wanted = read_git(os.path.dirname(store.derived), section, name, environ)
    if wanted is False:
        return Switch(False, False, f"{SETTING} in git's configuration")
    if log is None:
        return Switch(False, False, "config.toml, which cannot be read")
    if not log and wanted is None:
        return Switch(False, False, "[usage] log in config.toml")
    return Switch(True, rank is not False)


def _read_table(store: "Store") -> tuple[bool | None, bool]:
    """Give what config.toml says of log and rank; None where it cannot be read."""
    from gitkb.errors import GitkbError
    from gitkb.store.config import read_config

    try:
        with open(store.config_path, encoding="utf-8") as file:
            text = file.read()
        if "usage" not in text:
            return True, True
        is_plain = '"""' not in text and "'''" not in text
        found = [one[1] for one in _table(text + "\n")] if is_plain else []
        if len(found) == 1 and text.count("usage") == 1:
            plain = {one[1]: one[2] for one in _line(found[0])}
            return plain.get("log") != "false", plain.get("rank") != "false"
        table = read_config(store).values.get("usage", {})
    except FileNotFoundError:
        return True, True
    except (OSError, UnicodeDecodeError, GitkbError):
        return None, False
    if not isinstance(table, dict):
        return None, False
    log, rank = table.get("log", True), table.get("rank", True)
    if not isinstance(log, bool) or not isinstance(rank, bool):
        return None, False
    return log, rank
