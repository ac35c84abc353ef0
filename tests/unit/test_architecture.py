"""The shape of the house, held by a machine.

What import-linter can say stands in pyproject.toml and is run here as well; the rest is read from
the syntax trees of the installed package, or seen in a fresh interpreter.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

import gitkb
from gitkb.cli.verbs import SECTIONS

from repo_builder import run_program, script
from seal import ROOT

PACKAGE = Path(gitkb.__file__).parent
FACES = ("gitkb.cli", "gitkb.mcp", "gitkb.hooks", "gitkb.drivers")
LONGEST_MODULE, LONGEST_MEDIAN = 400, 145  # lines: what still fits into one head
NAMES_THAT_SAY_NOTHING = {"util", "utils", "helper", "helpers", "common", "base", "manager", "misc"}

# What an import costs, in starts of a bare Python: pygit2 and jsonschema 7, filelock 4.3, click 2.8,
# dataclasses 1.5, tomllib 1.4, subprocess 1.1. The driver may cost 2 in all, recall 4.
HEAVY = {"click", "dataclasses", "filelock", "jsonschema", "pygit2", "subprocess"}
HOT = {
    "gitkb.drivers.merge": HEAVY | {"pathlib", "sqlite3", "tomllib", "inspect", "logging"},
    "gitkb.hooks.main": HEAVY | {"sqlite3"},
    "gitkb.operations.recall": HEAVY,
    "gitkb.operations.add": HEAVY,
}


class Module(NamedTuple):
    name: str
    path: Path
    tree: ast.Module

    @property
    def is_face(self) -> bool:
        return self.name.startswith(FACES) or self.name == "gitkb.__main__"


def _read(path: Path) -> Module:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(name, path, ast.parse(path.read_text(encoding="utf-8")))


MODULES = {module.name: module for module in map(_read, sorted(PACKAGE.rglob("*.py")))}


def _places(module: Module, found: list[ast.AST]) -> list[str]:
    return [f"{module.name}:{getattr(node, 'lineno', 0)}" for node in found]


# --- layers ----------------------------------------------------------------------------------


def test_imports_keep_the_layers() -> None:
    # The current folder holds the contracts and no package: what is judged is the installed one.
    Path("pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    done = run_program([script("lint-imports"), "--no-cache"], cwd=Path.cwd(), exit_code=None)
    assert done.exit_code == 0, done.stdout


def test_no_module_imports_itself_by_a_detour() -> None:
    graph = {name: _imports(module) - {name} for name, module in MODULES.items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def _imports(module: Module) -> set[str]:
    """The modules of gitkb that a module imports when it runs, at once or later."""
    found: set[str] = set()
    for node in ast.walk(_without_types(module.tree)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module)
    return found & set(MODULES)


def _without_types(tree: ast.Module) -> ast.Module:
    kept = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))
    ]
    return ast.Module(kept, tree.type_ignores)


def test_what_stands_directly_in_operations_is_a_verb_or_what_a_face_asks_for() -> None:
    asked = {name for module in MODULES.values() if module.is_face for name in _imports(module)}
    direct = {
        name for name in MODULES if name.count(".") == 2 and name.startswith("gitkb.operations.")
    }
    rooms = {name.rpartition(".")[0] for name in MODULES if name.startswith("gitkb.operations.")}
    verbs = {
        f"gitkb.operations.{verb}".replace("-", "_") for _, names in SECTIONS for verb in names
    }
    assert direct - rooms - asked - verbs == set()


# --- the hot path ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOT)
def test_what_starts_often_imports_nothing_heavy(name: str) -> None:
    pulled = _modules_after(f"import {name}") - _modules_after("pass")
    assert sorted(pulled & HOT[name]) == []


def _modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_few_named_tuples_on_the_way_of_a_recall_have_deferred_annotations() -> None:
    # Each field costs at import what a start of Python takes three hundred times (`core.problem`).
    pulled = _modules_after("import gitkb.cli.main, gitkb.cli.commands.recall")
    slow = {
        name: fields
        for name, module in MODULES.items()
        if name in pulled and (fields := _deferred_fields(module.tree))
    }
    assert sum(slow.values()) < 40, slow


def _deferred_fields(tree: ast.Module) -> int:
    """How many fields of named tuples a module defers."""
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    if not any(node.module == "__future__" for node in imports):
        return 0
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return sum(
        isinstance(node, ast.AnnAssign)
        for found in classes
        if any(ast.unparse(base) == "NamedTuple" for base in found.bases)
        for node in found.body
    )


# --- manners ---------------------------------------------------------------------------------


def test_only_a_face_catches_everything() -> None:
    found = []
    for module in MODULES.values():
        broad = [
            node
            for node in ast.walk(module.tree)
            if isinstance(node, ast.ExceptHandler) and _catches_everything(node)
        ]
        found += [] if module.is_face else _places(module, [*broad])
    assert found == []


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    # Cleaning up and passing the exception on hides nothing.
    passes_on = any(isinstance(node, ast.Raise) and node.exc is None for node in handler.body)
    return bool(names & {"Exception", "BaseException"}) and not passes_on


def test_only_a_face_speaks() -> None:
    found = []
    for module in MODULES.values():
        spoken: list[ast.AST] = [
            node
            for node in ast.walk(module.tree)
            if (isinstance(node, ast.Call) and ast.unparse(node.func) in {"print", "input"})
            or (isinstance(node, ast.Attribute) and ast.unparse(node) in _STREAMS)
        ]
        found += [] if module.is_face else _places(module, spoken)
    assert found == []


_STREAMS = {"sys.stdout", "sys.stderr", "sys.stdin", "sys.exit", "os._exit"}


def test_modules_are_small_rooms() -> None:
    lengths = {name: _length(module) for name, module in MODULES.items()}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}
    assert median(lengths.values()) <= LONGEST_MEDIAN


def _length(module: Module) -> int:
    return len(module.path.read_bytes().splitlines())


def test_every_module_says_what_it_holds() -> None:
    assert [name for name, module in MODULES.items() if not ast.get_docstring(module.tree)] == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [name for name in MODULES if name.split(".")[-1] in NAMES_THAT_SAY_NOTHING] == []


def test_the_version_stands_in_one_place() -> None:
    assert version("gitkb") == gitkb.__version__
    assert gitkb.__version__ not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
