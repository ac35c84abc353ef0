r"""Records as lines of text, for a person who reads a diff: one block a record, one line a value.

1. Two lines of JSON that say the same give the same text, two that differ in a name, a value or its kind
   give different texts: no change hides in a diff of the texts.
2. What a record says stands on the line of its field, or indented behind a sign: nothing of it can
   begin a block, a field or a conflict marker.
3. Each sentence has a line of its own, so that a changed word changes one line. `|` begins a line of a
   text; a line below it without the sign goes on where that one ended.
4. `:` goes before text and lists of texts, `=` before other values of JSON.
5. Control, direction and invisible characters are shown as ``\u{1b}``, and a backslash that would
   look like the beginning of that as ``\u{5c}``.
6. What cannot be read stands as it is, behind `unreadable`; a conflict marker stands alone.
"""

from __future__ import annotations

from gitkb.core.quick_json import parse_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitkb.core.canonical import Fields, Json

# Written out here, because importing `entry` costs as much as Python's own start, and git starts a
# textconv program for each file of a diff. A test holds them equal to those of `entry`.
# fmt: off
ORDER = (
    "key", "type", "title", "content", "status", "importance", "tags", "files", "stack", "category",
    "scope", "links", "source", "project", "issue", "review_by", "created", "ts", "revives", "aliases",
    "classified_by", "checkpoint", "done", "decided", "open", "next", "allowed_secrets",
    "redacted", "conflicts", "deleted", "moved", "by", "reason",
)
SETS = frozenset({"tags", "files", "stack", "aliases", "redacted"})
LISTS = frozenset({"done", "decided", "open", "next"})
# fmt: on
_RANK = {name: place for place, name in enumerate(ORDER)}
TIMES = frozenset({"created", "ts", "revives"})
_NO_TEXT = SETS | LISTS | TIMES | {"links", "conflicts"}
"""Fields in which text is a mistake."""
_LABELS = {name: f"  {name}" for name in ORDER}
_LAST_TIME = 253_402_300_799  # 9999-12-31 23:59:59, the last one that has a date
_DAY = 86_400
_MOST_DATES = 50_000
_dates: dict[int, str] = {}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ENDS = (". ", "! ", "? ", "… ", '." ', ".” ", ".» ", ".) ", "。", "！", "？")
_FULL_WIDTH = "。！？"
_CLOSING = '」』）”’»)]"。！？…'


def format_file(data: bytes) -> bytes:
    """Write a whole file of records as text, in the order of its lines. O(its size)."""
    blocks = []
    if data.startswith(_BYTE_ORDER_MARK):
        data = data[len(_BYTE_ORDER_MARK) :]
        blocks.append("byte order mark\n")
    lines = data.split(b"\n")
    last = lines.pop()
    blocks += map(format_line, lines)
    if last:
        # Before the blank line that ends a block.
        blocks.append(format_line(last)[:-1] + "  line end: none\n\n")
    # Only an escape of JSON could bring half of a surrogate pair, and such a line cannot be read.
    return "".join(blocks).encode("utf-8")


def format_line(line: bytes) -> str:
    """Write one line as a block: lines that end with a line feed, and a blank one."""
    is_plain = line[:2] == b'{"'
    fields = parse_plain(line) if is_plain else None
    if fields is None:
        return _format_carefully(line)
    return visible("\n".join(lines_of(fields)) + "\n\n")


def _format_carefully(line: bytes) -> str:
    from gitkb.core.jsonl import BadLineError, is_marker, parse_object

    try:
        fields = parse_object(line)
    except BadLineError:
        pass
    else:
        lines = [*lines_of(fields), *(["  line end: CRLF"] if line.endswith(b"\r") else [])]
        return visible("\n".join(lines) + "\n\n")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text = line.replace(b"\\", b"\\u{5c}").decode("utf-8", "backslashreplace")
        from gitkb.core.unsafe import shown

        return shown(f"unreadable: {text}\n\n")
    return visible(f"{text}\n" if is_marker(line) else f"unreadable: {text}\n\n")


def visible(block: str) -> str:
    """Make lines safe to be shown (rule 5)."""
    if "\\u{" in block:
        block = block.replace("\\u{", "\\u{5c}u{")
    if block.isascii() and block.replace("\n", "").isprintable():
        return block
    from gitkb.core.unsafe import shown  # dear to import, and most blocks need it not

    return shown(block)


def lines_of(fields: Fields) -> list[str]:
    """Give the lines of a record, the heading first; not yet safe to be shown (see rule 5)."""
    lines = [heading(fields)]
    try:
        names = sorted(fields, key=_RANK.__getitem__)
    except KeyError:  # fields that gitkb does not know come last, by name
        names = sorted(fields, key=lambda name: (_RANK.get(name, len(ORDER)), name))
    for name in names:
        lines += field_lines(name, fields[name])
    return lines


def heading(fields: Fields) -> str:
    """The line that begins a record's block: what it is, its key, and the title if it has one."""
    kind = (
        "forgotten" if fields.get("deleted") is True else "moved" if "moved" in fields else "entry"
    )
    key, title = fields.get("key"), fields.get("title")
    name = "without a key" if not isinstance(key, str) else plain_name(key)
    return f"{kind} {name}, title: {title}" if _is_line(title) else f"{kind} {name}"


def field_lines(name: str, value: Json) -> list[str]:
    """Give the lines of one field; none for what the heading says."""
    label = _LABELS.get(name) or f"  {plain_name(name)}"
    if isinstance(value, str):
        if name == "content":
            return [f"{label}:", *_bars(value)]
        if name == "key" or (name == "title" and _is_line(value)):
            return []
        if name not in _NO_TEXT:
            return _text(label, value)
    elif name in TIMES:
        if type(value) is int:
            return [f"{label}: {format_time(value)}"]
    elif name in SETS or name in LISTS:
        if _is_list_of(value, _is_text):
            items = sorted(value) if name in SETS and len(value) > 1 else value
            return [line for item in items for line in _text(label, item)]
    elif name == "links":
        if _is_list_of(value, _is_link):
            return sorted(
                f"{label}: {plain_name(one['rel'])} {plain_name(one['to'])}" for one in value
            )
    elif name == "conflicts":
        if _is_list_of(value, _is_conflict):
            return [line for one in sorted(_conflict(label, one) for one in value) for line in one]
    elif name == "allowed_secrets" and isinstance(value, list):
        value = sorted(value, key=_encode)
    elif name == "deleted" and value is True:
        return []
    return _json(label, value)


def format_time(ts: int) -> str:
    """Write Unix seconds with their day and time in UTC, where there is one."""
    if not 0 <= ts <= _LAST_TIME:
        return str(ts)
    days, second = divmod(ts, _DAY)
    minute, second = divmod(second, 60)
    return f"{ts} ({_date(days)} {minute // 60:02}:{minute % 60:02}:{second:02} UTC)"


def _date(days: int) -> str:
    found = _dates.get(days)
    if found is not None:
        return found
    # The proleptic Gregorian calendar in eras of 400 years that begin in March, so that a leap day
    # comes last (https://howardhinnant.github.io/date_algorithms.html, civil_from_days): the core
    # has no clock to ask, and `datetime` costs a tenth of Python's start.
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5 - 1
    month = month + 3 if month < 10 else month - 9
    if len(_dates) >= _MOST_DATES:
        _dates.clear()
    found = _dates[days] = f"{year + era * 400 + (month <= 2):04}-{month:02}-{day:02}"
    return found


def _is_list_of(value: Json, is_one: Callable[[Json], bool]) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_one, value))


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_line(value: Json) -> bool:
    """Whether a value is text that can stand behind a label and be read back from there."""
    return isinstance(value, str) and bool(value) and "\n" not in value and value == value.strip()


def _is_link(value: Json) -> bool:
    if not isinstance(value, dict) or value.keys() != {"rel", "to"}:
        return False
    return isinstance(value["rel"], str) and isinstance(value["to"], str)


def _is_conflict(value: Json) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"field", "value", "ts"}:
        return False
    return isinstance(value.get("field"), str) and type(value.get("ts", 0)) is int


def _conflict(label: str, conflict: Fields) -> list[str]:
    label = f"{label}: {plain_name(conflict['field'])}"
    if "ts" in conflict:
        label += f", ts {format_time(conflict['ts'])}"
    if "value" not in conflict:
        return [f"{label}, absent"]
    value = conflict["value"]
    lines = _bars(value) if isinstance(value, str) else _equals(value)
    return [f"{label}, or else", *lines]


def _text(label: str, text: str) -> list[str]:
    return [f"{label}: {text}"] if _is_line(text) else [f"{label}:", *_bars(text)]


def _bars(text: str) -> list[str]:
    lines: list[str] = []
    for line in text.split("\n"):
        if line:
            first, *others = split_sentences(line)
            lines.append(f"    | {first}")
            lines += [f"      {sentence}" for sentence in others]
        else:
            lines.append("    |")
    return lines


def split_sentences(line: str) -> list[str]:
    """Cut a line of text after its sentences.

    What was between two of them is one space, or nothing after a sign of full width.
    """
    for end in _ENDS:
        if end in line:
            line = line.replace(end, end.rstrip(" ") + "\n")
    if "\n" not in line:
        return [line]
    sentences: list[str] = []
    for piece in line.split("\n"):
        # An abbreviation as in "e.g. this", or a closing bracket, ends no sentence.
        if sentences and (
            not piece or piece[0].islower() or piece[0] in _CLOSING or piece[0].isspace()
        ):
            sentences[-1] += ("" if sentences[-1][-1:] in _FULL_WIDTH else " ") + piece
        else:
            sentences.append(piece)
    return sentences


def _json(label: str, value: Json) -> list[str]:
    if isinstance(value, dict | list) and value:
        return [f"{label} =", *_equals(value)]
    return [f"{label} = {_encode(value)}"]


def _equals(value: Json) -> list[str]:
    from json import dumps

    text = dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    return [f"    = {line}" for line in text.split("\n")]


def _encode(value: Json) -> str:
    if type(value) is int:
        return str(value)
    from json import dumps

    return dumps(value, ensure_ascii=False, sort_keys=True)


def plain_name(text: str) -> str:
    """Write a name as it is, or quoted where it could pass for something else."""
    bare = text.replace("_", "").replace("-", "").replace(".", "").replace("/", "")
    return text if bare.isascii() and bare.isalnum() else _encode(text)
