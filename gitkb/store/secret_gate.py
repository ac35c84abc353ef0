"""The gate before every write: a record that brings in what looks like a secret is refused.

1. It stands in `store.writer`, so no verb, import, tier or server writes around it.
2. What the store says of a key already, in force or in the archive, is not brought in: to archive or to
   supersede an entry is not stopped by what was let in before. `gitkb check` tells of that.
3. Who allows a secret gives a reason, and the entry keeps a leave for exactly that text.
4. Without a suspicion neither the library nor a TOML parser is imported. Where the settings are broken or
   the library is missing, the gate is closed.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar

from gitkb.core.secrets.hint import may_hold_secret
from gitkb.core.secrets.text import own_texts
from gitkb.errors import DataError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from gitkb.core.canonical import Fields, Json
    from gitkb.schema.secret_scan import Finding
    from gitkb.schema.secret_settings import SecretSettings
    from gitkb.store.layout import Store

_reason: ContextVar[str] = ContextVar("gitkb_allow_secret", default="")
_SHOWN = 5


@contextmanager
def allowing_secrets(reason: str | None) -> Iterator[None]:
    """Let by what looks like a secret, in all that is written inside, and keep the reason on each entry.

    Nothing is let by where no reason is given (None).

    Raises:
        UsageError: when the reason is empty.
    """
    if reason is None:
        yield
        return
    if not reason.strip():
        raise UsageError(
            "a secret is allowed for a reason", "--allow-secret='a key of the test server'"
        )
    before = _reason.set(" ".join(reason.split()))
    try:
        yield
    finally:
        _reason.reset(before)


class SecretGate:
    """The gate of one store, for one change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._settings: SecretSettings | None = None
        self._has_settings = _names_secrets(store.config_path)
        if self._has_settings:
            self._read_settings()

    def judge(self, fields: Fields, known: Callable[[], Iterable[Fields]]) -> Fields:
        """Give the fields back, with a leave where one is given; `known` is what the store says already.

        Raises:
            DataError: when something looks like a secret and is not allowed, or the settings are wrong.
            StateError: when the settings cannot be read, or the library is not there.
        """
        personal = self._settings is not None and self._settings.personal
        if not personal and not any(may_hold_secret(text) for _, text in own_texts(fields)):
            return fields
        from gitkb.schema.secret_scan import find_secrets

        found = find_secrets(fields, self._read_settings())
        if found:
            old = {text for other in known() for _, text in own_texts(other)}
            found = [one for one in found if not any(one.text in text for text in old)]
        if not found:
            return fields
        if not _reason.get():
            raise refusal(str(fields.get("key", "")), found)
        from gitkb.core.secrets.allowance import with_leave

        allowed: dict[str, Json] = with_leave(fields, [one.text for one in found], _reason.get())
        left = find_secrets(allowed, self._read_settings())
        if left:  # the reason itself holds one
            raise refusal(str(fields.get("key", "")), left)
        return allowed

    def _read_settings(self) -> SecretSettings:
        if self._settings is None:
            from gitkb.schema.secret_settings import SecretSettings, parse_settings

            if self._has_settings:
                from gitkb.store.config import read_config

                self._settings = parse_settings(read_config(self._store).values)
            else:
                self._settings = SecretSettings()
        return self._settings


def refuse_secrets(store: Store, fields: Fields) -> None:
    """Refuse texts that hold a secret before they go anywhere, as the goal of a session does.

    Raises:
        DataError, StateError: as `SecretGate.judge`.
    """
    if not _reason.get():
        SecretGate(store).judge(fields, lambda: ())


def refusal(key: str, found: list[Finding]) -> DataError:
    """Say what was found where, masked, and what to do about it."""
    named = "; ".join(one.message for one in found[:_SHOWN])
    if len(found) > _SHOWN:
        named += f"; and {len(found) - _SHOWN} more"
    # A key that holds it is not said: it is what nobody should read.
    what = f"'{key}'" if key and not any(one.text in key for one in found) else "the entry"
    return DataError(
        f"{what} seems to hold a secret: {named}",
        "leave it out, and say where it is kept; if it is none, --allow-secret=REASON keeps the reason on "
        "the entry, and config.toml lets it by everywhere: [secrets] allow",
    )


def _names_secrets(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return b"secrets" in file.read()
    except OSError:
        return False  # whoever reads the number of shards from it says what is wrong
