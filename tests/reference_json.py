"""The JSON answers of the command line, observed: a small team's store, every verb asked in it.

A verb's answer has no schema in the code; what it holds is what the code puts there. So each verb is called, and
the shape of what it answers is read off: which names, of which JSON types, in every object or in some only.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gitkb.cli.verbs import SECTIONS
from gitkb.core.entry import FIELDS

from reference_meanings import MEANINGS, OF_VERBS
from repo_builder import BEN, Repo

if TYPE_CHECKING:
    from collections.abc import Iterator

_DECISION = {
    "key": "dec_cents",
    "type": "decision",
    "title": "Money is kept in cents",
    "content": "Floats lost a cent.",
    "tags": ["money"],
    "files": ["src/invoice.py"],
}
_ENTRIES = [
    _DECISION,
    {"key": "dec_floats", "type": "decision", "title": "Money is a float", "content": "Quick."},
    {
        "key": "pit_rounding",
        "type": "pitfall",
        "title": "The tax service rounds half up",
        "content": "MUST-CHECK: never round before calling it. See [[dec_cents]].",
        "files": ["src/invoice.py"],
        "category": "technical",
        "scope": "project",
        "stack": ["python"],
        "review_by": "2020-01-01",
    },
    {
        "key": "dec_cache",
        "type": "decision",
        "title": "Rounding is cached",
        "content": "Floats are slow.",
        "links": [{"rel": "depends_on", "to": "dec_floats"}],
    },
    {"key": "fac_paper", "type": "fact", "title": "Money is on paper", "content": "Until 1990."},
    {"key": "fac_old", "type": "fact", "title": "Invoices were on paper", "content": "Until 1998."},
    {"key": "fac_slip", "type": "fact", "title": "A slip", "content": "Nobody needs it."},
]
_LATER = 4_000_000_000  # seconds: who is the later of two does not hang on how fast the machine is
_SECRET = "note to scrub"
_MAPS = ("byType", "calls", "counts", "needed", "words", "relevance", "factors")
"""Objects whose names are data: types, fields, keys."""


class Answer(NamedTuple):
    """What a verb said with `--json`."""

    verb: str
    document: Any


def iter_answers(folder: Path) -> Iterator[Answer]:
    """Ask every verb that answers with JSON, in an order in which each has something to say."""
    repo = _team(folder)

    def ask(*words: str, stdin: str | None = None) -> Answer:
        # `add` and `export` answer with JSON as they are.
        plain = words[0] in ("add", "export")
        done = repo.run(*words, *(() if plain else ("--json",)), stdin=stdin, exit_code=None)
        if done.exit_code not in (0, 1):
            raise AssertionError(str(done))
        return Answer(words[0], done.json())

    for words in _QUESTIONS:
        yield ask(*words)
    yield ask("add", stdin=json.dumps({"type": "fact", "title": "A new one", "content": "Yes."}))
    yield ask("add", "--type", "decision", "--title", "Money is kept in cents, always")
    yield ask("check-plan", stdin="Round money before we call the tax service, as a float.\n")
    yield ask("edit", "dec_cents")
    yield ask("session", "start", "Move to cents")
    yield ask("session", "list")
    yield ask("session", "end", "--done", "It is moved")
    repo.write(
        "more.jsonl", json.dumps({"key": "fac_more", "type": "fact", "title": "More"}) + "\n{\n"
    )
    for words in _CHANGES:
        yield ask(*words)
    repo.git("add", ".gitkb", "src")
    repo.git("commit", "-q", "-m", "More of it")
    repo.run(
        "add", "--key", "fac_scrub", "--type", "fact", "--title", "Scrub", "--content", _SECRET
    )
    for words in _CARE:
        yield ask(*words)


_QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("where",),
    ("doctor",),
    ("recall", "money cents floats rounding", "--all"),
    ("recall", "money is on papre", "--explain", "--all"),
    ("list", "--all"),
    ("show", "dec_cents"),
    ("show", "fac_old"),
    ("stats",),
    ("context", "money in cents", "--file", "src/invoice.py"),
    ("for-file", "src/invoice.py"),
    ("for-diff",),
    ("why", "dec_cents"),
    ("related", "dec_cents"),
    ("graph",),
    ("learnings", "--for", "plan"),
    ("classify", "pit_rounding"),
    ("review",),
    ("tier", "list"),
    ("blame",),
    ("log", "dec_cents"),
    ("diff", "HEAD~1..HEAD"),
    ("trust", "list"),
    ("stale",),
    ("check",),
    ("conflicts",),
    ("export",),
    ("recall", "zebra crossing"),
    ("usage",),
)
_CHANGES: tuple[tuple[str, ...], ...] = (
    ("init",),
    ("install",),
    ("import", "--from", "gitkb", "more.jsonl"),
    ("link", "dec_cents", "relates_to", "fac_slip"),
    ("unlink", "dec_cents", "relates_to", "fac_slip"),
    ("supersede", "fac_more", "dec_cents"),
    ("reject", "fac_slip", "--because", "dec_cents"),
    ("archive", "fac_slip"),
    ("restore", "fac_slip"),
    ("forget", "fac_slip"),
    ("resolve", "dec_cents", "--take", "1"),
    ("confirm", "pit_rounding"),
    ("show", "pit_rounding"),
    ("view",),
    ("trust", "add", "ada@example.org"),
    ("setup", "agents", "--dry-run"),
)
_CARE: tuple[tuple[str, ...], ...] = (
    ("redact", "fac_scrub", "--match", _SECRET, "--yes"),
    ("promote", "pit_rounding", "--to", "workstation"),
    ("demote", "pit_rounding", "--to", "project"),
    ("fmt",),
    ("compact", "--dry-run"),
    ("reshard", "16"),
    ("gc", "--days", "1", "--dry-run"),
    ("reindex",),
    ("uninstall",),
)


def _team(folder: Path) -> Repo:
    """Two clones that changed one entry on both sides, merged; a rejected, an archived and a stale one."""
    server = Repo.init(folder / "server", bare=True)
    ada = Repo.clone(server, folder / "ada")
    ada.run("init", "--shards", "1")
    ada.write("src/invoice.py", "total = 0\n")
    ada.run("add", "--batch", stdin="".join(json.dumps(line) + "\n" for line in _ENTRIES))
    ada.run("reject", "dec_floats", "--because", "dec_cents")
    ada.run("supersede", "fac_paper", "dec_cents")
    ada.run("archive", "fac_old")
    ada.git("add", ".")
    ada.git("commit", "-q", "-m", "What we know")
    ada.git("push", "-q", "-u", "origin", "HEAD:main")
    ben = Repo.clone(server, folder / "ben", "-b", "main", person=BEN)
    ben.run("install")
    _change(ben, "Floats lost a cent, says Ben.", "total = 1\n", _LATER)
    ben.git("push", "-q")
    _change(ada, "Floats lost a cent, says Ada.", None, _LATER + 60)
    ada.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    ada.write("src/invoice.py", "total = 2\n")
    return ada


def _change(repo: Repo, content: str, code: str | None, ts: int) -> None:
    repo.run("add", stdin=json.dumps({**_DECISION, "content": content, "ts": ts}))
    if code is not None:
        repo.write("src/invoice.py", code)
    repo.git("commit", "-q", "-a", "-m", "Say more")


# --- shapes ----------------------------------------------------------------------------------


class Shape:
    """What the values at one place were: their JSON types, and of objects their names."""

    def __init__(self) -> None:
        self.types: set[str] = set()
        self.objects = 0
        self.names: dict[str, Shape] = {}
        self.counts: dict[str, int] = {}
        self.items: Shape | None = None

    def see(self, value: Any) -> None:
        """Take one more value into account."""
        self.types.add(_type_of(value))
        if isinstance(value, dict):
            self.objects += 1
            for name, part in value.items():
                self.names.setdefault(name, Shape()).see(part)
                self.counts[name] = self.counts.get(name, 0) + 1
        elif isinstance(value, list):
            self.items = self.items or Shape()
            for item in value:
                self.items.see(item)

    @property
    def words(self) -> str:
        """The types, for a reader."""
        words = [
            "entry" if word == "object" and self.is_entry else word for word in sorted(self.types)
        ]
        if self.items is not None:
            of = f"array of {self.items.words}" if self.items.types else "array"
            words = [of if word == "array" else word for word in words]
        return " or ".join(words)

    @property
    def is_entry(self) -> bool:
        """Whether the objects here are entries, with all their fields."""
        return {"key", "type", "ts", "created"} <= self.names.keys()

    def rows(self, path: str = "") -> Iterator[tuple[str, str, bool]]:
        """The path of each name, its types, and whether every object had it."""
        if self.items is not None:
            yield from self.items.rows(f"{path}[]")
        for name, shape in self.names.items():
            if self.is_entry and name in FIELDS:
                continue
            below = f"{path}.{name}".lstrip(".")
            is_map = name in _MAPS and bool(shape.names)
            words = f"object of {shape.any_name.words}" if is_map else shape.words
            yield below, words, self.counts[name] == self.objects
            yield from shape.any_name.rows(f"{below}.*") if is_map else shape.rows(below)

    @property
    def any_name(self) -> Shape:
        """The shape of all values of an object whose names are data."""
        merged = Shape()
        for shape in self.names.values():
            merged.take(shape)
        return merged

    def take(self, other: Shape) -> None:
        """Take what another shape saw into account."""
        self.types |= other.types
        self.objects += other.objects
        for name, shape in other.names.items():
            self.names.setdefault(name, Shape()).take(shape)
            self.counts[name] = self.counts.get(name, 0) + other.counts[name]
        if other.items is not None:
            self.items = self.items or Shape()
            self.items.take(other.items)


def _type_of(value: Any) -> str:
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def read_shapes(folder: Path) -> dict[str, Shape]:
    """The shape of every verb's answers, by verb."""
    shapes: dict[str, Shape] = {}
    for answer in iter_answers(folder):
        shapes.setdefault(answer.verb, Shape()).see(answer.document)
    return shapes


# --- the page ------------------------------------------------------------------------------------


def json_page() -> str:
    """docs/reference/json.md from what the verbs answer in a small team's store."""
    with tempfile.TemporaryDirectory() as folder:
        shapes = read_shapes(Path(folder))
    lines = [
        "# JSON answers",
        "",
        "With `--json` a verb gives one JSON document on stdout, on one line; `add` always does. Notes, progress and",
        "errors go to stderr, and the [exit code](exit-codes.md) is the same as without. `[]` stands for each element of",
        "an array, `.*` for each name of an object whose names are data. A name marked “always” stands in every such",
        "object, the others only where they say something; a name may join in a minor version, none goes but in a major",
        "one. Where an object is an **entry**, its own fields are those of [the entry](entry.md), and the table names what",
        "stands beside them.",
    ]
    for title, names in SECTIONS:
        shown = [name for name in names if name in shapes]
        lines += ["", f"## {title}"] if shown else []
        for name in shown:
            shape = shapes[name]
            of = shape.items if shape.items is not None else shape
            words = "an array" if shape.items is not None else "an object"
            if shape.items is not None and "object" in shape.types:
                words = "an array of the open ones for `list`, else an object"
            what = words + (" of entries" if of.is_entry and of is not shape else "")
            what = "an entry" if of.is_entry and of is shape else what
            lines += ["", f"### `gitkb {name}`", "", f"{what.capitalize()}.", ""]
            rows = [_json_row(name, *row) for row in shape.rows()]
            lines += ["| name | JSON type | when | what it says |", "|---|---|---|---|", *rows]
            lines = lines if rows else lines[:-3]
    return "\n".join(lines) + "\n"


def _json_row(verb: str, path: str, words: str, is_always: bool) -> str:
    return f"| `{path}` | {words} | {'always' if is_always else ''} | {meaning_of(verb, path)} |"


def meaning_of(verb: str, path: str) -> str:
    """What a name says; empty where nobody has written it down."""
    name = path.rpartition(".")[2].removesuffix("[]")
    return OF_VERBS.get(f"{verb} {name}") or MEANINGS.get(name, "")
