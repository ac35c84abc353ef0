"""Our hooks as git's configuration holds them, from git 2.54 on."""

from __future__ import annotations

import subprocess

import pytest

from gitkb.git.hook_path import configured_settings, script
from gitkb.hooks.main import POST_HOOKS, PRE_HOOKS


@pytest.mark.parametrize("name", [*POST_HOOKS, *PRE_HOOKS])
def test_a_hook_is_one_line_and_still_its_script(name: str) -> None:
    """Programs that read `git config --list` line by line would take a second line for a setting."""
    settings = configured_settings(name)
    assert not any("\n" in value for value in settings.values())
    line = settings[f"hook.gitkb-{name}.command"].replace("sh -c", "printf '%s\\n'", 1)
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    assert done.stdout == script(name) + b"gitkb-hook\n"
