"""Random histories on three clones: what people do, what git does with it, and what must hold after.

A history is a list of acts, each four small numbers; `play` makes a graph of commits of it with the
package's merge and no git. An act that makes no sense where it stands does nothing, so that any list is
a history and a shorter one is one too.

1. A commit knows its acts: those of its parents and its own. What git does over again (a rebase, a
   pick, a squash) is the same act, and a revert takes it back.
2. Every act writes a word of its own. A word is never lost: it is shown, in `conflicts` or in the
   archive, unless its entry was forgotten or its act was taken back.
3. A deletion stands in every commit that knows of it, unless one that knows of the deletion revived
   the entry, or the deletion was taken back.
4. Where two branches have several bases, these are merged first, as git does.
5. Clocks of clones differ, and go on only now and then.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, NamedTuple

from gitkb.core.merge.file import merge_files
from gitkb.core.merge.rules import ARCHIVE, KNOWLEDGE

KEYS = ("a", "b", "c", "d")
CLONES = 3
EDITS = ("add", "add", "edit", "edit", "title", "tag", "untag", "forget", "revive", "archive",
         "restore", "supersede", "promote", "settle")  # fmt: skip
JOINS = ("merge", "merge", "merge", "rebase", "pick", "squash")
REVERTS = ("revert", "revert", "revert merge")
_SKEW = (0, -40, 40)
_START = 1000
Record = dict[str, Any]
Act = tuple[int, int, int, int]


class Deed(NamedTuple):
    """What an act did to one key: its word, and, where it forgot or revived, the time it did so or knew."""

    number: int
    key: str
    word: str = ""
    forgot: int = -1
    revived: int = -1


@dataclass
class Commit:
    """Both files, and the deeds that led to them."""

    number: int
    parents: tuple[int, ...]
    knowledge: bytes
    archive: bytes
    deeds: frozenset[Deed] = frozenset()
    reverted: frozenset[Deed] = frozenset()
    """Deeds that something took back, be it for a while: nothing is promised of them."""
    own: frozenset[Deed] = frozenset()
    """What it did itself, and a pick or a revert of it does again or takes back."""


@dataclass
class History:
    """A graph of commits and the heads of three clones."""

    commits: list[Commit] = field(default_factory=lambda: [Commit(0, (), b"", b"")])
    heads: list[int] = field(default_factory=lambda: [0] * CLONES)
    story: list[str] = field(default_factory=list)
    """What was done, for whoever reads a failure."""
    broken: list[str] = field(default_factory=list)

    def head(self, clone: int) -> Commit:
        return self.commits[self.heads[clone]]

    def ancestors(self, number: int) -> set[int]:
        found, waiting = set(), [number]
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += self.commits[at].parents
        return found

    def add(self, commit: Commit) -> int:
        commit.number = len(self.commits)
        self.commits.append(commit)
        return commit.number


# --- what people do --------------------------------------------------------------------------


def lines_of(data: bytes) -> dict[str, Record]:
    """The records of a knowledge file by key."""
    return {record["key"]: record for record in map(json.loads, data.splitlines())}


def encode(record: Record) -> bytes:
    """A line as gitkb writes it."""
    from gitkb.core.entry import Entry, Tombstone, encode_record, normalise

    is_gone = "deleted" in record or "moved" in record
    return encode_record(Tombstone(record) if is_gone else Entry(normalise(record)))


def knowledge_of(records: dict[str, Record]) -> bytes:
    """A knowledge file, in the order of the hash of the key."""
    keys = sorted(records, key=lambda key: sha256(key.encode()).digest())
    return b"".join(encode(records[key]) + b"\n" for key in keys)


def archive_of(lines: set[bytes]) -> bytes:
    """An archive: by the hash of the key, the time and the bytes."""

    def place(line: bytes) -> tuple[bytes, int, bytes]:
        record = json.loads(line)
        return sha256(record["key"].encode()).digest(), record.get("ts", 0), line

    return b"".join(line + b"\n" for line in sorted(lines, key=place))


class Desk:
    """One person's work tree while one act is done: what the commands of gitkb would write."""

    def __init__(self, commit: Commit, now: int, number: int) -> None:
        self.records = lines_of(commit.knowledge)
        self.archive = set(commit.archive.splitlines())
        self.now = now
        self.number = number
        self.deeds: set[Deed] = set()

    def do(self, kind: str, key: str, other: str) -> bool:
        """Do it; False where it makes no sense here."""
        old = self.records.get(key)
        is_entry = old is not None and "type" in old
        word = f"w{self.number}"
        if kind == "add" and old is None:
            new = {"key": key, "type": "fact", "title": word, "content": word, "created": self.now}
            self._put(new, word)
        elif kind in ("edit", "title") and is_entry:
            assert old is not None
            self._put({**old, "content" if kind == "edit" else "title": word}, word, keep=True)
        elif kind == "tag" and is_entry:
            assert old is not None
            self._put({**old, "tags": [*old.get("tags", ()), word]}, word, keep=True)
        elif kind == "untag" and is_entry and old is not None and old.get("tags"):
            self._put({**old, "tags": old["tags"][1:]}, "", keep=True)
        elif kind == "forget" and is_entry:
            assert old is not None
            stone = {"key": key, "deleted": True, "ts": max(self.now, old["ts"] + 1)}
            self.records[key] = stone
            self.deeds.add(Deed(self.number, key, forgot=stone["ts"]))
        elif kind == "revive" and old is not None and "deleted" in old:
            new = {"key": key, "type": "fact", "content": word, "revives": old["ts"]}
            self._put({**new, "ts": old["ts"]}, word, revived=old["ts"])
        elif kind == "archive" and is_entry:
            assert old is not None
            self.archive |= {encode(old), encode(self._later({**old, "status": "archived"}))}
            del self.records[key]
            self.deeds.add(Deed(self.number, key))
        elif kind == "restore" and old is None and self._versions(key):
            latest = self._versions(key)[-1]
            self._put({**latest, "status": "active"}, "")
        elif kind == "supersede" and is_entry and other != key:
            newer = self.records.get(other)
            if newer is None or "type" not in newer:
                return False
            assert old is not None
            links = [*newer.get("links", ()), {"rel": "supersedes", "to": key}]
            self._put({**newer, "links": links}, "", keep=True)
            self._put({**old, "status": "superseded"}, "", keep=True)
        elif kind == "promote" and is_entry:
            assert old is not None
            self.archive.add(encode(old))
            self.records[key] = {"key": key, "moved": "workstation", "ts": old["ts"] + 1}
            self.deeds.add(Deed(self.number, key))
        elif kind == "settle" and is_entry and old is not None and old.get("conflicts"):
            settled = {name: value for name, value in old.items() if name != "conflicts"}
            self._put(settled, "", keep=True)
        else:
            return False
        return True

    def _put(self, new: Record, word: str, *, keep: bool = False, revived: int = -1) -> None:
        old = self.records.get(new["key"])
        if keep and old is not None:
            self.archive.add(encode(old))
        self.records[new["key"]] = self._later(new)
        self.deeds.add(Deed(self.number, new["key"], word, revived=revived))

    def _later(self, record: Record) -> Record:
        return {**record, "ts": max(self.now, record.get("ts", -1) + 1)}

    def _versions(self, key: str) -> list[Record]:
        found = [json.loads(line) for line in self.archive]
        return sorted((one for one in found if one["key"] == key), key=lambda one: one["ts"])


# --- what git does ---------------------------------------------------------------------------


def play(acts: list[Act], kinds: tuple[str, ...]) -> History:
    """Do the acts one after the other, and look after each whether all that must hold does."""
    history, now = History(), _START
    for number, (kind_at, clone_at, one, two) in enumerate(acts):
        kind, clone = kinds[kind_at % len(kinds)], clone_at % CLONES
        now += (one + two) % 3
        before = history.heads[clone]
        if kind in EDITS:
            _edit(history, clone, kind, now + _SKEW[clone], number, one, two)
        else:
            _join(history, clone, kind, one, two)
        if history.heads[clone] != before:
            history.story.append(f"{number}: {kind} on {clone} ({one}, {two})")
            history.broken += [f"{number}: {law}" for law in broken_promises(history.head(clone))]
    return history


def _edit(
    history: History, clone: int, kind: str, now: int, number: int, one: int, two: int
) -> None:
    head = history.head(clone)
    desk = Desk(head, now, number)
    if desk.do(kind, KEYS[one % len(KEYS)], KEYS[two % len(KEYS)]):
        history.heads[clone] = history.add(
            Commit(
                0,
                (head.number,),
                knowledge_of(desk.records),
                archive_of(desk.archive),
                head.deeds | desk.deeds,
                head.reverted,
                frozenset(desk.deeds),
            )
        )


def _join(history: History, clone: int, kind: str, one: int, two: int) -> None:
    head = history.head(clone)
    other = history.head((clone + 1 + one % (CLONES - 1)) % CLONES)
    if kind in ("merge", "squash"):
        known = history.ancestors(head.number)
        if other.number in known:
            return
        if kind == "merge" and head.number in history.ancestors(other.number):
            history.heads[clone] = other.number  # a fast-forward
            return
        parents = (head.number, other.number) if kind == "merge" else (head.number,)
        base = merge_base(history, head.number, other.number)
        made = merged(history, base, head, other)
        made.parents = parents
        made.own = other.deeds - head.deeds
        history.heads[clone] = history.add(made)
    elif kind == "rebase":
        known = history.ancestors(other.number)
        picks = [n for n in sorted(history.ancestors(head.number)) if n not in known]
        at = other
        for number in picks:
            if len(history.commits[number].parents) == 1:
                at = history.commits[_pick(history, at, history.commits[number])]
        history.heads[clone] = at.number
    else:
        wanted = 2 if kind == "revert merge" else 1
        chosen = [each for each in history.commits if len(each.parents) == wanted]
        if kind != "pick":
            ours = history.ancestors(head.number)
            chosen = [each for each in chosen if each.number in ours]
        if chosen:
            commit = chosen[two % len(chosen)]
            act = _pick if kind == "pick" else _revert
            history.heads[clone] = act(history, head, commit)


def _pick(history: History, onto: Commit, commit: Commit) -> int:
    parent = history.commits[commit.parents[0]]
    made = merged(history, parent, onto, commit)
    made.parents = (onto.number,)
    made.deeds = onto.deeds | commit.own
    made.reverted = onto.reverted | (commit.reverted - parent.reverted)
    made.own = commit.own
    return _add_unless_empty(history, onto, made)


def _revert(history: History, onto: Commit, commit: Commit) -> int:
    made = merged(history, commit, onto, history.commits[commit.parents[0]])
    made.parents = (onto.number,)
    made.deeds = onto.deeds
    # What a revert brings back may be an older state of any entry of the commit.
    keys = {deed.key for deed in commit.own}
    made.reverted = onto.reverted | {deed for deed in onto.deeds if deed.key in keys}
    return _add_unless_empty(history, onto, made)


def _add_unless_empty(history: History, onto: Commit, made: Commit) -> int:
    if (made.knowledge, made.archive) == (onto.knowledge, onto.archive):
        return onto.number  # git says that there is nothing to commit
    return history.add(made)


def merged(history: History, base: Commit, ours: Commit, theirs: Commit) -> Commit:
    """Merge two commits as git and the driver would; the laws of the merge itself are looked at too."""
    texts = []
    for rules, sides in (
        (KNOWLEDGE, (base.knowledge, ours.knowledge, theirs.knowledge)),
        (ARCHIVE, (base.archive, ours.archive, theirs.archive)),
    ):
        text = merge_files(*sides, rules).text
        if text is None:
            raise AssertionError("a merge of valid files was refused")
        if merge_files(sides[0], sides[2], sides[1], rules).text != text:
            history.broken.append("swapping the sides gives other bytes")
        texts.append(text)
    return Commit(
        0, (), texts[0], texts[1], ours.deeds | theirs.deeds, ours.reverted | theirs.reverted
    )


def merge_base(history: History, one: int, other: int) -> Commit:
    """The one best common ancestor, or the merge of several, as git's strategy makes it."""
    common = history.ancestors(one) & history.ancestors(other)
    best = sorted(n for n in common if not any(n in history.ancestors(m) for m in common if m != n))
    base = history.commits[best[0]]
    for number in best[1:]:
        theirs = history.commits[number]
        inner = merge_base(history, best[0], number)
        base = merged(history, inner, base, theirs)
    return base


# --- what must hold --------------------------------------------------------------------------


def broken_promises(commit: Commit) -> list[str]:
    """Name the promises that a commit does not keep."""
    broken = broken_words(commit.knowledge + commit.archive, commit.deeds, commit.reverted)
    alive = {key for key, record in lines_of(commit.knowledge).items() if "type" in record}
    broken += broken_deletions(alive, commit.deeds, commit.reverted)
    keys = [json.loads(line)["key"] for line in commit.knowledge.splitlines()]
    if keys != sorted(set(keys), key=lambda key: sha256(key.encode()).digest()):
        broken.append("the lines are out of order, or a key stands twice")
    if archive_of(set(commit.archive.splitlines())) != commit.archive:
        broken.append("the archive is out of order, or a line stands twice")
    return broken


def broken_words(text: bytes, deeds: frozenset[Deed], reverted: frozenset[Deed]) -> list[str]:
    """Name the words that are nowhere, though nobody deleted them or took them back."""
    forgotten = {deed.key for deed in deeds if deed.forgot >= 0}
    return [
        f"the word {deed.word} of '{deed.key}' is lost"
        for deed in sorted(deeds - reverted)
        if deed.word and deed.key not in forgotten and b'"%s"' % deed.word.encode() not in text
    ]


def broken_deletions(
    alive: set[str], deeds: frozenset[Deed], reverted: frozenset[Deed]
) -> list[str]:
    """Name the deletions that are undone by something that did not know of them."""
    return [
        f"'{deed.key}' is alive, and nothing revived what was deleted at {deed.forgot}"
        for deed in sorted(deeds - reverted)
        if deed.forgot >= 0
        and deed.key in alive
        and not any(other.key == deed.key and other.revived >= deed.forgot for other in deeds)
    ]


def meetings(history: History) -> list[Commit]:
    """What the clones hold when all have merged all, for each order in which they may do so."""
    ends = []
    for first, second, third in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        one, two, three = (history.head(clone) for clone in (first, second, third))
        ends.append(_joined(history, _joined(history, one, two), three))
    return ends


def _joined(history: History, one: Commit, other: Commit) -> Commit:
    if other.number in history.ancestors(one.number):
        return one
    if one.number in history.ancestors(other.number):
        return other
    made = merged(history, merge_base(history, one.number, other.number), one, other)
    made.parents = (one.number, other.number)
    history.add(made)
    return made


def values_of(commit: Commit) -> dict[str, Any]:
    """By key, what became of it, and of each field of an entry every value, shown or in `conflicts`."""
    found: dict[str, Any] = {}
    for key, record in lines_of(commit.knowledge).items():
        fate = "entry" if "type" in record else "deleted" if "deleted" in record else "moved"
        values: dict[str, set[str]] = {}
        for name in ("title", "content", "status"):
            if name in record:
                values.setdefault(name, set()).add(record[name])
        for one in record.get("conflicts", ()):
            values.setdefault(one["field"], set()).add(json.dumps(one.get("value")).strip('"'))
        values["tags"] = set(record.get("tags", ()))
        found[key] = fate, {name: sorted(each) for name, each in values.items() if each}
    return found
