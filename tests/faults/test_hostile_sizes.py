"""What is too deep, too long, too large or too tangled ends with an answer or an error, and soon.

Soon is a number of starts of the program itself, in processor time: neither a slow nor a busy machine changes it.
"""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from repo_builder import Repo, script

if TYPE_CHECKING:
    from pathlib import Path

STARTS = 60
READERS = (
    ("list",), ("recall", "x"), ("context", "x"), ("check",), ("show", "k"), ("related", "k"), ("related", "k", "--depth", "9999"), ("why", "k"),
    ("learnings", "--for", "plan"), ("export", "--to", "markdown"), ("graph",), ("graph", "k"), ("stats",), ("trust",),
)  # fmt: skip


def line(key: str = "k", **fields: Any) -> str:
    return (
        json.dumps(
            {
                "key": key,
                "type": "decision",
                "title": key,
                "content": "x",
                "importance": 5,
                "ts": 1,
                **fields,
            }
        )
        + "\n"
    )


def many(count: int, relation: str) -> str:
    """A chain of entries."""
    names = ["k", *(f"k{number}" for number in range(1, count + 1))]
    return "".join(
        line(name, links=[{"rel": relation, "to": after}]) for name, after in pairwise(names)
    )


KINDS = {
    "arrays in arrays": line("g") + '{"key":"k","type":"fact","content":"x","x":' + "[" * 100_000 + "]" * 100_000 + "}\n",
    "objects in objects": '{"key":"k","type":"fact","content":"x","x":' + '{"a":' * 20_000 + "1" + "}" * 20_000 + "}\n",
    "a clock of 5,000 digits": '{"key":"k","type":"fact","content":"x","ts":' + "9" * 5_000 + "}\n",
    "a number of 5,000 digits": '{"key":"k","type":"fact","content":"x","ts":1,"y":' + "9" * 5_000 + "}\n",
    "a number beyond floats": '{"key":"k","type":"fact","content":"x","ts":1,"y":1e999}\n',
    "a clock beyond years": line(ts=2**62),
    "a content of 2 MB": line(content="word text " * 200_000),
    "a word of 2 MB": line(content="x" * 2_000_000),
    "a title of 1 MB": line(title="x y " * 250_000),
    "20,000 links": line(links=[{"rel": "relates_to", "to": f"t{n}"} for n in range(20_000)]),
    "50,000 tags": line(tags=[f"t{n}" for n in range(50_000)]),
    "50,000 names": line(aliases=[f"a{n}" for n in range(50_000)]),
    "a chain of what rests on what": many(5_000, "depends_on"),
    "a chain of what replaced what": many(5_000, "supersedes"),
    "a ring": line(links=[{"rel": "supersedes", "to": "b"}]) + line("b", links=[{"rel": "supersedes", "to": "k"}]),
    "globs for files": line(files=["*a" * 2_000 + "/b", "**/" * 1_000 + "x", "[" * 3_000, "a/" * 2_000]),
    "nothing but markers": "<<<<<<< a\n" * 20_000,
    "no line end": "x" * 2_000_000,
}  # fmt: skip
QUERIES = {
    "words": "auth " * 20_000, "letters": "a " * 50_000, "one word": "x" * 100_000, "quotes": '"' * 100_000,
    "brackets": "(" * 100_000, "operators": "auth AND " * 11_000, "stars": "a*" * 50_000, "NEAR": "NEAR(" * 20_000,
    "different words": " ".join(f"w{n}" for n in range(15_000)), "dashes": "-" * 100_000, "Cyrillic": "а" * 60_000,
}  # fmt: skip
PATTERNS = (
    "*a" * 5_000,
    "**/" * 3_000,
    "[" * 9_000,
    "?" * 9_000,
    "a/" * 9_000,
    "**/a*a*a*a*a*b/**" * 300,
)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with an empty store of one file."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    return repo


def processor_seconds(repo: Repo, words: tuple[str, ...]) -> tuple[float, int]:
    before = os.times()
    done = subprocess.run(
        [script("gitkb"), *words], cwd=repo.path, capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=300
    )  # fmt: skip
    after = os.times()
    spent = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    return spent, done.returncode


@cache
def start_of(folder: Path) -> float:
    """What it costs to start the program and list nothing, in processor seconds."""
    repo = Repo(folder)
    processor_seconds(repo, ("list",))
    return min(processor_seconds(repo, ("list",))[0] for _ in range(3))


def assert_soon(repo: Repo, start: float, *words: str) -> None:
    spent, code = processor_seconds(repo, words)
    assert code in (0, 1, 2, 3, 4, 5), (words[:2], code)
    assert spent <= STARTS * max(start, 0.02), (words[:2], spent, start)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_entry_keeps_a_reader_busy(repo: Repo, kind: str) -> None:
    start = start_of(repo.path)
    repo.write(".gitkb/knowledge/all.jsonl", KINDS[kind])
    for words in READERS:
        assert_soon(repo, start, *words)


@pytest.mark.slow
@pytest.mark.parametrize("kind", QUERIES)
def test_no_query_keeps_a_search_busy(repo: Repo, kind: str) -> None:
    start = start_of(repo.path)
    lines = [line(f"k{n}", content=f"word{n} auth x") for n in range(300)]
    repo.write(".gitkb/knowledge/all.jsonl", "".join(lines))
    for verb in ("recall", "context", "why"):
        assert_soon(repo, start, verb, "--", QUERIES[kind])


@pytest.mark.slow
def test_no_pattern_keeps_a_search_busy(repo: Repo) -> None:
    start = start_of(repo.path)
    deep = "a" * 5_000 + "/" + "a/" * 2_000
    lines = [line(f"k{n}", files=[deep, *PATTERNS]) for n in range(20)]
    repo.write(".gitkb/knowledge/all.jsonl", "".join(lines))
    for pattern in PATTERNS:
        assert_soon(repo, start, "recall", "x", "--file", pattern)
        assert_soon(repo, start, "context", "x", "--file", pattern)


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 50_000 + "]" * 50_000, "x = " + "9" * 5_000, "[" + "a." * 20_000 + "b]", "x = \"\"\"" + "\\" * 99_999]
)  # fmt: skip
def test_no_setting_is_a_bug_of_ours(repo: Repo, text: str) -> None:
    start = start_of(repo.path)
    repo.write(".gitkb/config.toml", f"shards = 1\n{text}\n[trust]\n")
    few = ("list",), ("context", "x"), ("check",), ("learnings", "--for", "plan"), ("doctor",)
    for words in (*few, ("view", "--stdout"), ("trust",), ("trust", "add", "x"), ("reshard", "16")):
        assert_soon(repo, start, *words)


@pytest.mark.slow
def test_what_two_versions_have_in_common_is_found_soon(repo: Repo) -> None:
    start = start_of(repo.path)
    for round_ in range(2):
        content = "\n".join(f"{number * (round_ + 3)} {number % 7}" for number in range(20_000))
        repo.write(".gitkb/knowledge/all.jsonl", line(content=content, ts=round_ + 1))
        repo.git("add", "-A")
        repo.git("commit", "-q", "--no-verify", "-m", "x")
    for words in (("log", "k"), ("blame",), ("diff", "HEAD~1..HEAD")):
        assert_soon(repo, start, *words)
