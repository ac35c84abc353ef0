"""The files in which a project says what it is built with, read for the names of its dependencies.

1. A manifest is data: nothing in it is run, included or fetched, and no XML entity is resolved.
2. What cannot be read raises `ManifestError` with the reason, whatever the bytes are.
3. A reader gives names only, in lower case; versions, markers and addresses are left out.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_is_requirement = re.compile(r"[ \t]*([A-Za-z0-9][A-Za-z0-9._-]*)").match
_go_module = re.compile(r"(?m)^[ \t]*(?:require[ \t]+)?([\w.-]+(?:/[\w.~-]+)+)[ \t]+v\d[^\n]*")
_go_version = re.compile(r"/v\d+$")
_gradle_name = re.compile(
    r"""['"]([\w.-]{1,200}):([\w.-]{1,200})(?::[^'"\n]{0,200})?['"]"""
    r"""|\bid[ \t]*\(?[ \t]*['"]([\w.-]{1,200})['"]"""
)
_gem = re.compile(r"""(?m)^[ \t]*gem[ \t(]+['"]([\w.-]{1,200})['"]""")
_mix = re.compile(r"""\{[ \t]*:(\w{1,200})[ \t]*,""")
_yaml_section = re.compile(r"([\w-]+):[ \t]*(?:#.*)?$")
_yaml_name = re.compile(r"[ \t]+([\w.-]+):")

_find_module = re.compile(r"(?m)^module[ \t]+(\S{1,200})").search

NAMING: dict[str, tuple[tuple[str, ...], ...]] = {
    "pyproject.toml": (("project",), ("tool", "poetry")),
    "package.json": ((),),
    "Cargo.toml": (("package",),),
    "composer.json": ((),),
    "go.mod": (),
}
"""The manifests that name their project, the first that does counts, and the tables with the name."""


class ManifestError(Exception):
    """A manifest that cannot be read; the text says why."""


def read_pyproject(data: bytes) -> Iterator[str]:
    """PEP 621, PEP 735, and what Poetry had before."""
    document = _toml(data)
    project = _table(document, "project")
    yield from _requirements(_texts(project.get("dependencies")))
    for group in _table(project, "optional-dependencies").values():
        yield from _requirements(_texts(group))
    for group in _table(document, "dependency-groups").values():
        yield from _requirements(_texts(group))
    poetry = _table(document, "tool", "poetry")
    for table in (poetry, *_tables(_table(poetry, "group"))):
        for name in ("dependencies", "dev-dependencies"):
            yield from _names(_table(table, name), without=("python",))


def read_requirements(data: bytes) -> Iterator[str]:
    """A requirements file of pip: one requirement a line; options and addresses are passed over."""
    for line in _text(data).splitlines():
        if not line.lstrip().startswith(("#", "-")) and "://" not in line.partition("@")[0]:
            yield from _requirements([line])


def read_setup_cfg(data: bytes) -> Iterator[str]:
    """The declared requirements of setuptools."""
    from configparser import Error, RawConfigParser

    parser = RawConfigParser(strict=False)
    try:
        parser.read_string(_text(data))
        lines = parser.get("options", "install_requires", fallback="")
        sections = (
            ["options.extras_require"] if parser.has_section("options.extras_require") else []
        )
        lines += "\n" + "\n".join(value for name in sections for _, value in parser.items(name))
    except Error as error:
        raise ManifestError(" ".join(str(error).split())) from None
    yield from _requirements(line for line in re.split(r"[\n;]", lines) if line.strip())


def read_pipfile(data: bytes) -> Iterator[str]:
    """A Pipfile."""
    document = _toml(data)
    for name in ("packages", "dev-packages"):
        yield from _names(_table(document, name))


def read_package_json(data: bytes) -> Iterator[str]:
    """The manifest of npm, and of what took its place."""
    document = _json(data)
    for kind in ("", "dev", "peer", "optional"):
        name = f"{kind}Dependencies" if kind else "dependencies"
        yield from _names(_table(document, name))


def read_composer(data: bytes) -> Iterator[str]:
    """The manifest of PHP's Composer; ``php`` and ``ext-…`` are no packages."""
    document = _json(data)
    for name in ("require", "require-dev"):
        yield from (found for found in _names(_table(document, name)) if "/" in found)


def read_go_mod(data: bytes) -> Iterator[str]:
    """The modules that are required directly: by their path without the host, and by their name."""
    for at in _go_module.finditer(_text(data)):
        if "// indirect" in at[0]:
            continue
        path = _go_version.sub("", at[1].lower())
        yield from (path, path.partition("/")[2], path.rpartition("/")[2])


def read_cargo(data: bytes) -> Iterator[str]:
    """The crates of a package or a workspace."""
    document = _toml(data)
    tables = [document, _table(document, "workspace"), *_tables(_table(document, "target"))]
    for table in tables:
        for name in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from _names(_table(table, name))


def read_pom(data: bytes) -> Iterator[str]:
    """The artifacts that a Maven project, or its parent, names."""
    for name in _xml_texts(data, ("dependency", "parent", "plugin"), "artifactId"):
        yield name.lower()


def read_gradle(data: bytes) -> Iterator[str]:
    """What a Gradle script names as ``group:artifact:version``, and its plugins."""
    for group, artifact, plugin in _gradle_name.findall(_text(data)):
        yield from (name.lower() for name in (group, artifact, plugin) if name)


def read_gemfile(data: bytes) -> Iterator[str]:
    """The gems of a Gemfile."""
    yield from (name.lower() for name in _gem.findall(_text(data)))


def read_msbuild(data: bytes) -> Iterator[str]:
    """The packages of a project of .NET, and its SDK."""
    for element in _xml(data):
        name = element.tag.rpartition("}")[2]
        if name == "Project" and element.get("Sdk"):
            yield str(element.get("Sdk")).lower()
        elif name in ("PackageReference", "FrameworkReference") and element.get("Include"):
            yield str(element.get("Include")).lower()


def read_mix(data: bytes) -> Iterator[str]:
    """What stands as ``{:name, …}`` in a mix.exs."""
    yield from (name.lower() for name in _mix.findall(_text(data)))


def read_pubspec(data: bytes) -> Iterator[str]:
    """The dependencies of a Dart package: the names one level below the two sections."""
    inside, depth = False, 0
    for line in _text(data).splitlines():
        section = _yaml_section.match(line)
        name = _yaml_name.match(line)
        if section:
            inside, depth = section[1] in ("dependencies", "dev_dependencies"), 0
        elif inside and name:
            indent = len(line) - len(line.lstrip())
            depth = depth or indent
            if indent == depth:
                yield name[1].lower()


def name_in(name: str, data: bytes) -> str:
    """What a project calls itself in one of the files of `NAMING`; empty where it does not say."""
    if name == "go.mod":
        found = _find_module(_text(data))
        return _go_version.sub("", found[1]).rpartition("/")[2] if found else ""
    document = _json(data) if name.endswith(".json") else _toml(data)
    for table in NAMING[name]:
        value = _table(document, *table).get("name")
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def read_json(data: bytes) -> dict[str, Any]:
    """A JSON object in a file of another tool.

    Raises:
        ManifestError: when it is none.
    """
    return _json(data)


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ManifestError(f"the byte 0x{data[error.start]:02X} is not UTF-8") from None
    if "\0" in text:
        raise ManifestError("a NUL byte in it")
    return text


def _json(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(_text(data))
    except json.JSONDecodeError as error:
        raise ManifestError(f"not JSON: {error}") from None
    except (RecursionError, ValueError):
        raise ManifestError("not JSON that can be read") from None
    if not isinstance(value, dict):
        raise ManifestError("no JSON object")
    return value


def _toml(data: bytes) -> dict[str, Any]:
    import tomllib  # dearer than Python's own start

    try:
        return tomllib.loads(_text(data))
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(f"not TOML: {error}") from None
    except (RecursionError, ValueError):
        raise ManifestError("not TOML that can be read") from None


def _xml(data: bytes) -> Iterator[Any]:
    text = _text(data)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        # Entities of entities grow without bounds, and these files have no need of any.
        raise ManifestError("it declares entities")
    from xml.etree.ElementTree import ParseError, fromstring

    try:
        yield from fromstring(text).iter()
    except (ParseError, RecursionError, ValueError) as error:
        raise ManifestError(f"not XML: {error}") from None


def _xml_texts(data: bytes, parents: tuple[str, ...], child: str) -> Iterator[str]:
    for element in _xml(data):
        if element.tag.rpartition("}")[2] in parents:
            for inner in element:
                if inner.tag.rpartition("}")[2] == child and inner.text and inner.text.strip():
                    yield inner.text.strip()


def _table(document: Any, *names: str) -> dict[str, Any]:
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}


def _tables(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [value for value in document.values() if isinstance(value, dict)]


def _names(table: dict[str, Any], without: tuple[str, ...] = ()) -> Iterator[str]:
    yield from (name.lower() for name in table if name.lower() not in without)


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _requirements(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        found = _is_requirement(line)
        if found:  # PEP 503: runs of these are one hyphen
            yield re.sub(r"[-_.]+", "-", found[1]).lower()
