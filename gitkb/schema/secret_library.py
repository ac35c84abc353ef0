"""What the library `detect-secrets` knows of the forms that secrets have; only this module imports it.

1. Its patterns with a form of their own, such as ``ghp_…``, are taken as they are. Those of a mere
   length, such as 44 letters after the word "key", are left to `core.secrets.shape`.
2. Its detector of words such as ``password = "…"`` is asked as well, and its answer looked at again: it
   was made for program text, and knowledge is prose.
3. No pattern is given more than `_WINDOW` letters at once, since some take the square of that.
4. Nothing is ever sent anywhere: what it calls to verify a secret is not called.
"""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

from gitkb.core.secrets.hint import has_sign, has_word
from gitkb.core.secrets.shape import is_chosen_by_nobody, is_example, is_password, is_reference
from gitkb.core.secrets.text import decoded
from gitkb.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_WITHOUT_FORM = frozenset(
    (
        "base",
        "cloudant",
        "high_entropy_strings",
        "ibm_cloud_iam",
        "ibm_cos_hmac",
        "ip_public",
        "keyword",
    )
)
_WINDOW = 4_000
_OVERLAP = 600
_LONGEST_PREFIX = 3
_key_body = re.compile(r"[A-Za-z0-9+/=_-]{40,}").search
_end_of_key = re.compile(r"-----END[A-Z0-9 ]*-----").search
_URL_WITHOUT_USER = "://:"
_detectors: list[Any] = []


def iter_known(text: str) -> Iterator[tuple[str, str]]:
    """Yield kind and text of each secret whose form the library knows, in the order of the lines."""
    for line in text.split("\n"):
        for begin in range(0, max(1, len(line) - _OVERLAP), _WINDOW - _OVERLAP):
            window = line[begin : begin + _WINDOW]
            if has_sign(window):
                yield from _iter_forms(text, window)
            if has_word(window):
                yield from _iter_words(window)


def _iter_forms(text: str, line: str) -> Iterator[tuple[str, str]]:
    if _URL_WITHOUT_USER in line:
        line = line.replace(_URL_WITHOUT_USER, "://user:")
    for detector in detectors()[:-1]:
        for value in _iter_values(detector, line):
            if "PRIVATE KEY" in value or value.startswith("PuTTY"):
                block = _whole_key(text, value)
                if block:
                    yield detector.secret_type, block
            elif _is_meant(detector.secret_type, value, line):
                yield detector.secret_type, value


def _iter_values(detector: Any, line: str) -> Iterator[str]:
    # Its own `analyze_string` gives the groups of a pattern, of a GitHub token only "ghp".
    is_valid = getattr(detector, "is_formally_valid", None)
    for pattern in detector.denylist:
        for found in pattern.finditer(line):
            value = found[1] if found.lastindex and len(found[1]) > _LONGEST_PREFIX else found[0]
            if is_valid is None or is_valid(value):
                yield value


def _is_meant(kind: str, value: str, line: str) -> bool:
    if kind == "Basic Auth Credentials":
        is_port = value.isdigit() and len(value) < 6
        return not (is_port or is_example(value) or is_reference(value) or len(value) < 4)
    if kind == "JSON Web Token" and '"sub":"1234567890"' in decoded(value.split(".")[1]).replace(
        " ", ""
    ):
        return False  # the one that everybody shows
    if kind == "Artifactory Credentials":
        return is_chosen_by_nobody(value.strip(' =":'))
    return not is_example(value)


def _whole_key(text: str, opening: str) -> str:
    """Give a private key from its first line to its last; nothing where only its name is mentioned."""
    begin = text.index(opening)
    begin = max(text.rfind("\n", 0, begin) + 1, text.rfind("-----", 0, begin), 0)
    rest = text[begin:]
    end = _end_of_key(rest)
    block = rest[: end.end()] if end is not None else rest[:_WINDOW]
    body = block.replace("\\n", "").replace("\n", "").partition("KEY")[2]
    found = _key_body(body)
    return block if found is not None and not is_example(found[0]) else ""


def _iter_words(line: str) -> Iterator[tuple[str, str]]:
    from detect_secrets.plugins.keyword import CONFIG_DENYLIST_REGEX_TO_GROUP

    detector = detectors()[-1]
    found = [*detector.analyze_string(line)]
    found += detector.analyze_string(line, CONFIG_DENYLIST_REGEX_TO_GROUP)
    for value in found:
        if is_password(value, is_plain=True) and f"{value}" in line:
            yield detector.secret_type, value


def iter_addresses(text: str) -> Iterator[str]:
    """Yield every public address of the internet protocol, version 4, that the library finds."""
    from detect_secrets.plugins.ip_public import IPPublicDetector

    for line in text.split("\n"):
        for begin in range(0, max(1, len(line) - _OVERLAP), _WINDOW - _OVERLAP):
            yield from IPPublicDetector().analyze_string(line[begin : begin + _WINDOW])


def detectors() -> list[Any]:
    """Give the library's detectors of forms, sorted by name, and after them that of words.

    Raises:
        StateError: when the library is not there, or is another one; the gate stays closed then.
    """
    if not _detectors:
        try:
            import detect_secrets.plugins
            from detect_secrets.plugins.base import RegexBasedDetector
            from detect_secrets.plugins.keyword import KeywordDetector

            for module in iter_modules(detect_secrets.plugins.__path__):
                if module.name not in _WITHOUT_FORM:
                    found = import_module(f"detect_secrets.plugins.{module.name}")
                    _detectors.extend(
                        kind()
                        for _, kind in sorted(vars(found).items())
                        if isinstance(kind, type)
                        and issubclass(kind, RegexBasedDetector)
                        and kind.__module__ == found.__name__
                    )
            _detectors.append(KeywordDetector())
        except (ImportError, AttributeError) as error:
            _detectors.clear()
            raise StateError(
                f"cannot look for secrets: {error}",
                "the package detect-secrets is missing or broken: python -m pip install detect-secrets",
            ) from None
    return _detectors
