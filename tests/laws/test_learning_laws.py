"""Laws of what is learned: reading, choosing, ordering and judging, for whatever is written."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.entry import SCOPES, Entry
from gitkb.core.learning import Learnings
from gitkb.core.manifest import ManifestError
from gitkb.core.relevance import MOST, is_relevant, order, rank
from gitkb.core.scope import Surroundings, classify_scope, find_paths
from gitkb.core.snapshot import read_snapshot
from gitkb.core.stack import MANIFESTS, detect_stack, overlaps
from gitkb.core.technology import find_technologies, technology_name

from strategies import bad_lines, entries, fields_of_entries, nasty_texts, records, spellings

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

NAME = "knowledge/all.jsonl"


@st.composite
def files(draw: DrawFn) -> bytes:
    """Files with a few keys, each perhaps several times, in any spelling, among lines that are none."""
    lines = [draw(spellings(record)) for record in draw(st.lists(records(), max_size=8))]
    lines += draw(st.lists(bad_lines(), max_size=2))
    draw(st.randoms(use_true_random=False)).shuffle(lines)
    return b"".join(line + b"\n" for line in lines)


# --- reading ---------------------------------------------------------------------------------


@given(files())
def test_learnings_are_those_of_the_whole_store(data: bytes) -> None:
    found = Learnings([(NAME, data)])
    snapshot = read_snapshot([(NAME, data)])
    standing = {
        key: at.record for key, at in snapshot.current.items() if isinstance(at.record, Entry)
    }
    expected = {
        key: entry
        for key, entry in standing.items()
        if entry.is_active
        and entry.category.strip()
        and entry.title.strip()
        and entry.content.strip()
    }
    assert found.entries == expected
    assert {key for key in snapshot.current if found.holds(key)} == standing.keys()
    lacking = {
        key
        for key, entry in standing.items()
        if entry.is_active and "category" in entry.fields and key not in expected
    }
    assert lacking <= {fault.key for fault in found.faults}
    assert not {fault.key for fault in found.faults} & expected.keys()


@given(st.lists(st.binary(max_size=80) | bad_lines(), max_size=6))
def test_no_bytes_break_the_reader(lines: list[bytes]) -> None:
    assert Learnings([(NAME, b"\n".join(lines))]).entries == {}


# --- choosing --------------------------------------------------------------------------------


@given(st.lists(entries(), max_size=20), st.integers(0, 15), st.randoms(use_true_random=False))
def test_the_order_is_whole_and_the_best_come_first(
    found: list[Entry], limit: int, chance: random.Random
) -> None:
    found = list({entry.key: entry for entry in found}.values())
    first = list(rank(found, limit))
    shuffled = found[:]
    chance.shuffle(shuffled)
    assert list(rank(shuffled, limit)) == first
    assert len(first) == min(limit, MOST, len(found))
    rest = [entry for entry in found if entry not in first]
    assert all(order(one) <= order(other) for one in first for other in rest)
    importances = [entry.importance for entry in first]
    assert importances == sorted(importances, reverse=True)


@given(entries(), st.frozensets(st.sampled_from(["python", "go", "auth", "db"])))
def test_an_entry_without_a_stack_concerns_every_project(
    entry: Entry, stack: frozenset[str]
) -> None:
    bare = Entry({**entry.fields, "stack": [], "category": "technical"})
    assert is_relevant(bare, ("technical",), stack)
    assert not is_relevant(bare, (), stack)


@given(st.lists(st.sampled_from(["Python", "python3", "Go", "golang", "Rust"]), min_size=1))
def test_a_larger_stack_never_loses_a_learning(wanted: list[str]) -> None:
    names = frozenset(map(technology_name, wanted))
    assert overlaps(wanted, names)
    assert overlaps(wanted, names | {"cobol"})
    assert not overlaps(wanted, frozenset({"cobol"}))


@given(nasty_texts())
def test_a_technology_has_one_name(text: str) -> None:
    name = technology_name(text)
    assert technology_name(name) == name
    for found in find_technologies(text):
        assert technology_name(found) == found


# --- manifests -------------------------------------------------------------------------------

_READERS = [kind for kind in MANIFESTS if kind.read is not None]
_SNIPPETS = st.sampled_from(
    [
        b"[project]\n", b"dependencies = ", b'["fastapi"]', b"\n", b'{"dependencies":', b'{"react":"1"}', b"}",
        b"require (\n", b"\tgithub.com/gin-gonic/gin v1.0.0\n", b")", b"<project>", b"<dependency>",
        b"<artifactId>junit</artifactId>", b"</dependency>", b"</project>", b"gem 'rails'\n",
        b"{:phoenix, 1}", b"dependencies:\n", b"  http: any\n", b"flask==1\n", b"\xff", b"\0", b"[[[[", b"&a;",
        b"[options]\n", b"install_requires =\n  x\n", b"%(x)s", b"implementation 'a:b:1'\n",
    ]
)  # fmt: skip


@pytest.mark.parametrize("kind", _READERS, ids=lambda kind: str(kind.pattern))
@given(data=st.lists(_SNIPPETS, max_size=8).map(b"".join) | st.binary(max_size=60))
def test_no_bytes_break_a_manifest(kind: Any, data: bytes) -> None:
    try:
        found = list(kind.read(data))
    except ManifestError:
        return
    assert all(name and name == name.lower() for name in found)


@given(
    st.lists(st.tuples(st.sampled_from(["go.mod", "package.json", "a/pyproject.toml"]), _SNIPPETS))
)
def test_the_order_of_files_does_not_matter(found: list[tuple[str, bytes]]) -> None:
    assert detect_stack(found) == detect_stack(reversed(found))


# --- judging ---------------------------------------------------------------------------------

_AROUND = Surroundings("ledger", frozenset({"src/a.py"}), frozenset({"python"}))


@given(fields_of_entries())
def test_every_entry_has_a_scope_with_reasons(fields: dict[str, Any]) -> None:
    answer = classify_scope(fields, _AROUND)
    assert answer.scope in SCOPES
    assert answer.reasons
    assert answer == classify_scope(dict(fields), _AROUND)


@given(fields_of_entries())
def test_what_names_a_file_that_exists_stays_in_the_project(fields: dict[str, Any]) -> None:
    for given_so in ({**fields, "files": ["src/a.py"]}, {**fields, "title": "see src/a.py"}):
        assert classify_scope(given_so, _AROUND).scope == "project"


@given(nasty_texts(max_size=200))
def test_paths_of_a_text_stay_in_the_project(text: str) -> None:
    found = find_paths({"content": text})
    assert len(found) == len(set(found))
    assert not [path for path in found if path.startswith(("/", "../")) or "://" in path]
    assert not [path for path in found if re.search(r"\s", path)]


@pytest.mark.parametrize(
    "part", ["a/", "a.", "`", "go ", "x_", "a table ", "v1.", "@", "-", "users "]
)
def test_no_text_takes_long_to_judge(part: str) -> None:
    import time

    before = time.process_time()  # whatever else the machine does
    classify_scope({"content": part * 200_000, "category": "process"}, _AROUND)
    assert time.process_time() - before < 2
