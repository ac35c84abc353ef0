"""Whether what is kept, or is about to be committed, holds what looks like a secret.

1. A whole store is judged line by line; of a commit only the lines that it brings in.
2. Lines that cannot be read, config.toml, views and whatever else lies in the store are judged as text.
3. Where `[secrets]` is wrong it is the one problem, and an error: nothing counts as judged then.
"""

from __future__ import annotations

import os

from gitkb.core.canonical import encode_json
from gitkb.core.jsonl import split_lines
from gitkb.core.problem import Problem
from gitkb.core.secrets.hint import may_record_hold_secret
from gitkb.errors import DataError
from gitkb.operations.checks.names import is_data, names_in
from gitkb.schema.secret_scan import find_in_text, find_secrets
from gitkb.schema.secret_settings import SecretSettings, parse_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from gitkb.core.snapshot import Located
    from gitkb.schema.secret_scan import Finding
    from gitkb.store.layout import Store

_LARGEST = 4_000_000
_HINT = (
    "make it invalid where it opens something, then gitkb redact {name} scrubs it; if it is none, "
    "gitkb add --key {name} … --allow-secret=REASON, or [secrets] allow in config.toml"
)
_KEY_HINT = (
    "make it invalid where it opens something, write the entry again under another key, then gitkb forget "
    "this one, and gitkb gc when every branch knows; if it is none, [secrets] allow in config.toml"
)
_TEXT_HINT = "take it out; if it is none, [secrets] allow in config.toml lets it by"


def read_settings(values: Mapping[str, Any], name: str, problems: list[Problem]) -> SecretSettings:
    """Read `[secrets]`; where it is wrong, add the problem, and let nothing by."""
    try:
        return parse_settings(values)
    except DataError as error:
        problems.append(Problem("bad-config", error.message, error.hint or "", name))
        return SecretSettings()


def check_secrets(
    name: str,
    data: bytes,
    records: Iterable[Located],
    settings: SecretSettings,
    known: bytes = b"",
) -> Iterator[Problem]:
    """Judge a data file; `records` are those that were read of it. What stands in `known`, the files as they
    were before, is not told: it was let in then."""
    read = set()
    for at in records:
        read.add(at.number)
        if (not known or at.line not in known) and (
            settings.personal or may_record_hold_secret(at.line, at.record.fields)
        ):
            for finding in _new_among(find_secrets(at.record.fields, settings), known):
                key = at.record.key
                if finding.text in key:
                    message = f"the key of an entry seems to be a secret: {finding.message}"
                    yield Problem("secret", message, _KEY_HINT, name, at.number)
                    continue
                message = f"'{key}' seems to hold a secret: {finding.message}"
                yield Problem("secret", message, _HINT.format(name=key), name, at.number)
    for number, line in enumerate(split_lines(data), 1):
        if number not in read and not (known and line in known):
            text = line.decode("utf-8", "replace").replace("\\n", "\n").replace('\\"', '"')
            yield from _in_line(
                find_in_text(text, settings, "a line that cannot be read"), name, number
            )


def _new_among(found: Iterable[Finding], known: bytes) -> Iterator[Finding]:
    for finding in found:
        if not known or encode_json(finding.text)[1:-1] not in known:
            yield finding


def check_text(
    name: str, data: bytes, settings: SecretSettings, known: bytes = b""
) -> Iterator[Problem]:
    """Judge a file that is no data file; lines that stand in `known` are not judged."""
    if len(data) > _LARGEST or b"\0" in data:
        return
    text = data.decode("utf-8", "replace")
    old = known.decode("utf-8", "replace")
    for finding in find_in_text(text, settings, f"the file {name}"):
        if finding.text not in old:
            number = text.count("\n", 0, max(0, text.find(finding.text))) + 1
            yield from _in_line([finding], name, number)


def check_other_files(store: Store, settings: SecretSettings) -> Iterator[Problem]:
    """Judge the files of a store in the work tree that are no data files."""
    views = os.path.join(store.root, "views")
    names = [name for name in names_in(store) if not is_data(name)]
    if os.path.isdir(views):
        names += [f"views/{name}" for name in os.listdir(views)]
    for name in sorted(names):
        path = store.path_of(name)
        if os.path.isfile(path) and os.path.getsize(path) <= _LARGEST:
            try:
                with open(path, "rb") as file:
                    data = file.read()
            except OSError:
                continue  # whatever needs the file says why it cannot be read
            yield from check_text(name, data, settings)


def _in_line(found: Iterable[Finding], name: str, number: int) -> Iterator[Problem]:
    for finding in found:
        yield Problem(
            "secret", f"this seems to be a secret: {finding.message}", _TEXT_HINT, name, number
        )
