"""What commits did to the files of a project, read from the git program.

1. An ordinary commit is compared with its parent, the first one with nothing. A merge did only what is in
   none of its parents: two changes of one file that git united are none of its own. How many lines it did is
   not asked.
2. The objects are taken as they are, and a person's configuration of diffs does not count, so what was
   found once about a commit stays true.
3. At the edge of a shallow clone a commit seems to have written all it holds; what it did is not known.
4. A partial clone is not made to fetch the project's old contents: there lines are not counted, and only
   a file that was renamed unchanged is seen to be the same.
5. A submodule is a file whose content is the commit that it stands at.
"""

from __future__ import annotations

import os
from functools import partial

from gitkb.core.staleness import Touch
from gitkb.errors import GitError
from gitkb.git.command import run_git, stream_git
from gitkb.git.parallel import in_parallel
from gitkb.git.prefetch import is_partial
from gitkb.git.record_diff import CONFIGURATION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gitkb.core.lineage import Commit

_DIFF = ("--stdin", "--root", "-r", "-z", "--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
         "--format=%x00%x00%H", "--no-show-signature", "--no-notes")  # fmt: skip
_RENAME_LIMIT = ("-c", "diff.renameLimit=1000")
_FEWEST_FOR_TWO = 100


def read_touches(
    top: str,
    commits: Sequence[Commit],
    store: str,
    boundary: frozenset[str] = frozenset(),
    own_environment: bool = False,
) -> dict[str, list[Touch]]:
    """Read what each commit did to the files of the worktree at `top`, those below `store` left out.

    Paths are relative to the top. A commit that did nothing is not in the answer.
    """
    known = [commit for commit in commits if commit.id not in boundary]
    plain = [commit.id for commit in reversed(known) if len(commit.parents) < 2]
    merges = [commit.id for commit in known if len(commit.parents) > 1]
    is_lacking = is_partial(top, own_environment)
    options = ["--raw", "-M100%"] if is_lacking else ["--numstat", "-M"]
    workers = 1 if len(plain) < _FEWEST_FOR_TWO else max(1, min(os.cpu_count() or 1, 8))
    size = -(-len(plain) // workers) or 1
    tasks: list[Callable[[], dict[str, list[Touch]]]] = [
        partial(_compare, top, plain[at : at + size], store, options, own_environment)
        for at in range(0, len(plain), size)
    ]
    if merges:
        tasks.append(partial(_compare_merges, top, merges, store, is_lacking, own_environment))
    found: dict[str, list[Touch]] = {}
    for part in in_parallel(tasks):
        found.update(part)
    return found


def count_commits(
    root: str, head: str, known: Sequence[str], most: int, own_environment: bool = False
) -> int:
    """Count the commits in the history of one and not in that of others, up to so many."""
    arguments = ["--no-replace-objects", "rev-list", "--count", f"--max-count={most}"]
    arguments += ["--ignore-missing", head, "--not", *known, "--"]
    said = run_git(arguments, root, own_environment=own_environment).strip()
    if not said.isdigit():  # a git that is only called so
        raise GitError("'git rev-list --count' gave no number", "gitkb doctor")
    return int(said)


def read_tree(top: str, commit: str, own_environment: bool = False) -> dict[str, str]:
    """Read the paths of all files of a commit with the ids of their contents."""
    listing = ["--no-replace-objects", "ls-tree", "-r", "-z", "--full-tree", commit]
    answer = run_git(listing, top, own_environment=own_environment)
    files = {}
    for line in answer.split(b"\0")[:-1]:
        head, _, name = line.partition(b"\t")
        files[os.fsdecode(name)] = head.rpartition(b" ")[2].decode("ascii")
    return files


def read_ids(
    top: str, asked: Sequence[tuple[str, str]], own_environment: bool = False
) -> list[str | None]:
    """Read what stands at a path in a commit: the id of a file or folder, None where nothing does."""
    names = [f"{commit}:{path}" for commit, path in asked if "\n" not in path]
    feed = b"".join(os.fsencode(name) + b"\n" for name in names)
    check = ["--no-replace-objects", "cat-file", "--batch-check=%(objectname)"]
    answer = run_git(check, top, input=feed, own_environment=own_environment)
    ids = iter(answer.split(b"\n"))
    found: list[str | None] = []
    for _, path in asked:
        id_ = next(ids, b" ") if "\n" not in path else b" "
        found.append(None if b" " in id_ else id_.decode("ascii"))
    return found


def count_lines(top: str, blobs: Sequence[str], own_environment: bool = False) -> Mapping[str, int]:
    """Count the lines of contents by their ids. Nothing is counted in a partial clone."""
    if not blobs or is_partial(top, own_environment):
        return {}
    contents = read_contents(top, blobs, own_environment)
    return {
        blob: text.count(b"\n") + (bool(text) and not text.endswith(b"\n"))
        for blob, text in contents
    }


def read_contents(
    top: str, blobs: Sequence[str], own_environment: bool = False
) -> Iterator[tuple[str, bytes]]:
    """Read contents by their ids; what is not there, as a submodule's commit, is passed over."""
    if not blobs:
        return
    feed = "".join(f"{blob}\n" for blob in blobs).encode("ascii")
    arguments = ["--no-replace-objects", "cat-file", "--batch"]
    with stream_git(arguments, top, input=feed, own_environment=own_environment) as stream:
        for blob in blobs:
            head = stream.readline().split()
            if len(head) == 3:
                text = stream.read(int(head[2]))
                stream.read(1)
                yield blob, text


def _compare(
    top: str, ids: Sequence[str], store: str, options: Sequence[str], own_environment: bool
) -> dict[str, list[Touch]]:
    arguments = ["--no-replace-objects", *CONFIGURATION, *_RENAME_LIMIT, "diff-tree", *_DIFF]
    arguments += [*options, "--", ":(top)", f":(top,exclude,literal){store}"]
    feed = "".join(f"{id_}\n" for id_ in ids).encode("ascii")
    answer = run_git(arguments, top, input=feed, own_environment=own_environment)
    return _parse(answer)


def _compare_merges(
    top: str, ids: Sequence[str], store: str, is_lacking: bool, own_environment: bool
) -> dict[str, list[Touch]]:
    """Compare merges with all their parents, and leave out files whose every line some parent has so."""
    found = _compare(top, ids, store, ["-c", "--raw"], own_environment)
    if is_lacking or not found:
        return found
    options = [option for option in _DIFF if option != "-z"]
    settings = (*CONFIGURATION, "-c", "core.quotePath=false")
    arguments = ["--no-replace-objects", *settings, "diff-tree", *options, "--cc", "--patch"]
    arguments += ["--unified=0", "--", ":(top)", f":(top,exclude,literal){store}"]
    feed = "".join(f"{id_}\n" for id_ in found).encode("ascii")
    answer = run_git(arguments, top, input=feed, own_environment=own_environment)
    own: dict[str, list[Touch]] = {}
    for part in answer.split(b"\0\0")[1:]:
        head, *lines = part.split(b"\n")
        # No line of a content begins so: a sign for each parent stands before it.
        names = [line[len(_UNITED) :] for line in lines if line.startswith(_UNITED)]
        paths = {os.fsdecode(name) for name in names}
        is_quoted = any(name.startswith(b'"') for name in names)  # as one with a line end is
        touches = found[head.decode("ascii")]
        if kept := [one for one in touches if is_quoted or one.path in paths]:
            own[head.decode("ascii")] = kept
    return own


_UNITED = b"diff --cc "


def _parse(answer: bytes) -> dict[str, list[Touch]]:
    """Read a stream of commits: NULs, the id, then what it did to each file."""
    found: dict[str, list[Touch]] = {}
    here: list[Touch] = []
    is_head = False
    fields = iter(answer.split(b"\0"))
    for field in fields:
        if not field:  # one of those before an id; behind a merge git writes more of them
            is_head = True
        elif is_head and not field.startswith(b":"):
            here = found[field.decode("ascii")] = []
            is_head = False
        else:
            here.append(_touch(field.removeprefix(b"\n"), fields))
    return {id_: touches for id_, touches in found.items() if touches}


def _touch(head: bytes, fields: Iterator[bytes]) -> Touch:
    if head[:1] == b":":
        # Raw: modes, ids and letters; two paths where it was renamed.
        source = os.fsdecode(next(fields)) if head.rpartition(b" ")[2][:1] == b"R" else ""
        is_merge = head[:2] == b"::"
        lines = 0 if is_merge else -1
        return Touch(os.fsdecode(next(fields)), lines, lines, source)
    added, removed, path = head.split(b"\t", 2)
    counts = [-1 if count == b"-" else int(count) for count in (added, removed)]
    if path:
        return Touch(os.fsdecode(path), counts[0], counts[1])
    source = os.fsdecode(next(fields))
    return Touch(os.fsdecode(next(fields)), counts[0], counts[1], source)


def read_confirmations(
    top: str, commits: Sequence[Commit], folder: str, own_environment: bool = False
) -> dict[str, list[bytes]]:
    """Read the lines that each commit added to the files of a folder. A merge by itself adds none."""
    ids = [commit.id for commit in commits if len(commit.parents) < 2]
    if not ids:
        return {}
    options = [option for option in _DIFF if option not in ("-z", "--format=%x00%x00%H")]
    arguments = ["--no-replace-objects", *CONFIGURATION, "diff-tree", *options, "--format=%x00%H"]
    arguments += ["-p", "--unified=0", "--text", "--no-renames", "--", f":(top,literal){folder}"]
    feed = "".join(f"{id_}\n" for id_ in ids).encode("ascii")
    answer = run_git(arguments, top, input=feed, own_environment=own_environment)
    found: dict[str, list[bytes]] = {}
    for section in answer.split(b"\0")[1:]:
        id_, *lines = section.split(b"\n")
        added = [line[1:].rstrip(b"\r") for line in lines if line.startswith(b"+{")]
        if added:
            found[id_.decode("ascii")] = added
    return found
