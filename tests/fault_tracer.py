"""Stand between a program and the kernel: see, stop, fail or copy at each call that changes a file.

Run as a program of its own (`trace` starts it). It needs Python and Linux on x86-64, nothing else: a
filter (seccomp(2)) stops the traced processes at the calls named below, and ptrace(2) does the rest.

1. A call counts when it changes something below one of `roots`: a file, a name, a mode, a lock. Calls of
   the program's children (git) count too; standard output does not.
2. Calls are numbered from 1, in the order in which they are made.
3. Whatever happens to the tracer, no traced process outlives it.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import re
import shutil
import signal
import struct
import subprocess
import sys
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

IS_POSSIBLE = sys.platform == "linux" and platform.machine() == "x86_64"


class Event(NamedTuple):
    """One call that would change a file."""

    number: int
    program: str
    call: str
    path: str
    target: str
    """The new name, where the call gives one."""
    said: int
    """How many bytes of standard output there were before it."""


class Traced(NamedTuple):
    """How a traced program ended: `exit_code` as of subprocess, and what it did."""

    exit_code: int
    stdout: str
    stderr: str
    events: list[Event]


class Moment(NamedTuple):
    """The files as they were before a call: what a kill at that moment leaves."""

    number: int
    folder: Path
    said: str
    """Standard output until then."""
    event: str


# --- what a test calls -------------------------------------------------------------------------


def trace(
    words: Sequence[str],
    *,
    roots: Sequence[Path],
    scratch: Path,
    cwd: Path,
    stdin: str | bytes = b"",
    env: Mapping[str, str] | None = None,
    fault: str = "",
    at: int = 0,
    is_lasting: bool = False,
    copies: Path | None = None,
    is_thin: bool = False,
    timeout: float = 600,
) -> Traced:
    """Run a program to its end under the tracer.

    `fault` happens to the call with the number `at`: `KILL` ends all processes before it, `CHILD` the
    one that makes it, the name of an error (`ENOSPC`) is the call's answer, `SHORT` lets half of a write
    through. With `is_lasting` an error stays: every later call that needs room or a right gets it too.
    `copies` takes a copy of `roots[0]` as it is before each call that finds it otherwise than before;
    with `is_thin` not in the middle of what is written page by page: the search index, git's objects.
    """
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    (scratch / "stdin").write_bytes(stdin.encode() if isinstance(stdin, str) else stdin)
    order = {
        "words": list(words),
        "roots": [os.fspath(root) for root in roots],
        "scratch": os.fspath(scratch),
        "fault": fault,
        "at": at,
        "lasting": is_lasting,
        "copies": os.fspath(copies) if copies else "",
        "thin": is_thin,
    }
    tracer = [sys.executable, "-I", "-S", os.path.abspath(__file__), json.dumps(order)]
    done = subprocess.run(
        tracer,
        cwd=cwd,
        # A hook of ours ends itself after some seconds, which the copies alone may take.
        env={**os.environ, "GITKB_HOOK_SECONDS": "600", **(env or {})},
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the tracer failed: {done.stderr.decode(errors='replace')}")
    rows = [json.loads(line) for line in (scratch / "events").read_bytes().splitlines()]
    return Traced(
        int((scratch / "exit").read_text()),
        (scratch / "stdout").read_bytes().decode("utf-8", "surrogateescape"),
        (scratch / "stderr").read_bytes().decode("utf-8", "surrogateescape"),
        [Event(*row) for row in rows],
    )


def moments(copies: Path, scratch: Path, events: Sequence[Event]) -> Iterator[Moment]:
    """Yield the moments that `trace` copied, in order; `N` before a call, `N-torn` in the middle."""
    said = (scratch / "stdout").read_bytes()
    for folder in sorted(copies.iterdir(), key=lambda path: (int(path.name.split("-")[0]), path)):
        number = int(folder.name.split("-")[0])
        event = events[number - 1] if number <= len(events) else None
        so_far = said[: event.said] if event else said
        what = f"{event.program}: {event.call} {event.path} {event.target}" if event else "the end"
        torn = "half of " if folder.name.endswith("torn") else ""
        yield Moment(number, folder, so_far.decode("utf-8", "replace"), torn + what)


# --- the calls ---------------------------------------------------------------------------------

# name: number on x86-64, then what the arguments are: f a file number, d a folder's number, p a path
_CALLS: dict[str, tuple[int, str]] = {
    "write": (1, "f"),
    "open": (2, "p"),
    "pwrite64": (18, "f"),
    "writev": (20, "f"),
    "sendfile": (40, "f"),
    "flock": (73, "f"),
    "fsync": (74, "f"),
    "fdatasync": (75, "f"),
    "truncate": (76, "p"),
    "ftruncate": (77, "f"),
    "rename": (82, "pp"),
    "mkdir": (83, "p"),
    "rmdir": (84, "p"),
    "creat": (85, "p"),
    "link": (86, "pp"),
    "unlink": (87, "p"),
    "symlink": (88, "_p"),
    "chmod": (90, "p"),
    "fchmod": (91, "f"),
    "openat": (257, "dp"),
    "mkdirat": (258, "dp"),
    "unlinkat": (263, "dp"),
    "renameat": (264, "dpdp"),
    "linkat": (265, "dpdp"),
    "symlinkat": (266, "_dp"),
    "fchmodat": (268, "dp"),
    "utimensat": (280, "dp"),
    "fallocate": (285, "f"),
    "pwritev": (296, "f"),
    "renameat2": (316, "dpdp"),
    "copy_file_range": (326, "__f"),
    "fchmodat2": (452, "dp"),
}
_BY_NUMBER = {number: (name, form) for name, (number, form) in _CALLS.items()}
_FLAGS_AT = {"open": 1, "openat": 2}
_WRITES = {"write", "pwrite64"}
_CHANGE_NOTHING = {"fsync", "fdatasync", "flock"}
_NEED_ROOM = {
    *("write", "pwrite64", "writev", "pwritev", "open", "openat", "creat", "mkdir", "mkdirat"),
    *("link", "linkat", "symlink", "symlinkat", "fallocate", "copy_file_range", "sendfile"),
}
_NEED_RIGHT = (_NEED_ROOM - _WRITES - {"writev", "pwritev", "fallocate"}) | {
    *("rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir", "truncate"),
    *("chmod", "fchmod", "fchmodat", "fchmodat2"),
}
_FAILS = {"ENOSPC": _NEED_ROOM, "EDQUOT": _NEED_ROOM, "EROFS": _NEED_RIGHT, "EACCES": _NEED_RIGHT}


def can_fail(event: Event, fault: str) -> bool:
    """Say whether the system could give this answer to that call."""
    if fault == "SHORT":
        return event.call in _WRITES
    if fault == "EINTR":
        # open(2), write(2), flock(2), fsync(2); the calls that change names never give it.
        return event.call in {"write", "pwrite64", "openat", "flock", "fsync", "fdatasync"}
    if fault == "EIO":
        return event.call != "flock"
    return event.call in _FAILS.get(fault, {event.call})


# --- the tracer itself: ptrace(2), seccomp(2) --------------------------------------------------

_TRACEME, _CONT, _SYSCALL, _GETREGS, _SETREGS = 0, 7, 24, 12, 13
_SETOPTIONS, _GETEVENTMSG = 0x4200, 0x4201
_OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x100000  # sysgood … exec, seccomp, exitkill
_EVENT_SECCOMP = 7
_WALL = 0x40000000
_REGISTERS = 27
_ARGUMENTS = (14, 13, 12, 7, 9, 8)  # rdi, rsi, rdx, r10, r8, r9 in user_regs_struct
_AX, _NUMBER = 10, 15


def _filter() -> bytes:
    """The filter's program: stop at our calls, at an open only when it may change something."""
    load, equal, has, give = 0x20, 0x15, 0x45, 0x06
    allow, stop = 0x7FFF0000, 0x7FF00000
    code = [(load, 0, 0, 4), (equal, 1, 0, 0xC000003E), (give, 0, 0, allow), (load, 0, 0, 0)]
    for name, at in _FLAGS_AT.items():
        code += [(equal, 0, 4, _CALLS[name][0]), (load, 0, 0, 16 + 8 * at)]
        code += [(has, 0, 1, os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)]
        code += [(give, 0, 0, stop), (give, 0, 0, allow)]
    for name, (number, _) in _CALLS.items():
        if name not in _FLAGS_AT:
            code += [(equal, 0, 1, number), (give, 0, 0, stop)]
    code.append((give, 0, 0, allow))
    return b"".join(struct.pack("=HBBI", *step) for step in code)


class _Tracer:
    def __init__(self, order: dict[str, object]) -> None:
        self.roots = [os.path.realpath(str(root)) for root in order["roots"]]  # type: ignore[attr-defined]
        self.words = [str(word) for word in order["words"]]  # type: ignore[attr-defined]
        self.scratch = str(order["scratch"])
        self.fault, self.at = str(order["fault"]), int(str(order["at"]))
        self.is_lasting = bool(order["lasting"])
        self.copies = str(order["copies"])
        self.is_thin = bool(order["thin"])
        self.last = ("", "")
        self.repeats = 0
        self.was = ""
        self.count = 0
        self.first = 0
        self.alive: set[int] = set()
        self.last_copy = b""
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.restype = ctypes.c_long
        self.libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def ptrace(self, request: int, pid: int, data: object = None) -> int:
        answer: int = self.libc.ptrace(request, pid, None, data)
        return answer

    # -- the traced side

    def start(self) -> int:
        pid = os.fork()
        if pid:
            return pid
        try:
            program = _filter()
            for number, name, flags in (
                (0, "stdin", os.O_RDONLY),
                (1, "stdout", os.O_WRONLY | os.O_CREAT),
                (2, "stderr", os.O_WRONLY | os.O_CREAT),
            ):
                handle = os.open(os.path.join(self.scratch, name), flags, 0o666)
                os.dup2(handle, number)
                os.close(handle)
            text = ctypes.create_string_buffer(program, len(program))
            header = struct.pack("=HxxxxxxQ", len(program) // 8, ctypes.addressof(text))
            self.ptrace(_TRACEME, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            self.libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
            if self.libc.prctl(22, 2, ctypes.c_char_p(header), 0, 0):  # PR_SET_SECCOMP, a filter
                os._exit(125)
            os.execvp(self.words[0], self.words)
        finally:
            os._exit(126)

    # -- the tracing side

    def run(self) -> int:
        self.events = open(os.path.join(self.scratch, "events"), "w", encoding="utf-8")  # noqa: SIM115
        self.first = self.start()
        self.alive.add(self.first)
        os.waitpid(self.first, 0)
        self.ptrace(_SETOPTIONS, self.first, _OPTIONS)
        self.ptrace(_CONT, self.first)
        code = 0
        while self.alive:
            try:
                pid, status = os.waitpid(-1, _WALL)
            except ChildProcessError:
                break
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                self.alive.discard(pid)
                if pid == self.first:
                    code = os.waitstatus_to_exitcode(status)
                continue
            self.alive.add(pid)
            self.on_stop(pid, status)
        if self.copies:
            self.count += 1
            self.copy()
        self.events.close()
        return code

    def on_stop(self, pid: int, status: int) -> None:
        sign, event = os.WSTOPSIG(status), status >> 16
        if event == _EVENT_SECCOMP:
            self.on_call(pid)
            return
        # A stop of a new child, or of ptrace itself, is no signal for the program.
        silent = event or sign in (signal.SIGTRAP, signal.SIGSTOP)
        self.ptrace(_CONT, pid, 0 if silent else sign)

    def on_call(self, pid: int) -> None:
        registers = (ctypes.c_ulonglong * _REGISTERS)()
        self.ptrace(_GETREGS, pid, ctypes.byref(registers))
        name, form = _BY_NUMBER[registers[_NUMBER]]
        arguments = [registers[at] for at in _ARGUMENTS]
        paths = self.paths_of(pid, form, arguments)
        if not any(self.is_ours(path) for path in paths):
            self.ptrace(_CONT, pid)
            return
        self.count += 1
        was_idle = self.was in _CHANGE_NOTHING
        self.was = name
        if self.copies and not self.is_in_the_middle(name, paths[-1]):
            if not was_idle:
                self.copy()
            if name in _WRITES and arguments[2] > 1:
                self.copy_torn(pid, name, arguments, paths[0])
        said = os.stat(os.path.join(self.scratch, "stdout")).st_size
        shown = [self.shown(path) for path in paths] + [""]
        event = Event(self.count, _name_of(pid), name, shown[0], shown[1], said)
        self.events.write(json.dumps(event) + "\n")
        is_now = self.count == self.at
        if self.fault == "KILL" and is_now:
            for one in list(self.alive):
                os.kill(one, signal.SIGKILL)
            return
        if self.fault == "CHILD" and is_now:
            os.kill(pid, signal.SIGKILL)
            return
        is_later = self.is_lasting and self.count > self.at > 0 and can_fail(event, self.fault)
        if self.fault == "SHORT" and is_now:
            registers[_ARGUMENTS[2]] = max(1, arguments[2] // 2)
            self.ptrace(_SETREGS, pid, ctypes.byref(registers))
        elif self.fault and (is_now or is_later):
            registers[_NUMBER] = (1 << 64) - 1
            registers[_AX] = (1 << 64) - getattr(errno, self.fault)
            self.ptrace(_SETREGS, pid, ctypes.byref(registers))
        self.ptrace(_CONT, pid)

    def paths_of(self, pid: int, form: str, arguments: list[int]) -> list[str]:
        found, folder = [], ""
        for kind, value in zip(form, arguments, strict=False):
            if kind == "f":
                found.append(_link(f"/proc/{pid}/fd/{ctypes.c_int(value).value}"))
            elif kind == "d":
                number = ctypes.c_int(value).value
                folder = _link(f"/proc/{pid}/{'cwd' if number == -100 else f'fd/{number}'}")
            elif kind == "p":
                base = folder or _link(f"/proc/{pid}/cwd")
                path = os.path.normpath(os.path.join(base, _text(pid, value)))
                found.append(os.path.join(os.path.realpath(os.path.dirname(path)), _last(path)))
        return found

    def is_ours(self, path: str) -> bool:
        return any(path == root or path.startswith(root + os.sep) for root in self.roots)

    def shown(self, path: str) -> str:
        for root in self.roots:
            if path.startswith(root + os.sep):
                return path[len(root) + 1 :]
        return path

    # -- copies

    def is_in_the_middle(self, name: str, path: str) -> bool:
        if "index.sqlite" in path or "provenance.sqlite" in path:
            what = (name, path)
        elif "/objects/" in path or "/.git/hooks/" in path:
            what = ("", path.split("/.git/")[0])
        else:
            what = (name, str(self.count))
        self.repeats = self.repeats + 1 if what == self.last else 0
        self.last = what
        return self.is_thin and self.repeats > 1

    def copy(self) -> None:
        now = _digest(self.roots[0])
        if now != self.last_copy:
            self.last_copy = now
            _copy(self.roots[0], os.path.join(self.copies, str(self.count)))

    def copy_torn(self, pid: int, name: str, arguments: list[int], path: str) -> None:
        inner = os.path.relpath(path, self.roots[0])
        if inner.startswith(".."):
            return
        with open(f"/proc/{pid}/mem", "rb", 0) as memory:
            memory.seek(arguments[1])
            half = memory.read(min(arguments[2], 1 << 22) // 2)
        with open(f"/proc/{pid}/fdinfo/{arguments[0]}") as file:
            said = file.read()
        at = arguments[3] if name == "pwrite64" else int(said.split()[1])
        folder = os.path.join(self.copies, f"{self.count}-torn")
        _copy(self.roots[0], folder)
        if not os.path.exists(os.path.join(folder, inner)):
            shutil.rmtree(folder)  # written to a file that has no name any more
            return
        with open(os.path.join(folder, inner), "r+b") as torn:
            torn.seek(at)
            torn.write(half)


def _name_of(pid: int) -> str:
    with open(f"/proc/{pid}/comm") as file:
        return file.read().strip()


def _link(path: str) -> str:
    try:
        return os.readlink(path).removesuffix(" (deleted)")
    except OSError:
        return ""


def _last(path: str) -> str:
    return os.path.basename(path)


def _text(pid: int, address: int) -> str:
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        memory.seek(address)
        data = b""
        while b"\0" not in data and len(data) < 4096:
            # Not past the end of a page: the next one may not be there.
            more = memory.read(256 - (address + len(data)) % 256)
            if not more:
                break
            data += more
    return os.fsdecode(data.split(b"\0")[0])


def _digest(folder: str) -> bytes:
    total = sha256()
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names) + [f"{one}/" for one in folders]:
            path = os.path.join(place, name.rstrip("/"))
            try:
                mode = os.lstat(path).st_mode
                total.update(f"{path} {mode}\0".encode("utf-8", "surrogateescape"))
                if os.path.islink(path):
                    total.update(os.fsencode(os.readlink(path)))
                elif not name.endswith("/"):
                    with open(path, "rb") as file:
                        total.update(file.read())
            except OSError:
                continue
    return total.digest()


def _copy(folder: str, to: str) -> None:
    """Copy a folder as it is: two names of one file are so in the copy as well."""
    known: dict[tuple[int, int], str] = {}

    def copy(source: str, target: str) -> None:
        at = os.lstat(source)
        if at.st_nlink > 1 and (at.st_dev, at.st_ino) in known:
            os.link(known[at.st_dev, at.st_ino], target)
            return
        known[at.st_dev, at.st_ino] = target
        shutil.copy2(source, target, follow_symlinks=False)

    shutil.copytree(folder, to, symlinks=True, copy_function=copy)


def read_call_names(text: str) -> list[str]:
    """Give the words of a message that are names of calls: for what a failure prints."""
    return [word for word in re.findall(r"[a-z0-9_]+", text) if word in _CALLS]


def _main() -> None:
    tracer = _Tracer(json.loads(sys.argv[1]))
    code = tracer.run()
    with open(os.path.join(tracer.scratch, "exit"), "w") as file:
        file.write(str(code))


if __name__ == "__main__":
    _main()
