"""What has to hold after a call was cut short, and what finds out.

`check_after` answers sentences; none is the good answer. Commands run in this process, because a few
thousand moments are looked at: the same code, without the start of Python.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, NamedTuple

from gitkb.core.entry import parse_record
from gitkb.core.jsonl import parse_object

from fault_scenario import HOME, PROJECT
from in_process import Answer, run_here
from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path

    from fault_scenario import Scenario, World

# What `setup` is asked for, which lies beside the store.
AGENT_FILES = {".claude/settings.json", ".claude/skills/gitkb/SKILL.md", ".mcp.json", "AGENTS.md"}
_TIMES = {"ts", "created", "revives", "by"}

# Lock files that stay, because the lock is the operating system's and not that the file is there.
_STAY = ("gitkb/lock", "gitkb/lock-git", "gitkb/index.sqlite.lock", "gitkb/provenance.sqlite.lock")
_STAY_AT_HOME = (".tiers.lock", ".workstation.lock", ".projects.lock")
# What git leaves when it is killed itself; it says so, and a person removes it.
_GITS_OWN = (
    *("index.lock", "HEAD.lock", "ORIG_HEAD.lock", "refs/heads/main.lock"),
    "objects/maintenance.lock",
)


class Said(NamedTuple):
    """What the stores of a world say, without times."""

    current: dict[tuple[str, str], str]
    """Store and key to the value in force."""
    texts: frozenset[tuple[str, str]]
    """Key and content of every line anywhere."""


def call(world: World, *words: str, stdin: str = "", at: str = PROJECT) -> Answer:
    """Run gitkb's command line in this process, as in a folder of the world."""
    given = [word.replace("{folder}", str(world.folder)) for word in words]
    return run_here(given, world.folder / at, stdin.encode())


def stores_of(world: World) -> dict[str, Path]:
    """The stores that a call may have written, by the folder that they are in."""
    places = (PROJECT, f"{HOME}/workstation", "fresh", f"{HOME}/tiers/org")
    return {
        place: world.folder / place / ".gitkb"
        for place in places
        if (world.folder / place / ".gitkb").is_dir()
    }


def read_said(world: World) -> Said:
    """Read all stores; a line that is no record, or has no end, raises."""
    current: dict[tuple[str, str], str] = {}
    texts = set()
    for place, root in stores_of(world).items():
        for path in sorted(root.glob("*/*.jsonl")):
            data = path.read_bytes()
            if data and not data.endswith(b"\n"):
                raise AssertionError(f"'{path}' ends in the middle of a line")
            for line in data.splitlines():
                if path.parent.name == "confirmed":
                    current[place, f"confirmed {parse_object(line)['key']}"] = "still true"
                    continue
                record = parse_record(line)
                if "content" in record.fields:  # a tombstone says nothing that could be lost
                    texts.add((record.key, str(record.fields["content"])))
                for contested in record.fields.get("conflicts", ()):  # kept, though not shown
                    if contested["field"] == "content":
                        texts.add((record.key, str(contested.get("value"))))
                if path.parent.name == "knowledge":
                    fields = {k: v for k, v in record.fields.items() if k not in _TIMES}
                    known = current.get((place, record.key), "")
                    current[place, record.key] = known + json.dumps(fields, sort_keys=True)
    return Said(current, frozenset(texts))


def check_after(
    world: World, scenario: Scenario, before: Said, after: Said, said: str, *, by_git: bool = False
) -> list[str]:
    """Say what is wrong in a world in which a call was cut short after it had said `said`.

    `by_git`: it was git that worked at that moment, not a program of ours that it had started.
    """
    wrong = []
    if by_git and scenario.name == "git-merge":
        _undo_half_a_checkout(world)
    try:
        read_said(world)
    except Exception as error:  # noqa: BLE001  whatever it is, it is the finding
        return [f"a file is not valid: {error}"]
    place = scenario.at
    has_store = (world.folder / place / ".gitkb").is_dir()
    listed = call(world, "list", "--json", at=place)
    # Where there is no store yet, the tiers behind it may answer.
    if listed.code not in ((0,) if has_store else (0, 4)):
        wrong.append(f"list ended with {listed.code}: {listed.err}")
    now = read_said(world)
    wrong += _check_state(scenario, before, after, now)
    wrong += _check_acknowledged(said, now)
    _remove_gits_locks(world)
    wrong += _check_again(world, scenario, after)
    later = call(
        world, "add", "--key", "later", "--type", "fact", "--content", "Later.", at=PROJECT
    )
    if later.code:
        wrong.append(f"a later add ended with {later.code}: {later.err}")
    if scenario.program == "git":
        call(world, "blame", "--json")  # opens what the hook was writing, and rolls it back
    wrong += check_clean(world, is_conflict_fine=scenario.program == "git")
    return wrong


def check_clean(world: World, *, is_conflict_fine: bool = False) -> list[str]:
    """Say what is left lying about, and what check, git and the search index find."""
    wrong = [f"left behind: {name}" for name in leftovers(world)]
    checked = call(world, "check")
    if checked.code:
        wrong.append(f"check ended with {checked.code}: {checked.out}{checked.err}")
    status = Repo(world.folder / PROJECT).git("status", "--porcelain", "-uall", exit_code=None)
    if status.exit_code:
        wrong.append(f"git status failed: {status.stderr}")
    for line in status.lines():
        name = line[3:]
        if name.startswith(".merge_file_"):
            continue  # of a git that was killed in a merge
        is_data = (name.startswith(".gitkb/") or name in AGENT_FILES) and not name.endswith(".tmp")
        if not is_data or (line[:2] in ("UU", "AA", "DU", "UD") and not is_conflict_fine):
            wrong.append(f"git status says: {line}")
    return wrong + check_index(world)


def check_index(world: World) -> list[str]:
    """Compare what the search index answers with what a new one does."""
    questions = (("recall", "queue", "--all", "--json"), ("list", "--json"), ("stats", "--json"))
    answers = [call(world, *words) for words in questions]
    derived = world.folder / PROJECT / ".git" / "gitkb"
    kept = derived.with_name("kept")
    kept.mkdir()
    for path in derived.glob("index.sqlite*"):
        path.rename(kept / path.name)
    fresh = [call(world, *words) for words in questions]
    shutil.rmtree(kept)
    return [
        f"the index answers {' '.join(words)} with {one.out!r} {one.err!r}, a new one {other.out!r}"
        for words, one, other in zip(questions, answers, fresh, strict=True)
        if (one.code, one.out) != (other.code, other.out)
    ]


def leftovers(world: World) -> list[str]:
    """Name the files that somebody forgot: temporary ones, locks, journals, halves."""
    found = []
    for path in sorted(world.folder.rglob("*")):
        name = path.relative_to(world.folder).as_posix()
        if name.endswith(_STAY) or (path.name in _STAY_AT_HOME and HOME in name):
            continue
        endings = (
            ".tmp",
            ".lock",
            ".new",
            "-journal",
            "/journal",
            ".gitkb",
            "-new",
            "-edit",
            "at-work",
        )
        is_fine = path.name == ".gitkb" or path.name.startswith("tmp_obj_")  # git prunes them
        if not is_fine and (name.endswith(endings) or path.name.startswith("tmp")):
            found.append(name)
    return found


# --- parts ------------------------------------------------------------------------------------


def _check_state(scenario: Scenario, before: Said, after: Said, now: Said) -> list[str]:
    wrong = []
    if scenario.is_whole and now.current not in (before.current, after.current):
        wrong.append(f"neither before nor after: {_differences(before, after, now)}")
    for place in now.current.keys() | before.current.keys():
        value = now.current.get(place)
        if value not in (before.current.get(place), after.current.get(place)):
            wrong.append(f"{place} says {value}, which is neither before nor after")
    lost = {text for text in before.texts - now.texts if text[0] not in scenario.forgets}
    if lost:
        wrong.append(f"lost: {sorted(lost)}")
    return wrong


def _differences(before: Said, after: Said, now: Said) -> list[str]:
    keys = sorted(before.current.keys() | after.current.keys() | now.current.keys())
    return [
        f"{key}: {now.current.get(key)}"
        for key in keys
        if before.current.get(key) != after.current.get(key)
    ]


def _check_acknowledged(said: str, now: Said) -> list[str]:
    wrong = []
    for line in said.splitlines():
        if '"written":true' in line:
            key = json.loads(line)["key"]
            if not any(known == key for _, known in now.current):
                wrong.append(f"acknowledged and lost: {line}")
    return wrong


def _check_again(world: World, scenario: Scenario, after: Said) -> list[str]:
    if scenario.program != "gitkb" or not scenario.again:
        return []
    done = call(world, *scenario.words, stdin=scenario.stdin, at=scenario.at)
    if done.code not in scenario.again:
        return [f"the same call again ended with {done.code}: {done.out}{done.err}"]
    if scenario.verb == "session":
        return []  # another session, with another id
    now = read_said(world)
    if now.current != after.current:
        changed = {
            place: (now.current.get(place), after.current.get(place))
            for place in now.current.keys() | after.current.keys()
            if now.current.get(place) != after.current.get(place)
        }
        return [f"the same call again ends otherwise: {changed}"]
    return []


def _undo_half_a_checkout(world: World) -> None:
    """Do what git says to do after it was killed while it put one file after the other in place."""
    repo = Repo(world.folder / PROJECT)
    if (repo.path / ".git" / "index.lock").exists() and repo.status():
        _remove_gits_locks(world)
        repo.git("reset", "-q", "--hard")
        repo.git("clean", "-qfd", "--", ".gitkb")


def _remove_gits_locks(world: World) -> None:
    for name in _GITS_OWN:
        (world.folder / PROJECT / ".git" / name).unlink(missing_ok=True)
