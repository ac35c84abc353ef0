"""A repository in which two branches did everything that one can do to knowledge, and what is left of it.

`build_world` makes it once, with real commands; a test copies it and lets git do one thing. `read_findings`
then says, from the files alone, whose changes are there. The branches begin at `base`:

- `main` corrects entries, gives `titled` a title, deletes, archives and adds;
- `topic` does the same in three commits (edits; deletions, archiving, a move; an addition and one
  more edit), to some of the same entries;
- `line` is `topic` with what `main` did on top of it, one after the other;
- `joined` is `main` with `topic` merged into it.

1. Whose changes are there is read with `json` alone; no code of the package is asked.
2. A file that git left unmerged, or that holds a marker, is in conflict, whatever else it says.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from repo_builder import Repo, run_program, team

KEYS = (
    "edited", "titled", "quiet", "moved",
    "main-gone", "topic-gone", "edited-gone",
    "main-aside", "topic-aside", "edited-aside",
)  # fmt: skip
STAYS, NOTHING = "both", "neither"
CONFLICT = "conflict"


class Findings(NamedTuple):
    """Whose changes there are, in the words of the reference page."""

    edits: str
    additions: str
    contested: str
    deletions: str
    deleted_edit: str
    """What became of the entry that topic deleted and main edited."""
    redirect: str
    archive: str
    archived_edit: str
    """What became of the entry that topic archived and main edited."""


def build_world(folder: Path) -> None:
    """A bare remote and a clone with the branches, driver and hooks, in an empty folder."""
    remote, ada, _ = team(folder)
    for key in KEYS:
        _put(ada, key, 100, content="First.")
    for key in KEYS:
        _put(ada, key, 101, content="Base.")
    ada.commit("Base")
    ada.branch("base")
    ada.branch("topic")
    _change_main(ada)
    ada.commit("Main")
    ada.push()
    ada.checkout("topic")
    _put(ada, "edited", 200, content="Base.", tags=["base", "topic"])
    _put(ada, "titled", 200, content="Base.", title="Topic")
    ada.commit("Topic edits")
    ada.run("forget", "topic-gone", "edited-gone")
    ada.run("archive", "topic-aside", "edited-aside")
    # To a workstation that nobody who looks at the result has.
    ada.run("promote", "moved", env={"GITKB_HOME": str(folder / "elsewhere")})
    ada.commit("Topic takes away")
    _put(ada, "edited", 210, content="Base.", tags=["base", "topic"], importance=5)
    _put(ada, "topic-new", 210, content="New.")
    ada.commit("Topic adds")
    ada.checkout("line", new=True)
    _change_main(ada, is_after_topic=True)
    ada.commit("Main, after topic")
    ada.git("checkout", "-q", "-b", "joined", "main")
    ada.merge("topic")
    ada.checkout("main")
    ada.git("remote", "set-url", "origin", "../remote.git")
    remote.git("symbolic-ref", "HEAD", "refs/heads/main")
    run_program(["rm", "-rf", str(folder / "ben")], cwd=folder)


def _change_main(repo: Repo, *, is_after_topic: bool = False) -> None:
    tags = ["base", "topic"] if is_after_topic else ["base"]
    more = {"importance": 5} if is_after_topic else {}
    _put(repo, "edited", 300, content="Main.", tags=tags, **more)
    _put(repo, "titled", 300, content="Base.", title="Main")
    if not is_after_topic:
        for key in ("moved", "edited-gone", "edited-aside"):
            _put(repo, key, 300, content="Main.")
    _put(repo, "main-new", 300, content="New.")
    repo.run("forget", "main-gone")
    repo.run("archive", "main-aside")


def _put(repo: Repo, key: str, ts: int, **fields: Any) -> None:
    shown = {"key": key, "type": "fact", "title": key, "tags": ["base"], "ts": ts, **fields}
    repo.run("add", stdin=json.dumps(shown))


def corrected(repo: Repo, key: str = "quiet") -> None:
    """One more correction, of an entry that one side has for itself."""
    _put(repo, key, 400, content="Amended.")


# --- what is left ----------------------------------------------------------------------------


class Shelves:
    """The lines of a store, by folder and key, and which files are in conflict."""

    def __init__(self, store: Path, unmerged: set[str]) -> None:
        self._lines: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._conflicts = set(unmerged)
        for path in sorted(store.glob("*/*.jsonl")):
            name = f"{path.parent.name}/{path.name}"
            for line in path.read_bytes().splitlines():
                if line[:7] in (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"):
                    self._conflicts.add(name)
                    continue
                record = json.loads(line)
                self._lines.setdefault((path.parent.name, record["key"]), []).append(record)

    def is_torn(self, key: str, folder: str = "knowledge") -> bool:
        """Whether the file of a key is in conflict."""
        shard = sha256(key.encode()).hexdigest()[:2]
        return f"{folder}/{shard}.jsonl" in self._conflicts

    def line(self, key: str) -> dict[str, Any]:
        """The one line of a key; empty where there is none."""
        found = self._lines.get(("knowledge", key), [])
        assert len(found) < 2, found
        return found[0] if found else {}

    def archived(self, key: str) -> list[dict[str, Any]]:
        """The versions of a key in the archive."""
        return self._lines.get(("archive", key), [])


def read_findings(store: Path, unmerged: set[str]) -> Findings:
    """Say what is left of what both branches did. `unmerged` names files as ``knowledge/3f.jsonl``."""
    shelves = Shelves(store, unmerged)
    return Findings(
        edits=_torn(shelves, "edited") or _edits(shelves.line("edited")),
        additions=_whose(*(bool(shelves.line(f"{side}-new")) for side in ("main", "topic"))),
        contested=_torn(shelves, "titled") or _contested(shelves.line("titled")),
        deletions=_torn(shelves, "main-gone", "topic-gone")
        or _whose(*("deleted" in shelves.line(f"{side}-gone") for side in ("main", "topic"))),
        deleted_edit=_torn(shelves, "edited-gone") or _fate(shelves.line("edited-gone")),
        redirect=_torn(shelves, "moved") or _fate(shelves.line("moved")),
        archive=_torn(shelves, "main-aside", "topic-aside")
        or _whose(*(_is_aside(shelves, f"{side}-aside") for side in ("main", "topic"))),
        archived_edit=_torn(shelves, "edited-aside")
        or ("archived" if _is_aside(shelves, "edited-aside") else "entry"),
    )


def _torn(shelves: Shelves, *keys: str) -> str:
    torn = any(shelves.is_torn(key, folder) for key in keys for folder in ("knowledge", "archive"))
    return CONFLICT if torn else ""


def _whose(main: bool, topic: bool, is_part: bool = False) -> str:
    if is_part and not topic:
        return "main and part of topic" if main else "part of topic"
    return {(True, True): STAYS, (True, False): "main", (False, True): "topic"}.get(
        (main, topic), NOTHING
    )


def _edits(line: dict[str, Any]) -> str:
    topic_did = "topic" in line.get("tags", ()), line.get("importance") == 5
    return _whose(line.get("content") == "Main.", all(topic_did), any(topic_did))


def _contested(line: dict[str, Any]) -> str:
    others = [one.get("value") for one in line.get("conflicts", ()) if one["field"] == "title"]
    shown = {"Main": "main", "Topic": "topic"}.get(line.get("title", ""), NOTHING)
    return "contested" if others else shown


def _fate(line: dict[str, Any]) -> str:
    if "deleted" in line:
        return "deleted"
    if "moved" in line:
        kept = any(one["field"] == "content" for one in line.get("conflicts", ()))
        return "redirect with the edit" if kept else "redirect"
    return "entry" if line else "gone"


def _is_aside(shelves: Shelves, key: str) -> bool:
    versions = [one.get("status") for one in shelves.archived(key)]
    return not shelves.line(key) and "archived" in versions
