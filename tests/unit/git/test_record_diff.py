from __future__ import annotations

from io import BytesIO

from gitkb.git.record_diff import RecordReader, Section, iter_sections


def line(key: str, value: int = 1) -> bytes:
    return b'{"key":"%s","type":"fact","content":"c%d","ts":%d}' % (key.encode(), value, value)


def changed(removed: list[bytes], added: list[bytes]) -> dict[str, int]:
    return RecordReader().changed_keys(Section(removed, added, []))


def test_a_line_that_moved_has_not_changed() -> None:
    assert changed([line("a"), line("b")], [line("b"), line("a")]) == {}


def test_a_line_in_another_spelling_has_not_changed() -> None:
    spaced = line("a").replace(b":", b" : ")
    assert changed([line("a")], [spaced]) == {}
    assert changed([line("a")], [line("a").replace(b'"a"', rb'"\u0061"')]) == {}


def test_changed_added_and_removed_keys_are_counted_in_lines() -> None:
    answer = changed([line("a", 1), line("b")], [line("a", 2), line("c")])
    assert answer == {"a": 0, "b": -1, "c": 1}


def test_several_lines_of_a_key_are_compared_as_a_whole() -> None:
    one, two = line("a", 1), line("a", 2)
    assert changed([one, two], [two, one]) == {}
    assert changed([one, two], [two]) == {"a": -1}
    assert changed([one], [one, one]) == {"a": 1}


def test_what_is_no_record_is_passed_over() -> None:
    bad = [b"", b"<<<<<<< ours", b"[]", b"{}", b'{"key":1}', b'{"key":"-"}', b'{"key":"a"', b"\xff"]
    assert changed(bad, [*reversed(bad), line("a")]) == {"a": 1}


def test_sections_are_told_apart_and_only_data_files_count() -> None:
    stream = BytesIO(
        b"\0\n\n"
        b"diff --git a/knowledge/3f.jsonl b/knowledge/3f.jsonl\n"
        b"index 1..2 100644\n--- a/knowledge/3f.jsonl\n+++ b/knowledge/3f.jsonl\n"
        b"@@ -1 +1,2 @@ anything\n-old\n+new\n+++ b/knowledge/x\n"
        b"@@ -9 +10 @@\n-last\n\\ No newline at end of file\n+last\r\n\\ No newline at end of file\n"
        b"diff --git a/knowledge/notes.jsonl b/knowledge/notes.jsonl\n"
        b"--- a/knowledge/notes.jsonl\n+++ b/knowledge/notes.jsonl\n"
        b"@@ -1 +1 @@\n---- a/knowledge/3f.jsonl\n+b\n"
        b"\0\n"
        b"\0\n\n"
        b"diff --git a/knowledge/all.jsonl b/knowledge/all.jsonl\n"
        b"deleted file mode 100644\n--- a/knowledge/all.jsonl\n+++ /dev/null\n"
        b"@@ -1,2 +0,0 @@\n-one\n-two\n"
        b"diff --git a/archive/3f.jsonl b/archive/3f.jsonl\n"
        b"new file mode 100644\n--- /dev/null\n+++ b/archive/3f.jsonl\n"
        b"@@ -0,0 +1 @@\n+one\n"
    )
    assert list(iter_sections(stream)) == [
        Section([b"old", b"last"], [b"new", b"++ b/knowledge/x", b"last"], []),
        Section([], [], []),
        Section([b"one", b"two"], [], [b"one"]),
    ]


def test_a_stream_without_a_section_has_none() -> None:
    assert list(iter_sections(BytesIO(b""))) == []
