"""What a change or a plan speaks of, and whether an entry speaks of the same.

1. What counts most is a name that somebody made up (`parse_quickly`, `ConfigReader`) and that the entry
   spells the same way: chance does not bring that about. Plain words count by how much of the
   entry's title they cover, and less the longer a change is, for a long one holds every word.
2. What every program says (`return`, `self`) is not a word here, and of a line only the beginning.
3. The threshold is measured: docs/decisions/0031-remind-at-the-touch.md.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.search.stop_words import STOP_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from gitkb.core.entry import Entry

MOST_WORDS = 400
"""Words of a change that are looked for; the rest of a larger one says nothing new."""
_LONGEST_LINE = 400
_LEAST = 3
_PLENTY = 120
"""From so many different words on a change begins to hold any word."""

THRESHOLD = 1.0

_escape = re.compile(r"\\[abfnrtv0]")  # `"\nStatus"` speaks of Status
_find_names = re.compile(r"[^\W\d]\w*").findall
_is_made_up = re.compile(r"[^\W_]_+[^\W_]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}").search

_CODE_WORDS = """
    abstract args array assert async await boolean break bytes case catch char class const
    constructor continue cls data def default delete dict double elif else end enum error except
    exception exit export extends extern false final finally float fmt foreach func function get
    global goto implements import include index init int interface item items kwargs lambda len let
    list long main map match method module mut name namespace new nil none null number object option
    options override package param params pass path print private protected pub public raise range
    read require result return run self set short size static str string struct super switch test
    tests this throw throws todo trait true try tuple type typedef typeof typing undefined union
    unit unless unsigned use using val value values var void volatile while with write yield https
    http www com org file files line lines code text using used make makes made also need needs add
    added remove removed change changed update updated fix fixed
"""
_CODE = frozenset(_CODE_WORDS.split())

_WEAK_WORDS = """
    use using used add make keep build write run new now own one two all just only other second first set
    get put let move change support work thing way time need want step plan do done start stop via per each
    every everything nothing instead later current currently existing simple full whole entire yet more see
    использовать сделать добавить новый все оставить
"""
WEAK = frozenset(_WEAK_WORDS.split())
"""What every plan and every text says."""

_EVERYBODYS_NAMES = """
    GitHub GitLab BitBucket JavaScript TypeScript CoffeeScript PostgreSQL MySQL MariaDB MongoDB GraphQL DynamoDB
    PyPI PyPy PyTest IPython NumPy JupyterLab NodeJS DevOps OpenSSL OpenSSH OpenAPI OpenAI OAuth OAuth2 LaTeX
    macOS MacOS iOS iPhone FreeBSD OpenBSD PowerShell YouTube LinkedIn StackOverflow ReadTheDocs CodeQL
    ArithmeticError AssertionError AttributeError BaseException BrokenPipeError ConnectionError EOFError
    DeprecationWarning FileExistsError FileNotFoundError FutureWarning IOError ImportError IndexError
    IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError NameError
    NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError
    RecursionError ResourceWarning RuntimeError RuntimeWarning StopIteration SyntaxError SystemExit
    TimeoutError TypeError UnicodeDecodeError UnicodeEncodeError UnicodeError UserWarning ValueError
    IllegalArgumentException IllegalStateException IndexOutOfBoundsException InterruptedException IOException
    NullPointerException RuntimeException UnsupportedOperationException RangeError ReferenceError
    toString hashCode setUp tearDown
"""
_EVERYBODYS = frozenset(_EVERYBODYS_NAMES.split())
"""Names that nobody made up for this project: a link to a forge, or an error that is raised, is chance."""


_NO_WORDS = STOP_WORDS | _CODE | WEAK


class Terms(NamedTuple):
    """What a text speaks of: made-up names as they are spelt, and plain words folded, first come first."""

    names: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def share(self) -> float:
        """What a plain word counts, from 1 down: the more words, the less."""
        return min(1.0, _PLENTY / max(1, len(self.words)))


class Evidence(NamedTuple):
    """How much says that an entry speaks of the same thing, and by which words."""

    amount: float
    by: tuple[str, ...]

    @property
    def is_enough(self) -> bool:
        return self.amount >= THRESHOLD

    @property
    def is_some(self) -> bool:
        """Whether it is enough to tell what concerns for another reason from what else does."""
        return self.amount >= THRESHOLD / 2


NO_EVIDENCE = Evidence(0.0, ())


def terms_of(lines: Iterable[str], split: Callable[[str], Sequence[str]]) -> Terms:
    """Read names and words out of lines of a change; `split` cuts a text into folded words."""
    names: dict[str, None] = {}
    words: dict[str, None] = {}
    for line in lines:
        for name in _find_names(_escape.sub(" ", line[:_LONGEST_LINE])):
            bare = name.strip("_")
            if bare in names:
                continue
            parts = split(bare)
            if len(parts) > 1 and _is_made_up(bare) and bare not in _EVERYBODYS:
                names[bare] = None
            for word in parts:
                if is_word(word):
                    words[word] = None
        if len(words) > MOST_WORDS and len(names) > MOST_WORDS:
            break
    return Terms(tuple(names)[:MOST_WORDS], tuple(words)[:MOST_WORDS])


def is_word(word: str) -> bool:
    """Say whether a folded word tells anything about what a text speaks of."""
    return len(word) >= _LEAST and not word.isdigit() and word not in _NO_WORDS


def evidence(
    entry: Entry,
    terms: Terms,
    rarities: Mapping[str, float],
    split: Callable[[str], Sequence[str]],
    stem: Callable[[str], str],
) -> Evidence:
    """Weigh what an entry and a change have in common.

    `rarities` says of each name of the change and each stem of its words how rare it is in the store,
    from 0 to 1; what is absent is in no entry, or in too many.
    """
    titled = set(_find_names(entry.display_title))
    spelt = titled.union(_find_names(entry.content))
    amount = 0.0
    by: list[str] = []
    for name in terms.names:
        forms = (name, f"_{name}", f"__{name}__")
        if name in rarities and not spelt.isdisjoint(forms):
            amount += rarities[name] * (1.0 if not titled.isdisjoint(forms) else _IN_CONTENT)
            by.append(name)
    title = title_stems(entry, split, stem)
    if title:
        shared = [word for word in terms.words if stem(word) in title]
        covered = {stem(word) for word in shared}
        rare = [stem_ for stem_ in covered if stem_ in rarities]
        if len(covered) >= 2 and rare:
            counted = len(rare) + _COMMON * (len(covered) - len(rare))
            coverage = counted / max(3, len(title))
            amount += _COVERED * coverage * terms.share
            by += shared
    return Evidence(amount, tuple(dict.fromkeys(by)))


_COVERED = 1.4
"""What a title counts of which every word is there."""
_COMMON = 0.5
"""What a word of a title counts that many entries have, beside a rare one."""
_IN_CONTENT = 0.5
"""What a made-up name counts beside one in a title; one alone may be anybody's, such as `read_bytes`."""


def title_stems(
    entry: Entry, split: Callable[[str], Sequence[str]], stem: Callable[[str], str]
) -> Collection[str]:
    """Give the stems of the words of a title that tell anything."""
    return {stem(word) for word in split(entry.display_title) if is_word(word)}
