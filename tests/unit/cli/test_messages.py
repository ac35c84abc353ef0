"""Every error of gitkb has the form that users know: lower case, failure first, a way out."""

from __future__ import annotations

import ast
from pathlib import Path

import gitkb
from gitkb import errors
from gitkb.errors import GitkbError

PACKAGE = Path(gitkb.__file__).parent
NAMES = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and issubclass(value, GitkbError)
}


def calls() -> list[tuple[str, ast.Call]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id in NAMES:
                    found.append((f"{path.relative_to(PACKAGE)}:{node.lineno}", node))
    return found


def text_of(node: ast.expr) -> str | None:
    """The text of a literal, with `{}` for what is filled in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def test_messages_are_lower_case_and_end_without_a_stop() -> None:
    wrong = []
    for place, call in calls():
        text = text_of(call.args[0]) if call.args else None
        if text is not None and (text[:1].isupper() or text.endswith((".", "!", "\n"))):
            wrong.append(f"{place}: {text}")
    assert wrong == []


def test_every_error_comes_with_a_hint() -> None:
    without = [place for place, call in calls() if len(call.args) + len(call.keywords) < 2]
    # What lies below speaks to the operations; these speak to people.
    assert [place for place in without if place.startswith(("cli", "operations", "store"))] == []


def test_exit_codes_are_those_of_the_design() -> None:
    codes = {name: getattr(errors, name).exit_code for name in NAMES}
    assert codes == {
        "GitkbError": 1,
        "UsageError": 2,
        "DataError": 3,
        "NotFoundError": 4,
        "StateError": 5,
        "GitError": 6,
        "OwnerError": 6,
        "SearchIndexError": 7,
    }
    assert (errors.EXIT_DONE, errors.EXIT_NO) == (0, 1)
    assert (errors.EXIT_BUG, errors.EXIT_INTERRUPTED) == (70, 130)
