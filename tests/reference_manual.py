"""The manual page, made from the verbs: what `man gitkb` and `git kb --help` show.

One page of all verbs, a line each. What a verb does in full says `gitkb VERB --help`, and nothing says it twice.
"""

from __future__ import annotations

from gitkb.cli.verbs import SECTIONS, load_verb

_DESCRIPTION = r"""Keeps what a team knows as lines of JSON in the git repository that it is about. Git carries it, and merges it
by key.
.PP
Start with \fBgitkb init\fR in a repository; \fBgitkb demo\fR plays a team of two in a temporary folder.
\fBgitkb\fR \fIVERB\fR \fB\-\-help\fR explains a verb, with its options and examples.
\fBgit kb\fR is the same as \fBgitkb\fR."""
_FILES = r""".TP
.I .gitkb/
The entries, older versions of them, and the settings that the team shares."""
_STATUS = r"""0 done; 1 the answer is no; 2 wrong call; 3 bad data; 4 not found; 5 the store is locked or in conflict; 6 git;
7 the search index; 70 a bug in gitkb; 130 interrupted."""


def manual_page() -> str:
    """docs/reference/gitkb.1 in the macros of man(7)."""
    lines = [
        '.\\" Made from the code by `make reference`.',
        ".TH GITKB 1",
        ".SH NAME",
        "gitkb \\- what a team knows, next to the code it is about",
        ".SH SYNOPSIS",
        ".B gitkb",
        "\\fIVERB\\fR [\\fIARGS\\fR]",
        ".br",
        ".B git kb",
        "\\fIVERB\\fR [\\fIARGS\\fR]",
        ".SH DESCRIPTION",
        _DESCRIPTION,
        ".SH VERBS",
    ]
    for title, names in SECTIONS:
        lines.append(f".SS {title}")
        for name in names:
            verb = load_verb(name)
            assert verb is not None
            lines += [".TP 12", f".B {_escaped(name)}", _escaped(verb.summary)]
    lines += [".SH EXIT STATUS", _STATUS, ".SH FILES", _FILES, ".SH SEE ALSO", ".BR git (1)"]
    return "\n".join(lines) + "\n"


def other_name() -> str:
    """docs/reference/git-kb.1: git looks for the page of `git kb` under this name."""
    return ".so man1/gitkb.1\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
