"""`gitkb-hook NAME [ARGUMENT]...`: the one program behind every hook of ours.

post-checkout, post-merge, post-rewrite and post-commit make the search index ready beforehand; a
search finds out by content whether it is, so these may fail, be skipped or never be called. After a
merge, a rebase or a commit they also write the views anew that the team commits, and give learnings
that got one number on two branches numbers of their own.
pre-commit and pre-merge-commit judge the entries in the staging area that is being committed.
Coding agents call session-start and before-compact (`hooks.agent`), and before-edit (`hooks.remind`).

1. What git or an agent does not need an answer from never stands in its way: post-* hooks and reminders end with
   0, whatever happens.
2. Where there is no store nothing happens: no output, exit 0 (the scripts do not even start us).
3. Beside our own modules here only `os` and `sys` are imported before it is known that there is work to do.

git starts us at the top of the worktree. The scripts start us without Python's site (`-S`): what we
need lies beside us as a rule, and where it does not the site is read then.
"""

from __future__ import annotations

import os
import sys

POST_HOOKS = ("post-checkout", "post-merge", "post-rewrite", "post-commit")
PRE_HOOKS = ("pre-commit", "pre-merge-commit")
AGENT_HOOKS = ("session-start", "before-compact")
REMINDERS = ("remind", "before-edit")
PROBE = "GITKB_HOOK_PROBE"
"""With this variable a hook only says its value: `gitkb doctor` asks whether git reaches us."""
_HELP = """\
usage: gitkb-hook NAME [ARGUMENTS]

What git's hooks call; gitkb install sets them up. NAME is one of
{known}.
The post-* hooks prepare the search index and always succeed; the pre-* hooks check what is staged.
What coding agents call, with what gitkb setup writes: {agents}, and the agent's name.
remind tells in three lines what concerns what is staged; before-edit [--agent=NAME] [PATH]... what concerns
the file of an agent's event on stdin, or the paths. Both always succeed.
"""


def main(argv: list[str] | None = None) -> int:
    """Run the hook that the first argument names; the rest are git's arguments to it."""
    arguments = sys.argv[1:] if argv is None else argv
    name = arguments[0] if arguments else ""
    if name in POST_HOOKS + PRE_HOOKS and PROBE in os.environ:
        from gitkb.hooks.report import say

        say(os.environ[PROBE])
        return 0
    if name in POST_HOOKS:
        from gitkb.hooks import post

        return post.run(name, arguments[1:])
    if name in PRE_HOOKS:
        from gitkb.hooks import pre

        return pre.run(name)
    if name in AGENT_HOOKS:
        from gitkb.hooks import agent

        return agent.run(name, arguments[1:])
    if name in REMINDERS:
        from gitkb.hooks import remind

        return remind.run(name, arguments[1:])
    known = ", ".join(PRE_HOOKS + POST_HOOKS)
    if name in ("--help", "-h"):
        sys.stdout.write(_HELP.format(known=known, agents=", ".join(AGENT_HOOKS)))
        return 0
    if name == "--version":
        from gitkb import __version__

        sys.stdout.write(f"gitkb {__version__}\n")
        return 0
    from gitkb.hooks.report import say

    say(
        f"error: unknown hook '{name}'",
        f"hint: one of {', '.join((known, *AGENT_HOOKS, *REMINDERS))}",
    )
    return 2
