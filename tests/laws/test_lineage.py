"""The laws of `core/lineage.py`, against a model that knows the truth from whole states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.lineage import Commit, extend, trace, with_rank

from history_model import Model, models

if TYPE_CHECKING:
    from gitkb.core.lineage import Changes, Origins


def _graph(model: Model) -> tuple[dict[str, Commit], dict[str, Changes]]:
    commits: dict[str, Commit] = {}
    changes: dict[str, Changes] = {}
    for moment in model.moments:
        id_ = str(moment.number)
        commit = Commit(
            id_, tuple(map(str, moment.parents)), moment.clock, moment.clock, "", "", ""
        )
        commits[id_] = with_rank(commit, {key: known.rank for key, known in commits.items()})
        befores = [model.moments[parent].records for parent in moment.parents] or [{}]
        keys = moment.records.keys() | {key for before in befores for key in before}
        for key in keys:
            mask = sum(
                1 << place
                for place, before in enumerate(befores)
                if before.get(key) != moment.records.get(key)
            )
            if mask:
                more = int(key in moment.records) - int(key in befores[0])
                changes.setdefault(id_, {})[key] = (mask, more)
    return commits, changes


def _truth(model: Model, head: int) -> Origins:
    truth = {}
    for key in model.keys(head):
        last = model.last(head, key)
        first = min(model.writers(head, key), key=lambda n: (model.rank(n), str(n)))
        lines = int(key in model.moments[head].records)
        truth[key] = ("" if last is None else str(last), str(first), lines)
    return truth


@given(models())
def test_every_key_is_traced_to_the_commit_that_wrote_it(model: Model) -> None:
    commits, changes = _graph(model)
    for moment in model.moments:
        assert trace(str(moment.number), commits, changes) == _truth(model, moment.number)


@given(models(), st.data())
def test_carrying_on_from_an_earlier_answer_gives_what_tracing_everything_gives(
    model: Model, data: st.DataObject
) -> None:
    commits, changes = _graph(model)
    head = len(model.moments) - 1
    chain = [head]
    while model.moments[chain[-1]].parents:
        chain.append(model.moments[chain[-1]].parents[0])
    if len(chain) == 1:
        return
    base = data.draw(st.sampled_from(chain[1:]))
    known = trace(str(base), commits, changes)
    fresh = sorted(set(model.ancestors(head)) - set(model.ancestors(base)))
    ranks = {id_: commit.rank for id_, commit in commits.items()}
    answer = extend(
        str(base), known, ranks, str(head), [commits[str(number)] for number in fresh], changes
    )
    if all(len(model.moments[number].parents) == 1 for number in fresh):
        assert answer is not None  # only a merge may have taken what was left behind long ago
    if answer is not None:
        assert answer == _truth(model, head)
