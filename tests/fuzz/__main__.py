"""`make fuzz`: for so many minutes random bytes, random histories and every fault, with progress.

    FUZZ_MINUTES=60   how long; FUZZ_SEED=N where to begin; FUZZ_ONLY=NAME one target
    FUZZ_AGAIN=FILE   one saved finding again, and nothing else

Half of the time goes to the bytes, a quarter to random histories (tests/laws/test_histories*.py with
the profile `deep`), a quarter to every fault at every call (tests/faults with GITKB_FAULTS=all).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fuzz.mutation import read_seeds
from fuzz.session import Found, Session, target_named
from fuzz.target import TARGETS
from seal import ROOT, sealed_environment

FINDINGS = ROOT / ".fuzz"
REPORT_SECONDS = 20.0


def main() -> int:
    """Fuzz until the time is over; 1 if anything was found."""
    minutes = float(os.environ.get("FUZZ_MINUTES", "60"))
    begin = int(os.environ.get("FUZZ_SEED") or time.time_ns() // 1_000_000_000)
    only, again = os.environ.get("FUZZ_ONLY", ""), os.environ.get("FUZZ_AGAIN", "")
    shared = Path(os.environ.get("GITKB_SHARED_DATA") or ROOT.parent / "shared" / "data").resolve()
    environ = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="gitkb-fuzz-") as name:
        folder = Path(name)
        sealed = sealed_environment(folder / "sealed", shared_data=shared)
        os.environ.clear()
        os.environ.update(sealed, GITKB_HOME=str(folder / "kb-home"))
        session = Session(folder, FINDINGS, read_seeds(shared))
        if again:
            return _run_again(session, Path(again))
        seconds = minutes * 60
        found = _fuzz(session, begin, only, seconds if only else seconds / 2)
    os.environ.clear()
    os.environ.update(environ)
    codes = [] if only else _run_suites(seconds / 4)
    for one in found:
        print(one)
    print(f"{len(found)} findings in bytes; suites ended with {codes or 'nothing'}")
    return int(bool(found) or any(codes))


def _fuzz(session: Session, begin: int, only: str, seconds: float) -> list[Found]:
    targets = [target_named(only)] if only else list(TARGETS)
    found: list[Found] = []
    counts = {target.name: 0 for target in targets}
    print(f"bytes: {', '.join(counts)} from seed {begin} for {seconds / 60:g} minutes", flush=True)
    end = time.monotonic() + seconds
    told, seed = time.monotonic(), begin
    while time.monotonic() < end:
        for target in targets:
            if target.name == "server" and seed % 10 and not only:
                continue  # a process a case
            counts[target.name] += 1
            one = session.run(target, seed)
            if one is not None:
                found.append(one)
                print(one, flush=True)
        seed += 1
        if time.monotonic() - told > REPORT_SECONDS:
            told = time.monotonic()
            left = max(0.0, end - told) / 60
            cases = sum(counts.values())
            print(
                f"{cases} cases, seed {seed}, {len(found)} found, {left:.1f} min left", flush=True
            )
    print(f"bytes: {sum(counts.values())} cases: {counts}", flush=True)
    return found


def _run_again(session: Session, path: Path) -> int:
    target = target_named(path.stem.rpartition("-")[0])
    message = session.check(target, path.read_bytes())
    print(f"{target.name}: {message or 'all is well'}")
    return int(bool(message))


def _run_suites(seconds: float) -> list[int]:
    histories = sorted((ROOT / "tests" / "laws").glob("test_histories*.py"))
    histories += sorted((ROOT / "tests" / "system").glob("test_histories*.py"))
    faults = [
        ROOT / "tests" / "faults" / "test_every_call.py",
        ROOT / "tests" / "faults" / "test_crowd.py",
    ]
    more = {"HYPOTHESIS_PROFILE": "deep", "GITKB_HISTORIES": "long", "GITKB_FAULTS": "all"}
    return [
        _run_suite("histories", histories, seconds, more),
        _run_suite("faults", faults, seconds, more),
    ]


def _run_suite(name: str, paths: list[Path], seconds: float, more: dict[str, str]) -> int:
    """Run tests until they end or the time is over, which is no failure."""
    print(f"{name}: {', '.join(path.name for path in paths)}", flush=True)
    words = [sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, paths)]
    child = subprocess.Popen(words, cwd=ROOT, env={**os.environ, **more})
    try:
        return child.wait(seconds)
    except subprocess.TimeoutExpired:
        print(f"{name}: the time is over", flush=True)
        return 0
    finally:
        child.kill()
        child.wait()


if __name__ == "__main__":
    # Whoever ends us ends the suite that we wait for, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    raise SystemExit(main())
