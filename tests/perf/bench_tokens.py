"""What an answer costs an agent: tokens a hit, of each way to ask, on real collections.

    make bench ARGS="--only tokens"
    GITKB_SHARED_DATA=… python -m perf.bench_tokens

The collections and their queries lie beside the project. The yardstick is what nobody can do without: the key and
title of each hit, or its title and content where bodies are asked for. Tokens are those of o200k_base, as
`core.packs.token_count` counts them, of everything that is printed or sent, what stands around the hits included.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from retrieval_set import load_sets

from gitkb.core.canonical import encode_json
from gitkb.core.identity import order_of, shard_of
from gitkb.core.jsonl import parse_object
from gitkb.mcp.call import call_tool
from gitkb.operations.packs.token_table import token_table

from in_process import run_here
from perf.bench import Row
from repo_builder import Repo
from seal import ROOT, sealed_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Asked = tuple[str, list[str], list[str]]
    """What was said, the keys of what it lists, and of what it gives in full."""
    Way = Callable[[Path, str], Asked]

SETS = ("adr", "lessons", "til-jbranchaud", "progit-ru")
QUERIES = 15
LISTED, READ = 6.5, 2.4
"""How many times the yardstick an answer may be, that lists and that reads in full."""


class Cost(NamedTuple):
    """What one way to ask costs."""

    tokens: float
    """A hit."""
    yardstick: float


def rows(folder: Path, _sizes: Sequence[int] = ()) -> Iterator[Row]:
    """Tokens a hit beside the yardstick; nothing where there is no shared data."""
    data = ROOT.parent / "shared" / "data"
    if not (data / "retrieval" / "dev.tar.xz").exists():
        return
    for name, count, costs in measure(folder, data):
        for way, cost in costs.items():
            bound = LISTED if "a list" in way else READ
            yield Row(
                way, count, cost.tokens, f"bare, {name}", cost.yardstick, bound, unit="tokens"
            )


def measure(folder: Path, data: Path) -> Iterator[tuple[str, int, dict[str, Cost]]]:
    """Give the costs in each collection."""
    sets = load_sets(data / "retrieval")
    for name in SETS:
        lines = sets[name].lines()
        repo = _filled(folder / name, lines)
        queries = [query["text"] for query in sets[name].data["queries"][:QUERIES]]
        yield name, len(lines), _costs(repo, queries, FINDING)
    repo = _filled(folder / "add", [])
    run_here(["import", "--from", "add", str(data / "corpora/add/learnings.json")], repo.path)
    repo.commit("imported")
    yield "add", len(_entries(repo)), _costs(repo, ["plan", "deploy", "verify"], LEARNING)


def _costs(repo: Repo, queries: list[str], ways: dict[str, Way]) -> dict[str, Cost]:
    entries = _entries(repo)
    return {name: _cost(way, repo, queries, entries) for name, way in ways.items()}


def _entries(repo: Repo) -> dict[str, dict[str, Any]]:
    found = json.loads(run_here(["list", "--all", "--json"], repo.path).out)
    return {entry["key"]: entry for entry in found}


def _filled(path: Path, lines: list[bytes]) -> Repo:
    repo = Repo.init(path)
    repo.run("init", "--no-install")
    files: dict[str, list[tuple[bytes, bytes]]] = {}
    for line in lines:
        fields = parse_object(line)
        key = str(fields["key"])
        files.setdefault(shard_of(key, 256), []).append((order_of(key), encode_json(fields)))
    for name, items in files.items():
        repo.write(f".gitkb/knowledge/{name}", b"".join(line + b"\n" for _, line in sorted(items)))
    repo.commit("knowledge")
    return repo


def _cost(way: Way, repo: Repo, queries: list[str], entries: dict[str, Any]) -> Cost:
    count = token_table().count
    tokens, yardsticks = [], []
    for query in queries:
        text, listed, read = way(repo.path, query)
        hits = len(listed) + len(read)
        if hits:
            bare = [_bare(entries[key]) for key in listed]
            bare += [f"{_bare(entries[key])}{entries[key]['content']}\n" for key in read]
            tokens.append(count(text) / hits)
            yardsticks.append(sum(map(count, bare)) / hits)
    return Cost(statistics.mean(tokens), statistics.mean(yardsticks))


def _bare(entry: dict[str, Any]) -> str:
    return f"{entry['key']} {entry.get('title') or entry['content'][:80]}\n"


def _recall(folder: Path, query: str) -> Asked:
    hits = json.loads(run_here(["recall", query, "--json"], folder).out)
    return run_here(["recall", query], folder).out, [hit["key"] for hit in hits], []


def _recall_json(folder: Path, query: str) -> Asked:
    said = run_here(["recall", query, "--json"], folder).out
    return said, [], [hit["key"] for hit in json.loads(said)]


def _context(folder: Path, query: str) -> Asked:
    pack = json.loads(run_here(["context", query, "--json"], folder).out)
    return pack["text"], pack["listed"], pack["full"]


def _learnings(folder: Path, query: str) -> Asked:
    hits = json.loads(run_here(["learnings", "--for", query, "--json"], folder).out)
    return run_here(["learnings", "--for", query], folder).out, [], [hit["key"] for hit in hits]


def _tool(name: str, argument: str, form: str, *, lists: bool = False) -> Way:
    def ask(folder: Path, query: str) -> Asked:
        text, keys = _call(folder, form, name, {argument: query[:900]})
        return (text, keys, []) if lists else (text, [], keys)

    return ask


def _get(form: str) -> Way:
    def ask(folder: Path, query: str) -> Asked:
        _, found = _call(folder, form, "gitkb_recall", {"query": query[:900]})
        text, keys = _call(folder, form, "gitkb_get", {"keys": found}) if found else ("", [])
        return text, [], keys

    return ask


def _call(folder: Path, form: str, name: str, given: dict[str, Any]) -> tuple[str, list[str]]:
    os.chdir(folder)
    reply = call_tool(name, given)
    if reply.values is None:
        raise RuntimeError(reply.text)
    text = json.dumps(reply.values, ensure_ascii=False) if form == "values" else reply.text
    return text, [entry["key"] for entry in reply.values["entries"]]


FINDING: dict[str, Way] = {
    "recall, a list": _recall,
    "recall --json, bodies": _recall_json,
    "context": _context,
    "gitkb_recall, a list, text": _tool("gitkb_recall", "query", "text", lists=True),
    "gitkb_recall, a list, values": _tool("gitkb_recall", "query", "values", lists=True),
    "gitkb_get, text": _get("text"),
    "gitkb_get, values": _get("values"),
}
LEARNING: dict[str, Way] = {
    "learnings": _learnings,
    "gitkb_learnings, text": _tool("gitkb_learnings", "operation", "text"),
    "gitkb_learnings, values": _tool("gitkb_learnings", "operation", "values"),
}


def main() -> int:
    """Measure and print a table of its own."""
    data = Path(os.environ.get("GITKB_SHARED_DATA") or ROOT.parent / "shared" / "data").resolve()
    with tempfile.TemporaryDirectory(prefix="gitkb bench ") as name:
        folder = Path(name)
        sealed = sealed_environment(folder)
        os.environ.clear()
        os.environ.update(sealed)
        os.chdir(folder / "cwd")
        for set_, count, costs in measure(folder / "work", data):
            print(f"\n{set_}, {count} entries")
            for way, cost in costs.items():
                print(f"  {way:<28} {cost.tokens:7.1f} tokens a hit, bare {cost.yardstick:7.1f}")
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
