"""The ready files for GitHub Actions and GitLab CI do what their pages say.

No forge is at hand. What a forge does is played: its clone (which branches, how deep, what is checked
out), the variables that it sets, and its shell. Every script of the files is run as it stands.
"""

from __future__ import annotations

import json
import re
import subprocess
from os import environ
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from gitkb.core.identity import order_of

from repo_builder import Repo
from seal import ROOT

if TYPE_CHECKING:
    from pathlib import Path

GITHUB: dict[Any, Any] = yaml.safe_load((ROOT / "docs/how-to/github-actions.yml").read_text())
GITLAB: dict[str, Any] = yaml.safe_load((ROOT / "docs/how-to/gitlab-ci.yml").read_text())
ZERO = "0" * 40
FILE = ".gitkb/knowledge/all.jsonl"
BASE = dict.fromkeys("abcdefgh", "x")
FIRST = min(BASE, key=order_of)
# Behind all others in the file, so that its line is nobody's neighbour but the last one's.
FAR = next(
    name
    for name in (f"far{number}" for number in range(10_000))
    if order_of(name) > max(map(order_of, BASE))
)


class Done(NamedTuple):
    exit_code: int
    text: str


def put(repo: Repo, **contents: str) -> None:
    lines = [
        json.dumps({"key": key, "type": "fact", "content": contents[key], "ts": 1})
        for key in sorted(contents, key=order_of)
    ]
    repo.write(FILE, "".join(line + "\n" for line in lines))


@pytest.fixture
def forge(tmp_path: Path) -> Repo:
    """The forge's repository: main, a branch that the button can merge, and one that it cannot."""
    work = Repo.init(tmp_path / "work")
    work.write(".gitkb/config.toml", "shards = 1\n")
    put(work, **BASE)
    work.commit("Begin")
    for branch, contents in (
        ("good", {**BASE, FAR: "x"}),
        ("clash", {**BASE, FIRST: "of clash"}),
    ):
        work.git("checkout", "-q", "-b", branch, "main")
        put(work, **contents)
        work.commit(branch)
    work.checkout("main")
    put(work, **{**BASE, FIRST: "of main"})
    work.commit("Main goes on")
    return Repo.clone(work, tmp_path / "forge.git", "--mirror")


def button(forge: Repo, branch: str, strategy: str = "ort") -> str:
    """Merge a branch into main as text, somewhere on the forge; the commit, which no branch has."""
    work = Repo.clone(forge, forge.path.parent / f"button {branch} {strategy}")
    work.git("merge", "-q", "--no-ff", "--no-edit", "-s", strategy, f"origin/{branch}")
    work.git("push", "-q", "origin", f"HEAD:refs/pull/{branch}/merge")
    return work.head()


def run(folder: Path, script: str, shell: list[str], variables: dict[str, str]) -> Done:
    done = subprocess.run(
        [*shell, "-c", script],
        cwd=folder,
        # pip finds the gitkb that is installed, and looks for nothing else.
        env={**environ, "GITKB": "gitkb", "PIP_NO_DEPS": "1", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Done(done.returncode, done.stdout + done.stderr)


# --- GitHub -----------------------------------------------------------------------------------


def checkout(forge: Repo, folder: Path, ref: str, depth: int = 0) -> Repo:
    """What actions/checkout@v4 leaves: every branch of origin, or one commit."""
    job = Repo.init(folder / f"runner {ref.replace('/', ' ')}")
    job.git("remote", "add", "origin", forge.path.as_uri())
    branch = ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else ""
    place = f"refs/remotes/origin/{branch}" if branch else ref.replace("refs/", "refs/remotes/", 1)
    wanted = [f"+{ref}:{place}"] + ([] if depth else ["+refs/heads/*:refs/remotes/origin/*"])
    job.git("fetch", "-q", "--no-tags", *([f"--depth={depth}"] if depth else []), "origin", *wanted)
    where = ["-B", branch, f"origin/{branch}"] if branch else ["--detach", place]
    job.git("checkout", "-q", "--force", *where)
    return job


def github(job: Repo, name: str, event: dict[str, str], variables: dict[str, str]) -> Done:
    """Run the steps of a job until one fails. `event` are the values of the expressions."""
    said = ""
    for step in GITHUB["jobs"][name]["steps"]:
        if "run" not in step:
            continue
        own = {key: expand(value, event) for key, value in step.get("env", {}).items()}
        shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"]
        done = run(job.path, step["run"], shell, {**variables, **own})
        said += done.text
        if done.exit_code:
            return Done(done.exit_code, said)
    return Done(0, said)


def expand(text: str, event: dict[str, str]) -> str:
    """An expression of the file: names joined by `||`, of which the first that says something counts."""
    inner = re.fullmatch(r"\$\{\{ (.+) \}\}", text)
    if inner is None:
        return text
    return next((event[name] for name in inner[1].split(" || ") if event.get(name)), "")


def push_event(job: Repo, branch: str, before: str = ZERO) -> tuple[dict[str, str], dict[str, str]]:
    return (
        {
            "github.event.repository.default_branch": "main",
            "github.event.before": before,
            "github.sha": job.head(),
        },
        {"GITHUB_REF": f"refs/heads/{branch}", "GITHUB_BASE_REF": "", "GITHUB_SHA": job.head()},
    )


def test_a_push_of_a_branch_that_the_button_cannot_merge_fails_and_names_the_keys(
    forge: Repo, tmp_path: Path
) -> None:
    job = checkout(forge, tmp_path, "refs/heads/clash")
    done = github(job, "check", *push_event(job, "clash"))
    assert done.exit_code == 1
    assert f"ends in a conflict over '{FIRST}'" in done.text
    assert "gitkb check --merge origin/main" in done.text


def test_a_push_of_a_branch_that_the_button_can_merge_passes(forge: Repo, tmp_path: Path) -> None:
    job = checkout(forge, tmp_path, "refs/heads/good")
    done = github(job, "check", *push_event(job, "good"))
    assert done.exit_code == 0, done.text


def test_a_pull_request_is_judged_by_its_own_head_in_the_checkout_of_a_merge(
    forge: Repo, tmp_path: Path
) -> None:
    merge = button(forge, "good")
    job = checkout(forge, tmp_path, "refs/pull/good/merge")
    event = {
        "github.event.repository.default_branch": "main",
        "github.event.pull_request.head.sha": forge.head("good"),
        "github.sha": merge,
    }
    variables = {"GITHUB_REF": "refs/pull/7/merge", "GITHUB_BASE_REF": "main", "GITHUB_SHA": merge}
    done = github(job, "check", event, variables)
    assert done.exit_code == 0, done.text


@pytest.mark.parametrize(("strategy", "exit_code"), [("ort", 0), ("ours", 1)])
def test_the_merge_of_a_queue_is_judged(
    forge: Repo, tmp_path: Path, strategy: str, exit_code: int
) -> None:
    ref = "refs/heads/gh-readonly-queue/main/pr-7"
    forge.git("update-ref", ref, button(forge, "good", strategy))
    job = checkout(forge, tmp_path, ref)
    done = github(job, "check", *push_event(job, ref.removeprefix("refs/heads/")))
    assert done.exit_code == exit_code, done.text


def test_a_push_onto_the_default_branch_is_judged_with_its_merges(
    forge: Repo, tmp_path: Path
) -> None:
    before = forge.head("main")
    lossy = button(forge, "good", "ours")
    forge.git("update-ref", "refs/heads/main", lossy)
    job = checkout(forge, tmp_path, "refs/heads/main")
    done = github(job, "check", *push_event(job, "main", before))
    assert done.exit_code == 1
    assert f"the merge lost '{FAR}'" in done.text
    # Also when it is no longer the last commit.
    job.write("README", "More.\n")
    job.commit("Later")
    done = github(job, "check", *push_event(job, "main", before))
    assert done.exit_code == 1
    assert f"the merge lost '{FAR}'" in done.text


@pytest.mark.parametrize("before", [ZERO, "1" * 40])
def test_a_default_branch_without_a_commit_before_it_is_judged_as_it_stands(
    forge: Repo, tmp_path: Path, before: str
) -> None:
    job = checkout(forge, tmp_path, "refs/heads/main")
    done = github(job, "check", *push_event(job, "main", before))
    assert done.exit_code == 0, done.text


def test_a_checkout_of_one_commit_says_what_to_fetch(forge: Repo, tmp_path: Path) -> None:
    job = checkout(forge, tmp_path, "refs/heads/clash", depth=1)
    done = github(job, "check", *push_event(job, "clash"))
    assert done.exit_code == 4
    assert "fetch-depth: 0" in done.text
    job.git("fetch", "-q", "--depth=1", "origin", "+refs/heads/main:refs/remotes/origin/main")
    done = github(job, "check", *push_event(job, "clash"))
    assert done.exit_code == 6
    assert "fetch-depth: 0" in done.text


def test_the_merge_job_pushes_a_merge_by_key(forge: Repo, tmp_path: Path) -> None:
    job = checkout(forge, tmp_path, "refs/heads/clash")
    event = {"github.event.repository.default_branch": "main", "inputs.branch": "clash"}
    done = github(job, "merge", event, {})
    assert done.exit_code == 0, done.text
    assert forge.log("-1", "clash", form="%an: %s") == [
        "github-actions[bot]: Merge remote-tracking branch 'origin/main' into clash"
    ] or forge.log("-1", "clash") == ["Merge remote-tracking branch 'origin/main' into clash"]
    job = checkout(forge, tmp_path / "again", "refs/heads/clash")
    done = github(job, "check", *push_event(job, "clash"))
    assert done.exit_code == 0, done.text


def test_the_workflow_has_the_whole_history_and_few_rights() -> None:
    assert GITHUB["permissions"] == {"contents": "read"}
    assert GITHUB["jobs"]["check"].get("permissions") is None
    assert GITHUB[True].keys() == {
        "push",
        "pull_request",
        "merge_group",
        "workflow_dispatch",
    }  # `on` is YAML's yes
    for job in GITHUB["jobs"].values():
        checkouts = [
            step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")
        ]
        assert [step["with"]["fetch-depth"] for step in checkouts] == [0]
        for step in job["steps"]:
            # Text of an event in a script would be run as a command.
            assert "${{" not in step.get("run", "")


# --- GitLab -----------------------------------------------------------------------------------


def clone(forge: Repo, folder: Path, branch: str, depth: int = 0) -> Repo:
    """What GitLab's runner leaves: one branch, detached."""
    job = Repo.init(folder / f"gitlab {branch}")
    job.git("remote", "add", "origin", forge.path.as_uri())
    wanted = f"+refs/heads/{branch}:refs/remotes/origin/{branch}"
    job.git("fetch", "-q", *([f"--depth={depth}"] if depth else []), "origin", wanted)
    job.git("checkout", "-q", "--detach", f"origin/{branch}")
    return job


def gitlab(job: Repo, name: str, variables: dict[str, str]) -> Done:
    """Run a job: its lines go one after the other into one shell, which stops at the first failure."""
    own = GITLAB[name]
    parent = GITLAB[own["extends"]]
    lines = [*parent["before_script"], *own["script"]]
    return run(job.path, "\n".join(lines), ["bash", "-e", "-o", "pipefail"], variables)


def request(job: Repo, branch: str) -> dict[str, str]:
    return {
        "CI_DEFAULT_BRANCH": "main",
        "CI_COMMIT_SHA": job.head(),
        "CI_COMMIT_BRANCH": "",
        "CI_COMMIT_BEFORE_SHA": ZERO,
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": branch,
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "",
        "CI_SERVER_HOST": "gitlab.example.org",
    }


def pushed(job: Repo, branch: str, before: str) -> dict[str, str]:
    return {
        "CI_DEFAULT_BRANCH": "main",
        "CI_COMMIT_SHA": job.head(),
        "CI_COMMIT_BRANCH": branch,
        "CI_COMMIT_BEFORE_SHA": before,
    }


def test_a_merge_request_is_judged(forge: Repo, tmp_path: Path) -> None:
    job = clone(forge, tmp_path, "clash")
    done = gitlab(job, "knowledge", request(job, "clash"))
    assert done.exit_code == 1
    assert f"ends in a conflict over '{FIRST}'" in done.text
    job = clone(forge, tmp_path, "good")
    done = gitlab(job, "knowledge", request(job, "good"))
    assert done.exit_code == 0, done.text


def test_a_merged_results_pipeline_judges_the_source_branch(forge: Repo, tmp_path: Path) -> None:
    merge = button(forge, "good")
    job = clone(forge, tmp_path, "good")
    job.git("fetch", "-q", "origin", "refs/pull/good/merge")
    job.git("checkout", "-q", "--detach", merge)
    variables = {
        **request(job, "good"),
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": forge.head("good"),
    }
    done = gitlab(job, "knowledge", variables)
    assert done.exit_code == 0, done.text


def test_a_push_of_a_branch_and_of_the_default_branch_are_judged(
    forge: Repo, tmp_path: Path
) -> None:
    job = clone(forge, tmp_path, "clash")
    done = gitlab(job, "knowledge", pushed(job, "clash", ZERO))
    assert (done.exit_code, f"conflict over '{FIRST}'" in done.text) == (1, True)
    before = forge.head("main")
    forge.git("update-ref", "refs/heads/main", button(forge, "good", "ours"))
    job = clone(forge, tmp_path, "main")
    done = gitlab(job, "knowledge", pushed(job, "main", before))
    assert (done.exit_code, f"the merge lost '{FAR}'" in done.text) == (1, True)
    done = gitlab(job, "knowledge", pushed(job, "main", ZERO))
    assert done.exit_code == 1  # the last commit is that merge


def test_a_short_history_says_what_to_fetch(forge: Repo, tmp_path: Path) -> None:
    job = clone(forge, tmp_path, "clash", depth=1)
    done = gitlab(job, "knowledge", request(job, "clash"))
    assert done.exit_code == 6
    assert "GIT_DEPTH" in done.text


def test_the_merge_job_of_a_request_pushes_a_merge_by_key(forge: Repo, tmp_path: Path) -> None:
    job = clone(forge, tmp_path, "clash")
    variables = {**request(job, "clash"), "PUSH_URL": forge.path.as_uri()}
    done = gitlab(job, "knowledge-merge", variables)
    assert done.exit_code == 0, done.text
    assert forge.log("-1", "clash") == ["Merge remote-tracking branch 'origin/main' into clash"]
    job = clone(forge, tmp_path / "again", "clash")
    done = gitlab(job, "knowledge", request(job, "clash"))
    assert done.exit_code == 0, done.text


def test_the_jobs_have_the_whole_history() -> None:
    assert GITLAB[".knowledge"]["variables"]["GIT_DEPTH"] == "0"
    for name in ("knowledge", "knowledge-merge"):
        assert GITLAB[name]["extends"] == ".knowledge"
        # A job's own variables are laid over its parent's (GitLab merges them by name).
        assert "GIT_DEPTH" not in GITLAB[name].get("variables", {})
