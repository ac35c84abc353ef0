"""What an exception of Python itself means to whoever called: the system refused, or gitkb is not whole.

Neither is a bug of ours, and every face says the same of it. Places at which more is known raise an
error of their own; this is for the rest of them.
"""

from __future__ import annotations

import errno
import sys

from gitkb.errors import StateError

_REFUSALS = frozenset(
    getattr(errno, name)
    for name in (
        "EACCES", "EDQUOT", "EFBIG", "EIO", "EISDIR", "ELOOP", "EMFILE", "ENAMETOOLONG", "ENFILE", "ENOMEM", "ENOSPC",
        "ENOTDIR", "EPERM", "EROFS", "ESTALE",
    )
    if hasattr(errno, name)
)  # fmt: skip
"""A file that is not there is none of these: whoever opens one knows whether it may be missing."""
_FULL = frozenset(getattr(errno, name, errno.ENOSPC) for name in ("EDQUOT", "EFBIG", "ENOSPC"))
_TOO_MUCH = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def refusal_of(error: Exception) -> StateError | None:
    """Give the error that is behind an exception, or None where it is a bug."""
    if isinstance(error, ModuleNotFoundError):
        return _not_whole(error)
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return None
    message = f"cannot go on: {error.strerror}"
    if isinstance(error.filename, str | bytes):
        place = error.filename
        name = place if isinstance(place, str) else place.decode("utf-8", "backslashreplace")
        message = f"cannot use '{name}': {error.strerror}"
        if error.errno not in (*_FULL, *_TOO_MUCH):
            from shlex import quote  # only an error needs it

            return StateError(
                message, f"see what stands there, and whose it is: ls -ld {quote(name)}"
            )
    if error.errno in _TOO_MUCH:
        return StateError(message, "end what else is at work here, or raise the limit: ulimit -a")
    return StateError(message, "make room, then do it again: df -h")


def _not_whole(error: ModuleNotFoundError) -> StateError | None:
    name = (error.name or "").partition(".")[0]
    if not name or name == "gitkb":
        return None
    if name.lstrip("_") in sys.stdlib_module_names or name in sys.stdlib_module_names:
        return StateError(
            f"this Python has no module '{name}': {sys.executable}",
            "install gitkb with a Python that has it, such as the one of your system",
        )
    return StateError(
        f"gitkb is not installed whole: there is no module '{name}'",
        f"{sys.executable} -m pip install --force-reinstall gitkb",
    )
