"""The laws of setup: putting in and taking out gives back every byte, and twice is once."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from gitkb.core.agents.edit import Part, Refusal, edit_bytes
from gitkb.core.agents.json_edit import Wanted, put_json, take_json
from gitkb.core.agents.json_text import parse_json
from gitkb.core.agents.parts import AGENTS, parts_of

PARTS = {part.path: part for agent in AGENTS for part in parts_of(agent)}
JSON_PARTS = [part for path, part in PARTS.items() if path.endswith(".json")]
NAMES = [
    "mcpServers",
    "servers",
    "hooks",
    "SessionStart",
    "sessionStart",
    "PreCompact",
    "other",
    "ü",
]

scalars = st.sampled_from(
    ["null", "true", "-1.5e3", '"x"', '"a \\" // b"', '"/* */"', '"\\ud83d\\ude00"']
)


@st.composite
def gaps(draw: st.DrawFn, newline: str) -> str:
    """White space and comments."""
    pieces = st.sampled_from(
        [
            "",
            "",
            " ",
            "\t",
            newline,
            newline + "  ",
            f"// one, {{{newline}",
            "/* two ] */",
            "/*\n*/",
        ]
    )
    return "".join(draw(st.lists(pieces, max_size=2)))


@st.composite
def values(draw: st.DrawFn, newline: str, depth: int, kinds: str = "oas") -> str:
    """A JSON value as somebody may have typed it."""
    kind = draw(st.sampled_from(kinds)) if depth else "s"
    if kind == "s":
        return draw(scalars)
    gap = gaps(newline)
    count = draw(st.integers(0, 3))
    names = draw(st.permutations(NAMES))[:count]
    items = []
    for name in names:
        value = draw(values(newline, depth - 1))
        head = f'"{name}"{draw(gap)}:{draw(gap)}' if kind == "o" else ""
        items.append(f"{draw(gap)}{head}{value}{draw(gap)}")
    has_comma = draw(st.booleans())
    comma = f",{draw(gap)}" if items and has_comma else ""
    inside = ",".join(items) + comma if items else draw(gap)
    return f"{'{' if kind == 'o' else '['}{inside}{'}' if kind == 'o' else ']'}"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A JSON document with comments."""
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    gap = gaps(newline)
    kinds = draw(st.sampled_from(["o", "o", "o", "oas"]))
    return draw(gap) + draw(values(newline, 4, kinds)) + draw(gap)


tidy = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=3)
    ),
    max_leaves=8,
)
"""Values, written by a program."""


def check_laws(part: Part, data: bytes | None) -> bytes | None:
    """Give what a file becomes; the file itself where it is refused."""
    try:
        new = edit_bytes(data, part.put)
    except Refusal as refusal:
        new, why = data, str(refusal)
    else:
        why = ""
    # Only a line end of a kind that nobody has used for decades is more than we can undo.
    assert "given back" not in why or b"\r" in (data or b"").replace(b"\r\n", b"")
    if why:
        return data
    assert new is not None
    assert edit_bytes(new, part.put) == new
    if new != data:
        assert edit_bytes(new, part.take) == data
    return new


@given(st.sampled_from(JSON_PARTS), documents(), st.booleans())
@example(PARTS[".mcp.json"], '{"a": 1 // b\n}', False)
@example(PARTS[".mcp.json"], '{"a": 1, // b\n}', False)
@example(PARTS[".mcp.json"], '{"mcpServers": {\n}}', True)
@example(PARTS[".mcp.json"], '{"mcpServers": { /* none */ }}', True)
def test_json_comes_back_byte_for_byte(part: Part, text: str, has_mark: bool) -> None:
    data = ("\ufeff" * has_mark + text).encode()
    new = check_laws(part, data)
    assert new is not None
    before, after = parse_json(text).value, parse_json(new.decode("utf-8-sig")).value
    if new != data:
        assert without_ours(after) == without_ours(before)
        assert "gitkb" in json.dumps(after)


def without_ours(value: Any) -> Any:
    """Leave out what names gitkb, and what is empty without it."""
    if isinstance(value, dict):
        inner = {name: without_ours(item) for name, item in value.items() if name != "gitkb"}
        return {name: item for name, item in inner.items() if item not in ({}, [])}
    if isinstance(value, list):
        kept = [without_ours(item) for item in value if "gitkb-hook" not in json.dumps(item)]
        return [item for item in kept if item not in ({}, [])]
    return value


@given(documents())
def test_what_came_in_beside_ours_stays(text: str) -> None:
    ours = [Wanted(("mcpServers", "gitkb"), {"command": "gitkb"})]
    other = [Wanted(("mcpServers", "db"), {"command": "db"})]
    try:
        both = put_json(put_json(text, ours, {}), other, {})
    except Refusal:
        return
    left = take_json(both, ours, {})
    assert left is not None
    assert parse_json(left).value == parse_json(put_json(text, other, {})).value


@given(
    st.sampled_from(JSON_PARTS),
    st.dictionaries(st.sampled_from(NAMES), tidy, max_size=4),
    st.sampled_from([None, 2, 4, "\t"]),
    st.booleans(),
)
def test_json_that_a_program_wrote_comes_back(
    part: Part, value: dict[str, Any], indent: int | str | None, ends: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False) + "\n" * ends
    assume(text.isascii() or "\\ud" not in text)
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return
    new = check_laws(part, data)
    assert new is not None
    json.loads(new)  # no comment and no comma that was not there


@given(st.sampled_from([*PARTS.values()]), st.binary(max_size=60))
def test_any_bytes_come_back_or_are_left_alone(part: Part, data: bytes) -> None:
    check_laws(part, data)


lines = st.lists(
    st.sampled_from(
        [
            "",
            "# Title",
            "text",
            "  - item",
            "```",
            "~~~ sh",
            "<!-- a",
            "b -->",
            "<!-- gitkb:end -->",
            "a\r",
        ]
    ),
    max_size=8,
)


@given(lines, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.permutations(AGENTS[2:]))
def test_markdown_comes_back_byte_for_byte_in_any_order(
    text: list[str], newline: str, ends: bool, agents: tuple[str, ...]
) -> None:
    data = (newline.join(text) + newline * ends).encode()
    sections = [parts_of(agent)[-1] for agent in agents]
    new: bytes | None = data
    for part in sections:
        new = check_laws(part, new)
    for part in sorted(sections, key=str):
        new = edit_bytes(new, part.take)
    assert new == data


@given(
    st.lists(
        st.sampled_from(
            [
                "",
                'model = "x"',
                "# note",
                "[mcp_servers]",
                "[mcp_servers.other]",
                'command = "y" # z',
                "[[hooks]]",
                'text = """\na\n"""',
                "mcp_servers = {}",
            ]
        ),
        max_size=7,
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_toml_comes_back_byte_for_byte(text: list[str], newline: str, ends: bool) -> None:
    data = (newline.join(text) + newline * ends).encode()
    new = check_laws(PARTS[".codex/config.toml"], data)
    assert new is not None
    if new != data:
        told = tomllib.loads(new.decode())
        assert told["mcp_servers"].pop("gitkb") == {"command": "gitkb", "args": ["mcp"]}
        assert without_ours(told) == without_ours(tomllib.loads(data.decode()))


def test_what_was_made_goes_away() -> None:
    for part in PARTS.values():
        assert check_laws(part, None) is not None
