"""Files are written in an order in which no line is ever without a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitkb.store.rewrite import safe_order

_files = st.dictionaries(
    st.sampled_from(["archive/0.jsonl", "knowledge/0.jsonl", "knowledge/1.jsonl"]),
    st.lists(st.sampled_from([b"a", b"b", b"c", b"d"]), unique=True, max_size=4),
)


def _text(files: dict[str, list[bytes]]) -> dict[str, bytes]:
    return {name: b"".join(line + b"\n" for line in lines) for name, lines in files.items()}


@given(_files, _files)
def test_a_kill_after_any_file_leaves_every_line_that_stays_somewhere(
    before: dict[str, list[bytes]], after: dict[str, list[bytes]]
) -> None:
    old, new = _text(before), _text(after)
    order = safe_order(old, new)
    if order is None:
        return
    assert sorted(order) == sorted(new)
    now = dict(old)
    staying = {line for lines in after.values() for line in lines} & {
        line for name, lines in before.items() if name in new for line in lines
    }
    for name in order:
        now[name] = new[name]
        held = {line for data in now.values() for line in data.splitlines()}
        assert staying <= held


def test_what_moves_to_the_archive_is_there_first() -> None:
    old = {"knowledge/0.jsonl": b"a\nb\n", "archive/0.jsonl": b""}
    new = {"knowledge/0.jsonl": b"b\n", "archive/0.jsonl": b"a\n"}
    assert safe_order(old, new) == ["archive/0.jsonl", "knowledge/0.jsonl"]
    assert safe_order(new, old) == ["knowledge/0.jsonl", "archive/0.jsonl"]


def test_two_files_that_exchange_lines_have_no_order() -> None:
    old = {"knowledge/0.jsonl": b"a\n", "knowledge/1.jsonl": b"b\n"}
    new = {"knowledge/0.jsonl": b"b\n", "knowledge/1.jsonl": b"a\n"}
    assert safe_order(old, new) is None
