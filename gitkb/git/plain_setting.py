"""One switch of git's configuration, read without git: a process costs more than a recall.

1. Looked at are the files that git reads (git-config(1), FILES) and what they include. Of an include with
   a condition only a "no" counts: whether it is met, git alone knows, and this is asked for what somebody
   may want to be left alone by.
2. What cannot be read says nothing.
"""

from __future__ import annotations

import os

from gitkb.core.late_pattern import LatePattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEEPEST = 10
_section = LatePattern(r'\[\s*([-.\w]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]\s*').match
_remark = LatePattern(r"\s[#;]").search
_NO = ("false", "no", "off", "0", '""')


def read_switch(git_dir: str, section: str, name: str, environ: Mapping[str, str]) -> bool | None:
    """Give a boolean setting; None where nobody set it. `git_dir` is that of the worktree."""
    found: bool | None = None
    for path in _files(git_dir, environ):
        for value in _values(path, section, name, environ, _DEEPEST):
            found = value
    return found


def _files(git_dir: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Name the files of the configuration, the last one to win last."""
    home = environ.get("HOME") or os.path.expanduser("~")
    if environ.get("GIT_CONFIG_NOSYSTEM", "0").lower() in (*_NO, ""):
        yield environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig"
    if environ.get("GIT_CONFIG_GLOBAL"):
        yield environ["GIT_CONFIG_GLOBAL"]
    else:
        yield os.path.join(
            environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"), "git", "config"
        )
        yield os.path.join(home, ".gitconfig")
    common = git_dir
    try:
        with open(os.path.join(git_dir, "commondir"), encoding="utf-8") as file:
            common = os.path.join(git_dir, file.read().strip())
    except (OSError, UnicodeDecodeError):
        pass  # the main worktree
    yield os.path.join(common, "config")
    yield os.path.join(git_dir, "config.worktree")


def _values(
    path: str, section: str, name: str, environ: Mapping[str, str], deepest: int
) -> Iterator[bool]:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except (OSError, ValueError):
        return
    # Most configurations say nothing of it, and nothing in them needs to be understood.
    lower = text.lower()
    if name not in lower and "[include" not in lower:
        return
    within = ""
    for line in text.split("\n"):
        line = line.strip()
        head = _section(line)
        if head is not None:
            within = head[1].lower() if head[2] is None or head[1].lower() == "includeif" else ""
            line = line[head.end() :]
        if not line or line[0] in "#;":
            continue
        key, equals, value = line.partition("=")
        key, value = key.strip().lower(), _plain(value) if equals else "true"
        if within == section and key == name:
            yield value.lower() not in _NO and value != ""
        elif within in ("include", "includeif") and key == "path" and deepest:
            if value.startswith("~/"):
                value = os.path.join(environ.get("HOME") or os.path.expanduser("~"), value[2:])
            inner = os.path.join(os.path.dirname(path), value)
            for one in _values(inner, section, name, environ, deepest - 1):
                if within == "include" or not one:
                    yield one


def _plain(value: str) -> str:
    """Give a value without its quotes and the remark behind it."""
    value = value.strip()
    if value.startswith('"'):
        return value[1:].partition('"')[0]
    remark = _remark(value)
    return value[: remark.start()].strip() if remark else value
