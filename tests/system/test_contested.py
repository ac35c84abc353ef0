"""A question that only people can settle: asked by a merge, seen by everybody, settled by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from repo_builder import team

if TYPE_CHECKING:
    from pathlib import Path


def test_a_contested_entry_is_shown_with_both_values_and_settled_for_both(tmp_path: Path) -> None:
    _, ann, ben = team(tmp_path)
    key = ann.kb_add(key="retry", type_="decision", content="three times")["key"]
    ann.commit("start")
    ann.git("push", "-q")
    ben.git("pull", "-q")
    ann.kb_add(key="retry", type_="decision", content="five times")
    ann.commit("five")
    ann.git("push", "-q")
    ben.kb_add(key="retry", type_="decision", content="never")
    ben.commit("never")

    merged = ben.git("pull", "-q", "--no-rebase", "--no-edit")

    assert "'retry' is contested: content" in merged.stderr
    assert "hint: gitkb resolve retry" in merged.stderr
    shown = ben.run("show", key)
    assert "never" in shown.stdout
    assert "five times" in shown.stdout
    assert "hint: gitkb resolve retry settles it" in shown.stderr
    for words in ("never", "five"):  # the value that is not shown is found as well
        [found] = ben.run("recall", words, "--json").json()
        assert (found["key"], found["contested"]) == (key, True)

    ben.kb_add(key="retry", type_="decision", content="twice", conflicts=[])
    ben.commit("settle it")
    ben.git("push", "-q")
    ann.git("pull", "-q")

    assert ann.run("show", key, "--json").json()["content"] == "twice"
    assert "contested" not in ann.run("show", key, "--json").json()
    assert "five times" in ann.run("log", key).stdout
    assert ann.tree() == ben.tree()
