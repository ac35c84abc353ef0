"""Which commits carry a good signature, as git and the user's own keys judge it.

1. Only `G` of git-log(1) is good: a signature that is right, by a key that the user trusts. Expired,
   revoked and unknown keys are not.
2. The programs that verify are git's own choice or those of the user's and the system's
   configuration. What a repository's configuration names is not started.
3. A list of allowed signers that lies in the worktree is not believed: whoever can write there could
   add themselves.
"""

from __future__ import annotations

import os

from gitkb.git.command import ask_git, run_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_PROGRAMS = {
    "gpg.program": "gpg",
    "gpg.openpgp.program": "gpg",
    "gpg.ssh.program": "ssh-keygen",
    "gpg.x509.program": "gpgsm",
}
_OWN_SCOPES = ("system", "global")
_SIGNERS = "gpg.ssh.allowedsignersfile"


def good_signatures(
    worktree: str,
    commits: Iterable[str],
    own_environment: bool = False,
    notices: list[str] | None = None,
) -> frozenset[str]:
    """Give those of some commits that carry a good signature; a process a commit that is signed.

    GitError: git cannot read the commits.
    """
    ids = sorted(set(commits))
    if not ids:
        return frozenset()
    answer = run_git(
        [
            *_options(worktree, own_environment, notices),
            "--no-replace-objects",
            "log",
            "--no-walk=unsorted",
            "--stdin",
            "--no-show-signature",
            "--no-color",
            "--no-notes",
            "--format=%H %G?",
        ],
        worktree,
        input="".join(f"{id_}\n" for id_ in ids).encode("ascii"),
        own_environment=own_environment,
    )
    lines = answer.decode("ascii", "replace").splitlines()
    return frozenset(line[:-2] for line in lines if line.endswith(" G"))


def _options(worktree: str, own: bool, notices: list[str] | None) -> list[str]:
    asked = ["config", "--null", "--show-scope", "--get-regexp", r"^gpg\."]
    answer = ask_git(asked, worktree, own_environment=own)
    words = os.fsdecode(answer.stdout).split("\0")
    programs = dict(_PROGRAMS)
    signers = ""
    for scope, setting in zip(words[::2], words[1::2], strict=False):
        name, _, value = setting.partition("\n")
        if name in programs and scope in _OWN_SCOPES and _is_own_program(value):
            programs[name] = value
            if name == "gpg.program":
                programs["gpg.openpgp.program"] = value
        elif name == _SIGNERS:
            signers = value
    options = [f"{name}={value}" for name, value in programs.items()]
    if signers and _lies_within(worktree, os.path.expanduser(signers)):
        options.append(f"{_SIGNERS}={os.devnull}")
        if notices is not None:
            notices.append(
                f"no signature of ssh is believed: the list of allowed signers '{signers}' lies in the "
                "worktree, where every branch can change it; "
                "git config --global gpg.ssh.allowedSignersFile PATH"
            )
    return [word for option in options for word in ("-c", option)]


def _is_own_program(value: str) -> bool:
    return bool(value) and (os.path.isabs(value) or "/" not in value or value.startswith("~/"))


def _lies_within(worktree: str, path: str) -> bool:
    """Whether a file is one that a checkout writes; what lies in the git folder is not."""
    top = os.path.realpath(worktree)
    place = os.path.realpath(os.path.join(top, path))
    try:
        inside = os.path.commonpath((top, place)) == top
    except ValueError:  # another drive
        return False
    return inside and ".git" not in os.path.relpath(place, top).split(os.sep)[:1]
