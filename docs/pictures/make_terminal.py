"""Take the picture of the README: real programs in a real terminal, drawn as SVG.

    make pictures

1. The commands run in a temporary repository, in a pseudo-terminal of `COLUMNS` columns; pyte is the screen.
2. The same programs give the same bytes: names, commit times and the like are fixed, and commit ids, which
   follow from the clock, are drawn as one that never changes.
3. The picture brings everything along: no font, no script and no other file is fetched.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import sys
import tempfile
import termios
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import pyte

from repo_builder import ADA, BEN, Repo
from seal import START, Person, identity, sealed_environment

COLUMNS, LINES = 88, 60
COMMIT = b"1f2e3d4c5b"
TITLE = "Money is kept in cents"
WHY = "Floats lost a cent in every tenth invoice."


class Shown(NamedTuple):
    """One command of the picture, and who types it."""

    person: str
    command: str
    remark: str = ""


STEPS = (
    Shown("ada", "gitkb recall how do we round money"),
    Shown("ada", "git pull --quiet", "Ben has tagged the entry, Ada named a file: merged"),
    Shown("ada", "gitkb for-file src/invoice.py", "before she touches it: both changes are there"),
    Shown("ada", "gitkb blame"),
)


class _Screen(pyte.Screen):
    """A screen that knows dim text too; it stands there as struck through, which nothing else is."""

    def select_graphic_rendition(self, *attrs: int) -> None:
        super().select_graphic_rendition(*attrs)
        if 2 in attrs:
            self.cursor.attrs = self.cursor.attrs._replace(strikethrough=True)
        elif not attrs or 0 in attrs or 22 in attrs:
            self.cursor.attrs = self.cursor.attrs._replace(strikethrough=False)


def take_picture(folder: Path) -> str:
    """The picture as SVG. The environment has to be sealed: see `main`."""
    ada = _prepare(folder)
    screen = _Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    for step in STEPS:
        remark = f"  \x1b[90m# {step.remark}\x1b[0m" if step.remark else ""
        prompt = f"\x1b[32;1m{step.person}$\x1b[0m {step.command}{remark}\r\n"
        stream.feed(b"\r\n" * bool(screen.cursor.y) + prompt.encode())
        said = _run_in_terminal(step.command, ada.path, ADA)
        said = re.sub(rb"Auto-merging [^\n]*\n", b"", said)  # not every version of git says it
        stream.feed(re.sub(rb"(?<![0-9a-f])[0-9a-f]{10}(?![0-9a-f])", _fixed_commit, said))
    return draw(screen, screen.cursor.y)


def _fixed_commit(match: re.Match[bytes]) -> bytes:
    """The same digits in another order for each commit, by the order in which they come."""
    number = _COMMITS.setdefault(match[0], len(_COMMITS))
    return COMMIT[number:] + COMMIT[:number]


_COMMITS: dict[bytes, int] = {}


def _prepare(folder: Path) -> Repo:
    """Two clones that have changed one entry, Ben's pushed and Ada's committed."""
    server = Repo.init(folder / "server", bare=True)
    ada = Repo.clone(server, folder / "ada")
    ada.run("init")
    _add(ada, "--content", WHY, "--tag", "money")
    _commit(ada, "Start a knowledge base")
    ada.git("push", "-q", "-u", "origin", "HEAD:main")
    ben = Repo.clone(server, folder / "ben", "-b", "main", person=BEN)
    ben.run("install")
    ben.run(
        *("add", "--type", "pitfall", "--title", "The tax service rounds half up"),
        *("--content", "MUST-CHECK: never round before calling it.", "--file", "src/invoice.py"),
    )
    _commit(ben, "Warn of the tax service")
    ben.git("push", "-q")
    ada.git("pull", "-q")
    _add(ben, "--tag", "invoices")
    _commit(ben, "Tag it")
    ben.git("push", "-q")
    _add(ada, "--file", "src/invoice.py")
    _commit(ada, "Say where")
    ada.config("pull.rebase", "false")
    ada.run("blame")  # so that no answer has to read history while it is waited for
    return ada


def _add(repo: Repo, *arguments: str) -> None:
    repo.run("add", "--type", "decision", "--title", TITLE, *arguments)


def _commit(repo: Repo, subject: str) -> None:
    repo.git("add", ".")
    repo.git("commit", "-q", "-m", subject)


def _run_in_terminal(command: str, folder: Path, person: Person) -> bytes:
    """Run a command of the shell in a terminal of its own, and give what it drew."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        dates = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{START + 3600} +0000")
        os.environ.update(identity(person) | dates)
        os.environ.update(TERM="xterm-256color", COLUMNS=str(COLUMNS), PAGER="cat")
        os.environ.pop("NO_COLOR", None)
        os.execvp("sh", ["sh", "-c", command])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    drawn = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # Linux says so when the other end is closed
            break
        if not data:
            break
        drawn += data
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise RuntimeError(f"`{command}` ended with {code}: {drawn.decode()}")
    return drawn


# --- drawing ---------------------------------------------------------------------------------

_WIDTH, _HEIGHT, _LEFT, _TOP = 8.4, 19, 16, 52  # of a character; of the space beside and above
_FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_TEXT, _GROUND = "#d6deeb", "#10151f"
_COLOURS = {
    "black": "#5c6773",
    "red": "#ff7a85",
    "green": "#8fd694",
    "brown": "#ffd173",
    "blue": "#82b1ff",
    "magenta": "#dda7f5",
    "cyan": "#7fdbe8",
    "white": "#f3f6fb",
    "brightblack": "#7d8a9c",
    "brightred": "#ff9aa2",
    "brightgreen": "#b0e8b4",
    "brightbrown": "#ffe0a0",
    "brightblue": "#a8c9ff",
    "brightmagenta": "#ebc8fb",
    "brightcyan": "#a8eaf3",
    "brightwhite": "#ffffff",
}


def draw(screen: pyte.Screen, lines: int) -> str:
    """Draw the first lines of a screen as SVG."""
    width = round(COLUMNS * _WIDTH + 2 * _LEFT)
    height = _TOP + lines * _HEIGHT + 4
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>gitkb in a terminal</title>",
        f'<rect width="{width}" height="{height}" rx="10" fill="{_GROUND}"/>',
        *(
            f'<circle cx="{20 + 20 * number}" cy="20" r="6" fill="{colour}"/>'
            for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
        ),
        f'<g font-family="{_FONTS}" font-size="14" fill="{_TEXT}" xml:space="preserve">',
    ]
    for row in range(lines):
        parts += _draw_row(screen.buffer[row], _TOP + row * _HEIGHT)
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def _draw_row(row: Any, baseline: int) -> list[str]:
    drawn = []
    cells = [(column, row[column]) for column in range(COLUMNS)]
    for style, run in groupby(cells, key=lambda cell: _style_of(cell[1])):
        placed = list(run)
        text = "".join(character.data for _, character in placed)
        if placed[-1][0] == COLUMNS - 1:
            text = text.rstrip()
        if text.strip():
            start, width = placed[0][0] * _WIDTH + _LEFT, len(text) * _WIDTH
            # The width is said, so that any font comes out in columns.
            place = f'x="{start:.1f}" y="{baseline}" textLength="{width:.1f}"'
            drawn += _ground_of(placed[0][1], start, baseline, width)
            drawn.append(f"<text {place}{style}>{escape(text, quote=False)}</text>")
    return drawn


def _ground_of(character: Any, start: float, baseline: int, width: float) -> list[str]:
    ground = _colour(character.fg if character.reverse else character.bg)
    place = f'x="{start:.1f}" y="{baseline - _HEIGHT + 5}" width="{width:.1f}" height="{_HEIGHT}"'
    return [f'<rect {place} rx="2" fill="{ground}"/>'] if ground else []


def _colour(name: str) -> str:
    return _COLOURS.get(name) or (f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else "")


def _style_of(character: Any) -> str:
    # Dark on a colour is what a terminal's black is for; on the ground itself it is a grey.
    fill = _colour(character.bg if character.reverse else character.fg)
    if character.reverse or character.bg != "default":
        fill = _GROUND
    return (
        (f' fill="{fill}"' if fill else "")
        + (' font-weight="bold"' if character.bold else "")
        + (' fill-opacity=".6"' if character.strikethrough else "")
        + (' font-style="italic"' if character.italics else "")
        + (' text-decoration="underline"' if character.underscore else "")
    )


def main(path: str) -> None:
    """Take the picture in surroundings of its own and write it."""
    with tempfile.TemporaryDirectory() as name:
        environment = sealed_environment(Path(name))
        os.environ.clear()
        os.environ.update(environment)
        picture = take_picture(Path(name) / "repositories")
    Path(path).write_text(picture, "utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1])
