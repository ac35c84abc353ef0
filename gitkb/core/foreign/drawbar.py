"""A record of drawbar-kb as an entry of gitkb.

drawbar's form: ``key``, ``type`` and ``content``; ``source`` ("agent" where absent), ``tags``,
``ts`` in Unix seconds, ``issue``, ``files``.

1. Fields that drawbar does not have are kept.
2. A field in another form than drawbar's is put right where only one value can be meant, and said;
   else the record is refused with the reason.
3. What is ours alone goes out in the field `OURS` and comes back from there, so that an export says
   all that the entry does, in a form that drawbar takes: ``parse_drawbar(format_drawbar(e)) == e``.
4. A key that is none of ours gets one that depends on the old key alone, so that every import on
   every machine gives the same; the old one stays in ``aliases``.
"""

from __future__ import annotations

import json
import posixpath
import re
import unicodedata
from datetime import datetime
from hashlib import sha256

from gitkb.core.canonical import encode_sorted
from gitkb.core.entry import DEFAULTS, FIELDS, TYPES, Entry, check_fields, is_tombstone, normalise
from gitkb.core.identity import is_key
from gitkb.core.jsonl import BadLineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitkb.core.canonical import Fields, Json

DRAWBAR_FIELDS = frozenset({"key", "type", "content", "source", "tags", "ts", "issue", "files"})
OURS = "gitkb"
"""Where a record keeps the fields of an entry that drawbar has no word for."""
_NEAREST = {
    "pitfall": "learned", "principle": "pattern", "discussion": "decision", "note": "fact",
    "file": "fact", "session": "investigation",
}  # fmt: skip
_not_in_keys = re.compile(r"[^A-Za-z0-9._-]+")
_digits = re.compile(r"[0-9]{1,19}").fullmatch
_IN_ORDER = (*(name for name in FIELDS if name != "key"), OURS)
_OURS = frozenset({*FIELDS, OURS} - {"key"})
_KEY_HEAD = 100
_HASH_DIGITS = 8
# A time of so many digits can only be in smaller units: in seconds it would be 30,000 years off.
_UNITS = {13: 10**3, 16: 10**6, 19: 10**9}
_LATEST = 10**11


def parse_drawbar(fields: Fields) -> tuple[Entry, list[str]]:
    """Turn the fields of a record into an entry, and say what had to be put right.

    Without a time the entry has no ``ts``.

    Raises:
        BadLineError: when it cannot be told for certain what the record says.
    """
    repairs: list[str] = []
    if is_tombstone(fields):
        raise BadLineError("it marks a deletion, which drawbar's form does not have")
    new = dict(fields)
    ours = new.get(OURS)
    if isinstance(ours, dict) and ours.keys() <= _OURS:
        del new[OURS]
    else:
        ours = {}
    if new.get("deleted") is False:
        del new["deleted"]
        repairs.append("removed 'deleted', which was false")
    _put_key(new, repairs)
    new["type"] = _type(fields.get("type"), repairs)
    if not isinstance(fields.get("content", "-"), str):
        raise BadLineError("'content' is not text")
    if not str(fields.get("content") or fields.get("title") or "").strip():
        raise BadLineError("'content' is empty" if "content" in fields else "no 'content'")
    for name in ("tags", "files"):
        if name in fields:
            new[name] = _texts(name, fields[name], repairs)
    new["files"] = [_path(path) for path in new.get("files", ())]
    for name in ("ts", "created"):
        if name in fields:
            new[name] = _time(name, fields[name], repairs)
    for name in ("source", "issue"):
        new[name] = _text(name, fields.get(name), repairs)
    # Null says "not given" in a field that has a default.
    new = {name: value for name, value in new.items() if value is not None or name not in FIELDS}
    new = {name: value for name, value in {**new, **ours}.items() if ours.get(name, 0) is not None}
    faults = check_fields(new)
    if faults:
        raise BadLineError(faults[0])
    return Entry(normalise(new)), repairs


def format_drawbar(fields: Fields) -> dict[str, Json]:
    """Write an entry as a record of drawbar's, its fields in the seed's order."""
    entry = Entry(normalise(fields))
    content = entry.content if entry.content.strip() else entry.title
    record: dict[str, Json] = {
        "key": entry.key,
        "type": _NEAREST.get(entry.type, entry.type),
        "content": content or "-",
        "source": entry.fields.get("source", DEFAULTS["source"]),
        "tags": entry.tags,
        "ts": entry.fields.get("ts"),
        "issue": entry.fields.get("issue"),
        "files": entry.files,
    }
    if record["ts"] is None or record["ts"] >= _LATEST:
        del record["ts"]
    # What neither knows stays where it is.
    record.update(
        {
            name: entry.fields[name]
            for name in sorted(entry.fields.keys() - set(FIELDS))
            if name != OURS
        }
    )
    read = parse_drawbar(record)[0].fields
    ours = {name: entry.fields[name] for name in _IN_ORDER if _differs(name, entry.fields, read)}
    lost = {name: None for name in _IN_ORDER if name in read and name not in entry.fields}
    return {**record, OURS: {**ours, **lost}} if ours or lost else record


def _differs(name: str, fields: Fields, read: Fields) -> bool:
    return name in fields and (
        name not in read or encode_sorted(read[name]) != encode_sorted(fields[name])
    )


def valid_key(old: str) -> str:
    """Give the key under which another tool's key is kept: itself, or a readable form and a hash.

    The hash keeps ``auth/token``, ``auth token`` and ``auth-token`` apart.
    """
    if is_key(old):
        return old
    plain = unicodedata.normalize("NFKD", old).encode("ascii", "ignore").decode()
    head = _not_in_keys.sub("-", plain).strip("-._")[:_KEY_HEAD].rstrip("-._")
    digits = sha256(old.encode("utf-8")).hexdigest()[:_HASH_DIGITS]
    return f"{head}-{digits}" if head else f"key-{digits}"


def _put_key(fields: dict[str, Json], repairs: list[str]) -> None:
    key = fields.get("key")
    if isinstance(key, int) and not isinstance(key, bool):
        key = str(key)
        repairs.append("wrote the number in 'key' as text")
    if not isinstance(key, str) or not key.strip():
        raise BadLineError("no 'key'" if key is None or key == "" else "'key' is not text")
    fields["key"] = valid_key(key)
    if fields["key"] != key:
        aliases = fields.get("aliases")
        fields["aliases"] = [*(aliases if isinstance(aliases, list) else ()), key]


def _type(value: Json, repairs: list[str]) -> str:
    if not isinstance(value, str) or not value.strip():
        raise BadLineError("no 'type'" if value is None or value == "" else "'type' is not text")
    name = value.strip().lower()
    if name not in TYPES:
        raise BadLineError(f"unknown type '{value[:40]}', not one of {', '.join(TYPES)}")
    if name != value:
        repairs.append(f"read type '{value.strip()}' as {name}")
    return name


def _texts(name: str, value: Json, repairs: list[str]) -> list[str]:
    """Read a list of texts; a single text, null, numbers in it and empty texts are put right."""
    if value is None:
        repairs.append(f"'{name}' was null")
        return []
    if isinstance(value, str):
        value = _texts_in(name, value)
        repairs.append(f"'{name}' was a text, not a list")
    if not isinstance(value, list):
        raise BadLineError(f"'{name}' is not a list of texts")
    texts = []
    for item in value:
        if isinstance(item, int) and not isinstance(item, bool):
            repairs.append(f"wrote the number {item} in '{name}' as text")
            item = str(item)
        if not isinstance(item, str | None):
            raise BadLineError(f"'{name}' is not a list of texts")
        if item and item.strip():
            texts.append(item.strip())
    if len(texts) != len(value):
        repairs.append(f"removed what was empty in '{name}'")
    return texts


def _texts_in(name: str, text: str) -> list[Json]:
    if text.lstrip().startswith("["):
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            raise BadLineError(f"'{name}' is not a list of texts") from None
        return list(inner)
    # No tag holds a comma, but the name of a file may.
    return list(text.split(",")) if name == "tags" else [text]


def _path(path: str) -> str:
    """Name a file as `add` does: with `/`, without `./` and the like. An address is no path."""
    if "://" in path:
        return path
    slashed = path.replace("\\", "/")
    plain = posixpath.normpath(slashed)
    # What leads out of the repository cannot be put right, and is a name all the same.
    return slashed if plain.startswith(("/", "..")) else plain


def _time(name: str, value: Json, repairs: list[str]) -> int | None:
    if value is None:
        return None
    seconds = value
    if isinstance(value, str):
        seconds = int(value) if _digits(value.strip()) else _instant(value.strip())
    elif isinstance(value, float):
        # Part of a second says nothing; nothing in gitkb is dated more finely.
        seconds = int(value) if value >= 0 else None
    elif isinstance(value, bool) or not isinstance(value, int):
        seconds = None
    if seconds is not None and seconds >= _LATEST:
        seconds = seconds // _UNITS[len(str(seconds))] if len(str(seconds)) in _UNITS else None
    if seconds is None or seconds < 0:
        raise BadLineError(f"'{name}' is not a time that is certain: {_shown(value)}")
    if seconds != value or not isinstance(value, int):
        repairs.append(f"read '{name}' {_shown(value)} as {seconds}")
    return int(seconds)


def _instant(text: str) -> int | None:
    """Read an ISO 8601 time; one that does not say how far from UTC it is could be any of 26."""
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int(instant.timestamp()) if instant.tzinfo is not None else None


def _text(name: str, value: Json, repairs: list[str]) -> str | None:
    if value is None or value == "":
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        repairs.append(f"wrote the number in '{name}' as text")
        return str(value)
    if not isinstance(value, str):
        raise BadLineError(f"'{name}' is not text")
    return value


def _shown(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)[:40]
