"""The same thing written down twice: by one agent, by two on two branches, and in other words."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from repo_builder import Repo, team

if TYPE_CHECKING:
    from pathlib import Path

TITLE = "Deploys need a lock"
CONTENT = "Two deploys ran at once and one of them rolled the other back."


def _entry(**fields: Any) -> str:
    return json.dumps({"type": "decision", "title": TITLE, "content": CONTENT, **fields})


def test_the_same_title_however_it_is_spelt_updates_the_entry(tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "r")
    repo.run("init", "--no-install")
    first = repo.run("add", stdin=_entry(tags=["a"], files=["x.py"], importance=4)).json()
    for title in (
        "  deploys NEED a\u00a0lock… ",
        "Ｄｅｐｌｏｙｓ need a lock!",
        "Deploys need a lock:",
    ):
        again = repo.run("add", stdin=_entry(title=title.strip(), content=title, tags=["b"])).json()
        assert again["key"] == first["key"]
    [entry] = repo.run("list", "--json").json()
    assert (entry["tags"], entry["files"], entry["importance"]) == (["a", "b"], ["x.py"], 4)
    assert entry["content"] == "Deploys need a lock:"
    other = repo.run("add", stdin=_entry(title="Deploys need a lock#")).json()
    assert other["key"] != first["key"]


def test_the_same_decision_on_two_branches_is_one_entry(tmp_path: Path) -> None:
    _, ann, ben = team(tmp_path)
    ann.run("add", stdin=_entry(tags=["ann"], files=["a.py"], importance=2))
    ann.commit("ann's")
    ann.git("push", "-q")
    time.sleep(1.1)  # not created at the same moment
    ben.run("add", stdin=_entry(title="deploys need a lock.", tags=["ben"], importance=5))
    ben.commit("ben's")
    ben.git("pull", "-q", "--no-rebase", "--no-edit")
    [entry] = ben.run("list", "--json").json()
    assert entry["tags"] == ["ann", "ben"]
    assert entry["files"] == ["a.py"]
    assert entry["importance"] == 5
    assert ben.run("check").exit_code == 0


def test_who_writes_it_in_other_words_is_warned_and_who_is_strict_is_refused(
    tmp_path: Path,
) -> None:
    repo = Repo.init(tmp_path / "r")
    repo.run("init", "--no-install")
    first = repo.run("add", stdin=_entry()).json()["key"]
    near = _entry(title="A lock is needed for deploys", type="pitfall")

    refused = repo.run("add", "--strict", stdin=near, exit_code=1)
    answer = refused.json()
    assert (answer["written"], answer["refused"]) == (False, True)
    assert [other["key"] for other in answer["similar"]] == [first]
    assert f"'{first}'" in refused.stderr
    assert f"hint: gitkb show {first}" in refused.stderr
    assert len(repo.run("list", "--json").json()) == 1

    written = repo.run("add", stdin=near)
    [other] = written.json()["similar"]
    assert (other["key"], other["title"]) == (first, TITLE)
    assert 0.55 <= other["score"] < 0.75
    assert f"note: '{first}' says much the same" in written.stderr
    certain = repo.run("add", stdin=_entry(type="fact"))
    assert f"warning: '{first}' seems to say the same (1.00)" in certain.stderr

    lines = near + "\n" + _entry(title="Money is kept in cents", content="Floats round.")
    batch = repo.run("add", "--batch", "--strict", stdin=lines, exit_code=0)
    # The first one corrects itself, with nothing new.
    assert [json.loads(line)["written"] for line in batch.lines()] == [False, True]
    far = repo.run("add", stdin=_entry(title="Logs are JSON", content="One line an event."))
    assert "similar" not in far.json()
    assert far.stderr == ""
