"""What setup makes of files as people have them, and what it leaves alone."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest

from gitkb.cli.verbs import SECTIONS, load_verb
from gitkb.core.agents import rules
from gitkb.core.agents.edit import Refusal, edit_bytes
from gitkb.core.agents.parts import AGENTS, parts_of
from gitkb.hooks.main import AGENT_HOOKS, REMINDERS
from gitkb.mcp.tools import TOOLS

if TYPE_CHECKING:
    from gitkb.core.agents.edit import Part

PARTS = {part.path: part for agent in AGENTS for part in parts_of(agent)}


def put(path: str, text: str) -> str:
    new = edit_bytes(text.encode(), PARTS[path].put)
    assert new is not None
    assert edit_bytes(new, PARTS[path].take) == text.encode()
    return new.decode()


def refusal(path: str, text: str | bytes, part: Part | None = None) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(Refusal) as caught:
        edit_bytes(data, (part or PARTS[path]).put)
    return str(caught.value)


# --- JSON ------------------------------------------------------------------------------------


def test_a_server_comes_after_those_that_are_there_in_their_indentation() -> None:
    text = '{\n    "mcpServers": {\n        "db": {"command": "db"}\n    }\n}'
    assert put(".mcp.json", text) == (
        '{\n    "mcpServers": {\n        "db": {"command": "db"},\n'
        '        "gitkb": {\n            "command": "gitkb",\n            "args": ["mcp"]\n'
        "        }\n    }\n}"
    )


def test_comments_and_a_last_comma_stay_where_they_are() -> None:
    text = '{\n\t// ours\n\t"servers": {\n\t\t"db": {}, // the database\n\t},\n}\n'
    assert put(".vscode/mcp.json", text) == (
        '{\n\t// ours\n\t"servers": {\n\t\t"db": {}, // the database\n\t\t"gitkb": {\n'
        '\t\t\t"type": "stdio",\n\t\t\t"command": "gitkb",\n'
        '\t\t\t"args": ["mcp", "--dir", "${workspaceFolder}"]\n\t\t},\n\t},\n}\n'
    )


def test_a_comment_behind_the_last_value_stays_with_it() -> None:
    text = '{\n  "mcpServers": {},\n  "other": 1 // mine\n}\n'
    new = put(".claude/settings.json", text)
    assert '  "other": 1, // mine\n  "hooks": {' in new


def test_a_file_on_one_line_stays_on_one_line() -> None:
    assert put(".mcp.json", '{"a":1}') == (
        '{"a":1, "mcpServers": { "gitkb": { "command": "gitkb", "args": ["mcp"] } }}'
    )


def test_line_ends_of_windows_are_kept() -> None:
    new = put(".mcp.json", '{\r\n  "a": 1\r\n}\r\n')
    assert new.count("\n") == new.count("\r\n") == 9


def test_hooks_of_others_stay_beside_ours() -> None:
    text = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "x"}]}]}}'
    new = put(".claude/settings.json", text)
    assert '"command": "x"}]}, {' in new
    assert "gitkb-hook session-start" in new
    assert "gitkb-hook before-compact" in new
    assert "gitkb-hook before-edit" in new


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("{", "it is no valid JSON: line 1"),
        ('{\n"a": 1\n"b": 2}', "it is no valid JSON: line 3"),
        ('{"a": NaN}', "it is no valid JSON: line 1"),
        ("{'a': 1}", "it is no valid JSON: line 1"),
        ("[]", "it holds no JSON object"),
        ('{"mcpServers": null}', "'mcpServers' is no object"),
        ('{"mcpServers": {}, "mcpServers": {}}', "'mcpServers' stands there twice"),
        (
            '{"mcpServers": {"gitkb": {"command": "/opt/gitkb"}}}',
            "'mcpServers.gitkb' is there already, and says something else",
        ),
        (b'{"a": "\xff"}', "the byte 0xFF in it is not UTF-8"),
        ('{"mcpServers"' + ':{"a"' * 200, "it is nested too deep"),
    ],
)
def test_a_file_that_cannot_be_edited_safely_is_left_alone(text: str | bytes, why: str) -> None:
    assert refusal(".mcp.json", text) == why


def test_a_hook_of_ours_in_another_form_is_not_doubled() -> None:
    text = '{"hooks": {"SessionStart": [{"hooks": [{"command": "gitkb-hook session-start x"}]}]}}'
    assert "in a form that was changed by hand" in refusal(".claude/settings.json", text)


def test_what_somebody_added_beside_ours_stays_when_ours_goes() -> None:
    part = PARTS[".mcp.json"]
    made = edit_bytes(None, part.put)
    assert made is not None
    more = made.replace(b'["mcp"]\n    }', b'["mcp"]\n    },\n    "db": {}')
    assert edit_bytes(more, part.take) == b'{\n  "mcpServers": {\n    "db": {}\n  }\n}\n'


def test_what_was_changed_by_hand_is_not_taken_out() -> None:
    part = PARTS[".mcp.json"]
    made = edit_bytes(None, part.put)
    assert made is not None
    with pytest.raises(Refusal, match=r"'mcpServers\.gitkb' was changed by hand"):
        edit_bytes(made.replace(b'"mcp"]', b'"mcp", "--dir", "x"]'), part.take)


# --- sections and files ----------------------------------------------------------------------


def test_a_section_comes_last_and_names_who_reads_it() -> None:
    new = put("AGENTS.md", "# Rules\n\nBe kind.\n")
    assert re.match(
        r"# Rules\n\nBe kind\.\n\n<!-- gitkb:begin [a-z]+ [0-9a-f]{8} -->\n## Team", new
    )
    assert new.endswith("<!-- gitkb:end -->\n")


def test_a_section_stays_as_long_as_an_agent_reads_it() -> None:
    codex, agents = parts_of("codex")[-1], parts_of("agents")[-1]
    alone = edit_bytes(None, codex.put)
    both = edit_bytes(alone, agents.put)
    assert both is not None
    assert b"gitkb:begin agents codex " in both
    assert edit_bytes(both, agents.take) == alone
    assert edit_bytes(edit_bytes(both, codex.take), agents.take) is None


def test_a_section_that_somebody_changed_is_left_alone() -> None:
    new = put("AGENTS.md", "# Rules\n").replace("be briefed", "be quick")
    assert refusal("AGENTS.md", new) == "gitkb's section was changed by hand"
    with pytest.raises(Refusal, match="changed by hand"):
        edit_bytes(new.encode(), PARTS["AGENTS.md"].take)


def test_a_section_of_an_older_gitkb_is_brought_up_to_date() -> None:
    from gitkb.core.agents.block import MARKDOWN, put_block

    old = put_block("# Rules\n", MARKDOWN, "## Old words\n", "codex")
    new = edit_bytes(old.encode(), parts_of("codex")[-1].put)
    assert new == edit_bytes(b"# Rules\n", parts_of("codex")[-1].put)


def test_a_file_of_an_older_gitkb_is_brought_up_to_date() -> None:
    from gitkb.core.agents.file import own_text

    part = PARTS[".claude/skills/gitkb/SKILL.md"]
    assert edit_bytes(own_text("old\n").encode(), part.put) == edit_bytes(None, part.put)
    assert edit_bytes(own_text("old\n").replace("\n", "\r\n").encode(), part.take) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("```sh\nx\n", "a code block in it is not closed"),
        ("<!-- draft\n", "a comment in it is not closed"),
        ("<!-- gitkb:begin codex 00000000 -->\n", "the end of gitkb's section is missing"),
        (
            "<!-- gitkb:begin codex 00000000 -->\n" * 2,
            "gitkb's section stands there twice",
        ),
    ],
)
def test_a_text_that_a_section_cannot_stand_in_is_left_alone(text: str, why: str) -> None:
    assert refusal("AGENTS.md", text) == why


def test_a_file_of_somebody_else_is_left_alone() -> None:
    path = ".claude/skills/gitkb/SKILL.md"
    assert refusal(path, "# Mine\n") == "it is there already, and not from gitkb setup"
    made = edit_bytes(None, PARTS[path].put)
    assert made is not None
    assert refusal(path, made.replace(b"pitfall", b"pit")) == "it was changed by hand"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = \n", "it is no valid TOML"),
        ('[mcp_servers.gitkb]\ncommand = "x"\n', "says something else"),
        ("mcp_servers = {}\n", "cannot stand at its end"),
        ("mcp_servers = 1\n", "'mcp_servers' is no table"),
    ],
)
def test_toml_that_cannot_be_edited_safely_is_left_alone(text: str, why: str) -> None:
    assert why in refusal(".codex/config.toml", text)


def test_a_table_that_says_the_same_already_is_enough() -> None:
    text = '[mcp_servers.gitkb]\ncommand = "gitkb" # by hand\nargs = ["mcp"]\n'
    assert edit_bytes(text.encode(), PARTS[".codex/config.toml"].put) == text.encode()


def test_a_store_below_the_top_is_named_to_the_server() -> None:
    named = partial(parts_of, folder="services/pay")
    assert '["mcp", "--dir", "services/pay"]' in named("claude")[0].paste
    assert '"${workspaceFolder}/services/pay"' in named("cursor")[0].paste
    assert '["mcp", "--dir", "services/pay"]' in named("codex")[0].paste


# --- what agents are told --------------------------------------------------------------------


TEXTS = [
    *(part.paste for part in PARTS.values()),
    rules.BEFORE_COMPACT,
]


@pytest.mark.parametrize("text", TEXTS)
def test_agents_are_told_only_of_what_exists(text: str) -> None:
    tools = {tool.name for tool in TOOLS}
    verbs = {name for _, names in SECTIONS for name in names}
    assert set(re.findall(r"\bgitkb_\w+", text)) <= tools
    assert set(re.findall(r"`gitkb ([a-z][\w-]*)", text)) <= verbs
    assert set(re.findall(r"gitkb-hook ([\w-]+)", text)) <= {*AGENT_HOOKS, *REMINDERS}


def test_the_rules_name_each_step_and_options_that_exist() -> None:
    for name in ("gitkb_context", "gitkb_recall", "gitkb_get", "gitkb_related", "gitkb_remember"):
        assert name in rules.SECTION
    calls = re.findall(r"`gitkb ([a-z-]+)([^`]*)`", rules.SECTION)
    assert len(calls) >= 6
    for verb, rest in calls:
        loaded = load_verb(verb)
        assert loaded is not None
        options = {option.name for option in loaded.all_options}
        assert set(re.findall(r"--([a-z-]+)", rest)) <= options


def test_the_rules_are_short() -> None:
    from real_tokens import count

    assert count(rules.SECTION) < 420
