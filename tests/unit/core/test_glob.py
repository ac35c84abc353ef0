"""Which files a pattern means."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitkb.core.glob import compile_glob

_paths = st.lists(st.text("ab[]*?.-!", min_size=1, max_size=4), min_size=1, max_size=4).map(
    "/".join
)


@pytest.mark.parametrize(
    ("pattern", "meant", "not_meant"),
    [
        ("src/auth", ["src/auth", "src/auth/login.py", "src/auth/a/b"], ["src/authz", "src", "a/src/auth"]),
        ("src/auth/", ["src/auth", "src/auth/login.py"], ["src/authz/login.py"]),
        ("./src//auth", ["src/auth/login.py"], ["src/authz"]),
        ("Makefile", ["Makefile"], ["docs/Makefile", "Makefile2"]),
        ("src/*.py", ["src/a.py"], ["src/a/b.py", "src/a.pyc", "lib/a.py"]),
        ("*.py", ["a.py", "src/a.py", "src/deep/a.py"], ["a.pyc", "py"]),
        ("src/*/test", ["src/a/test", "src/a/test/b.py"], ["src/test", "src/a/b/test"]),
        ("src/**/test.py", ["src/test.py", "src/a/test.py", "src/a/b/test.py"], ["test.py", "src/test.pyc"]),
        ("**/auth", ["auth", "src/auth", "src/auth/a.py"], ["src/authz"]),
        ("src/**", ["src/a", "src/a/b"], ["src", "lib/a"]),
        ("**", ["a", "a/b"], []),
        ("a?c", ["abc", "x/abc"], ["ac", "abbc", "a/c"]),
        ("[ab].py", ["a.py", "src/b.py"], ["c.py", "[ab].pyx"]),
        ("[!ab].py", ["c.py"], ["a.py"]),
        ("[^ab].py", ["c.py"], ["a.py"]),
        ("v[0-9]*", ["v1", "v10"], ["v", "vx"]),
        ("[]].py", ["].py"], ["a.py"]),
        ("[z-a].py", ["[z-a].py"], ["z.py", "m.py"]),
        ("a[b", ["a[b"], ["ab", "a"]),
        ("app/[id]/page.tsx", ["app/[id]/page.tsx", "app/i/page.tsx"], ["app/x/page.tsx"]),
        ("größe/*", ["größe/ä.py"], ["grosse/a.py"]),
        ("a+b(c).py", ["a+b(c).py"], ["aab(c).py"]),
        ("", ["anything", "at/all"], []),
        (".", ["anything", "at/all"], []),
        ("/src", ["src/a.py"], ["lib/src"]),
    ],
)  # fmt: skip
def test_a_pattern_means_these_files_and_not_those(
    pattern: str, meant: list[str], not_meant: list[str]
) -> None:
    is_meant = compile_glob(pattern)
    assert [path for path in meant if not is_meant(path)] == []
    assert [path for path in not_meant if is_meant(path)] == []


@given(_paths, st.text("ab/", max_size=5))
def test_a_path_as_a_pattern_means_itself_and_all_below(path: str, below: str) -> None:
    assert compile_glob(path)(path)
    assert compile_glob(path)(f"{path}/{below}")


@given(
    st.lists(st.text("ab*?", min_size=1, max_size=4), min_size=2, max_size=4).map("/".join),
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4).map("/".join),
)
def test_a_glob_means_what_trying_every_way_finds(pattern: str, path: str) -> None:
    assert compile_glob(pattern)(path) == _tries_every_way(pattern.split("/"), path.split("/"))


def _tries_every_way(pattern: list[str], names: list[str]) -> bool:
    if not pattern:
        return True
    if pattern == ["**"]:
        return bool(names)
    if pattern[0] == "**":
        return any(_tries_every_way(pattern[1:], names[at:]) for at in range(len(names) + 1))
    name = "".join({"*": ".*", "?": "."}.get(sign, sign) for sign in pattern[0])
    return bool(names and re.fullmatch(name, names[0]) and _tries_every_way(pattern[1:], names[1:]))


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("a*" * 200 + "b", "a" * 5_000),
        ("x/" + "*a" * 200, "x/" + "a" * 5_000 + "b"),
        ("**/a/" * 200 + "b", "a/" * 5_000),
        ("[" * 2_000, "a" * 2_000),
        ("*" * 5_000 + "b", "a" * 5_000),
    ],
)
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    start = time.process_time()  # whatever else the machine does
    assert not compile_glob(pattern)(path)
    assert time.process_time() - start < 2
