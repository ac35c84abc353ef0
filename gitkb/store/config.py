"""The settings a team shares, in `.gitkb/config.toml`."""

# No deferred annotations here: see `core.problem`.
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from gitkb.core.identity import DEFAULT_SHARDS, SHARD_COUNTS
from gitkb.errors import DataError, GitkbError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.store.layout import Store

_is_plain_shards_line = re.compile(r"shards[ \t]*=[ \t]*([0-9]+)[ \t]*(?:#.*)?")
_SHARDS_LINE = rb"(?m)^[ \t]*shards[ \t]*=[ \t]*[0-9]+"
_may_name_languages = re.compile(r"""(?m)^[ \t]*["']?languages""").search
_AUTHORS_LINE = rb"(?m)^[ \t]*authors[ \t]*=[ \t]*\[[^\]]*\]"
_SIGNED_LINE = rb"(?m)^[ \t]*signed[ \t]*=[ \t]*(?:true|false)"
_TRUST_TABLE = rb"(?m)^[ \t]*\[[ \t]*trust[ \t]*\][^\n]*(?:\n|\Z)"
_first_table = re.compile(r"(?m)^[ \t]*\[")

CONFIG_TEXT = """\
# The settings of this knowledge base; the team shares them through git.

# How many files the entries are spread over: 1, 16, 256 or 4096.
# Change it with `gitkb reshard N`, which moves the entries too.
shards = {shards}
"""


class Config(NamedTuple):
    """What config.toml says; `values` is the whole document as it was read."""

    shards: int
    values: dict[str, Any]


def read_config(store: "Store") -> Config:
    """Read the settings; a store without the file has the defaults.

    Raises:
        DataError: when the file is not TOML, or a setting is not what it has to be.
        StateError: when it cannot be read.
    """
    from gitkb.core.toml_text import TomlError, parse_toml  # `read_shards` spares writers the price

    try:
        with open(store.config_path, "rb") as file:
            values = parse_toml(file.read().decode("utf-8"))
    except FileNotFoundError:
        values = {}
    except (TomlError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot read '{store.config_path}': {_said(error)}",
            "mend the line that the message names",
        ) from None
    except OSError as error:
        raise StateError(
            f"cannot read '{store.config_path}': {error.strerror}", "see what stands there"
        ) from None
    shards = values.get("shards", DEFAULT_SHARDS)
    if shards not in SHARD_COUNTS or isinstance(shards, bool):
        raise DataError(
            f"'shards' in '{store.config_path}' is {shards!r}",
            f"it can be {', '.join(map(str, SHARD_COUNTS))}",
        )
    return Config(shards, values)


def _said(error: Exception) -> str:
    """What is wrong with the text, and in which line."""
    if not isinstance(error, UnicodeDecodeError):
        return str(error)
    line = error.object.count(b"\n", 0, error.start) + 1
    return f"the byte 0x{error.object[error.start]:02X} is not UTF-8 (at line {line})"


def read_shards(store: "Store") -> int:
    """Read the number of shards alone, without a TOML parser where the line is a plain one."""
    try:
        with open(store.config_path, encoding="utf-8") as file:
            text = file.read()
    except FileNotFoundError:
        return DEFAULT_SHARDS
    except (OSError, UnicodeDecodeError):
        return read_config(store).shards
    head = _first_table.split(text, maxsplit=1)[0]
    if '"""' in head or "'''" in head:
        return read_config(store).shards
    for line in head.splitlines():
        plain = _is_plain_shards_line.fullmatch(line)
        if plain and int(plain[1]) in SHARD_COUNTS:
            return int(plain[1])
    return read_config(store).shards


def read_languages(store: "Store") -> tuple[str, ...]:
    """Read the languages that the knowledge is written in, without a TOML parser where none are named.

    A setting that cannot be read says nothing here: search goes on, and `gitkb check` tells.
    """
    try:
        with open(store.config_path, encoding="utf-8") as file:
            if not _may_name_languages(file.read()):
                return ()
        named = read_config(store).values.get("languages")
    except (OSError, UnicodeDecodeError, GitkbError):
        return ()
    if not isinstance(named, list):
        return ()
    return tuple(name for name in named if isinstance(name, str))


def with_shards(text: bytes, shards: int) -> bytes:
    """Give the text of a config file with another number of shards, all else as it was.

    Raises:
        DataError: when the text is not TOML, or says the number in a way that needs a person.
    """
    from gitkb.core.toml_text import TomlError, parse_toml

    line = b"shards = %d" % shards
    lines = [text[: at.start()] + line + text[at.end() :] for at in re.finditer(_SHARDS_LINE, text)]
    try:
        wanted = {**parse_toml(text.decode("utf-8")), "shards": shards}
    except (TomlError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read 'config.toml': {_said(error)}", "mend that line") from None
    for changed in (*lines, line + b"\n" + text):
        # The same words may stand in another table or in a text; the parser knows.
        try:
            if parse_toml(changed.decode("utf-8")) == wanted:
                return changed
        except TomlError:
            continue
    raise DataError(
        "cannot change 'shards' in 'config.toml'", f"write the line as: {line.decode()}"
    )


def with_trust(text: bytes, authors: Sequence[str], signed: bool) -> bytes:
    """Give the text of a config file with another trust list, all else as it was.

    Raises:
        DataError: when the text is not TOML, or says the list in a way that needs a person.
    """
    from json import dumps

    from gitkb.core.toml_text import TomlError, parse_toml

    names = ", ".join(dumps(author, ensure_ascii=False) for author in authors)
    list_line = f"authors = [{names}]".encode()
    signed_line = b"signed = " + (b"true" if signed else b"false")
    try:
        old = parse_toml(text.decode("utf-8"))
    except (TomlError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read 'config.toml': {_said(error)}", "mend that line") from None
    table = old.get("trust", {})
    wanted = {**table, "authors": list(authors)} if isinstance(table, dict) else {}
    lines = [(list_line, _AUTHORS_LINE, "authors" in table)]
    if signed or "signed" in table:
        wanted["signed"] = signed
        lines.append((signed_line, _SIGNED_LINE, "signed" in table))
    for line, pattern, is_there in lines:
        text = _with_line(text, line, pattern if is_there else None)
    try:
        if parse_toml(text.decode("utf-8")) == {**old, "trust": wanted}:
            return text
    except TomlError:
        pass
    raise DataError(
        "cannot change '[trust]' in 'config.toml' as it is written there",
        f"write it by hand, then gitkb trust accept: {list_line.decode()}",
    )


def _with_line(text: bytes, line: bytes, pattern: bytes | None) -> bytes:
    """Put a line of `[trust]` in the place of the one that a pattern finds, else below the heading."""
    found = re.search(_TRUST_TABLE, text)
    if found is None:
        end = b"" if text.endswith(b"\n") or not text else b"\n"
        return text + end + b"\n[trust]\n" + line + b"\n"
    if pattern is not None:
        old = re.compile(pattern).search(text, found.end())
        return text if old is None else text[: old.start()] + line + text[old.end() :]
    gap = b"" if found[0].endswith(b"\n") else b"\n"
    return text[: found.end()] + gap + line + b"\n" + text[found.end() :]
