"""The seal around every test.

This room holds what makes a test say the same on every machine.

1. The tests run against the installed package, never against the source tree.
2. No test sees the developer's home, git configuration, identity, clock zone, locale, pip
   configuration or network; a test that tries fails with the reason.
3. Each test starts in its own empty folder with its own empty home.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.configuration import set_hypothesis_home_dir

from repo_builder import restart_clock
from seal import ROOT, forbid_network, guard_home, sealed_environment, unguard_home

if TYPE_CHECKING:
    from collections.abc import Iterator

# Read before the seal removes them, and made absolute before it moves the working folder.
SHARED_DATA = Path(
    os.environ.get("GITKB_SHARED_DATA") or ROOT.parent / "shared" / "data"
).absolute()
WHEELHOUSE = Path(os.environ.get("GITKB_WHEELHOUSE") or ROOT / ".venv" / "wheelhouse").absolute()

# Beside the project, whatever folder a test stands in: a failure found once is tried first next time.
set_hypothesis_home_dir(ROOT / ".hypothesis")
settings.register_profile("dev", deadline=None, max_examples=100)
settings.register_profile(
    "ci",
    deadline=None,  # a shared machine's hiccup is no failure
    derandomize=True,  # a red run is red again when it is repeated
    max_examples=200,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "deep", deadline=None, max_examples=5_000, suppress_health_check=list(HealthCheck)
)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev")
)


# --- the package under test is the installed one ---------------------------------------------


def pytest_sessionstart(session: pytest.Session) -> None:
    try:
        import gitkb
    except ImportError as error:
        raise pytest.UsageError(
            "gitkb is not installed for this Python; `make test` installs it, and so does "
            "`pip install .`"
        ) from error
    if Path(gitkb.__file__).resolve().parent == ROOT / "gitkb":
        raise pytest.UsageError(
            f"gitkb comes from the source tree at '{ROOT}', but the tests are about the wheel: "
            "leave the tree off PYTHONPATH, do not install with `-e`, run `make test`"
        )


def pytest_report_header() -> list[str]:
    import gitkb

    installed = Path(gitkb.__file__).parent
    differing = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "gitkb").rglob("*.py"))
        if not _same_bytes(path, installed / path.relative_to(ROOT / "gitkb"))
    ]
    lines = [f"gitkb {gitkb.__version__} from {installed}"]
    if differing:
        lines.append(f"the source tree differs from what is tested: {', '.join(differing[:5])}")
    return lines


def _same_bytes(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


# --- the seal --------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def _sealed_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Seals the process, so that fixtures wider than one test are sealed too."""
    patch = pytest.MonkeyPatch()
    _apply_seal(patch, tmp_path_factory.mktemp("sealed"))
    forbid_network(patch)
    guard_home([SHARED_DATA, WHEELHOUSE, tmp_path_factory.getbasetemp()])
    mask = os.umask(0o022)
    yield
    os.umask(mask)
    unguard_home()
    patch.undo()
    _reread_zone()


@pytest.fixture(autouse=True)
def sealed(
    _sealed_session: None, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """One test's seal: an empty home, fixed identity and time, an empty current folder.

    Answers the folder that holds `home`, `cwd` and the empty git configuration.
    """
    folder = tmp_path_factory.mktemp("sealed")
    _apply_seal(monkeypatch, folder)
    monkeypatch.chdir(folder / "cwd")
    restart_clock()
    return folder


def _apply_seal(patch: pytest.MonkeyPatch, folder: Path) -> None:
    environment = sealed_environment(folder, wheelhouse=WHEELHOUSE, shared_data=SHARED_DATA)
    for name in set(os.environ) - set(environment):
        patch.delenv(name)
    for name, value in environment.items():
        patch.setenv(name, value)
    _reread_zone()


def _reread_zone() -> None:
    if sys.platform != "win32":
        time.tzset()


# --- what tests may ask for ------------------------------------------------------------------


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the project; tests that need it skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no shared data at '{SHARED_DATA}'; set GITKB_SHARED_DATA to its folder")
    return SHARED_DATA


@pytest.fixture(scope="session")
def wheelhouse() -> Path:
    """A folder of wheels from which pip installs gitkb without a network (`make test` fills it)."""
    if not any(WHEELHOUSE.glob("*.whl")):
        pytest.skip(
            f"no wheels at '{WHEELHOUSE}'; `make test` fills it, GITKB_WHEELHOUSE names another"
        )
    return WHEELHOUSE
