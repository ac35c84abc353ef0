"""What a secret looks like, and what only looks like one: judged from its letters alone.

1. A hash, a UUID, a path, an identifier, a public key, a placeholder and an example of a documentation are
   no secrets. A random text of twenty characters and more is one, unless it is any of these.
2. Beside a word such as "password" less is enough, and how much depends on how the two are joined.
3. Every pattern reads a text once: nothing here takes longer than in proportion to the text.
"""

from __future__ import annotations

import re

from gitkb.core.late_pattern import LatePattern
from gitkb.core.secrets.typed import iter_assigned, iter_said, said_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_TOKEN = 20
_runs = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+").findall
_parts = re.compile(r"[A-Za-z0-9]+").findall
_is_hex = re.compile(r"(?:0x)?[0-9a-f]+|(?:0x)?[0-9A-F]+").fullmatch
_has_digit = re.compile(r"[0-9]").search
_has_letter = re.compile(r"[A-Za-z]").search
iter_tokens = re.compile(r"[A-Za-z0-9+/=_-]{20,}").finditer
"""The runs of letters that a key without a form of its own consists of."""

_is_named = LatePattern(
    r"(?i)(?:ses|sess|session|req|request|run|msg|evt|event|usr|user|org|acct|proj|job|task|thread|call|toolu|"
    r"chatcmpl|resp|trace|span|conv|ord|order|inv|cus|file|batch|step|item|node|doc|page|room|team)[_-].*"
    r"|AAAA[BCE][0-9A-Za-z+/]{3}.*|age1.*|sha(?:1|256|384|512)[-=].*|h1=?.*=|/(?:[a-z][a-z.-]*/)+.*|xpub.*"
    r"|[0-7][0-9A-HJKMNP-TV-Z]{25}|x[0-9a-f]{32,}"
).fullmatch
"""What says itself that it is a name, a public key, a hash or a path."""
_is_key_with_prefix = LatePattern(
    r"(?!(?:commit|sha|sha1|sha256|md5|rev|hash|digest|tree|blob|etag|id|v|img|index|main|chunk)_)"
    r"[a-z]{2,10}(?:_[a-z0-9]{1,6})?_[0-9a-f]{32,}|key-[0-9a-f]{32}"
).fullmatch
_is_example = LatePattern(
    r"(?i)^[spr]k_test_|^pk_live_|example|placeholder|redacted|dummy|changeme|change[-_]me|replace[-_]?me|insert[-_]|"
    r"your[-_a-z]*(?:key|token|secret|pass)|^your[-_]|^my[-_]?(?:pass|secret|token|key)|fake|sample|"
    r"xxxx|\*\*\*|\.\.\.|…|abcdefghij|0123456789|1234567890|qwerty|deadbeef|cafebabe|T3st|not[-_]?a[-_]?real"
).search
_is_reference = LatePattern(
    r"[$%@{<(\[]|.*[({\[<]|[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+$|process\.|os\.|env[.:]|"
    r"[a-z]{3}_[0-9a-z]{8}$|[a-z0-9+.-]+://|\.{0,2}/|~/|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|--|[a-z][a-z0-9-]*:[a-z]+$"
    r"|(?:id|env|src|type)=[A-Za-z]"
).match
_is_measure = LatePattern(
    r"v?[0-9]+(?:[.,:/_-][0-9A-Za-z]+)*[a-z%]{0,4}|[a-z]+[0-9]{0,3}|[A-Z][a-z]+[0-9]{0,2}|[A-Z]+[0-9]{0,4}"
    r"|[A-Za-z]+(?:[-_/.][A-Za-z0-9]+)+|[a-z][a-z0-9]*(?:[-_/.][a-z0-9]+)+|sha-?[0-9]+\S*"
).fullmatch
# fmt: off
_plain_passwords = frozenset((
    "password", "passwd", "pass", "pwd", "secret", "user", "username", "admin", "root", "postgres", "mysql",
    "redis", "guest", "test", "token", "key", "apikey", "api_key", "host", "hostname", "port", "changeit",
    "db", "database", "name", "string", "value", "none", "null", "true", "false", "foo", "bar", "baz",
    "foobar", "git",
))
# fmt: on
"""What documents write where a password would stand."""


_documented = frozenset(
    (
        "4eC39HqLyjWDarjtT1zdp7dc",
        "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "16C7e42F292c6912E7710c838347Ae178B4a",
        "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy",
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    )
)
"""Keys that the documentation of a service shows, and that open nothing."""


def is_example(text: str) -> bool:
    """Say whether a text stands for a secret rather than being one: an example, a mask, a sequence."""
    if _is_example(text) or text.lower() in _plain_passwords or text in _documented:
        return True
    return len(set(text)) < max(4, min(8, len(text) // 4))


def is_random(token: str) -> bool:
    """Say whether a run of letters without white space looks as if nobody had chosen it."""
    bare = token.strip("=-_/+")
    if len(bare) < LEAST_TOKEN:
        return False
    # Most long runs are paths and words in a row, so what tells these comes first.
    parts = _parts(bare)
    if _is_hex(parts[-1]) and len(parts[-1]) >= 32 and len(parts) > 1:
        is_key = _is_key_with_prefix(bare) is not None and _is_key_of_digits(parts[-1])
        return is_key and not is_example(bare) and not _is_named(token)
    random = sum(len(part) for part in parts if _is_random_part(part))
    if random < 16 or 2 * random < len(bare):
        return False
    return not (is_example(bare) or _is_named(token))


def _is_random_part(part: str) -> bool:
    # Words, also joined as in camelCase, have runs of five letters; random text changes after two.
    if len(part) < 8 or _is_hex(part):
        return False
    runs = _runs(part)
    if _has_digit(part):
        return (
            len(part) < (3.4 if len(part) > 31 else 3) * len(runs)
            and bool(_has_letter(part))
            and len(set(part)) > 6
        )
    return len(part) >= 16 and len(part) < 3.1 * len(runs) and len(set(part)) > 8


def is_chosen_by_nobody(part: str) -> bool:
    """Say whether letters and digits alone, at least eight, look random."""
    return _is_random_part(part)


def is_reference(text: str) -> bool:
    """Say whether a text only says where a secret is to be had: a variable, a call, a path."""
    return _is_reference(text) is not None


def is_password(text: str, *, is_plain: bool = False) -> bool:
    """Say whether what stands beside a word such as "password" looks like one.

    `is_plain`: the two are joined as in `password="…"` or `PASSWORD=…`, where a word with a digit is
    enough. Otherwise, as after a colon or in prose, it has to look chosen by nobody.
    """
    if not 6 <= len(text) <= 400 or any(map(str.isspace, text)) or not text.isascii():
        return False
    if is_example(text) or _is_reference(text) or not _has_letter(text):
        return False
    if _is_hex(text):
        return is_plain and len(text) >= 16 and bool(_has_digit(text))
    kinds = len({_kind(letter) for letter in text})
    if is_plain:
        if "/" in text and _is_measure(text):
            return False
        return kinds >= 2 and bool(_has_digit(text) or _has_symbol(text)) and not _is_word(text)
    if len(text) < 8 or _is_measure(text) or "\\" in text or "%2" in text:
        return False
    if not _has_digit(text):
        return kinds == 3 and bool(_has_symbol(text[1:-1])) and len(text) < 2.6 * len(_pieces(text))
    if kinds >= 3 and _has_symbol(text.strip("*_`")):
        return len(text) < 3.6 * len(_pieces(text))
    return len(text) >= 10 and len(text) < 2.9 * len(_runs(text))


_has_symbol = re.compile(r"[!@#$%^&*~?+=]").search
_pieces = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]").findall
_is_word = LatePattern(r"[A-Za-z]+(?:[-_./ ][A-Za-z]+)*[.,;:!?)\]]*").fullmatch


def _kind(letter: str) -> int:
    if letter.islower():
        return 1
    if letter.isupper():
        return 2
    return 3 if letter.isdigit() else 4


_WORDS = (
    "password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "pwd", "secret", "token",
    "credential", "bearer", "basic ", "contrase", "mot de passe",
)  # fmt: skip
_OTHER_WORDS = (
    "парол",
    "токен",
    "секрет",
    "密码",
    "密碼",
    "密钥",
    "口令",
    "パスワード",
    "contraseñ",
)
_KEY_OF = (
    "api", "access", "auth", "private", "client", "service", "account", "master", "encryption", "signing",
    "license",
)  # fmt: skip
"""What every word of `_BESIDE` begins with, and whose keys count: to look for these is twenty times as fast."""
_BESIDE = (
    r"(?:pass(?:word|wd|phrase|code)|passwort|kennwort|pwd|secret|token|credentials?|bearer|basic"
    r"|(?:api|access|auth|private|client|service|account|master|encryption|signing|license)[ _-]?key"
    r"|contrase[nñ]a|mot de passe|парол[ьяюе]м?|токен|секрет|密码|密碼|密钥|口令|パスワード)"
)
_assigned = LatePattern(
    rf"(?i){_BESIDE}[\w-]{{0,24}}[\"'`\])]{{0,2}}(\s{{0,3}})(:=|={{1,3}}|=>|->|:)(\s{{0,3}})([\"'`]?)([^\s\"'`]{{6,400}})"
).match
_announces = LatePattern(rf"(?i){_BESIDE}s?[\"'`)\]]{{0,2}}[:：=]?(?=\s)").match
_WORDS_BETWEEN = 4
_REACH = 500
_SAYS = frozenset(("is", "was", "=", ":", "->"))
_ends = ".,;:?)]}>\"'`»"


def iter_passwords(text: str, lower: str = "") -> Iterator[str]:
    """Find what looks like a password beside a word that announces one. `lower` is the text in lower case."""
    lower = lower or text.lower()
    for word in _WORDS if text.isascii() else _WORDS + _OTHER_WORDS:
        at = lower.find(word)
        while at >= 0:
            yield from _beside(text, at)
            at = lower.find(word, at + len(word))
    at = lower.find("key")
    while at >= 0:
        before = lower[max(0, at - 12) : at].rstrip(" _-")
        if before.endswith(_KEY_OF):
            word = next(word for word in _KEY_OF if before.endswith(word))
            yield from _beside(text, lower.rfind(word, 0, at))
        at = lower.find("key", at + 3)
    for value in iter_assigned(text, lower):
        if is_password(value.rstrip(_ends), is_plain=True):
            yield value.rstrip(_ends)
    for value in iter_said(text, lower):
        if is_password(value.rstrip(_ends)):
            yield value.rstrip(_ends)


def _beside(text: str, at: int) -> Iterator[str]:
    found = _assigned(text, at)
    if found is not None:
        before, sign, after, quote, value = found.groups()
        is_plain = bool(quote) or (sign != ":" and not before and not after)
        value = value if quote else value.rstrip(_ends)
        if is_password(value, is_plain=is_plain) or (_is_hex(value) and _is_key_of_digits(value)):
            yield value
    named = said_before(text, at)
    if named and (is_password(named) or (_is_hex(named) and _is_key_of_digits(named))):
        yield named
    announced = _announces(text, at)
    if announced is not None:
        words = (
            text[announced.end() : at + _REACH].partition("\n")[0].split(None, _WORDS_BETWEEN + 1)
        )
        before = "is"
        for word in words[: _WORDS_BETWEEN + 1]:
            value = word.lstrip("\"'`(«*_").rstrip(_ends + "*_")
            # A number of digits and letters to f may be a hash, unless nothing else can be meant.
            if is_password(value) or (
                before in _SAYS and _is_hex(value) and _is_key_of_digits(value)
            ):
                yield value
                break
            before = word


def _is_key_of_digits(text: str) -> bool:
    return (
        len(text) >= 32 and bool(_has_digit(text)) and not text.isdigit() and not is_example(text)
    )
