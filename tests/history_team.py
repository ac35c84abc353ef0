"""Random histories with real git and the real programs: three clones, a bare remote, hooks and driver or not.

What a commit did stands in its message, a line a deed (`history_dag.Deed`), so that it goes along wherever git
takes the commit; a revert names what it takes back. Everything else is worked out from `git log`.

1. One clone has the driver and the hooks, one the driver alone, one neither; which is which is drawn.
2. Where git stops, a clone without the driver is cured by `gitkb resolve`, or the act is given up.
3. The same seed gives the same acts; commands keep the time, so lines differ in `ts` from run to run.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

from history_dag import KEYS, Deed, broken_deletions, broken_words
from index_builder import World, keys_of
from repo_builder import ADA, BEN, CHI, Repo

EDITS = ("add", "edit", "edit", "title", "tag", "forget", "revive", "archive", "restore",
         "supersede", "promote", "settle")  # fmt: skip
JOINS = (
    "merge",
    "merge",
    "merge",
    "rebase",
    "apply",
    "pick",
    "squash",
    "stash",
    "revert",
    "revert",
)
_STATES = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}


class Team:
    """Three clones of a bare remote, and what was done in them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.draw = random.Random(seed)
        self.folder = folder
        self.story: list[str] = []
        self.number = 0
        remote = Repo.init(folder / "remote.git", bare=True)
        first = Repo.clone(remote, folder / "clone0", person=ADA)
        first.git("symbolic-ref", "HEAD", "refs/heads/main")
        first.run("init", *self.draw.choice([(), ("--shards", "1")]))
        first.commit("Begin")
        first.push()
        self.clones = [first]
        for number, person in ((1, BEN), (2, CHI)):
            self.clones.append(Repo.clone(remote, folder / f"clone{number}", person=person))
        ways = self.draw.sample(["all", "no hooks", "nothing"], 3)
        for clone, way in zip(self.clones, ways, strict=True):
            clone.run("install" if way == "all" else "uninstall")
            if way == "no hooks":
                clone.run("install")
                for hook in (clone.path / ".git" / "hooks").iterdir():
                    hook.unlink()
                for line in clone.git("config", "--list", "--name-only").lines():
                    if line.startswith("hook.") and line.endswith(".event"):
                        clone.git("config", "--remove-section", line.removesuffix(".event"))
        self.ways = dict(zip([clone.path for clone in self.clones], ways, strict=True))

    def live(self, acts: int) -> None:
        """Do so many acts, and look after each whether all that must hold does."""
        for _ in range(acts):
            clone = self.draw.choice(self.clones)
            before = clone.head()
            is_edit = self.draw.random() < 0.6
            kind = self.edit(clone) if is_edit else self.join(clone)
            clone.git("push", "-q", "--force", "origin", f"HEAD:refs/heads/{clone.path.name}")
            if clone.head() != before:
                self.story.append(
                    f"{self.number}: {kind} in {clone.path.name} ({self.ways[clone.path]})"
                )
                self.check(clone, whole=not is_edit)
            self.number += 1

    # -- acts

    def edit(self, clone: Repo) -> str:
        """Change one entry with gitkb, and commit it; says what it did."""
        for _ in range(9):  # most acts make no sense for most entries
            kind = self.draw.choice(EDITS)
            key, other = self.draw.sample(KEYS, 2)
            deeds = self.change(clone, kind, key, other)
            if deeds and clone.status():
                clone.commit("\n".join([f"{kind} {key}", "", *map(_line_of, deeds)]))
                return kind
        return "nothing"

    def change(self, clone: Repo, kind: str, key: str, other: str) -> list[Deed]:
        """Change one entry with gitkb; gives what was done."""
        old, word = _record(clone, key), f"w{self.number}"
        is_entry = "type" in old
        if kind == "add" and not old and not _is_archived(clone, key):
            _put(clone, {"key": key, "type": "fact", "title": word, "content": word})
        elif kind in ("edit", "title") and is_entry:
            _put(clone, {**old, "content" if kind == "edit" else "title": word})
        elif kind == "tag" and is_entry:
            _put(clone, {**old, "tags": [*old.get("tags", ()), word]})
        elif kind == "revive" and "deleted" in old:
            _put(clone, {"key": key, "type": "fact", "content": word})
            revived = _record(clone, key)["revives"]
            return [Deed(self.number, key, word, revived=revived)]
        elif kind == "forget" and is_entry:
            clone.run("forget", key)
            return [Deed(self.number, key, forgot=_record(clone, key)["ts"])]
        elif kind == "settle" and is_entry and old.get("conflicts"):
            _put(clone, {**old, "conflicts": []})
            return [Deed(self.number, key)]
        elif (
            (kind == "archive" and is_entry)
            or (kind == "restore" and not old and _is_archived(clone, key))
            or (kind == "promote" and is_entry)
        ):
            home = {"GITKB_HOME": str(self.folder / f"home-{self.number}")}
            clone.run(kind, key, env=home)
            return [Deed(self.number, key)]
        elif kind == "supersede" and is_entry and "type" in _record(clone, other):
            clone.run("supersede", key, other, exit_code=None)
            return [Deed(self.number, key), Deed(self.number, other)]
        else:
            return []
        return [Deed(self.number, key, word)]

    def join(self, clone: Repo) -> str:
        """Let git bring something from elsewhere, or take something back; says what it did."""
        kind = self.draw.choice(JOINS)
        clone.git("fetch", "-q", "origin")
        others = [each.path.name for each in self.clones if each is not clone]
        theirs = f"origin/{self.draw.choice(others)}"
        if not clone.git("branch", "-r", "--list", theirs).stdout:
            return "nothing"
        if kind == "merge":
            self.run(clone, "merge", "-q", "--no-edit", theirs)
        elif kind in ("rebase", "apply"):
            self.run(clone, "rebase", "-q", *(["--apply"] if kind == "apply" else []), theirs)
        elif kind == "squash":
            deeds = _lines_in(clone.git("log", "--format=%B", f"HEAD..{theirs}").stdout)
            if self.run(clone, "merge", "-q", "--squash", theirs) and clone.status():
                clone.git("commit", "-q", "-m", "\n".join(["Squash", "", *deeds]))
        elif kind == "stash":
            key, other = self.draw.sample(KEYS, 2)
            deeds = list(map(_line_of, self.change(clone, "tag", key, other)))
            if deeds:
                clone.add()
                clone.git("stash", "-q")
                self.run(clone, "merge", "-q", "--no-edit", theirs)
                if self.run(clone, "stash", "pop", "-q") and clone.status():
                    clone.commit("\n".join(["Popped", "", *deeds]))
        else:
            where = theirs if kind == "pick" else "HEAD"
            known = "^HEAD" if kind == "pick" else "^origin/main"
            commits = clone.git("rev-list", "--no-merges", where, known).lines()
            if commits:
                verb = ["cherry-pick"] if kind == "pick" else ["revert", "--no-edit"]
                self.run(clone, *verb, self.draw.choice(commits))
        return kind

    def run(self, clone: Repo, *command: str) -> bool:
        """Run git; where it stops, cure it or give it up. Says whether it was done."""
        done = clone.git(*command, exit_code=None)
        gives_up = self.draw.random() < 0.3
        for _ in range(30):
            state = next((verb for name, verb in _STATES.items() if _has(clone, name)), "")
            torn = clone.git("ls-files", "-u").stdout
            if done.exit_code == 0 and not state:
                return True
            # A revert of what made a file removes it: git asks no driver about a file that is gone.
            is_whole = all(f" {stage}\t" in torn for stage in (2, 3))
            if torn and is_whole and self.ways[clone.path] != "nothing":
                raise AssertionError(f"a conflict with the driver: {self.story}\n{done}")
            if torn and not gives_up:
                clone.run("resolve")
                clone.add()
            if not state:  # stash pop, merge --squash: they wait for nothing
                if gives_up or not torn:
                    clone.git("reset", "-q", "--hard")
                    return False
                if command[0] == "stash":
                    clone.git("stash", "drop", "-q")
                return True
            if torn and gives_up:
                clone.git(state, "--abort")
                return False
            is_empty = not torn and state != "merge" and not clone.status()
            onward = "--skip" if is_empty else "--continue"
            done = clone.git(state, onward, exit_code=None)
        raise AssertionError(f"git does not come to an end: {self.story}\n{done}")

    # -- what must hold

    def check(self, clone: Repo, *, whole: bool) -> None:
        """Fail if the commit at HEAD does not keep the promises."""
        deeds, reverted = _history(clone)
        tree = clone.tree()
        text = b"".join(data for name, data in tree.items() if name.endswith(".jsonl"))
        alive = {key for key in KEYS if "type" in _record(clone, key)}
        broken = broken_words(text, deeds, reverted) + broken_deletions(alive, deeds, reverted)
        assert broken == [], (self.story, clone.path)
        assert not clone.status(), self.story
        if whole:
            checked = clone.run("check", "--json", exit_code=None).json()["problems"]
            errors = [problem for problem in checked if problem["severity"] == "error"]
            assert errors == [], (self.story, clone.path)
            self.check_index(clone)

    def check_index(self, clone: Repo) -> None:
        """Fail if a search answers other than a new index would."""
        fresh = World(self.folder / "fresh")
        shutil.copytree(clone.path / ".gitkb", fresh.folder)
        nowhere = {"GITKB_HOME": str(self.folder / "nowhere")}
        words = " ".join(f"w{number}" for number in range(self.number + 1))
        said = clone.run("recall", words, "--all", "--json", "--limit", "99", env=nowhere).json()
        assert [hit["key"] for hit in said] == keys_of(fresh.ask(words)), self.story
        shutil.rmtree(fresh.folder)

    def check_provenance(self) -> None:
        """Fail if `blame` names a commit that is none of HEAD's, or that did not touch the store."""
        for clone in self.clones:
            commits = set(clone.git("rev-list", "HEAD").lines())
            touching = set(
                clone.git("log", "--format=%H", "-m", "--full-history", "--", ".gitkb").lines()
            )
            for one in clone.run("blame", "--json").json():
                assert one["commit"] in commits & touching, self.story
                assert one["first"]["commit"] in commits & touching, self.story


def _record(clone: Repo, key: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in (clone.path / ".gitkb" / "knowledge").glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            record = json.loads(line)
            if record["key"] == key:
                assert not found, f"two lines of '{key}'"
                found = record
    return found


def _is_archived(clone: Repo, key: str) -> bool:
    paths = (clone.path / ".gitkb" / "archive").glob("*.jsonl")
    return any(f'"key":"{key}"'.encode() in path.read_bytes() for path in paths)


def _put(clone: Repo, fields: dict[str, Any]) -> None:
    kept = {name: value for name, value in fields.items() if name not in ("ts", "created")}
    clone.run("add", stdin=json.dumps(kept))


def _has(clone: Repo, name: str) -> bool:
    return (clone.path / ".git" / name).exists()


def _line_of(deed: Deed) -> str:
    return f"Deed: {json.dumps(deed)}"


def _lines_in(message: str) -> list[str]:
    return [line for line in message.split("\n") if line.startswith("Deed: ")]


def _deeds_in(message: str) -> frozenset[Deed]:
    return frozenset(Deed(*json.loads(line.removeprefix("Deed: "))) for line in _lines_in(message))


def _history(clone: Repo) -> tuple[frozenset[Deed], frozenset[Deed]]:
    """The deeds that HEAD knows, and those of entries of which a revert took something back."""
    message = clone.git("log", "--format=%B").stdout
    deeds = _deeds_in(message)
    keys: set[str] = set()
    waiting = re.findall(r"This reverts commit (\w{40,64})", message)
    while waiting:
        undone = clone.git("log", "-1", "--format=%B", waiting.pop()).stdout
        waiting += re.findall(r"This reverts commit (\w{40,64})", undone)
        keys |= {deed.key for deed in _deeds_in(undone)}
    return deeds, frozenset(deed for deed in deeds if deed.key in keys)
