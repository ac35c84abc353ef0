"""A project with tiers behind it: a workstation, and an organisation's repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from repo_builder import Repo

if TYPE_CHECKING:
    from pathlib import Path


class World(NamedTuple):
    """A project, the user's folder, and what an organisation shares."""

    project: Repo
    home: Path
    org: Repo

    @property
    def workstation(self) -> Repo:
        return Repo(self.home / "workstation")

    def add(self, tier: str, **fields: Any) -> None:
        """Write an entry to a tier, a fact where nothing else is said; org's comes with a pull."""
        entry = {"type": "fact", "content": "x", **fields}
        if tier == "project":
            self.project.kb_add(**entry)
        elif tier == "org":
            self.org.kb_add(**entry)
            self.org.commit("Write")
            self.project.run("tier", "pull")
        else:
            self.workstation.kb_add(**entry)
            self.workstation.commit("Write")


def make_world(folder: Path, home: Path) -> World:
    """Make the project, the workstation and the tier `org`, which is only read; all are empty.

    `GITKB_HOME` has to name `home`.
    """
    from gitkb.operations.tiers.setup import make_workstation

    make_workstation()
    project = Repo.init(folder / "app")
    project.run("init", "--shards", "1")
    org = Repo.init(folder / "org")
    org.run("init", "--shards", "1")
    org.commit("Begin")
    project.run("tier", "add", "org", str(org.path))
    return World(project, home, org)
