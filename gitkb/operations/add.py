"""Write one piece of knowledge, or correct it: what `gitkb add` and `gitkb_remember` do.

1. What becomes of an entry in its store is told in `put`.
2. An entry with a category is a learning, and is written where its scope belongs (`learning_place`).
   So is a correction of what has moved to another tier. All else is this project's.
"""

from __future__ import annotations

from gitkb.core.jsonl import BYTE_ORDER_MARK, BadLineError, parse_object
from gitkb.errors import DataError, GitkbError
from gitkb.operations.writing.draft import draft_fields
from gitkb.operations.writing.put import Added, MovedAway, Refused, write_drafts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gitkb.core.canonical import Json
    from gitkb.store.layout import Store

_FORM_HINT = 'one JSON object is read: {"type":"fact","title":"…","content":"…"}'


def add(
    store: Store | None,
    given: Mapping[str, Json],
    *,
    strict: bool = False,
    by_person: bool = False,
) -> Added:
    """Write one entry; if `strict`, not a new one that another says already (`similar.is_double`).

    `store` is the project's; None where there is none, for what belongs into another tier.
    `by_person` says that a person gave the scope.

    Raises:
        DataError: when a field is wrong.
        NotFoundError: when there is no store for it.
        StateError: when the store is locked, in conflict, full or read-only.
        SearchIndexError: if `strict`, and nothing can be compared; nothing is written then.
    """
    if store is None or given.get("category"):
        from gitkb.operations.tiers.learning_place import write_learnings  # git, tiers and settings

        [result] = write_learnings(
            store, {}, {0: given}, strict=strict, by_person=by_person, is_batch=False
        ).values()
    else:
        drafts = {0: draft_fields(given, store)}
        [result] = _write_here(store, drafts, strict, is_batch=False).values()
    if isinstance(result, Refused):
        raise result.error
    return result


def add_batch(
    store: Store | None, lines: Iterable[bytes], *, strict: bool = False, by_person: bool = False
) -> list[Added | Refused]:
    """Write entries given as JSON lines: the good ones in one change a store, each bad one refused.

    The answer has one item a line that is not blank, in order. `strict` is as for `add`, and of two
    lines of the batch that say the same the second is refused.
    """
    results: dict[int, Added | Refused] = {}
    drafts: dict[int, dict[str, Json]] = {}
    learnings: dict[int, dict[str, Json]] = {}
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                given = parse_given(line)
                if store is None or given.get("category"):
                    learnings[number] = given
                else:
                    drafts[number] = draft_fields(given, store)
            except GitkbError as error:
                results[number] = Refused(number, error)
    if store is None or learnings:
        from gitkb.operations.tiers.learning_place import write_learnings

        results |= write_learnings(store, drafts, learnings, strict=strict, by_person=by_person)
    else:
        results |= _write_here(store, drafts, strict)
    return [results[number] for number in sorted(results)]


def _write_here(
    store: Store, drafts: Mapping[int, dict[str, Json]], strict: bool, *, is_batch: bool = True
) -> dict[int, Added | Refused]:
    results: dict[int, Added | Refused] = {}
    moved: dict[int, MovedAway] = {}
    for number, result in write_drafts(store, drafts, strict=strict, is_batch=is_batch).items():
        if isinstance(result, MovedAway):
            moved[number] = result
        else:
            results[number] = result
    if moved:
        from gitkb.operations.tiers.learning_place import write_moved

        results |= write_moved(store, drafts, moved, strict=strict, is_batch=is_batch)
    return results


def parse_given(text: bytes, verb: str = "add") -> dict[str, Json]:
    """Parse one JSON object as it was given to a verb.

    Raises:
        DataError: when it is none.
    """
    # Some shells put the mark before whatever they pipe.
    text = text.removeprefix(BYTE_ORDER_MARK).strip()
    if not text:
        raise DataError(
            f"nothing to {verb}: no options are given, and there is no entry on stdin",
            f"gitkb {verb} --title … --content …, or {_FORM_HINT}",
        )
    try:
        return parse_object(text)
    except BadLineError as error:
        where = f" (column {error.column})" if error.column else ""
        is_many = b"\n{" in text and "extra data" in error.reason
        # What the error advises is meant for a line of a file, unless it says what to write.
        hint = "several entries, one a line: gitkb add --batch" if is_many else error.hint
        if not hint or hint.startswith(("gitkb fmt", "gitkb check", "mend the line")):
            hint = _FORM_HINT
        raise DataError(f"cannot read the entry: {error.reason}{where}", hint) from None
