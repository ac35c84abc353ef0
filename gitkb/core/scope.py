"""How far a learning reaches, by rules that say their reasons: no model, no chance.

1. project before workstation before universal: what is about this project may speak of a library as
   well, and stays here. What is none of the three is the project's; a person can promote it.
2. The same words in the same surroundings give the same answer. What exists in the project comes in
   from outside; here is only text.
3. Every reason names the words of the text that it rests on.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.stack import find_manifest
from gitkb.core.technology import find_technologies, technology_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from gitkb.core.canonical import Fields

PROJECT, WORKSTATION, UNIVERSAL = "project", "workstation", "universal"
LONGEST_TEXT = 20_000
"""Characters that are looked at; a learning that needs more to say what it is about says it twice."""
MOST_PATHS = 40
UNCLEAR = "nothing in it says that it holds elsewhere"
"""The reason of what no rule has anything to say of."""
_MOST_NAMED = 3
_SHORT_NAME = 4

_METHODS = frozenset({"collaboration", "process"})

_is_path = re.compile(
    r"(?<![\w/.:@-])(?:\./)?(?:[\w.@-]+/)*[\w@-]*(?:\.[\w-]+)+(?![\w/])|(?<![\w/.:@-])(?:[\w@-]+/)+[\w@.-]*"
)
_COMMON_NAMES = frozenset(
    """
    readme.md changelog.md contributing.md license license.md makefile .gitignore .gitattributes
    .editorconfig .env .env.example .npmrc settings.json config.json config.toml config.yml
    config.yaml main.py app.py __init__.py setup.py conftest.py index.js index.ts index.html main.go
    main.rs mod.rs lib.rs main.js main.ts app.js app.ts app.tsx index.tsx utils.py models.py views.py
    urls.py tests.py package-lock.json poetry.lock uv.lock agents.md claude.md pre-commit-config.yaml
    .pre-commit-config.yaml node.js next.js vue.js react.js express.js nuxt.js three.js d3.js nest.js
    """.split()  # noqa: SIM905  a table to be read and extended
)

# What comes before `table`, `schema`, `column` and names no one of them.
_GENERIC = frozenset(
    """
    a an the this that these those each every any some no one two all both another other same new old
    large small big huge whole single separate temporary temp lookup hash routing truth pivot markdown
    html data database db sql periodic join junction base parent child target source main empty flat
    json xml graphql avro protobuf openapi swagger star snowflake valid strict public default
    primary foreign unique index indexed key nullable generated computed extra missing first last
    right left per by in of on with without from into to and or for is are was as at its their your
    my his her which what when if than then postgres postgresql mysql sqlite oracle mariadb django
    sqlalchemy rails partitioned wide narrow symbol dispatch page jump decision frequency multiplication
    schema table column sort grid css kanban spreadsheet excel csv partition shard date text id
    time conference kitchen under via round sorted ordered normal pricing comparison summary lock locked
    """.split()  # noqa: SIM905
)
_PLAINLY_NAMED = ("table", "column")
"""`users table` names one; `response schema` and `garbage collection` need not."""
_named_before = re.compile(
    r"(?<![\w.])[`'\"]?([A-Za-z][\w.]{0,60})[`'\"]?[ ]+(table|schema|column|collection|migration)s?\b(?![ ]*(?:of contents|tennis))"
)
_named_after = re.compile(
    r"\b(table|schema|column|collection|database|migration)s?[ ]+[`'\"]([A-Za-z][\w.]{0,60})[`'\"]"
    r"|\b(table|column|collection|schema)[ ]+([a-z]{1,30}_\w{1,60})"
)
_ours = re.compile(
    r"\b(?:this|our)[ ]+(?:own[ ]+)?(?:project|repo|repository|code ?base|app|application|service|product"
    r"|monorepo|schema|database|config|configuration|settings|deployment|pipeline|ci|api|backend|frontend"
    r"|build|server|site|website|plugin|package|module|tests?|test suite|migrations?)\b",
    re.IGNORECASE,
)
_is_setting = re.compile(r"\b[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}\b")
_is_release = re.compile(r"\bv\d+\.\d+(?:\.\d+)?\b")
_methods = re.compile(
    r"\b(?:code reviews?|pull requests?|pair(?:ing)? programming|pairing|retros?|retrospectives?|stand-?ups?"
    r"|hand-?offs?|hand-?overs?|stakeholders?|post-?mortems?|methodolog(?:y|ies)|work in progress|estimation"
    r"|test-driven|tdd|specs?[ -]before[ -]code|trunk-based|definition of done|acceptance criteria"
    r"|timebox(?:ing|ed)?|brainstorm(?:ing)?|teamwork|commit messages?|small commits?)\b",
    re.IGNORECASE,
)


class Classified(NamedTuple):
    """A scope, and what it rests on: one sentence a reason."""

    scope: str
    reasons: tuple[str, ...]
    stack: tuple[str, ...] = ()
    """Of what reaches further and names no stack: the technologies that it speaks of and that this
    project is built with, sorted. Others would keep it even from where it was learned."""


class Surroundings(NamedTuple):
    """What is known of the project that the learning comes from."""

    name: str = ""
    """What it calls itself, or an empty text."""
    files: frozenset[str] = frozenset()
    """Those of the paths of `find_paths` that exist in it."""
    stack: frozenset[str] = frozenset()
    """What it is built with, its dependencies among it."""


def learning_text(fields: Fields) -> str:
    """What is looked at: title and content."""
    parts = (fields.get("title"), fields.get("content"))
    return "\n".join(part for part in parts if isinstance(part, str))[:LONGEST_TEXT]


def find_paths(fields: Fields) -> list[str]:
    """Give what may be a file's path: the entry's files, and words that look like one. No doubles."""
    files = fields.get("files")
    named = [path for path in files if isinstance(path, str)] if isinstance(files, list) else []
    written = (
        at[0].removeprefix("./").rstrip(".") for at in _is_path.finditer(learning_text(fields))
    )
    found = dict.fromkeys((*named, *(path for path in written if _could_be_own(path))))
    return list(found)[: MOST_PATHS + len(named)]


def classify_scope(fields: Fields, around: Surroundings) -> Classified:
    """Say how far a learning reaches, and why."""
    text = learning_text(fields)
    reasons = tuple(_project_reasons(fields, text, around))
    if reasons:
        return Classified(PROJECT, reasons)
    reasons = tuple(_workstation_reasons(fields, text, around))
    if reasons:
        return Classified(WORKSTATION, reasons, _stack_of(fields, text, around))
    reasons = tuple(_hints_of_project(text))
    if reasons:
        return Classified(PROJECT, reasons)
    reasons = tuple(_universal_reasons(fields, text))
    if reasons:
        return Classified(UNIVERSAL, reasons)
    return Classified(PROJECT, (UNCLEAR,))


def _project_reasons(fields: Fields, text: str, around: Surroundings) -> Iterator[str]:
    files = [path for path in find_paths(fields) if path in around.files]
    if files:
        yield f"it names files of this project: {_listed(files)}"
    tables = _schema_names(text)
    if tables:
        yield f"it names what a project's own schema holds: {_listed(tables)}"
    ours = _ours.search(text)
    if ours:
        yield f"it speaks of '{' '.join(ours[0].split())}'"
    if around.name and _names_project(text, around):
        yield f"it names this project, '{around.name}'"


def _workstation_reasons(fields: Fields, text: str, around: Surroundings) -> Iterator[str]:
    stack = fields.get("stack")
    given = [name for name in stack if isinstance(name, str)] if isinstance(stack, list) else []
    if given:
        yield f"its stack is {_listed(given)}"
    spoken = [name for name in find_technologies(text, around.stack) if name not in given]
    if spoken:
        yield f"it is about {_listed(spoken)}, which other projects use too"


def _stack_of(fields: Fields, text: str, around: Surroundings) -> tuple[str, ...]:
    if "stack" in fields:  # an empty one says that it is about every project
        return ()
    return tuple(sorted(around.stack.intersection(find_technologies(text, around.stack))))


def _hints_of_project(text: str) -> Iterator[str]:
    """What is somebody's own where no technology is named that it could belong to."""
    settings = dict.fromkeys(at[0] for at in _is_setting.finditer(text))
    if settings:
        yield f"it names settings: {_listed(settings)}"
    release = _is_release.search(text)
    if release:
        yield f"it tells of a release, '{release[0]}'"


def _universal_reasons(fields: Fields, text: str) -> Iterator[str]:
    category = fields.get("category")
    if category in _METHODS:
        yield f"its category is {category}, and it names no technology and nothing of this project"
    methods = dict.fromkeys(" ".join(at[0].lower().split()) for at in _methods.finditer(text))
    if methods:
        yield f"it is about method, whatever is built: {_listed(methods)}"


def _could_be_own(path: str) -> bool:
    """Not a file that stands in many projects, nor the name of a technology, version or site."""
    name = path.rpartition("/")[2].lower()
    if "/" in path:
        if path.startswith(".") and name in _COMMON_NAMES:
            return False  # `.claude/settings.json`: a tool's, in whatever project
        return not path.startswith(("~", "../")) and any(sign.isalpha() for sign in path)
    return (
        name not in _COMMON_NAMES
        and find_manifest(name) is None
        and any(sign.isalpha() for sign in name.partition(".")[2])
    )


def _schema_names(text: str) -> list[str]:
    found: dict[str, None] = {}
    for at in _named_before.finditer(text):
        name = at[1]
        is_quoted = at[0][:1] in "`'\""
        if is_quoted or "_" in name or (at[2] in _PLAINLY_NAMED and _is_plain_name(name)):
            found[f"{name} {at[2]}"] = None
    for at in _named_after.finditer(text):
        kind, name = (at[1], at[2]) if at[1] else (at[3], at[4])
        found[f"{kind} {name}"] = None
    return list(found)


def _is_plain_name(name: str) -> bool:
    """A table is called by a noun; an adjective or a technology before the word names none."""
    low = name.lower()
    return (
        low not in _GENERIC
        and not low.endswith(("ing", "ed", "al", "ive", "ible", "able", "ic", "ary"))
        and not find_technologies(f"the {name} there")
    )


def _names_project(text: str, around: Surroundings) -> bool:
    if technology_name(around.name) in around.stack or find_technologies(around.name):
        return False
    # A short name is often a word too ("ADD", "add"): that has to be spelt just so.
    how = re.IGNORECASE if len(around.name) > _SHORT_NAME else 0
    return re.search(rf"(?<!\w){re.escape(around.name)}(?!\w)", text, how) is not None


def _listed(names: Iterable[str] | Collection[str]) -> str:
    names = list(names)
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(f"'{name}'" for name in names[:_MOST_NAMED]) + more
