"""Retrieval sets as stores: real documents and queries, with what people judged to be the answers.

The sets lie beside the project (`shared_data`), never in it: several licences forbid that.
"""

from __future__ import annotations

import importlib.util
import json
import random
import tarfile
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

from gitkb.index.search import Filters, Index
from gitkb.index.sync import open_synced

from index_builder import World, entry_line, keys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import ModuleType

LIMIT = 10


class Figures(NamedTuple):
    """Means over the queries of a set, each between 0 and 1, of the first ten hits."""

    ndcg: float
    recall: float
    mrr: float


class RetrievalSet(NamedTuple):
    """One set as the archive holds it."""

    name: str
    data: Mapping[str, Any]

    def lines(self, group: str = "") -> list[bytes]:
        """The documents as entries, or those of one group; their keys are `key_of` their ids."""
        return [
            entry_line(
                key_of(number),
                document["text"],
                **({"title": document["title"]} if document.get("title") else {}),
                **({"tags": sorted(set(document["tags"].split()))} if document.get("tags") else {}),
            )
            for number, document in enumerate(self.data["docs"])
            if document.get("group", "") == group and (document["text"] or document.get("title"))
        ]

    def linked_lines(self, group: str = "") -> list[bytes]:
        """The same, each linked with the one before it, if it is of the same session."""
        lines, before = [], ("", "")
        for line in self.lines(group):
            entry = json.loads(line)
            session = self.data["docs"][int(entry["key"][1:])]["id"].rpartition(":")[0]
            if session == before[0]:
                entry["links"] = [{"rel": "relates_to", "to": before[1]}]
            lines.append(json.dumps(entry, ensure_ascii=False).encode())
            before = session, entry["key"]
        return lines

    def groups(self) -> list[str]:
        """The parts of the set that are searched each by itself; one without a name if it has none."""
        return list(dict.fromkeys(document.get("group", "") for document in self.data["docs"]))


def key_of(number: int) -> str:
    """The key of the document that stands at a place in its set."""
    return f"d{number:05}"


def load_sets(folder: Path) -> dict[str, RetrievalSet]:
    """Read the sets that have documents, by name."""
    sets = {}
    with tarfile.open(folder / "dev.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            data = json.load(file) if file else {}
            name = member.name.removesuffix(".json")
            if "docs" in data:
                sets[name] = RetrievalSet(name, data)
    return sets


def load_scorer(folder: Path) -> ModuleType:
    """Load the arithmetic of the figures that lies beside the sets."""
    spec = importlib.util.spec_from_file_location("retrieval_score", folder / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure(
    scorer: ModuleType,
    retrieval_set: RetrievalSet,
    folder: Path,
    change: Callable[[str], str] = str,
    *,
    linked: bool = False,
) -> Figures:
    """Fill a store a group, index it as a command would, ask every query, and give the figures.

    `change` is what becomes of each query before it is asked. `linked`: see `linked_lines`.
    """
    data = retrieval_set.data
    numbers = {key_of(number): document["id"] for number, document in enumerate(data["docs"])}
    run: dict[str, Sequence[str]] = {}
    for number, group in enumerate(retrieval_set.groups()):
        world = World(folder / f"{retrieval_set.name}-{number}")
        lines = retrieval_set.linked_lines if linked else retrieval_set.lines
        world.write("knowledge/all.jsonl", *lines(group))
        with closing(open_synced(str(world.database), world.files())) as index:
            for query in data["queries"]:
                if query.get("group", "") == group:
                    run[query["id"]] = [numbers[key] for key in found(index, change(query["text"]))]
    figures = scorer.evaluate_run({"qrels": data["qrels"]}, run, LIMIT)
    return Figures(figures["ndcg"], figures["recall"], figures["mrr"])


def found(index: Index, query: str) -> list[str]:
    """The keys of the first hits; none for a query without a word."""
    return (
        keys_of(index.search(query, Filters(limit=LIMIT))) if any(map(str.isalnum, query)) else []
    )


def misspell(query: str) -> str:
    """Make one slip in one longer word of a query: a letter lost, wrong, too many, or two exchanged."""
    draw = random.Random(query)
    words = query.split()
    longer = [at for at, word in enumerate(words) if len(word) >= 5 and word.isalpha()]
    if not longer:
        return query
    at = draw.choice(longer)
    word, place = words[at], draw.randrange(1, len(words[at]) - 1)
    before, letter, after = word[:place], word[place], word[place + 1 :]
    other = draw.choice("abcdefghijklmnoprstuvwy")
    words[at] = draw.choice(
        [
            before + after,
            before + other + after,
            before + letter + other + after,
            before + after[0] + letter + after[1:],
        ]
    )
    return " ".join(words)
