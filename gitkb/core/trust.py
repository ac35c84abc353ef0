"""Whose knowledge an agent is told: a list of authors, and whether a good signature will do instead.

1. Nothing listed and no signature asked for: everybody is trusted. Otherwise who is not named is not.
2. A word of the list is `Name <mail>`, a mail, or a name. A mail is compared with mails alone and a name
   with names alone, so that nobody becomes trusted by calling themselves what another's address is.
3. Mails are equal whatever their case, names only letter by letter.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.unsafe import shown_line
from gitkb.errors import DataError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_HINT = "NAME, MAIL or 'NAME <MAIL>', as gitkb blame and git log write them"


class TrustList(NamedTuple):
    """Who is trusted."""

    authors: tuple[str, ...] = ()
    signed: bool = False
    """A commit with a good signature is trusted too, whoever its author is."""

    @property
    def is_set(self) -> bool:
        """Whether it limits anything."""
        return bool(self.authors) or self.signed

    def names(self, name: str, mail: str) -> bool:
        """Say whether an author, by .mailmap, is on the list."""
        return any(_is_meant(author, name, mail) for author in self.authors)


EVERYBODY = TrustList()


def parse_author(text: str) -> str:
    """Give an author as the list keeps it.

    Raises:
        UsageError: when it names nobody, or holds what no eye can see.
    """
    author = " ".join(text.split())
    name, mail = _parts(author)
    if not name and not mail:
        raise UsageError(f"'{author}' names no author", _HINT)
    if shown_line(author) != author:
        raise UsageError(f"'{author}' holds characters that nobody sees", _HINT)
    return author


def read_trust(values: Mapping[str, Any], place: str) -> TrustList:
    """Read `[trust]` out of the settings of `place`.

    Raises:
        DataError: when it is not what it has to be. To trust everybody then would be worse.
    """
    table = values.get("trust", {})
    if not isinstance(table, dict):
        raise DataError(f"'trust' in '{place}' is no table", '[trust] authors = ["NAME"]')
    authors, signed = table.get("authors", []), table.get("signed", False)
    if not isinstance(authors, list) or not all(isinstance(author, str) for author in authors):
        raise DataError(f"'trust.authors' in '{place}' is no list of texts", "gitkb trust --help")
    if not isinstance(signed, bool):
        raise DataError(f"'trust.signed' in '{place}' is {signed!r}", "it can be true or false")
    return TrustList(tuple(authors), signed)


def _is_meant(author: str, name: str, mail: str) -> bool:
    wanted_name, wanted_mail = _parts(author)
    if wanted_mail and wanted_mail.lower() != mail.strip().lower():
        return False
    if wanted_name and wanted_name != " ".join(name.split()):
        return False
    return bool(wanted_name or wanted_mail)


def _parts(author: str) -> tuple[str, str]:
    """Name and mail of a word of the list, either perhaps empty."""
    author = " ".join(author.split())
    if author.endswith(">") and "<" in author:
        name, _, mail = author[:-1].rpartition("<")
        return name.strip(), mail.strip()
    return ("", author) if "@" in author and " " not in author else (author, "")
