"""What is fuzzed: each place where bytes of others come in, and what has to hold whatever they are.

1. A target takes the bytes and a fresh folder, and raises `FoundError` with what is wrong.
2. gitkb runs in this process; only its server of MCP is a process of its own.
3. Everywhere: a documented exit code, no traceback, an end within `SECONDS`.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

from gitkb.cli.main import run
from gitkb.drivers import merge_command
from gitkb.hooks import agent, post, remind
from gitkb.hooks.main import main

from fuzz.mutation import ENTRY, LINES, make_file, mutate, noise
from in_process import run_here
from repo_builder import Repo, script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

DOCUMENTED = {0, 1, 2, 3, 4, 5, 6, 7}
SECONDS = 20.0
_PATIENCE = 10
GOOD = b'{"key":"good-one","type":"fact","content":"Stays.","created":7,"ts":7}'


class FoundError(AssertionError):
    """Something that must not happen happened."""


class Target(NamedTuple):
    """One place: how its bytes are made, and what is done with them."""

    name: str
    make: Callable[[Sequence[bytes], random.Random], bytes]
    check: Callable[[bytes, Repo], None]


class _HangError(BaseException):
    pass


@contextmanager
def in_time(seconds: float = SECONDS) -> Iterator[None]:
    """Let what does not end become a finding.

    The seconds are those that this process worked. On a busy machine others pass, and what only waits
    for what never comes is found after `_PATIENCE` times as many.
    """
    begun, rings = time.process_time(), iter(range(_PATIENCE))

    def ring(_number: int, _frame: object) -> None:
        worked = time.process_time() - begun
        if worked < seconds and next(rings, None) is not None:
            signal.setitimer(signal.ITIMER_REAL, seconds - worked)
            return
        raise _HangError

    before = signal.signal(signal.SIGALRM, ring)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _HangError:
        raise FoundError(f"no end within {seconds:g} seconds") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left)  # what is timed outside of this goes on


def _run_hook(words: list[str]) -> int:
    """Run a hook without its time limit, which ends the process: that is ours here."""
    with ExitStack() as stack:
        for module in (agent, post, remind):
            stack.enter_context(patch.object(module, "set_limit", lambda *_: None))
        return main(words)


def call(
    repo: Repo, *words: str, stdin: bytes = b"", program: Callable[[list[str]], int] = run
) -> str:
    """Run a program of ours in this process, and give its output; a bad end is found."""
    code, said, told = run_here(words, repo.path, stdin, program)
    if code not in DOCUMENTED or "Traceback" in said + told:
        raise FoundError(f"{' '.join(words)} ended with {code}:\n{said[-2000:]}\n{told[-4000:]}")
    return said if code == 0 else ""


def make_repository(folder: Path) -> Repo:
    """The repository that every case begins with."""
    repo = Repo.init(folder, "--template=")
    repo.run("init", "--shards", "1")
    repo.write(".gitkb/knowledge/all.jsonl", GOOD + b"\n")
    repo.commit("Begin")
    return repo


# --- the store's own files ---------------------------------------------------------------------


def _check_lines(data: bytes, repo: Repo) -> None:
    """Good lines are served beside any bytes, and no writer loses a line that it does not know."""
    name = ".gitkb/knowledge/all.jsonl"
    text = GOOD + b"\n" + data + (b"" if data.endswith(b"\n") else b"\n")
    repo.write(name, text)
    if data.count(b"good-one") == 0:
        found = json.loads(call(repo, "list", "--json", "--all") or "[]")
        if all(value.get("key") != "good-one" for value in found):
            raise FoundError("the good line is not served")
        call(repo, "show", "good-one", "--json")
    for words in (
        *(("recall", "retry"), ("check",), ("stats", "--json"), ("doctor", "--json")),
        *(("context", "retry"), ("graph",), ("export",), ("export", "--to", "markdown")),
        *(("learnings", "--for", "plan"), ("why", "good-one"), ("view", "knowledge", "--stdout")),
    ):
        call(repo, *words)
    call(repo, "add", "--key", "fresh-one", "--type", "fact", "--content", "New.")
    _refuse_loss(text, repo.read(name), "add")
    call(repo, "archive", "fresh-one")
    _refuse_loss(text, repo.read(name), "archive")
    for words in (("fmt",), ("compact",), ("reshard", "16")):
        before = _bad_lines(repo)
        call(repo, *words)
        lost = before - _bad_lines(repo)
        if lost:
            raise FoundError(f"{words[0]} lost {sorted(lost)[:3]!r}")


def _refuse_loss(before: bytes, after: bytes, verb: str) -> None:
    lost = {line for line in before.split(b"\n") if line and b"fresh-one" not in line}
    lost -= set(after.split(b"\n"))
    if lost:
        raise FoundError(f"{verb} changed lines that it had no business with: {sorted(lost)[:3]!r}")


def _bad_lines(repo: Repo) -> set[bytes]:
    from gitkb.core.entry import parse_record
    from gitkb.core.jsonl import BadLineError

    found = set()
    for name, data in repo.tree().items():
        for line in data.split(b"\n") if name.endswith(".jsonl") else ():
            try:
                parse_record(line)
            except BadLineError:
                found.add(line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r"))
    return {line for line in found if line.strip()}


def _check_config(data: bytes, repo: Repo) -> None:
    repo.write(".gitkb/config.toml", data)
    before = repo.tree()
    for words in (
        *(("list", "--json"), ("recall", "stays"), ("where",), ("check",), ("doctor",), ("stats",)),
        *(("context", "stays"), ("view", "--stdout"), ("learnings", "--for", "plan"), ("graph",)),
        *(("gc", "--days", "1", "--dry-run"), ("fmt", "--check"), ("compact", "--dry-run")),
    ):
        call(repo, *words)
    if repo.tree() != before:
        raise FoundError("a reading verb changed the store")
    call(repo, "add", "--type", "fact", "--content", "New.")
    call(repo, "reshard", "16")
    if GOOD not in b"".join(repo.tree().values()):
        raise FoundError("the good line is gone")


_DERIVED = (
    *("index.sqlite", "index.sqlite.seal", "index.sqlite-journal", "provenance.sqlite", "journal"),
    *("install.json", "stale", "setup-told", "sessions/ses_aaaaaaaa.json", "at-work", "hook.log"),
)


def _check_derived(data: bytes, repo: Repo) -> None:
    """What lies beside the index is never believed, and never stops anybody."""
    expected = call(repo, "list", "--json")
    name = _DERIVED[len(data) % len(_DERIVED)]
    repo.write(f".git/gitkb/{name}", data)
    if (said := call(repo, "list", "--json")) != expected:
        raise FoundError(f"with such a '{name}' the list is {said!r}")
    if "good-one" not in (said := call(repo, "recall", "stays", "--json")):
        raise FoundError(f"with such a '{name}' recall says {said!r}")
    for words in (("session", "list"), ("blame",), ("doctor",), ("install",), ("uninstall",)):
        call(repo, *words)


# --- what others give --------------------------------------------------------------------------


def _check_add(data: bytes, repo: Repo) -> None:
    call(repo, "add", stdin=data)
    call(repo, "add", "--batch", stdin=data)
    _refuse_invalid(repo)


def _refuse_invalid(repo: Repo) -> None:
    before = call(repo, "list", "--json", "--all")
    if not before:
        raise FoundError("the store that was written cannot be listed")
    bad = _bad_lines(repo)
    if bad:
        raise FoundError(f"a line was written that cannot be read: {sorted(bad)[:2]!r}")
    if "good-one" not in before:
        raise FoundError("the good line is gone")


def _importer(format_: str, name: str) -> Callable[[bytes, Repo], None]:
    def check(data: bytes, repo: Repo) -> None:
        repo.write(f"foreign/{name}", data)
        path = "foreign" if format_ == "adr" else f"foreign/{name}"
        call(repo, "import", "--from", format_, path, "--dry-run", "--json")
        call(repo, "import", "--from", format_, path)
        _refuse_invalid(repo)
        answer = call(repo, "import", "--from", format_, path, "--json")
        counted = json.loads(answer or "{}")
        if answer and counted["total"] != counted["imported"] + len(counted["dropped"]):
            raise FoundError(f"the counts do not add up: {answer}")

    return check


def _check_driver(data: bytes, repo: Repo) -> None:
    """The driver ends with 0 or 1, and what it leaves holds both sides or is gone."""
    base, ours, theirs = (*data.split(b"\x1e"), b"", b"")[:3]
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        repo.write(f"{name}.jsonl", text)
    for options in ((), ("--key", "id"), ("--key", "key", "--clock", "ts")):
        repo.write("ours.jsonl", ours)
        words = (*options, "base.jsonl", "ours.jsonl", "theirs.jsonl", "7", "knowledge/all.jsonl")
        call(repo, *words, program=_driver)
        if not (repo.path / "ours.jsonl").exists():
            continue  # then git fails the merge
        _refuse_swallowed(repo.read("ours.jsonl"), base, ours, theirs)


def _driver(words: list[str]) -> int:
    code = merge_command.run(words)
    return code if code in (0, 1) else 70


def _refuse_swallowed(result: bytes, base: bytes, ours: bytes, theirs: bytes) -> None:
    known = set(base.split(b"\n"))
    for side, other in ((ours, theirs), (theirs, ours)):
        for line in set(side.split(b"\n")) - known - set(other.split(b"\n")):
            word = line.strip()[:12]
            # A line that is no record is kept as it is; a record may be merged into another form.
            if word and not word.startswith(b"{") and line.rstrip(b"\r") not in result:
                raise FoundError(f"swallowed {line[:80]!r}")


def _check_hook(data: bytes, repo: Repo) -> None:
    words = [
        word.decode("utf-8", "surrogateescape") for word in data.replace(b"\0", b"").split()[:4]
    ]
    repo.write("file.jsonl", data)
    repo.add()
    for name in ("pre-commit", "pre-merge-commit", "post-checkout", "post-merge", "post-rewrite"):
        call(repo, name, *words, stdin=data, program=_run_hook)


def _check_server(data: bytes, repo: Repo) -> None:
    """Whatever lines come, the next good one is answered, and the end of input ends the server."""
    ping = b'{"jsonrpc":"2.0","id":"the-ping","method":"ping"}'
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "fuzz", "version": "1"},
        },
    }
    ready = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    text = b"\n".join((json.dumps(hello).encode(), ready, data, ping, b""))
    done = subprocess.run(
        [script("gitkb"), "mcp"],
        cwd=repo.path,
        input=text,
        capture_output=True,
        timeout=60,
        check=False,
    )
    told = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0 or "Traceback" in told:
        raise FoundError(f"the server ended with {done.returncode}: {told[-3000:]}")
    for line in done.stdout.splitlines():
        json.loads(line)
    if b'"the-ping"' not in done.stdout:
        raise FoundError(f"no answer to a good line: {done.stdout[-500:]!r} {told[-1000:]}")


# --- how the bytes are made --------------------------------------------------------------------


def _of_sample(*samples: bytes) -> Callable[[Sequence[bytes], random.Random], bytes]:
    def make(_seeds: Sequence[bytes], random_: random.Random) -> bytes:
        return (
            mutate(random_.choice(samples), random_) if random_.random() < 0.9 else noise(random_)
        )

    return make


def _three(seeds: Sequence[bytes], random_: random.Random) -> bytes:
    base = make_file(seeds, random_)
    sides = [
        mutate(base, random_) if random_.random() < 0.7 else make_file(seeds, random_) for _ in "12"
    ]
    return b"\x1e".join((base, *sides)) if b"\x1e" not in base + sides[0] + sides[1] else base


def _requests(seeds: Sequence[bytes], random_: random.Random) -> bytes:
    """Twenty lines: starting a server costs more than what it does with them."""
    lines = []
    for number in range(20):
        name = random_.choice(("recall", "show", "add", "context", "why", "forget", "nonsense"))
        given = {"query": "x", "key": "good-one", **random_.choice(({}, ENTRY, {"limit": -1}))}
        params = {"name": f"kb_{name}" if random_.random() < 0.3 else name, "arguments": given}
        line = json.dumps(
            {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        )
        lines.append(mutate(line.encode(), random_) if random_.random() < 0.8 else noise(random_))
    # A line that answers to the ping's name, or that asks the server to end, proves nothing.
    return b"\n".join(line for line in lines if b"the-ping" not in line)


CONFIG = (
    b"shards = 1\nlanguages = ['en', 'ru']\n[project]\nname = 'x'\nstack = ['python']\n"
    b"[categories]\nextra = ['ops']\n[operations]\nplan = ['technical']\n"
    b"[views]\ncommit = true\nnames = ['learnings', 'knowledge']\n[context]\nbudget = 900\n"
    b"[trust]\nauthors = ['a@b']\nsigned = false\n[secrets]\nallow = ['x']\npersonal = true\n"
)
DRAWBAR = b'{"key":"a","type":"learned","content":"c","source":"agent","tags":["x"],"ts":5}\n'
ENGRAM = (
    b'{"version":"0.1.0","exported_at":"2026-01-01 00:00:00","sessions":[],"observations":[{"id":1,'
    b'"sync_id":"o","session_id":"s","type":"decision","title":"t","content":"c","scope":"project",'
    b'"created_at":"2026-01-01 00:00:00","updated_at":"2026-01-01 00:00:00"}],"prompts":[]}'
)
ADD = (
    b'[{"id":"L-001","title":"t","body":"b","scope":"project","category":"technical",'
    b'"severity":"high","date":"2026-01-02","tags":["a"]}]'
)
ADR = b"# 1. Use A\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n\nSupersedes ADR-0002\n\n## Context\n\nx\n"
GRAPH = (
    b'{"type":"entity","name":"a","entityType":"rule","observations":["x"]}\n'
    b'{"type":"relation","from":"a","to":"b","relationType":"knows"}\n'
)

TARGETS = (
    Target("lines", make_file, _check_lines),
    Target("config", _of_sample(CONFIG), _check_config),
    Target("derived", _of_sample(*LINES, b"SQLite format 3\0" + bytes(200)), _check_derived),
    Target("add", make_file, _check_add),
    Target("import-drawbar", _of_sample(DRAWBAR, DRAWBAR * 3), _importer("drawbar", "a.jsonl")),
    Target("import-engram", _of_sample(ENGRAM), _importer("engram", "a.json")),
    Target("import-add", _of_sample(ADD), _importer("add", "learnings.json")),
    Target("import-adr", _of_sample(ADR), _importer("adr", "0001-a.md")),
    Target("import-mcp-memory", _of_sample(GRAPH), _importer("mcp-memory", "a.jsonl")),
    Target("import-gitkb", make_file, _importer("gitkb", "a.jsonl")),
    Target("driver", _three, _check_driver),
    Target("hook", make_file, _check_hook),
    Target("server", _requests, _check_server),
)
