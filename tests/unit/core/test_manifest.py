"""Manifests give the names of their dependencies, and say why where they cannot."""

from __future__ import annotations

import pytest

from gitkb.core import manifest
from gitkb.core.manifest import ManifestError
from gitkb.core.stack import MANIFESTS


def names(found: object) -> list[str]:
    return sorted(found)  # type: ignore[call-overload,no-any-return]


def test_pyproject_in_all_its_forms() -> None:
    data = b"""
[project]
dependencies = ["FastAPI[all]>=0.1; python_version > '3'", "ruamel.yaml", "x @ https://example.org/x.whl"]
optional-dependencies.test = ["pytest"]
[dependency-groups]
dev = ["mypy>=1", {include-group = "test"}]
[tool.poetry.dependencies]
python = "^3.11"
Django = "*"
[tool.poetry.group.docs.dependencies]
sphinx = "*"
"""
    expected = ["django", "fastapi", "mypy", "pytest", "ruamel-yaml", "sphinx", "x"]
    assert names(manifest.read_pyproject(data)) == expected


def test_requirements_without_options_and_addresses() -> None:
    data = (
        b"# note\n-r other.txt\n--hash=x\nrequests==2 # why\nhttps://example.org/a.whl\n\nA_b.c\n"
    )
    assert names(manifest.read_requirements(data)) == ["a-b-c", "requests"]


def test_setup_cfg() -> None:
    data = b"[options]\ninstall_requires =\n  flask>2\n  pymysql; python_version>'3'\n[options.extras_require]\ntest = pytest\n"
    assert "flask" in names(manifest.read_setup_cfg(data))
    assert {"pymysql", "pytest"} <= set(manifest.read_setup_cfg(data))
    assert names(manifest.read_setup_cfg(b"[metadata]\nname = x\n")) == []


def test_package_json_with_every_kind_of_dependency() -> None:
    data = b'{"dependencies":{"React":"1"},"devDependencies":{"jest":"1"},"peerDependencies":{"vue":"1"},"optionalDependencies":{"fsevents":"1"},"scripts":{"x":"y"}}'
    assert names(manifest.read_package_json(data)) == ["fsevents", "jest", "react", "vue"]


def test_go_mod_gives_direct_requirements_alone() -> None:
    data = b"module x\ngo 1.22\nrequire github.com/gin-gonic/gin/v2 v2.1.0\nrequire (\n\tgithub.com/lib/pq v1.0 // indirect\n\tk8s.io/client-go v0.1\n)\n"
    found = set(manifest.read_go_mod(data))
    assert {"gin-gonic/gin", "gin", "k8s.io/client-go"} <= found
    assert not any("pq" in name for name in found)


def test_cargo_with_workspace_and_targets() -> None:
    data = b'[dependencies]\nserde = "1"\n[workspace.dependencies]\ntokio = "1"\n[target."cfg(unix)".dev-dependencies]\nnix = "0"\n'
    assert names(manifest.read_cargo(data)) == ["nix", "serde", "tokio"]


def test_pom_with_its_namespace() -> None:
    data = b'<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>own</artifactId><parent><artifactId>spring-boot-starter-parent</artifactId></parent><dependencies><dependency><artifactId> Junit </artifactId></dependency></dependencies></project>'
    assert names(manifest.read_pom(data)) == ["junit", "spring-boot-starter-parent"]


def test_gradle_gemfile_composer_msbuild_mix_and_pubspec() -> None:
    gradle = b"plugins { id 'org.springframework.boot' version '3' }\nimplementation(\"org.postgresql:postgresql:42\")\n"
    assert names(manifest.read_gradle(gradle)) == [
        "org.postgresql", "org.springframework.boot", "postgresql",
    ]  # fmt: skip
    assert names(manifest.read_gemfile(b"gem 'rails', '~> 7'\n  gem \"RSpec\"\n# gem 'no'\n")) == [
        "rails",
        "rspec",
    ]
    composer = b'{"require":{"php":">=8","ext-json":"*","laravel/framework":"^11"}}'
    assert names(manifest.read_composer(composer)) == ["laravel/framework"]
    project = b'<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup><PackageReference Include="Npgsql" /></ItemGroup></Project>'
    assert names(manifest.read_msbuild(project)) == ["microsoft.net.sdk.web", "npgsql"]
    assert names(
        manifest.read_mix(b'defp deps do [{:phoenix, "~> 1"}, {:ecto_sql, ">= 0"}] end')
    ) == ["ecto_sql", "phoenix"]
    pubspec = b"name: x\ndependencies:\n  flutter:\n    sdk: flutter\n  http: ^1\ndev_dependencies:\n  test: any\nflutter:\n  assets: []\n"
    assert names(manifest.read_pubspec(pubspec)) == ["flutter", "http", "test"]


def test_pipfile() -> None:
    assert names(
        manifest.read_pipfile(b'[packages]\nFlask = "*"\n[dev-packages]\npytest = "*"\n')
    ) == ["flask", "pytest"]


@pytest.mark.parametrize(
    ("reader", "data", "reason"),
    [
        (manifest.read_pyproject, b"[project", "not TOML"),
        (manifest.read_pyproject, b"\xff", "0xFF"),
        (manifest.read_pyproject, b"a = " + b"[" * 5000, "not TOML"),
        (manifest.read_package_json, b'{"dependencies":', "not JSON"),
        (manifest.read_package_json, b"[]", "no JSON object"),
        (manifest.read_package_json, b"[" * 100_000, "not JSON"),
        (manifest.read_package_json, b'{"a":' + b"9" * 5000 + b"}", "not JSON"),
        (manifest.read_requirements, b"a\0b", "NUL"),
        (manifest.read_setup_cfg, b"no section = 1\n", "section"),
        (manifest.read_pom, b"<project>", "not XML"),
        (manifest.read_pom, b'<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>', "entities"),
        (manifest.read_msbuild, b"no xml", "not XML"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(reader: object, data: bytes, reason: str) -> None:
    with pytest.raises(ManifestError, match=reason):
        list(reader(data))  # type: ignore[operator]


@pytest.mark.parametrize("data", [b'{"dependencies":[1]}', b'{"dependencies":null}', b"{}"])
def test_tables_of_another_kind_are_passed_over(data: bytes) -> None:
    assert list(manifest.read_package_json(data)) == []


def test_every_reader_is_in_the_table() -> None:
    readers = {kind.read for kind in MANIFESTS}
    named = {getattr(manifest, name) for name in dir(manifest) if name.startswith("read_")}
    assert named - readers == {manifest.read_json}
