"""What a project is built with, read off the files that say so.

1. Only names and bytes count: the same files give the same stack, in any order.
2. One row of `MANIFESTS` is one kind of file; to know another kind is to add a row.
3. A file that cannot be read is a problem, and what its name alone says still counts.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import NamedTuple

from gitkb.core import manifest
from gitkb.core.manifest import ManifestError
from gitkb.core.problem import Problem
from gitkb.core.technology import technologies_of, technology_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    Reader: TypeAlias = Callable[[bytes], Iterable[str]]


class Manifest(NamedTuple):
    """One kind of file: what its name says, and how its dependencies are read."""

    pattern: str
    """The name in lower case, as `fnmatch` takes it; with ``/`` a path from the top."""
    means: str
    """Technologies, separated by blanks."""
    read: Reader | None = None


class Stack(NamedTuple):
    """What a project is built with: names as `core.technology` spells them, sorted."""

    names: tuple[str, ...] = ()
    """Languages, frameworks and tools."""
    libraries: tuple[str, ...] = ()
    """The dependencies under their own names."""
    problems: tuple[Problem, ...] = ()

    @property
    def all(self) -> frozenset[str]:
        """All of it, which is what an entry's own stack is held against."""
        return frozenset((*self.names, *self.libraries))


MANIFESTS = (
    Manifest("pyproject.toml", "python", manifest.read_pyproject),
    Manifest("requirements*.txt", "python", manifest.read_requirements),
    Manifest("setup.cfg", "python", manifest.read_setup_cfg),
    Manifest("setup.py", "python"),
    Manifest("pipfile", "python", manifest.read_pipfile),
    Manifest("environment.yml", "conda"),
    Manifest("manage.py", "python django"),
    Manifest("package.json", "javascript", manifest.read_package_json),
    Manifest("tsconfig*.json", "typescript"),
    Manifest("deno.json*", "deno typescript"),
    Manifest("bun.lock*", "bun"),
    Manifest("pnpm-lock.yaml", "pnpm"),
    Manifest("yarn.lock", "yarn"),
    Manifest("angular.json", "angular"),
    Manifest("next.config.*", "nextjs react"),
    Manifest("nuxt.config.*", "nuxt vue"),
    Manifest("svelte.config.*", "svelte"),
    Manifest("astro.config.*", "astro"),
    Manifest("vite.config.*", "vite"),
    Manifest("tailwind.config.*", "tailwindcss"),
    Manifest("go.mod", "go", manifest.read_go_mod),
    Manifest("cargo.toml", "rust", manifest.read_cargo),
    Manifest("pom.xml", "java maven", manifest.read_pom),
    Manifest("build.gradle", "java gradle", manifest.read_gradle),
    Manifest("build.gradle.kts", "kotlin gradle", manifest.read_gradle),
    Manifest("build.sbt", "scala"),
    Manifest("project.clj", "clojure"),
    Manifest("deps.edn", "clojure"),
    Manifest("gemfile", "ruby", manifest.read_gemfile),
    Manifest("*.gemspec", "ruby"),
    Manifest("composer.json", "php", manifest.read_composer),
    Manifest("*.csproj", "csharp dotnet", manifest.read_msbuild),
    Manifest("*.fsproj", "fsharp dotnet", manifest.read_msbuild),
    Manifest("*.sln", "dotnet"),
    Manifest("mix.exs", "elixir", manifest.read_mix),
    Manifest("rebar.config", "erlang"),
    Manifest("pubspec.yaml", "dart", manifest.read_pubspec),
    Manifest("package.swift", "swift"),
    Manifest("podfile", "ios"),
    Manifest("cmakelists.txt", "cmake cpp"),
    Manifest("meson.build", "meson"),
    Manifest("*.cabal", "haskell"),
    Manifest("stack.yaml", "haskell"),
    Manifest("dune-project", "ocaml"),
    Manifest("build.zig", "zig"),
    Manifest("gleam.toml", "gleam"),
    Manifest("shard.yml", "crystal"),
    Manifest("*.nimble", "nim"),
    Manifest("flake.nix", "nix"),
    Manifest("dockerfile", "docker"),
    Manifest("docker-compose*.y*ml", "docker docker-compose"),
    Manifest("compose.y*ml", "docker docker-compose"),
    Manifest("chart.yaml", "helm kubernetes"),
    Manifest("*.tf", "terraform"),
    Manifest("pulumi.yaml", "pulumi"),
    Manifest("ansible.cfg", "ansible"),
    Manifest("serverless.y*ml", "serverless"),
    Manifest(".gitlab-ci.yml", "gitlab-ci"),
    Manifest("jenkinsfile", "jenkins"),
    Manifest(".github/workflows/*.y*ml", "github-actions"),
    Manifest(".circleci/config.yml", "circleci"),
)


def find_manifest(path: str) -> Manifest | None:
    """Say which kind of manifest a file is, by its path with ``/``; None where it is none."""
    low = path.lower()
    name = low.rpartition("/")[2]
    for kind in MANIFESTS:
        if fnmatchcase(low if "/" in kind.pattern else name, kind.pattern):
            return kind
    return None


def detect_stack(files: Iterable[tuple[str, bytes]]) -> Stack:
    """Work out the stack from files given as pairs of a path with ``/`` and all its bytes."""
    names: set[str] = set()
    libraries: set[str] = set()
    problems: list[Problem] = []
    for path, data in files:
        kind = find_manifest(path)
        if kind is None:
            continue
        names.update(kind.means.split())
        if kind.read is None:
            continue
        try:
            for dependency in kind.read(data):
                libraries.add(dependency)
                names.update(technologies_of(dependency))
        except ManifestError as error:
            problems.append(unreadable(path, str(error)))
    return Stack(tuple(sorted(names)), tuple(sorted(libraries)), tuple(sorted(problems)))


def declared_stack(texts: Iterable[str], problems: Iterable[Problem] = ()) -> Stack:
    """Take a stack as somebody wrote it down."""
    names = {technology_name(text) for text in texts if text.strip()}
    return Stack(tuple(sorted(names)), (), tuple(problems))


def unreadable(path: str, reason: str) -> Problem:
    """The warning for a file that would say what the project is built with, and cannot be read."""
    return Problem(
        "unreadable-manifest",
        f"cannot tell what '{path}' depends on: {reason}",
        "mend the file, or write [project] stack into config.toml",
        path,
        severity="warning",
    )


def overlaps(wanted: Iterable[str], stack: frozenset[str]) -> bool:
    """Say whether an entry's stack has anything in common with a project's.

    An empty one is about no technology, and so about every project.
    """
    names = [name for name in map(technology_name, wanted) if name]
    return not names or not stack.isdisjoint(names)
