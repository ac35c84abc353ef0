"""`[secrets]` of config.toml: what is let by, and whether personal data is refused too.

1. `allow` holds texts, and regular expressions between slashes. A text lets by a finding that is it or
   stands in it; an expression one that it matches whole.
2. A repository brings its settings along, so an expression may not be one that can take long: it repeats
   single letters and classes only, at most three times without end, and looks at `_LONGEST` letters.
3. A setting that is none is an error, never a gate that stands open.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.errors import DataError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

MAIL = "a mail address"
ADDRESS = "a public IP address"
_LONGEST = 300
_MOST_REPEATS = 3
_mail = re.compile(r"[A-Za-z0-9][\w.+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}").findall
_is_nobody = re.compile(
    r"(?i)(?:.*@(?:.*\.)?(?:example\.(?:com|org|net)|[\w.-]*\.(?:example|test|invalid|local|localhost))"
    r"|(?:git|noreply|no-reply|.*noreply)@.*|.*@users\.noreply\..*)"
).fullmatch
_address_6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])").findall
_everybody = frozenset(("8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9"))
_repeat = re.compile(r"(?<!\\)(?:\\\\)*(?:[*+]|\{[0-9]*,[0-9]*\})")


class SecretSettings(NamedTuple):
    """What a team lets by. The defaults are those of a store that says nothing."""

    texts: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()
    personal: bool = False

    def allows(self, value: str, text: str) -> bool:
        """Say whether a finding in a text is let by."""
        for allowed in self.texts:
            if value == allowed or (value in allowed and allowed in text):
                return True
        short = len(value) <= _LONGEST
        return short and any(pattern.fullmatch(value) for pattern in self.patterns)

    def iter_personal(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the mail addresses and public IP addresses in a text, with what each is."""
        if "@" in text:
            for address in _mail(text):
                if not _is_nobody(address):
                    yield MAIL, address
        if text.count(".") >= 3:
            from gitkb.schema.secret_library import iter_addresses

            for address in iter_addresses(text):
                if _is_public(address.partition(":")[0]):
                    yield ADDRESS, address.partition(":")[0]
        if text.count(":") >= 2:
            for address in _address_6(text):
                if _is_public(address):
                    yield ADDRESS, address


def _is_public(address: str) -> bool:
    from ipaddress import ip_address

    try:
        found = ip_address(address)
    except ValueError:
        return False
    return found.is_global and not found.is_multicast and address not in _everybody


def parse_settings(values: Mapping[str, Any]) -> SecretSettings:
    """Read `[secrets]` out of the values of a config file.

    Raises:
        DataError: when a setting is not what it has to be.
    """
    table = values.get("secrets", {})
    if not isinstance(table, dict):
        raise _wrong("'secrets' is no table", 'write [secrets], and below it: allow = ["…"]')
    allow = table.get("allow", [])
    if not isinstance(allow, list) or not all(
        isinstance(item, str) and item.strip() for item in allow
    ):
        raise _wrong("'secrets.allow' is no list of texts", 'allow = ["a text", "/a[0-9]+/"]')
    personal = table.get("personal", False)
    if not isinstance(personal, bool):
        raise _wrong("'secrets.personal' is neither true nor false", "personal = true")
    texts, patterns = [], []
    for item in allow:
        if len(item) > 2 and item.startswith("/") and item.endswith("/"):
            patterns.append(_compiled(item[1:-1]))
        else:
            texts.append(item)
    return SecretSettings(tuple(texts), tuple(patterns), personal)


def _compiled(pattern: str) -> re.Pattern[str]:
    fault = _fault_of(pattern)
    if fault:
        raise _wrong(
            f"the expression '/{pattern[:80]}/' in 'secrets.allow' {fault}",
            'repeat single letters and classes alone: "/sk_test_[0-9a-zA-Z]+/"',
        )
    return re.compile(pattern)


def _fault_of(pattern: str) -> str:
    try:
        found = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"is none: {error}"
    if len(pattern) > _LONGEST:
        return f"is longer than {_LONGEST} letters"
    plain = re.sub(r"\\.", "a", pattern)
    plain = re.sub(r"\[\^?\]?[^\]]*\]", "a", plain)
    if re.search(r"\)[*+{]", plain) or re.search(r"\(\?(?!:|i\)|P<)", plain):
        return "repeats a group, or looks around, and could take for ever"
    if found.groups and re.search(r"\\[1-9]|\(\?P=", pattern):
        return "refers to a group, and could take for ever"
    if len(re.findall(r"[*+]|\{\d*,\d*\}", plain)) > _MOST_REPEATS:
        return f"repeats more than {_MOST_REPEATS} times without end"
    if found.fullmatch("") is not None or all(map(found.fullmatch, ("q7", "Zz9!-_/+ ."))):
        return "matches everything: the gate would stand open"
    return ""


def _wrong(message: str, hint: str) -> DataError:
    return DataError(
        f"{message}, so nothing that may be a secret is let by", f"in config.toml: {hint}"
    )
