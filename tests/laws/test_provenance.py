"""Provenance over real git agrees with a model that knows the truth, however history came about."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from gitkb.operations.blame import blame
from gitkb.operations.history.provenance import trace_head
from gitkb.operations.log import log
from gitkb.store.discover import store_at

from history_model import Model, models, write_history
from repo_builder import Repo

if TYPE_CHECKING:
    from gitkb.core.lineage import Origins

# Each example is a repository and some twenty processes of git.
few = settings(max_examples=max(10, settings().max_examples // 8))


def _truth(model: Model, ids: list[str], head: int) -> Origins:
    truth = {}
    for key in model.keys(head):
        last = model.last(head, key)
        first = min(model.writers(head, key), key=lambda n: (model.rank(n), ids[n]))
        lines = int(key in model.moments[head].records)
        truth[key] = ("" if last is None else ids[last], ids[first], lines)
    return truth


@few
@given(models(max_size=10), st.data())
def test_each_head_is_answered_rightly_whatever_was_asked_before(
    model: Model, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "repository")
        ids = write_history(repo.path, model)
        store = store_at(str(repo.path / ".gitkb"))
        Path(store.root).mkdir()
        numbers = st.lists(st.sampled_from(range(len(ids))), min_size=1, max_size=4, unique=True)
        for head in data.draw(numbers):
            repo.git("symbolic-ref", "HEAD", f"refs/heads/c{head}")
            assert trace_head(store).origins == _truth(model, ids, head)


@few
@given(models(max_size=10))
def test_blame_and_log_name_the_commits_that_wrote_each_key(model: Model) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo.init(Path(folder) / "repository")
        ids = write_history(repo.path, model)
        head = len(ids) - 1
        repo.git("symbolic-ref", "HEAD", f"refs/heads/c{head}")
        repo.git("reset", "-q", "--hard")
        store = store_at(str(repo.path / ".gitkb"))
        Path(store.root).mkdir(exist_ok=True)
        truth = _truth(model, ids, head)
        found = blame(store)
        assert [item.key for item in found] == sorted(model.moments[head].records)
        for item in found:
            last, first, _ = truth[item.key]
            assert item.last is not None
            assert item.first is not None
            assert not item.uncommitted
            assert (item.last.commit, item.first.commit) == (last, first)
            assert item.last.name == model.moments[ids.index(last)].person
        for key in truth:
            versions = log(store, key)
            writers = [ids[number] for number in model.writers(head, key)]
            assert sorted(v.author.commit for v in versions if v.author) == sorted(writers)
            assert all(version.author for version in versions)
