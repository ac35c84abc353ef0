"""The words of decision records: their statuses, and how one says that it replaces another.

Statuses and labels are known in some languages, relations in English, as the tools write them.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    Kind: TypeAlias = Literal[
        "supersedes", "superseded_by", "relates_to", "related_by", "implements", "depends_on"
    ]

# fmt: off
STATUS_NAMES = ("status", "статус", "estado", "statut", "stato", "状态", "狀態", "ステータス", "상태")
DATE_NAMES = ("date", "decided", "decision date", "datum", "дата", "fecha", "data", "日期", "日付", "날짜")
TAG_NAMES = ("tags", "tag", "keywords", "labels")
_STATUSES: Mapping[str, tuple[str, str]] = {
    # the beginning of a word: our status, and a tag where ours says less
    **dict.fromkeys(("accept", "approv", "adopt", "implement", "decided", "done", "active", "valid",
                     "final", "in force", "resolved", "принят", "утвержд", "прийнят", "затвердж",
                     "aceptad", "aprobad", "accepté", "akzeptiert", "angenommen", "已接受", "已采纳",
                     "承認", "승인"), ("active", "")),
    **dict.fromkeys(("propos", "предлож", "запропонован", "propuest", "vorgeschlagen", "提议", "提案",
                     "제안"), ("active", "proposed")),
    **dict.fromkeys(("draft", "wip", "work in progress", "черновик", "borrador", "entwurf", "草案"),
                    ("active", "draft")),
    **dict.fromkeys(("pending", "open", "in review", "under review", "under discussion", "rfc"),
                    ("active", "pending")),
    **dict.fromkeys(("reject", "declin", "abandon", "withdraw", "not accepted", "отклон", "відхилен",
                     "rechazad", "rejeté", "abgelehnt", "已拒绝", "却下", "거부"), ("rejected", "")),
    **dict.fromkeys(("superseded", "superceded", "replaced", "obsolete", "заменен", "заменён", "замінен", "reemplazad",
                     "sustituid", "remplacé", "ersetzt durch", "已取代", "대체"), ("superseded", "")),
    **dict.fromkeys(("deprecat", "retired", "устарел", "застаріл", "obsolet", "veraltet", "已弃用",
                     "非推奨"), ("superseded", "deprecated")),
}
# fmt: on
_padding = re.compile(r"^[\s*_`>~|\[\]✅❌🟢🟡🔴-]+|[*_`~]+")
_reference = re.compile(
    r"\[(?P<text>[^\]\n]*)\]\((?P<href>[^)\s]+)[^)]*\)"
    r"|(?P<file>[\w./-]*\d[\w.-]*\.md)"
    r"|\[?ADR[-_ #]*(?P<named>\d+)\]?"
    r"|[\[#]?(?P<bare>\d+)\]?(?![\w.,]*\w*[%:/])",
    re.IGNORECASE,
)
_relation = re.compile(
    r"(?P<before>\b(?:not|never|nor|neither|n't|without|to be|if)\s+(?:\w+\s+)?)?"
    r"(?P<part>\b(?:partially|partly)\s+)?"
    r"\b(?P<verb>supers?eded|superceded|replaced|obsoleted|amended|clarified|refined|extended|updated"
    r"|supers?edes|supercedes|replaces|obsoletes|amends|clarifies|refines|extends|updates"
    r"|relates|depends|implements)\b"
    r"(?P<also>\s+(?:in part|partially|partly))?"
    r"(?P<by>\s+(?:by|to|on))?\s*:?\s+(?:the\s+)?(?=\[|ADR|#?\d|[\w./-]*\d[\w.-]*\.md)",
    re.IGNORECASE,
)
_between = re.compile(r"\s*(?:,|;|and|&|,\s*and)\s+(?=\[|ADR|#?\d)", re.IGNORECASE)
_is_partial = re.compile(
    r"['\u2019]s\b|\s*\(?(?:in part|partially|partly|on this point|for |regarding )", re.IGNORECASE
).match
_PARTIAL: Mapping[Kind, Kind] = {"supersedes": "relates_to", "superseded_by": "related_by"}
_REPLACING = ("superse", "supercede", "replace", "obsolete")


class Reference(NamedTuple):
    """One record says that another stands in a relation to it: by a path, or by a number."""

    kind: Kind
    path: str
    number: str


def status_of(text: str) -> tuple[str, str] | None:
    """Give our status for the words of a record, and a tag; None where they are no known ones."""
    bare = _padding.sub("", text).strip().lower()
    for word, meaning in _STATUSES.items():
        if bare.startswith(word):
            return meaning
    return None


def read_references(
    text: str, *, in_status: bool = False, at_start: bool = False
) -> Iterator[Reference]:
    """Read what a text says of other records.

    A number alone is a record only in a status; `at_start` takes what a line begins with alone.
    """
    text = text.replace("*", "").replace("`", "")
    for found in _relation.finditer(text):
        if found["before"] or (at_start and text[: found.start()].strip(" \t-+[")):
            continue
        kind = _kind(found)
        if kind is None:
            continue
        end = found.end()
        while True:
            target = _reference.match(text, end)
            if target is None or (target["bare"] and not in_status):
                break
            whole = not _is_partial(text, target.end())
            yield _as_reference(kind if whole else _PARTIAL.get(kind, kind), target)
            joint = _between.match(text, target.end())
            if joint is None:
                break
            end = joint.end()


def _kind(found: re.Match[str]) -> Kind | None:
    verb = found["verb"].lower()
    by = (found["by"] or "").strip().lower()
    is_passive = verb.endswith("ed")
    if is_passive != (by == "by") or (verb in ("relates", "depends")) != (by in ("to", "on")):
        return None
    if verb == "depends":
        return "depends_on" if by == "on" else None
    if verb == "implements":
        return "implements"
    if verb.startswith(_REPLACING) and not (found["part"] or found["also"]):
        return "superseded_by" if is_passive else "supersedes"
    return "related_by" if is_passive else "relates_to"


def _as_reference(kind: Kind, target: re.Match[str]) -> Reference:
    path = target["href"] or target["file"] or ""
    number = target["named"] or target["bare"] or ""
    if not number and target["text"]:
        inner = re.match(r"\s*(?:ADR[-_ #]*)?(\d+)", target["text"], re.IGNORECASE)
        number = inner[1] if inner else ""
    return Reference(kind, path.partition("#")[0], number)
