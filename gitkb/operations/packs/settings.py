"""What config.toml says about context packs: `[context] budget`, `[project] stack`, `languages`."""

from __future__ import annotations

from typing import NamedTuple

from gitkb.errors import DataError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitkb.store.layout import Store

DEFAULT_BUDGET = 2_000


class Settings(NamedTuple):
    """What holds where a call says nothing."""

    budget: int = DEFAULT_BUDGET
    """Tokens."""
    stack: tuple[str, ...] = ()
    """The technologies of the project."""
    languages: tuple[str, ...] = ()


def read_settings(store: Store) -> Settings:
    """Read them; a TOML parser is dear, and most stores say nothing here.

    Raises:
        DataError: when the file is no TOML, or the budget is none.
        StateError: when it cannot be read.
    """
    try:
        with open(store.config_path, "rb") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return Settings()
    except OSError:
        lines = [b"context"]  # the reader says what is wrong
    lines = [line for line in lines if not line.lstrip().startswith(b"#")]
    if not any(word in line for line in lines for word in (b"context", b"stack", b"languages")):
        return Settings()
    from gitkb.store.config import read_config

    values = read_config(store).values
    budget = _inner(values, "context", "budget")
    if budget is None:
        budget = DEFAULT_BUDGET
    elif not isinstance(budget, int) or isinstance(budget, bool) or budget < 0:
        raise DataError(
            f"'budget' in '{store.config_path}' is {budget!r}",
            "it is a whole number of tokens, such as 2000",
        )
    stack = _texts(_inner(values, "project", "stack"))
    return Settings(budget, stack, _texts(values.get("languages")))


def _inner(values: dict[str, Any], table: str, name: str) -> Any:
    inner = values.get(table)
    return inner.get(name) if isinstance(inner, dict) else None


def _texts(value: Any) -> tuple[str, ...]:
    texts = value if isinstance(value, list) else [value]
    return tuple(text for text in texts if isinstance(text, str) and text)
