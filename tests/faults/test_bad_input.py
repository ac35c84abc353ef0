"""Bad bytes of every kind have their clear error, and stop nothing but themselves.

Each line stands in a file of a store between two good ones. Readers serve the good ones; `check` names
file, line, reason and cure; a writer who changes a neighbour keeps the bad line byte for byte; and the
same bytes given to `add` are refused with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

GOOD = b'{"key":"%b","type":"fact","content":"Good.","ts":1}'

BAD = {
    "a raw carriage return": (b'{"key":"x","type":"fact","content":"a\rb"}', "control character"),
    "a byte order mark inside": (b"\xef\xbb\xbf" + GOOD % b"x", "byte order mark"),
    "a NUL byte": (b'{"key":"x","type":"fact","content":"a\0b"}', "NUL byte"),
    "an escaped NUL": (b'{"key":"x","type":"fact","content":"a\\u0000b"}', "NUL character"),
    "NUL in a key": (b'{"key":"x\\u0000","type":"fact","content":"a"}', "NUL character"),
    "a Latin-1 byte": (b'{"key":"x","type":"fact","content":"caf\xe9"}', "0xE9 is not UTF-8"),
    "an overlong byte": (b'{"key":"x","type":"fact","content":"\xc0\x80"}', "not UTF-8"),
    "a lone surrogate": (b'{"key":"x","type":"fact","content":"\\ud800"}', "surrogate"),
    "a surrogate as bytes": (b'{"key":"x","type":"fact","content":"\xed\xa0\x80"}', "not UTF-8"),
    "UTF-16": ('{"key":"x"}'.encode("utf-16"), "UTF-16"),
    "NaN": (b'{"key":"x","type":"fact","content":"a","x":NaN}', "NaN is not JSON"),
    "Infinity": (b'{"key":"x","type":"fact","content":"a","x":-Infinity}', "Infinity is not JSON"),
    "a number too large": (b'{"key":"x","type":"fact","content":"a","x":1e999}', "too large"),
    "a name twice": (b'{"key":"x","type":"fact","type":"note","content":"a"}', "duplicate name"),
    "a truncated line": (b'{"key":"x","type":"fact","content":"half a', "not JSON"),
    "two records on a line": (GOOD % b"x" + GOOD % b"y", "not JSON"),
    "an array": (b"[1,2]", "not a JSON object"),
    "nested without end": (b'{"key":"x","a":' + b"[" * 9_000 + b"]" * 9_000 + b"}", "nested"),
    "no key": (b'{"type":"fact","content":"a"}', "no 'key'"),
    "a key of another form": (b'{"key":"a b","type":"fact","content":"a"}', "form of a key"),
    "an unknown type": (b'{"key":"x","type":"rumour","content":"a"}', "rumour"),
    "an old spelling of deleted": (
        b'{"key":"x","type":"fact","content":"a","deleted":"yes"}', "'deleted'",
    ),
    "a tombstone without a time": (b'{"key":"x","deleted":true}', "no 'ts'"),
    "a time in text": (b'{"key":"x","type":"fact","content":"a","ts":"now"}', "'ts'"),
}  # fmt: skip

# `add` mints a key and tombstones are not its business; and it forgives what only a file must not have.
_NOT_FOR_ADD = ("no key", "a byte order mark inside", "a tombstone without a time")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in one file with two good lines, each in its place."""
    repo = Repo.init(tmp_path_factory.mktemp("bad") / "repo")
    repo.run("init", "--shards", "1")
    return repo.path


@pytest.fixture
def repo(folder: Path) -> Repo:
    repo = Repo(folder)
    (folder / ".gitkb" / "archive" / "all.jsonl").unlink(missing_ok=True)
    return repo


@pytest.mark.parametrize("name", BAD)
def test_a_bad_line_is_named_with_its_cure_and_stops_nothing(repo: Repo, name: str) -> None:
    line, reason = BAD[name]
    lines = [GOOD % b"aa", line, GOOD % b"b"]
    repo.write(".gitkb/knowledge/all.jsonl", b"\n".join(lines) + b"\n")

    assert {item["key"] for item in repo.run("list", "--json").json()} == {"aa", "b"}
    assert repo.run("recall", "good", "--json").json()
    checked = repo.run("check", exit_code=1)
    said = checked.stdout + checked.stderr
    assert "knowledge/all.jsonl:2" in said
    assert reason in said
    assert "hint: " in said

    assert repo.kb_add(key="b", type_="fact", content="Better.")["superseded"] is True
    after = repo.read(".gitkb/knowledge/all.jsonl").split(b"\n")
    assert after[:2] == lines[:2]
    assert b"Better." in after[2]
    assert len(after) == 4


@pytest.mark.parametrize("name", [name for name in BAD if name not in _NOT_FOR_ADD])
def test_add_refuses_the_same_bytes_with_the_reason(repo: Repo, name: str) -> None:
    line, reason = BAD[name]
    before = repo.write(".gitkb/knowledge/all.jsonl", GOOD % b"a" + b"\n").read_bytes()
    done = repo.run("add", stdin=line, exit_code=3)
    assert done.stderr.startswith("error: ")
    assert reason in done.stderr
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert repo.read(".gitkb/knowledge/all.jsonl") == before


def test_a_file_in_conflict_is_read_around_its_markers_and_refused_by_writers(repo: Repo) -> None:
    ours, theirs = GOOD % b"aa", GOOD % b"b"
    text = b"\n".join(
        [b"<<<<<<< ours", ours, b"||||||| base", b"=======", theirs, b">>>>>>> theirs"]
    )
    repo.write(".gitkb/knowledge/all.jsonl", text + b"\n")
    assert len(repo.run("list", "--json").json()) == 2
    said = repo.run("check", exit_code=1)
    assert "knowledge/all.jsonl:1" in said.stdout + said.stderr
    done = repo.run("add", stdin=GOOD % b"c", exit_code=5)
    assert "conflict markers" in done.stderr
    assert "hint: gitkb " in done.stderr
    assert repo.read(".gitkb/knowledge/all.jsonl") == text + b"\n"


def test_files_that_windows_wrote_are_read_and_kept(repo: Repo) -> None:
    data = b"\xef\xbb\xbf" + GOOD % b"aa" + b"\r\n" + GOOD % b"b" + b"\r\n"
    repo.write(".gitkb/knowledge/all.jsonl", data)
    assert {item["key"] for item in repo.run("list", "--json").json()} == {"aa", "b"}
    repo.kb_add(key="b", type_="fact", content="Better.")
    after = repo.read(".gitkb/knowledge/all.jsonl")
    assert after.startswith(b"\xef\xbb\xbf" + GOOD % b"aa" + b"\r\n")
    repo.run("check", exit_code=1)
    repo.run("fmt")
    assert not repo.read(".gitkb/knowledge/all.jsonl").startswith(b"\xef\xbb\xbf")
    assert b"\r" not in repo.read(".gitkb/knowledge/all.jsonl")
    repo.run("check")


def test_an_untouched_line_keeps_the_spelling_of_its_numbers(repo: Repo) -> None:
    odd = b'{ "key":"aa", "type":"fact", "content":"caf\\u00e9", "x":1e2, "y":0.10, "ts":1 }'
    repo.write(".gitkb/knowledge/all.jsonl", odd + b"\n" + GOOD % b"b" + b"\n")
    repo.kb_add(key="b", type_="fact", content="Better.")
    assert repo.read(".gitkb/knowledge/all.jsonl").split(b"\n")[0] == odd


def test_other_files_beside_the_data_are_left_alone(repo: Repo) -> None:
    repo.write(".gitkb/knowledge/all.jsonl", GOOD % b"a" + b"\n")
    for name in ("all.jsonl.bak", "kb.base.jsonl", "ALL.jsonl"):
        repo.write(f".gitkb/knowledge/{name}", GOOD % b"other" + b"\n")
    assert [item["key"] for item in repo.run("list", "--json").json()] == ["a"]
    repo.kb_add(key="other", type_="fact", content="Mine.")
    for name in ("all.jsonl.bak", "kb.base.jsonl", "ALL.jsonl"):
        path = repo.path / ".gitkb" / "knowledge" / name
        assert path.read_bytes() == GOOD % b"other" + b"\n"
        path.unlink()


def test_the_program_never_shows_a_traceback_for_bytes(repo: Repo) -> None:
    repo.write(".gitkb/knowledge/all.jsonl", bytes(range(256)) * 3)
    for command in (
        ["list"],
        ["recall", "x"],
        ["show", "x"],
        ["stats"],
        ["check"],
        ["blame"],
        ["doctor"],
    ):
        done = repo.run(*command, exit_code=None)
        assert done.exit_code in (0, 1, 4, 5), done
        assert "Traceback" not in done.stderr
