"""Two branches that both change the reasoning, merged by real git and the driver, in both directions.

After each merge both directions hold the same bytes, nothing that either side wrote is lost, `check`
names what needs a person, and following its hints to the letter leads to a store in which all is well.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from gitkb.core.entry import parse_record

from repo_builder import Repo, team

if TYPE_CHECKING:
    from pathlib import Path

    Command = tuple[str, ...]


class Merged(NamedTuple):
    """A repository after the merge, and what both sides wrote before it."""

    repo: Repo
    said: set[str]

    def warnings(self) -> list[str]:
        """The codes of what check names."""
        return [problem["code"] for problem in self.repo.run("check", "--json").json()["problems"]]

    def cure(self) -> list[str]:
        """Do what check says until all is well; gives the commands."""
        done: list[str] = []
        while problems := self.repo.run("check", "--json").json()["problems"]:
            command = problems[0]["hint"].partition(",")[0]
            assert command not in done, problems
            done.append(command)
            self.repo.run(*command.split()[1:])
        return done

    def show(self, key: str) -> dict[str, Any]:
        value = self.repo.run("show", key, "--json").json()
        assert isinstance(value, dict)
        return value

    def links(self, key: str) -> list[str]:
        return [f"{link['rel']} {link['to']}" for link in self.show(key).get("links", [])]

    def found(self) -> list[str]:
        return sorted(hit["key"] for hit in self.repo.run("recall", "queue", "--json").json())

    def story(self, key: str) -> list[str]:
        return [step["key"] for step in self.repo.run("why", key, "--json").json()["steps"]]


def statements(repo: Repo) -> set[str]:
    """What is said anywhere in the store: contents, links, reasons."""
    found = set()
    for name, data in repo.tree().items():
        if name.endswith(".jsonl"):
            for line in data.splitlines():
                fields = parse_record(line).fields
                found.add(str(fields.get("content")))
                found |= {
                    f"{fields['key']} {link['rel']} {link['to']}"
                    for link in fields.get("links", ())
                }
    return found


def merge(
    folder: Path,
    ours: list[Command],
    theirs: list[Command],
    base: tuple[Command, ...] = (),
    *,
    pause: bool = False,
) -> Merged:
    """Begin with a, b and c; let each side run its commands; merge each into the other.

    After a pause the other side's changes are a second later than ours.
    """
    _, ann, ben = team(folder)
    for key in "abc":
        ann.kb_add(
            key=key, type_="decision", title=f"Queue {key}", content=f"Why queue {key}.", ts=1
        )
    for command in base:
        ann.run(*command)
    ann.commit("Base")
    ann.push()
    ben.pull()
    for repo, commands in ((ann, ours), (ben, theirs)):
        for command in commands:
            repo.run(*command)
        repo.commit("Side")
        time.sleep(1.1 if pause else 0)
        repo.git("push", "-q", "origin", f"HEAD:refs/heads/{repo.person.name.split()[0].lower()}")
    said = statements(ann) | statements(ben)
    heads = {repo.path: repo.head() for repo in (ann, ben)}
    for repo, other in ((ann, ben), (ben, ann)):
        repo.git("fetch", "-q", "origin")
        repo.merge(heads[other.path])
        assert not repo.status()
    assert ann.tree() == ben.tree()
    return Merged(ann, said)


def edit(key: str) -> Command:
    words = f"add --key {key} --type decision --title Queue-{key} --content Better."
    return tuple(words.split())


SUPERSEDE = ("supersede", "a", "b")


def test_both_relate(tmp_path: Path) -> None:
    merged = merge(
        tmp_path,
        [("link", "a", "depends_on", "b"), ("link", "b", "part_of", "c")],
        [("link", "a", "depends_on", "c"), ("link", "b", "part_of", "c")],
    )
    assert merged.warnings() == []
    assert merged.links("a") == ["depends_on b", "depends_on c"]
    assert merged.links("b") == ["part_of c"]
    assert merged.said <= statements(merged.repo)


def test_one_relates_and_the_other_unlinks(tmp_path: Path) -> None:
    base = (("link", "a", "depends_on", "b"),)
    merged = merge(
        tmp_path, [("link", "a", "part_of", "c")], [("unlink", "a", "depends_on", "b")], base
    )
    assert merged.warnings() == []
    assert merged.links("a") == ["part_of c"]


def test_both_supersede_the_same_entry(tmp_path: Path) -> None:
    merged = merge(tmp_path, [SUPERSEDE], [("supersede", "a", "c")])
    assert merged.warnings() == []
    assert merged.said <= statements(merged.repo)
    assert merged.show("a")["status"] == "superseded"
    assert merged.show("a")["superseded_by"] == ["b", "c"]
    assert merged.found() == ["b", "c"]
    assert merged.story("b") == ["a", "b", "c"]
    assert merged.repo.run("supersede", "a", "b", "--json").json()["written"] is False


@pytest.mark.parametrize("key", ["a", "b"])
def test_one_supersedes_what_the_other_edits(tmp_path: Path, key: str) -> None:
    merged = merge(tmp_path, [SUPERSEDE], [edit(key)])
    assert merged.warnings() == []
    assert merged.said <= statements(merged.repo)
    assert merged.show(key)["content"] == "Better."
    assert merged.show("a")["status"] == "superseded"
    assert merged.links("b") == ["supersedes a"]
    assert merged.found() == ["b", "c"]
    assert merged.story("a") == ["a", "b"]


@pytest.mark.parametrize(
    ("put_away", "codes", "cures", "found"),
    [
        (("forget", "a"), ["dangling-link"], ["gitkb unlink b supersedes a"], ["b", "c"]),
        (("forget", "b"), ["superseded-by-nothing"], ["gitkb restore a"], ["a", "c"]),
        (("archive", "a"), ["half-archived"], ["gitkb archive a"], ["b", "c"]),
        (("archive", "b"), ["half-archived"], ["gitkb archive b", "gitkb restore a"], ["a", "c"]),
    ],
)
def test_one_supersedes_what_the_other_puts_away(
    tmp_path: Path, put_away: Command, codes: list[str], cures: list[str], found: list[str]
) -> None:
    merged = merge(tmp_path, [SUPERSEDE], [put_away], pause=put_away[0] == "archive")
    assert merged.warnings() == codes
    left = "b" if put_away[1] == "a" else "a"
    assert left in merged.story(left)
    assert merged.cure() == cures
    assert merged.found() == found
    if put_away[0] == "archive":
        assert merged.said <= statements(merged.repo)
        assert merged.story("b") == ["a", "b"]


def test_each_supersedes_the_other(tmp_path: Path) -> None:
    merged = merge(tmp_path, [("supersede", "a", "b")], [("supersede", "b", "a")])
    assert merged.warnings() == ["circle"]
    assert merged.said <= statements(merged.repo)
    assert merged.story("a") == merged.story("b")
    assert sorted(merged.story("a")) == ["a", "b"]
    assert merged.found() == ["c"]
    assert merged.cure() == ["gitkb unlink a supersedes b"]
    assert merged.found() == ["b", "c"]


def test_a_longer_circle_comes_about(tmp_path: Path) -> None:
    base = (("supersede", "a", "b"),)
    merged = merge(
        tmp_path,
        [("supersede", "b", "c")],
        [("unlink", "b", "supersedes", "a"), ("supersede", "c", "a"), ("supersede", "a", "b")],
        base,
    )
    assert "circle" in merged.warnings()
    assert set(merged.story("a")) == {"a", "b", "c"}
    merged.cure()
    assert len(merged.found()) >= 1


def test_both_reject(tmp_path: Path) -> None:
    merged = merge(
        tmp_path, [("reject", "a", "--because", "b")], [("reject", "a", "--because", "c")]
    )
    assert merged.warnings() == []
    assert merged.show("a")["status"] == "rejected"
    assert merged.links("a") == ["rejected_because b", "rejected_because c"]
    assert merged.found() == ["b", "c"]
    assert set(merged.story("b")) == {"a", "b", "c"}


def test_one_rejects_what_the_other_supersedes(tmp_path: Path) -> None:
    merged = merge(tmp_path, [SUPERSEDE], [("reject", "a", "--because", "c")])
    assert "contested" in merged.warnings()
    assert merged.said <= statements(merged.repo)
    assert merged.found() == ["b", "c"]
    assert set(merged.story("a")) == {"a", "b", "c"}
    fields = merged.show("a")
    whole = {name: fields[name] for name in ("key", "type", "title", "content")}
    merged.repo.kb_add(**whole, status="superseded", conflicts=[])
    assert merged.warnings() == []


def test_one_takes_back_what_the_other_does_again(tmp_path: Path) -> None:
    base = (SUPERSEDE,)
    merged = merge(tmp_path, [("unlink", "b", "supersedes", "a")], [("supersede", "a", "c")], base)
    assert merged.warnings() == ["half-superseded"]
    assert merged.cure() == ["gitkb supersede a c"]
    assert merged.show("a")["superseded_by"] == ["c"]
    assert merged.found() == ["b", "c"]


def test_both_end_sessions_of_one_goal(tmp_path: Path) -> None:
    start = ("session", "start", "Split", "the", "queue")
    merged = merge(
        tmp_path,
        [start, ("session", "end", "--done", "Cut it in two.", "--decided", "Two queues.")],
        [start, ("session", "end", "--done", "Drew a plan.", "--open", "Which one first?")],
    )
    assert merged.warnings() == []
    assert merged.said <= statements(merged.repo)
    hits = merged.repo.run("recall", "queue", "--type", "session", "--json").json()
    assert sorted(hit["done"][0] for hit in hits) == ["Cut it in two.", "Drew a plan."]
    for hit in hits:
        assert merged.story(hit["key"]) == [hit["key"]]


def test_the_store_stays_whole_through_a_rebase(tmp_path: Path) -> None:
    _, ann, ben = team(tmp_path)
    for key in "abc":
        ann.kb_add(key=key, type_="decision", title=f"Queue {key}", content="x", ts=1)
    ann.commit("Base")
    ann.push()
    ben.pull()
    ann.run("supersede", "a", "b")
    ann.commit("Side")
    ann.push()
    ben.run("supersede", "a", "c")
    ben.commit("One")
    ben.run("link", "a", "part_of", "b")
    ben.commit("Two")
    ben.git("pull", "-q", "--rebase")
    assert ben.run("show", "a", "--json").json()["superseded_by"] == ["b", "c"]
    assert ben.run("check", "--json").json()["problems"] == []
