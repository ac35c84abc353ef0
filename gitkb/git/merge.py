"""Two commits merged by git in a room of its own: as a forge does, and as our driver does.

The room is a repository in a temporary folder that borrows the objects of the one it is about
(gitrepository-layout(5), `objects/info/alternates`).

Invariants:

1. The repository itself is not touched: no object, reference, staging area or file of it changes
   until `hand_over` is called.
2. No setting of the clone counts, and no setting of a person that could change the answer: neither
   drivers nor attributes nor renames. So a clone without `gitkb install`, a bare repository, a branch that
   is older than the rule and a detached checkout of a CI give one answer.
3. By text, no attribute is in force, as on a forge that ignores them. By key, our driver has the
   files of stores, whatever the commits say; for all others the attributes of the side that is merged
   into hold. No driver of anybody else is run.
4. Where git has no `merge-tree --write-tree` (before 2.38), paths are merged one by one (`merge_paths`).
"""

from __future__ import annotations

import os
from typing import NamedTuple

from gitkb.errors import GitError, StateError
from gitkb.git.attributes import check_attribute
from gitkb.git.command import Answer, failed
from gitkb.git.driver import DRIVER, VIEW_DRIVER, VIEW_LINE, driver_line
from gitkb.git.objects import merge_bases, read_blobs, tree_files
from gitkb.git.repository import Repository, git_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MERGE_TREE = (2, 38, 0)
"""`git merge-tree --write-tree` came with 2.38 (October 2022)."""

# Whatever folder a store lies in; it beats every .gitattributes (gitattributes(5)).
_RULE = b"**/.gitkb/**/*.jsonl merge=gitkb\n**/.gitkb/views/*.md merge=gitkb-view\n"
_PLAIN = (
    "merge.conflictStyle=merge", "merge.default=text", "merge.renames=true",
    "merge.directoryRenames=conflict", "merge.renormalize=false",
)  # fmt: skip
_BUILT_IN = ("unspecified", "set", "unset", "text", "binary", "union", "gitkb", "gitkb-view")


class TreeMerge(NamedTuple):
    """What came of a merge: a tree, which the room holds, and the paths that are in conflict in it."""

    tree: str
    conflicts: list[str]


class MergeRoom:
    """A place to merge commits of a repository in: `with MergeRoom(repository) as room`."""

    def __init__(self, origin: Repository) -> None:
        self.origin = origin
        self._numbers = git_version().numbers

    def __enter__(self) -> MergeRoom:
        import tempfile

        try:
            self._folder = tempfile.TemporaryDirectory(prefix="gitkb-merge-")
        except OSError as error:
            raise _no_room(error) from None
        try:
            self._furnish(os.path.realpath(self._folder.name))
        except OSError as error:
            self._folder.cleanup()
            raise _no_room(error) from None
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        self._folder.cleanup()
        if isinstance(error, OSError):
            raise _no_room(error) from None

    def _furnish(self, top: str) -> None:
        git_dir = os.path.join(top, ".git")
        self.repository = Repository(top, top, git_dir, git_dir, False)
        form = os.fsdecode(self.origin.run("rev-parse", "--show-object-format")).strip()
        self.repository.run("init", "-q", "--template=", f"--object-format={form}", ".", write=True)
        stores = [self.origin.path("objects")]
        if self.origin.own_environment:  # in a hook of a server, what is pushed lies apart
            named = os.environ.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "").split(os.pathsep)
            stores += [os.path.join(self.origin.cwd, path) for path in named if path]
        _write(os.path.join(git_dir, "objects", "info", "alternates"), _lines(stores))
        shallow = self.origin.path("shallow")
        if os.path.exists(shallow):
            with open(shallow, "rb") as file:
                _write(os.path.join(git_dir, "shallow"), file.read())

    def merge_by_text(self, ours: str, theirs: str) -> TreeMerge:
        """Merge as git does where it knows nothing of us. Call it before `merge_by_key`."""
        if self._numbers < MERGE_TREE:
            from gitkb.git.merge_paths import merge_paths

            return TreeMerge(*merge_paths(self.repository, ours, theirs, by_key=False))
        return self._merge_tree(ours, theirs)

    def merge_by_key(self, ours: str, theirs: str) -> TreeMerge:
        """Merge theirs into ours as git does with our driver."""
        self._use_attributes(ours)
        if self._numbers < MERGE_TREE:
            from gitkb.git.merge_paths import merge_paths

            return TreeMerge(*merge_paths(self.repository, ours, theirs, by_key=True))
        driver = (f"{DRIVER}={driver_line()}", f"{VIEW_DRIVER}={VIEW_LINE}")
        return self._merge_tree(ours, theirs, *driver)

    def foreign_drivers(self, ours: str, theirs: str, bases: Iterable[str]) -> list[str]:
        """Name the paths that both sides changed and that the attributes give to another's driver.
        Call it after `merge_by_key`."""
        files = [tree_files(self.repository, commit) for commit in (ours, theirs, *bases)]
        both = [
            path
            for path in files[0].keys() & files[1].keys()
            if len({files[0][path], files[1][path], *(side.get(path) for side in files[2:])}) > 2
        ]
        rules = check_attribute(self.repository, "merge", sorted(both))
        return sorted(path for path, rule in rules.items() if rule not in _BUILT_IN)

    def replace(self, tree: str, files: Mapping[str, bytes]) -> str:
        """Make a tree in which files, which are there already, have another content."""
        run = self.repository.run
        feed = b""
        for path, data in files.items():
            blob = run("hash-object", "-w", "--stdin", "--no-filters", feed=data, write=True)
            feed += b"100644 %s\t%s\0" % (blob.strip(), os.fsencode(path))
        run("read-tree", tree, write=True)
        run("update-index", "-z", "--index-info", feed=feed, write=True)
        return run("write-tree", "--missing-ok", write=True).decode("ascii").strip()

    def hand_over(self, tree: str, known: Iterable[str]) -> None:
        """Give the repository the objects of a tree that it lacks; `known` are commits that it has."""
        feed = "".join(f"{name}\n" for name in (tree, *(f"^{commit}" for commit in known)))
        # Only what the room made itself; what a partial clone lacks it goes on lacking.
        packing = ("pack-objects", "-q", "--local", "--missing=allow-any", "--revs", "--stdout")
        pack = self.repository.run(*packing, feed=feed.encode())
        self.origin.run("unpack-objects", "-q", write=True, feed=pack)

    def _merge_tree(self, ours: str, theirs: str, *settings: str) -> TreeMerge:
        nowhere = os.path.join(self.repository.git_dir, "no-attributes")
        chosen = (*_PLAIN, f"core.attributesFile={nowhere}", *settings)
        words = [word for setting in chosen for word in ("-c", setting)]
        words += ["merge-tree", "--write-tree", "-z", "--no-messages"]
        answer = self.repository.ask(
            *words, "--allow-unrelated-histories", ours, theirs, write=True
        )
        if answer.code not in (0, 1):
            raise failed(words, answer.code, answer.stderr, self.origin.cwd)
        return _parse(answer)

    def _use_attributes(self, commit: str) -> None:
        """Lay out the attributes of a commit, and the rule that gives us the files of stores."""
        top = self.repository.cwd
        files = {
            path: blob
            for path, blob in tree_files(self.repository, commit).items()
            if path.rpartition("/")[2] == ".gitattributes" and _is_inside(path)
        }
        blobs = read_blobs(self.repository, files.values())
        for path, blob in files.items():
            place = os.path.join(top, *path.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            _write(place, blobs.get(blob, b""))
        info = os.path.join(self.repository.git_dir, "info")
        os.makedirs(info, exist_ok=True)
        _write(os.path.join(info, "attributes"), _RULE)


def fetch_for_merge(repository: Repository, commits: list[str], bases: list[str]) -> None:
    """Have a partial clone fetch what a merge reads, in a few connections instead of one a file.

    GitError where the remote cannot be reached. Nothing happens in any other clone.
    """
    if repository.ask("config", "--get-regexp", r"^remote\..*\.promisor$").code != 0:
        return
    inner = [found for other in bases[1:] for found in merge_bases(repository, bases[0], other)]
    for base in (*bases, *inner):
        for commit in (*commits, *bases):
            # It compares contents, and so fetches all that differ at once (diffcore, from 2.27 on).
            repository.run(
                "diff", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", base, commit
            )


def _parse(answer: Answer) -> TreeMerge:
    # TREE NUL (MODE SP ID SP STAGE TAB PATH NUL)*
    tree, *entries = answer.stdout.split(b"\0")
    paths = {os.fsdecode(entry.partition(b"\t")[2]) for entry in entries if b"\t" in entry}
    if answer.code and not tree:
        raise GitError("'git merge-tree' ended without a tree")
    return TreeMerge(tree.decode("ascii"), sorted(paths))


def _no_room(error: OSError) -> StateError:
    return StateError(
        f"cannot merge in the folder for temporary files: {error.strerror or error}",
        "TMPDIR=FOLDER names one with room",
    )


def _is_inside(path: str) -> bool:
    # What git itself never checks out, a made-up tree can hold.
    parts = path.split("/")
    return not any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


def _lines(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\n" for path in paths)
