"""What other branches hold: the files under a folder at the tip of every known branch."""

from __future__ import annotations

from gitkb.git.command import run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def iter_branch_files(worktree: str, folder: str) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """Yield each local and remote branch with its files under a folder, name and bytes.

    Branches with the same files come once, under the first name. Names begin with the folder's own.
    """
    seen: set[bytes] = set()
    form = "--format=%(refname:short) %(objectname)"
    refs = run_git(["for-each-ref", form, "refs/heads", "refs/remotes"], worktree)
    parent = folder.rpartition("/")[0]
    for line in refs.decode("utf-8", "replace").splitlines():
        branch, _, commit = line.rpartition(" ")
        listing = run_git(["ls-tree", "-r", "-z", "--full-tree", commit, "--", folder], worktree)
        if not listing or listing in seen:
            continue
        seen.add(listing)
        items = [item.split(b"\t", 1) for item in listing.split(b"\0") if item]
        names = [name.decode("utf-8", "replace").removeprefix(f"{parent}/") for _, name in items]
        blobs = _read_blobs(worktree, [facts.split()[2] for facts, _ in items])
        yield branch, list(zip(names, blobs, strict=True))


def _read_blobs(worktree: str, ids: list[bytes]) -> list[bytes]:
    data = run_git(["cat-file", "--batch"], worktree, input=b"".join(name + b"\n" for name in ids))
    blobs = []
    start = 0
    for _ in ids:
        end = data.index(b"\n", start)
        size = int(data[start:end].rpartition(b" ")[2])
        blobs.append(data[end + 1 : end + 1 + size])
        start = end + 1 + size + 1
    return blobs
