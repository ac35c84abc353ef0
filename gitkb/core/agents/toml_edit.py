"""One table put into a TOML file as a section of ours, and taken out."""

from __future__ import annotations

from gitkb.core.agents.block import TOML, has_block, put_block, take_block
from gitkb.core.agents.edit import Refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def put_toml(text: str | None, path: tuple[str, str], value: dict[str, Any], body: str) -> str:
    """Put a table in, as the lines of `body`; one that says the same already is enough.

    Raises:
        Refusal: when the file is no TOML, has another table of the name, or cannot hold one.
    """
    before = {} if text is None else _parse(text)
    group = before.get(path[0], {})
    if not isinstance(group, dict):
        raise Refusal(f"'{path[0]}' is no table")
    if text is not None and path[1] in group and not has_block(text, TOML):
        if group[path[1]] != value:
            raise Refusal(f"'{'.'.join(path)}' is there already, and says something else")
        return text
    new = put_block(text, TOML, body)
    wanted = {**before, path[0]: {**group, path[1]: value}}
    try:
        fits = _parse(new) == wanted
    except Refusal:
        fits = False
    if not fits:
        raise Refusal(f"a table '{'.'.join(path)}' cannot stand at its end")
    return new


def take_toml(text: str) -> str | None:
    """Take our section out; None when the file held nothing else.

    Raises:
        Refusal: when the section was changed by hand.
    """
    return take_block(text, TOML)


def _parse(text: str) -> dict[str, Any]:
    import tomllib  # dearer than Python's own start

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"it is no valid TOML: {error}") from None
    except (RecursionError, ValueError):
        raise Refusal("it is no TOML that can be read") from None
