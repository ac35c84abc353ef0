"""A switch of git's configuration read without git says what git says."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from gitkb.git.plain_setting import read_switch

if TYPE_CHECKING:
    from pathlib import Path

WAYS = {
    "": None,
    "[gitkb]\n\tusage = false\n": False,
    "[gitkb]\n\tusage\n": True,
    "[gitkb]\n\tusage =\n": False,
    "[gitkb] usage = no\n": False,
    "[GitKB]\nUsage=OFF ; why\n": False,
    '[gitkb]\n\tusage = "0" # off\n': False,
    "[gitkb]\n\tusage = yes\n": True,
    '[gitkb "usage"]\n\tusage = false\n': None,
    '[merge "gitkb"]\n\tusage = false\n': None,
    "[gitkb]\n\tusage = false\n\tusage = true\n": True,
    "[gitkb]\n\tstore = .gitkb\n[core]\n\tusage = false\n": None,
    "# [gitkb] usage = false\n; usage\n": None,
}


@pytest.mark.parametrize("text", WAYS)
def test_it_says_what_git_says(text: str, tmp_path: Path) -> None:
    (tmp_path / "config").write_text(text)
    command = ["git", "config", "--file", str(tmp_path / "config"), "--type=bool", "gitkb.usage"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    assert {"true": True, "false": False, "": None}[said] is WAYS[text]
    assert read_switch(str(tmp_path), "gitkb", "usage", os.environ) is WAYS[text]


def test_the_clone_says_more_than_the_user_and_the_worktree_more_than_the_clone(
    tmp_path: Path,
) -> None:
    own, tree = tmp_path / "user", tmp_path / "git" / "worktrees" / "w"
    tree.mkdir(parents=True)
    (tree / "commondir").write_text("../..\n")
    environ = {"GIT_CONFIG_GLOBAL": str(own), "GIT_CONFIG_NOSYSTEM": "1"}
    for path, value in ((own, False), (tmp_path / "git" / "config", True), (tree / "config.worktree", False)):  # fmt: skip
        path.write_text(f"[gitkb]\n\tusage = {value}\n".lower())
        assert read_switch(str(tree), "gitkb", "usage", environ) is value


def test_what_is_included_counts_and_of_an_include_with_a_condition_only_a_no(
    tmp_path: Path,
) -> None:
    for name, said in (("yes", "true"), ("no", "false")):
        (tmp_path / name).write_text(f"[gitkb]\n\tusage = {said}\n")
    config = tmp_path / "config"
    for text, value in (
        ("[include]\n\tpath = no\n", False),
        ("[include]\n\tpath = yes\n", True),
        ('[includeIf "gitdir:~/code/"]\n\tpath = no\n', False),
        ('[includeIf "gitdir:~/code/"]\n\tpath = yes\n', None),
        ("[include]\n\tpath = config\n", None),
    ):
        config.write_text(text)
        assert read_switch(str(tmp_path), "gitkb", "usage", {"HOME": str(tmp_path)}) is value, text
