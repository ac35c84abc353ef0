"""What must always hold of reminders: paths as `core.glob` has them, words without order, a filter that is safe."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.core.glob import compile_glob
from gitkb.core.search.words import Analyser
from gitkb.core.touch.files import make_touch, steps_by_file
from gitkb.core.touch.words import MOST_WORDS, terms_of
from gitkb.operations.add import add
from gitkb.operations.clone.setup import make_store
from gitkb.operations.for_file import for_file
from gitkb.operations.reading.search_index import open_index
from gitkb.operations.reading.touched import find_concerning
from gitkb.store.touch_filter import may_concern, signature_of, write_filter

NAMES = st.sampled_from(
    ["a", "b", "src", "pay", "Pays", "test_pay.py", "pay.test.ts", "x.py", "лист"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
GLOBS = st.lists(
    st.one_of(NAMES, st.sampled_from(["*", "**", "*.py", "[ab]", "?"])), min_size=1, max_size=4
)
FILES = st.one_of(PATHS, PATHS.map(lambda path: f"./{path}/"), GLOBS.map("/".join))


@given(FILES, PATHS)
def test_an_entry_concerns_a_path_exactly_where_its_file_means_it(file: str, path: str) -> None:
    touched = steps_by_file(file, make_touch([path])) is not None
    assert touched == compile_glob(file)(path)


@given(FILES, st.lists(PATHS, min_size=1, max_size=4))
def test_several_paths_are_concerned_as_each_by_itself(file: str, paths: list[str]) -> None:
    each = [steps_by_file(file, make_touch([path])) for path in paths]
    known = [steps for steps in each if steps is not None]
    assert steps_by_file(file, make_touch(paths)) == min(known, default=None)


@given(PATHS, PATHS)
def test_a_touched_folder_is_concerned_by_what_lies_in_it(folder: str, path: str) -> None:
    touch = make_touch([], [folder])
    assert steps_by_file(f"{folder}/{path}", touch) == 0
    assert steps_by_file(f"{folder}x/{path}", touch) is None


@given(st.lists(st.text(max_size=60), max_size=30))
def test_terms_are_words_of_the_text_once_each_and_not_too_many(lines: list[str]) -> None:
    analyser = Analyser()
    terms = terms_of(lines, analyser.split)
    for words in terms:
        assert len(words) == len(set(words)) <= MOST_WORDS
    text = "\n".join(lines)
    assert all(name in text for name in terms.names)
    assert terms_of(lines * 2, analyser.split) == terms


ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "files": st.lists(FILES, min_size=1, max_size=2),
        "tags": st.lists(st.sampled_from(["pay", "src", "a", "x", "лист", "Test-Pay"]), max_size=2),
        "stack": st.lists(st.sampled_from(["python", "typescript", "go"]), max_size=1),
        "type": st.sampled_from(["pitfall", "decision"]),
        "status": st.sampled_from(["active", "rejected"]),
        "content": st.sampled_from(["MUST-CHECK: y", "z"]),
    },
)


@settings(max_examples=40, deadline=None)
@given(st.lists(ENTRIES, max_size=4), st.lists(PATHS, min_size=1, max_size=3))
def test_the_filter_never_says_that_nothing_concerns_where_something_does(
    entries: list[dict[str, Any]], paths: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = make_store(folder, 1).store
        for number, fields in enumerate(entries):
            add(store, {"key": f"k{number}", "type": "fact", "content": "x", **fields})
        text, _ = signature_of([store.root], "/nowhere")
        with open_index(store) as index:
            labels = index.labels()
        home = Path(folder, "home")  # where nothing is
        write_filter(store.derived, [store.root], (text, 0.0), labels)
        for path in paths:
            found = for_file(store, [path], cwd=folder, unasked=True).entries
            may = may_concern(folder, store.derived, [path])
            assert may or not found
            if not entries:
                assert not may
        add(store, {"key": "new", "type": "fact", "content": "x", "files": [paths[0]]})
        assert may_concern(folder, store.derived, [paths[0]])
        assert not home.exists()


def test_the_order_depends_on_what_entries_say_and_not_on_how_they_came(tmp_path: Path) -> None:
    given_ = [
        {
            "key": f"k{number}",
            "type": "fact",
            "content": "x",
            "files": ["src"],
            "importance": 1 + number % 5,
            "ts": 9,
        }
        for number in range(8)
    ]
    answers = []
    for name, entries in (("one", given_), ("other", given_[::-1])):
        store = make_store(str(tmp_path / name), 1).store
        for fields in entries:
            add(store, fields)
        found = find_concerning(store, make_touch(["src/a.py"]), limit=20)
        answers.append([one.entry.importance for one in found.entries])
        few = find_concerning(store, make_touch(["src/a.py"]), limit=3)
        assert [one.entry.key for one in few.entries] == [one.entry.key for one in found.entries][
            :3
        ]
        assert few.left_out == 5
    assert answers[0] == answers[1] == sorted(answers[0], reverse=True)
