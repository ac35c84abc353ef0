"""What every verb that writes is asked to do while the system fails it: a world, and a call in it.

1. The world is a project with a store of sixteen files, the user's folder with a workstation, and a tier
   of others. It is made once and copied.
2. `VERBS_THAT_WRITE` and `VERBS_THAT_READ` together are all verbs: a new one has to be put into either.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from repo_builder import Repo, script

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOME, PROJECT, ORG = "kb-home", "app", "org"
SHARDS = "16"

ENTRIES: tuple[dict[str, Any], ...] = (
    {"key": "other", "type": "fact", "content": "Stays as it is."},
    {"key": "old", "type": "decision", "title": "Use one queue", "content": "Use one queue."},
    {"key": "new", "type": "decision", "title": "Use two queues", "content": "Use two queues."},
    {"key": "aside", "type": "fact", "content": "Put aside."},
    {"key": "linked", "type": "pattern", "content": "Link me.", "links": []},
    {
        "key": "lesson",
        "type": "pitfall",
        "title": "pymysql is not thread-safe",
        "content": "Use aiomysql.",
        "category": "technical",
        "scope": "project",
    },
)
BATCH = "".join(
    json.dumps({"key": f"b{number}", "type": "fact", "content": f"Batch {number}."}) + "\n"
    for number in range(5)
)
DRAWBAR = json.dumps(
    {"key": "db-one", "type": "learned", "content": "From drawbar.", "source": "agent", "ts": 5}
)
ENGRAM = {
    "version": "0.1.0",
    "exported_at": "2026-01-01 00:00:00",
    "sessions": [],
    "observations": [
        {
            "id": 1,
            "sync_id": "obs-1",
            "session_id": "s",
            "type": "decision",
            "title": "From engram",
            "content": "Said there.",
            "scope": "project",
            "created_at": "2026-01-01 00:00:00",
            "updated_at": "2026-01-01 00:00:00",
        }
    ],
    "prompts": [],
}
ADD = [
    {
        "id": "L-001",
        "title": "From ADD",
        "body": "Said there.",
        "scope": "project",
        "category": "technical",
        "severity": "high",
        "date": "2026-01-02",
    }
]
GRAPH = '{"type":"entity","name":"From a graph","entityType":"rule","observations":["Said."]}\n'
ADR = "# 1. From a record\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\n## Context\n\nThere.\n"


class World(NamedTuple):
    """The folder that holds everything which a call may change."""

    folder: Path

    @property
    def project(self) -> Repo:
        return Repo(self.folder / PROJECT)

    @property
    def workstation(self) -> Repo:
        return Repo(self.folder / HOME / "workstation")

    @property
    def env(self) -> dict[str, str]:
        return {
            "GITKB_HOME": str(self.folder / HOME),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
        }

    def run(self, *words: str, stdin: str = "", code: int | None = 0, at: str = PROJECT) -> Any:
        return Repo(self.folder / at).run(*words, stdin=stdin, env=self.env, exit_code=code)


class Scenario(NamedTuple):
    """One call, and what is known of it."""

    name: str
    words: tuple[str, ...]
    stdin: str = ""
    prepare: Callable[[World], None] | None = None
    """What is done to the world before."""
    forgets: tuple[str, ...] = ()
    """The keys of which something may be gone afterwards, as it is meant."""
    again: tuple[int, ...] = (0,)
    """The exit codes with which the same call may end when it is made once more; none: it is not."""
    is_whole: bool = True
    """Whether all of it happens or nothing: what stands in two stores, or is many calls, is not."""
    program: str = "gitkb"
    at: str = PROJECT

    @property
    def verb(self) -> str:
        return self.words[0] if self.program == "gitkb" else self.program

    @property
    def command(self) -> list[str]:
        return [script(self.program) if self.program != "git" else "git", *self.words]


def make_world(folder: Path) -> World:
    """Make the world that every scenario begins with."""
    world = World(folder)
    folder.mkdir(parents=True)
    (folder / "gitconfig").touch()
    os.environ.update(world.env)  # a fixture restores it
    project = Repo.init(folder / PROJECT, "--template=")
    world.run("init", "--shards", SHARDS)
    for entry in ENTRIES:
        world.run("add", stdin=json.dumps({**entry, "ts": 1_700_000_000}))
    world.run("add", "--key", "gone", "--type", "fact", "--content", "To be forgotten.")
    world.run("forget", "gone")
    world.run("archive", "aside")
    world.run(
        *("add", "--key", "method", "--type", "learned", "--category", "process"),
        *("--scope", "workstation", "--title", "Small changes", "--content", "They are reviewed."),
    )
    org = Repo.init(folder / ORG, "--template=")
    world.run("init", "--shards", "1", at=ORG)
    world.run("add", "--key", "theirs", "--type", "fact", "--content", "Of the others.", at=ORG)
    org.commit("Begin")
    world.run("list", "--json")
    project.commit("Begin")
    _write_foreign_files(project)
    return world


def _write_foreign_files(project: Repo) -> None:
    project.write(".git/info/exclude", "/foreign/\n/.add/\n")
    project.write("foreign/drawbar.jsonl", DRAWBAR + "\n")
    project.write("foreign/engram.json", json.dumps(ENGRAM))
    project.write("foreign/learnings.json", json.dumps(ADD))
    project.write("foreign/graph.jsonl", GRAPH)
    project.write("foreign/adr/0001-from-a-record.md", ADR)
    line = {"key": "gk", "type": "fact", "content": "From another store.", "ts": 7, "created": 7}
    project.write("foreign/gitkb.jsonl", json.dumps(line) + "\n")
    lines = {
        "base": '{"id":"a","v":1}\n{"id":"b","v":1}\n',
        "ours": '{"id":"a","v":2}\n{"id":"b","v":1}\n',
        "theirs": '{"id":"a","v":1}\n{"id":"b","v":3}\n',
    }
    for side, text in lines.items():
        project.write(f"foreign/{side}.jsonl", text)


# --- what is done before -----------------------------------------------------------------------


def _two_lines(world: World) -> None:
    from gitkb.core.identity import shard_of

    name = f".gitkb/knowledge/{shard_of('other', int(SHARDS))}"
    line = '{"key":"other","type":"fact","content":"Said on a branch.","ts":1700000009}\n'
    world.project.write(name, world.project.read(name) + line.encode())


def _contested(world: World) -> None:
    conflict = {"field": "content", "value": "Said on a branch.", "ts": 5}
    entry = {"key": "other", "type": "fact", "content": "Said here.", "conflicts": [conflict]}
    world.run("add", stdin=json.dumps(entry))


def _conflict_without_a_driver(world: World) -> None:
    _branches(world)
    world.project.git("config", "merge.gitkb.driver", "/nonexistent %O %A %B")
    world.project.git("merge", "-q", "--no-edit", "side", exit_code=1)


def _other_spelling(world: World) -> None:
    from gitkb.core.identity import shard_of

    name = f".gitkb/knowledge/{shard_of('other', int(SHARDS))}"
    text = world.project.read(name).replace(b'","', b'", "')
    world.project.write(name, text)


def _rejected(world: World) -> None:
    world.run("reject", "old", "--because", "new")


def _relation(world: World) -> None:
    world.run("link", "linked", "depends_on", "new")


def _session(world: World) -> None:
    world.run("session", "start", "Move the queues")


def _promoted(world: World) -> None:
    world.run("promote", "lesson")


def _no_workstation(world: World) -> None:
    import shutil

    shutil.rmtree(world.folder / HOME)


def _not_installed(world: World) -> None:
    world.run("uninstall")


def _empty_repository(world: World) -> None:
    Repo.init(world.folder / "fresh", "--template=")


def _with_tier(world: World) -> None:
    world.run("tier", "add", "org", str(world.folder / ORG))


def _views(world: World) -> None:
    text = world.project.read(".gitkb/config.toml") + b"\n[views]\ncommit = true\n"
    world.project.write(".gitkb/config.toml", text)
    world.run("view")


def _staged(world: World) -> None:
    world.run("add", "--key", "staged", "--type", "fact", "--content", "To be committed.")
    world.project.add(".gitkb")


def _no_index(world: World) -> None:
    for path in (world.folder / PROJECT / ".git" / "gitkb").glob("index.sqlite*"):
        path.unlink()


def _half_installed(world: World) -> None:
    world.project.git("config", "--unset", "merge.gitkb.driver")


def _trusting(world: World) -> None:
    world.run("trust", "add", "ada@example.org")


def _branches(world: World) -> None:
    project = world.project
    for side, text in (("side", "Said on the side."), ("main", "Said on main.")):
        project.checkout(side, new=side == "side")
        world.run("add", "--key", f"on-{side}", "--type", "fact", "--content", text)
        world.run("add", "--key", "other", "--type", "fact", "--content", text)
        project.commit(f"On {side}")
    world.run("list", "--json")


def _has_editor(world: World) -> None:
    world.project.config("core.editor", "printf 'and more' >>")


SCENARIOS = (
    Scenario("add", ("add", "--key", "fresh", "--type", "fact", "--content", "Fresh.")),
    Scenario("add-correction", ("add", "--key", "other", "--type", "fact", "--content", "Other.")),
    Scenario(
        "add-revived",
        ("add", "--key", "gone", "--type", "fact", "--content", "Back."),
        again=(0, 3, 4, 5),
    ),
    Scenario("add-batch", ("add", "--batch"), BATCH),
    Scenario(
        "add-workstation",
        (
            *("add", "--type", "learned", "--category", "process", "--scope", "workstation"),
            *("--title", "Ask early", "--content", "It saves a day."),
        ),
        is_whole=False,
    ),
    Scenario(
        "add-first-workstation",
        (
            *("add", "--type", "learned", "--category", "process", "--scope", "workstation"),
            *("--title", "Ask early", "--content", "It saves a day."),
        ),
        prepare=_no_workstation,
        is_whole=False,
        forgets=("method",),
    ),
    Scenario(
        "add-views",
        ("add", "--key", "lesson", "--type", "pitfall", "--content", "Use it.", "--title", "Py"),
        prepare=_views,
    ),
    Scenario("archive", ("archive", "other", "new")),
    Scenario("archive-days", ("archive", "--days", "1")),
    Scenario("restore", ("restore", "aside")),
    Scenario("restore-rejected", ("restore", "old"), prepare=_rejected),
    Scenario("forget", ("forget", "other", "new"), forgets=("other", "new"), again=(0, 4)),
    Scenario(
        "redact",
        ("redact", "--match", "queues?", "--yes"),
        forgets=("old", "new"),
    ),
    Scenario(
        "redact-forget",
        ("redact", "other", "--forget", "--yes"),
        forgets=("other",),
    ),
    Scenario("confirm", ("confirm", "other", "new"), is_whole=False),
    Scenario("edit", ("edit", "other"), prepare=_has_editor),
    Scenario("setup", ("setup", "agents", "claude", "--yes")),
    Scenario("trust-add", ("trust", "add", "ada@example.org")),
    Scenario(
        "trust-remove",
        ("trust", "remove", "ada@example.org"),
        prepare=_trusting,
        again=(0, 4),
    ),
    Scenario("gc", ("gc", "--days", "0")),
    Scenario("supersede", ("supersede", "old", "new")),
    Scenario("reject", ("reject", "old", "--because", "new")),
    Scenario("link", ("link", "linked", "depends_on", "new")),
    Scenario("unlink", ("unlink", "linked", "depends_on", "new"), prepare=_relation),
    Scenario("session-start", ("session", "start", "Another goal"), again=(0,), is_whole=False),
    Scenario(
        "session-end",
        ("session", "end", "--done", "Moved them."),
        prepare=_session,
        again=(0, 4, 5),
        is_whole=False,
    ),
    Scenario("import-drawbar", ("import", "--from", "drawbar", "foreign/drawbar.jsonl")),
    Scenario("import-engram", ("import", "--from", "engram", "foreign/engram.json")),
    Scenario("import-add", ("import", "--from", "add", "foreign/learnings.json"), is_whole=False),
    Scenario("import-adr", ("import", "--from", "adr", "foreign/adr")),
    Scenario("import-mcp-memory", ("import", "--from", "mcp-memory", "foreign/graph.jsonl")),
    Scenario("import-gitkb", ("import", "--from", "gitkb", "foreign/gitkb.jsonl")),
    Scenario("export", ("export", "--output", "foreign/out.json")),
    Scenario("export-add", ("export", "--to", "add", "--output", "foreign/out"), is_whole=False),
    Scenario("fmt", ("fmt",), prepare=_other_spelling),
    Scenario("compact", ("compact",), prepare=_two_lines),
    Scenario("resolve-take", ("resolve", "other", "--take", "2"), prepare=_contested),
    Scenario("resolve-both", ("resolve", "other", "--both"), prepare=_contested),
    Scenario("resolve-files", ("resolve",), prepare=_conflict_without_a_driver, is_whole=False),
    Scenario("reshard-1", ("reshard", "1")),
    Scenario("reshard-256", ("reshard", "256")),
    Scenario("view", ("view",)),
    Scenario("promote", ("promote", "lesson"), is_whole=False),
    Scenario(
        "promote-first",
        ("promote", "lesson"),
        prepare=_no_workstation,
        is_whole=False,
        forgets=("method",),
    ),
    Scenario("demote", ("demote", "lesson"), prepare=_promoted, is_whole=False),
    Scenario("tier-add", ("tier", "add", "org", "{folder}/org"), is_whole=False),
    Scenario(
        "tier-remove",
        ("tier", "remove", "org"),
        prepare=_with_tier,
        is_whole=False,
        again=(0, 4),
        forgets=("theirs",),
    ),
    Scenario("tier-pull", ("tier", "pull"), prepare=_with_tier, is_whole=False),
    Scenario("init", ("init", "--shards", "16"), prepare=_empty_repository, at="fresh"),
    Scenario("install", ("install",), prepare=_not_installed),
    Scenario("install-again", ("install",), prepare=_half_installed),
    Scenario("install-global", ("install", "--global")),
    Scenario("uninstall", ("uninstall",)),
    Scenario("reindex", ("reindex",)),
    Scenario("recall", ("recall", "queue", "--json"), prepare=_no_index),
    Scenario("blame", ("blame", "--json")),
    Scenario("doctor-fix", ("doctor", "--fix"), prepare=_half_installed, again=(0, 1)),
    Scenario(
        "merge-driver",
        ("--key", "id", "foreign/base.jsonl", "foreign/ours.jsonl", "foreign/theirs.jsonl"),
        program="gitkb-merge-driver",
    ),
    Scenario("git-commit", ("commit", "-q", "-m", "More"), prepare=_staged, program="git"),
    Scenario("git-merge", ("merge", "-q", "--no-edit", "side"), prepare=_branches, program="git"),
)

VERBS_THAT_WRITE = {scenario.verb for scenario in SCENARIOS if scenario.program == "gitkb"}
VERBS_THAT_READ = {
    *("where", "demo", "show", "list", "stats", "context", "why", "related", "graph", "learnings"),
    *("classify", "review", "log", "mcp", "check", "conflicts", "diff", "completion"),
    *("stale", "usage", "for-file", "for-diff", "check-plan"),
}
"""They may write the search index and other derived files, as `recall`, `reindex` and `blame` do, and
`demo` makes a folder of its own; what `mcp` writes it writes through the operations of the verbs."""
