"""The secrets in a record or in a text: what the library knows, what looks random, what is announced.

1. A finding says where it is and what it is, and shows it masked: never more than a third of it.
2. What the team's settings or a leave on the entry let by is no finding.
3. Where settings are wrong nothing is let by: whoever reads them gets an error.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gitkb.core.secrets.allowance import ALLOWED, is_allowed
from gitkb.core.secrets.hint import may_hold_secret
from gitkb.core.secrets.shape import is_example, is_random, iter_passwords, iter_tokens
from gitkb.core.secrets.text import NAME, as_seen, decoded, joined, own_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitkb.core.canonical import Fields
    from gitkb.schema.secret_settings import SecretSettings

PASSWORD = "a password or token"
RANDOM = "a random text, as keys are"
WRAPPED = "in base64"
_harmless_blocks = re.compile(
    r"-----BEGIN (?!.{0,40}PRIVATE)[A-Z0-9 ]{1,40}-----.{0,20000}?-----END [A-Z0-9 ]{1,40}-----"
    r"|(?:ssh|ecdsa)-[\w-]{3,30} AAAA[0-9A-Za-z+/=]+(?:\n[0-9A-Za-z+/=]{20,})*",
    re.DOTALL,
).sub
_url = re.compile(r"https?://[^\s\"'<>`)\]]+").finditer
_is_telling = re.compile(r"(?i)hook|token|secret|key|auth|sig|pass|sas|://[^/]*@").search
_before_hash = re.compile(
    r"(?i)(?:sha-?(?:1|256|384|512)|md5|h1|integrity|base64|fingerprint)[-:= ]{1,2}$|data:(?:image|font)/[\w.+-]{1,20};base64,$"
).search
_names_identity = re.compile(
    r"(?i)(?:^|[_\-./ ])(?:id|ids|uuid|hash|sha\d*|digest|checksum|etag|rev|ref|commit|cursor|fingerprint|import)s?$"
).search
_LEAST_SHOWN = 12


class Finding(NamedTuple):
    """One text that looks like a secret. `text` is the secret itself: it is for comparing, not for showing."""

    place: str
    kind: str
    text: str

    @property
    def masked(self) -> str:
        """A few letters of it at most, to know it by."""
        return mask(self.text)

    @property
    def message(self) -> str:
        return (
            f"{self.kind} in {self.place if ' ' in self.place else repr(self.place)}: {self.masked}"
        )


def mask(text: str) -> str:
    """Show four letters of a long text, none of a short one, and how long it is."""
    first = "" if "\n" in text or " " in text else text[:4] if len(text) >= _LEAST_SHOWN else ""
    if "PRIVATE KEY" in text[:60]:
        first = "-----BEGIN"
    return f"{first}… ({len(text)} characters)"


def find_secrets(fields: Fields, settings: SecretSettings) -> list[Finding]:
    """Find what looks like a secret in a record, each text once a place."""
    found: dict[tuple[str, str], Finding] = {}
    for place, text in own_texts(
        {name: value for name, value in fields.items() if name != ALLOWED}
    ):
        for finding in find_in_text(text, settings, place):
            if not is_allowed(fields, finding.text):
                found.setdefault((place, finding.text), finding)
    for leave in fields.get(ALLOWED, ()):
        for finding in find_in_text(str(leave.get("reason", "")), settings, ALLOWED):
            found.setdefault((ALLOWED, finding.text), finding)
    return _without_parts(found.values())


def find_in_text(text: str, settings: SecretSettings, place: str) -> list[Finding]:
    """Find what looks like a secret in a text that stands at a place."""
    found = [*settings.iter_personal(text)] if settings.personal and place != "by" else []
    if may_hold_secret(text):
        found += _iter_found(text, place)
    return [
        Finding(place, kind, value)
        for kind, value in {value: (kind, value) for kind, value in reversed(found)}.values()
        if not settings.allows(value, text)
    ][::-1]


def _iter_found(text: str, place: str) -> Iterator[tuple[str, str]]:
    from gitkb.schema.secret_library import iter_known

    text = as_seen(text)
    yield from iter_known(text)
    for value in iter_passwords(text):
        if not is_example(decoded(value).strip().rpartition(":")[2] or value):
            yield PASSWORD, value
    yield from _iter_random(text, place)
    whole = joined(text)
    if whole != text:
        yield from iter_known(whole)


def _iter_random(text: str, place: str) -> Iterator[tuple[str, str]]:
    from gitkb.schema.secret_library import iter_known

    text = _harmless_blocks(" ", text)
    urls = [found.span() for found in _url(text) if not _is_telling(found[0])]
    for found in iter_tokens(text):
        token = found[0]
        if not is_random(token):
            continue
        begin = found.start()
        inner = decoded(token)
        if inner:
            for kind, _ in iter_known(inner):
                yield f"{kind} {WRAPPED}", token
            if any(True for _ in iter_passwords(inner)):
                yield f"{PASSWORD} {WRAPPED}", token
            continue
        if _before_hash(text, max(0, begin - 60), begin) or any(a <= begin < b for a, b in urls):
            continue
        if (
            place != NAME
            and _names_identity(place)
            and token == text.rpartition(" = ")[2].strip('" \n')
        ):
            continue
        yield RANDOM, token


def _without_parts(findings: Iterable[Finding]) -> list[Finding]:
    """Leave out what is only a part of another finding in the same place."""
    findings = list(findings)
    return [
        one
        for one in findings
        if not any(
            other is not one
            and one.place == other.place
            and one.text in other.text
            and len(one.text) < len(other.text)
            for other in findings
        )
    ]
