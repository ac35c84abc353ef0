"""Whose knowledge agents are told: `gitkb trust` as a program, with real git and real signatures."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from mcp_client import ask
from repo_builder import ADA, BEN, CHI, Repo, team

if TYPE_CHECKING:
    from pathlib import Path

MALLORY = CHI
CONFIG = ".gitkb/config.toml"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """Ada's repository, with one decision of hers and one that Mallory committed."""
    repo = Repo.init(tmp_path / "repo")
    repo.run("init", "--shards", "1")
    write(repo, "ours", "money in cents")
    repo.commit("Ours")
    write(repo, "theirs", "money in floats")
    repo.commit("Theirs", by=MALLORY)
    return repo


def write(repo: Repo, key: str, title: str, **fields: Any) -> None:
    given = {"type": "decision", "importance": 5, "content": f"Because {key}.", **fields}
    repo.kb_add(key=key, title=title, **given)


def told(repo: Repo, *arguments: str) -> list[str]:
    """The keys of a pack."""
    pack = repo.run("context", "money", *arguments, "--json").json()
    return sorted(one["key"] for one in pack["entries"])


def rule(repo: Repo) -> dict[str, Any]:
    answer: dict[str, Any] = repo.run("trust", "--json").json()
    return answer


def list_in(repo: Repo, *authors: str) -> None:
    """Write another trust list into config.toml, as an editor would."""
    text = repo.read(CONFIG).decode().partition("\n[trust]")[0]
    repo.write(CONFIG, f"{text}\n[trust]\nauthors = {json.dumps(authors)}\n")


# --- the list --------------------------------------------------------------------------------


def test_without_a_list_everybody_is_trusted(repo: Repo) -> None:
    assert told(repo) == ["ours", "theirs"]
    assert rule(repo) == {
        "authors": [], "signed": False, "origin": "", "pending": None, "untrusted": [],
    }  # fmt: skip
    assert "everybody" in repo.run("trust").stdout


@pytest.mark.parametrize("author", [ADA.email, ADA.name, f"{ADA.name} <{ADA.email.upper()}>"])
def test_a_pack_tells_only_of_what_the_listed_wrote_last(repo: Repo, author: str) -> None:
    repo.run("trust", "add", author)
    done = repo.run("context", "money")
    assert "### ours" in done.stdout
    assert "theirs" not in done.stdout
    assert "1 entry of untrusted authors left out" in done.stdout
    assert "1 entry of untrusted authors left out" in done.stderr
    assert repo.run("context", "money", "--json").json()["untrusted"] == 1
    assert rule(repo)["untrusted"] == [
        {"author": f"{MALLORY.name} <{MALLORY.email}>", "keys": ["theirs"]}
    ]


def test_people_find_what_agents_are_not_told(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    assert "theirs" in repo.run("recall", "floats").stdout
    assert "theirs" in repo.run("list").stdout
    assert "Because theirs" in repo.run("show", "theirs").stdout


def test_who_changed_an_entry_last_counts_and_not_who_began_it(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    write(repo, "ours", "money in pounds")
    repo.commit("Twist", by=MALLORY)
    assert told(repo) == []
    write(repo, "theirs", "money in pence")
    repo.commit("Take over")
    assert told(repo) == ["theirs"]


def test_what_is_not_committed_is_the_users_own(repo: Repo) -> None:
    repo.run("trust", "add", "nobody@example.org")
    write(repo, "fresh", "money just now")
    assert told(repo) == ["fresh"]


def test_what_a_merge_in_progress_brings_is_not_the_users_own(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.commit("List")
    repo.checkout("stranger", new=True)
    write(repo, "brought", "money from afar")
    repo.commit("Bring", by=MALLORY)
    repo.checkout("main")
    repo.merge("--no-ff", "--no-commit", "stranger")
    assert told(repo) == ["ours"]


def test_mailmap_says_who_is_who(repo: Repo) -> None:
    repo.run("trust", "add", "chief@example.org")
    repo.write(".mailmap", f"Chief <chief@example.org> <{MALLORY.email}>\n")
    assert told(repo) == ["theirs"]


def test_a_name_that_looks_like_a_listed_mail_is_not_that_mail(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    write(repo, "forged", "money of a liar")
    repo.add()
    repo.git("-c", f"user.name={ADA.email}", "commit", "-q", "-m", "x", person=type(ADA)(ADA.email, "liar@example.org"))  # fmt: skip
    assert told(repo) == ["ours"]


def test_the_list_is_written_into_the_settings_and_nothing_else_changes(repo: Repo) -> None:
    before = repo.read(CONFIG)
    repo.run("trust", "add", 'Ann "A" O\'Neil')
    repo.run("trust", "add", BEN.email)
    assert repo.read(CONFIG).startswith(before)
    assert rule(repo)["authors"] == ['Ann "A" O\'Neil', BEN.email]
    repo.run("trust", "remove", 'Ann "A" O\'Neil')
    done = repo.run("trust", "remove", BEN.email)
    assert "everybody's entries again" in done.stderr
    assert told(repo) == ["ours", "theirs"]
    assert repo.run("check", exit_code=None).exit_code == 0


@pytest.mark.parametrize("text", ["", "# [trust]\n", "[trust]\n# all\nauthors = [\n  'Ann', # her\n]\n[context]\nbudget = 9\n", "[context]\nbudget = 9"])  # fmt: skip
def test_a_list_joins_whatever_the_settings_say(repo: Repo, text: str) -> None:
    repo.write(CONFIG, "shards = 1\n" + text)
    repo.run("trust", "accept")
    repo.run("trust", "add", BEN.email)
    assert rule(repo)["authors"][-1] == BEN.email
    assert (b"budget = 9" in repo.read(CONFIG)) == ("budget" in text)


def test_adding_twice_changes_nothing(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    before = repo.read(CONFIG)
    assert "nothing changed" in repo.run("trust", "add", f" {ADA.email} ").stderr
    assert repo.read(CONFIG) == before


@pytest.mark.parametrize("author", ["", "  ", "<>", "a\u202eb", "Ann\u3164"])
def test_what_names_nobody_or_hides_something_is_refused(repo: Repo, author: str) -> None:
    repo.run("trust", "add", author, exit_code=2)


def test_who_is_not_listed_cannot_be_removed(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    assert f"it names '{ADA.email}'" in repo.run("trust", "remove", "x", exit_code=4).stderr


def test_settings_that_cannot_be_read_trust_nobody(repo: Repo) -> None:
    repo.write(CONFIG, "shards = 1\n[trust]\nauthors = 'all'\n")
    for arguments in (("context", "money"), ("trust",)):
        done = repo.run(*arguments, exit_code=3)
        assert done.stdout == ""
        assert "trust.authors" in done.stderr


# --- who may change the list -----------------------------------------------------------------


def test_a_strangers_branch_brings_no_list_along(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.commit("List")
    repo.checkout("stranger", new=True)
    list_in(repo, ADA.email, MALLORY.email)
    repo.commit("Let me in", by=MALLORY)
    for _ in range(2):
        assert told(repo) == ["ours"]
    done = repo.run("trust")
    assert MALLORY.email in done.stdout
    assert "gitkb trust accept" in done.stderr
    assert rule(repo)["pending"] == {"authors": [ADA.email, MALLORY.email], "signed": False}
    doctor = repo.run("doctor", exit_code=None).stdout
    assert "trust list" in doctor
    repo.run("trust", "accept")
    assert told(repo) == ["ours", "theirs"]


def test_a_strangers_branch_cannot_take_the_list_away(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.commit("List")
    repo.write(CONFIG, "shards = 1\n")
    repo.commit("Away", by=MALLORY)
    assert told(repo) == ["ours"]


def test_a_new_worktree_does_not_begin_by_trusting_its_branch(repo: Repo, tmp_path: Path) -> None:
    repo.run("trust", "add", ADA.email)
    repo.commit("List")
    other = repo.worktree(tmp_path / "other", "stranger")
    list_in(other, MALLORY.email)
    other.commit("Only me", by=MALLORY)
    assert told(other) == ["ours"]


def test_who_is_trusted_may_trust_others(tmp_path: Path) -> None:
    _, ada, ben = team(tmp_path, "--shards", "1")
    write(ada, "ours", "money in cents")
    ada.run("trust", "add", ADA.email)
    ada.commit("List")
    ada.push()
    ben.pull()
    assert told(ben) == ["ours"]  # the first list that is seen is taken over
    write(ada, "theirs", "money of a third")
    ada.commit("Third", by=MALLORY)
    ada.run("trust", "add", MALLORY.email)
    ada.commit("Trust a third")
    ada.push()
    ben.pull()
    assert told(ben) == ["ours", "theirs"]
    assert rule(ben)["pending"] is None


def test_a_change_hidden_below_a_trusted_one_is_seen(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.commit("List")
    list_in(repo, ADA.email, MALLORY.email)
    repo.commit("Let me in", by=MALLORY)
    repo.write(CONFIG, repo.read(CONFIG) + b"[context]\nbudget = 3000\n")
    repo.commit("A budget")
    assert told(repo) == ["ours"]


def test_ones_own_edit_counts_before_it_is_committed(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.commit("List")
    list_in(repo, MALLORY.email)
    assert told(repo) == ["theirs"]
    repo.git("checkout", "-q", "--", CONFIG)
    assert told(repo) == ["ours"]


def test_a_list_in_gits_configuration_goes_before(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.config("gitkb.trust", MALLORY.email)
    assert told(repo) == ["theirs"]
    assert rule(repo)["origin"] == "git config"
    assert "goes before" in repo.run("trust", "add", BEN.email).stderr


# --- other ways into an agent's context ------------------------------------------------------


def test_tools_of_agents_tell_no_more_than_packs(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("gitkb_recall", {"query": "money"}),
        ("gitkb_get", {"keys": ["ours", "theirs"]}),
        ("gitkb_context", {"task": "money", "budget": 4000}),
        ("gitkb_why", {"query": "money"}),
    ]
    for (tool, _), said in zip(calls, ask(repo.path, *calls), strict=True):
        assert not said.is_error
        assert "Because theirs" not in said.text + json.dumps(said.values), tool
        assert "money in floats" not in said.text + json.dumps(said.values), tool
        assert "1 entry of untrusted authors left out" in said.text, tool


def test_learnings_leave_strangers_out(repo: Repo) -> None:
    for key, by in (("l-ours", ADA), ("l-theirs", MALLORY)):
        write(
            repo, key, f"learned by {key}", type="learned", category="architecture", scope="project"
        )
        repo.commit("Learn", by=by)
    repo.run("trust", "add", ADA.email)
    done = repo.run("learnings", "--for", "plan")
    assert "learned by l-ours" in done.stdout
    assert "l-theirs" not in done.stdout
    assert "1 entry of untrusted authors left out" in done.stderr


def test_a_flood_of_matches_takes_nobodys_place(repo: Repo) -> None:
    lines = [
        {"key": f"f-{n}", "type": "fact", "title": f"money money money {n}", "content": "money"}
        for n in range(400)
    ]
    repo.run("add", "--batch", stdin="".join(json.dumps(line) + "\n" for line in lines))
    repo.commit("Flood", by=MALLORY)
    repo.run("trust", "add", ADA.email)
    assert told(repo) == ["ours"]


def test_a_stranger_cannot_speak_through_a_file_that_git_does_not_trace(repo: Repo) -> None:
    repo.run("trust", "add", ADA.email)
    repo.write("docs/x.txt", '{"key":"smuggled","type":"decision","title":"money smuggled","importance":5}\n')  # fmt: skip
    data = repo.path / ".gitkb/knowledge/all.jsonl"
    text = data.read_bytes()
    repo.write("docs/x.txt", text + repo.read("docs/x.txt"))
    data.unlink()
    data.symlink_to("../../docs/x.txt")
    repo.commit("Link", "--no-verify", by=MALLORY)
    done = repo.run("context", "money", exit_code=5)
    assert "smuggled" not in done.stdout
    assert "is a link to a place outside of the store" in done.stderr


# --- signatures ------------------------------------------------------------------------------


@pytest.fixture
def signer(repo: Repo, tmp_path: Path) -> Path:
    """Mallory's key, which nobody allows yet; the file of allowed signers."""
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    repo.config("gpg.format", "ssh")
    repo.config("user.signingKey", f"{key}.pub")
    allowed = tmp_path / "allowed"
    allowed.touch()
    repo.config("gpg.ssh.allowedSignersFile", str(allowed))
    write(repo, "signed", "money under a seal")
    repo.commit("Sign", "-S", by=MALLORY)
    return allowed


def allow(path: Path) -> str:
    key = (path.parent / "key.pub").read_text()
    return f"{MALLORY.email} {key}"


def test_a_good_signature_is_trusted_whoever_the_author_is(repo: Repo, signer: Path) -> None:
    repo.run("trust", "add", "--signed")
    assert told(repo) == []
    signer.write_text(allow(signer))
    assert told(repo) == ["signed"]
    repo.run("trust", "add", ADA.email)
    assert told(repo) == ["ours", "signed"]
    repo.run("trust", "remove", "--signed")
    assert told(repo) == ["ours"]


def test_allowed_signers_that_a_branch_can_change_are_not_believed(
    repo: Repo, signer: Path
) -> None:
    repo.run("trust", "add", "--signed")
    repo.write("allowed", allow(signer))
    repo.config("gpg.ssh.allowedSignersFile", "allowed")
    assert told(repo) == []
    assert "lies in the worktree" in repo.run("context", "money").stderr


@pytest.mark.parametrize("name", ["gpg.ssh.program", "gpg.program"])
def test_no_program_of_the_repository_verifies(repo: Repo, signer: Path, name: str) -> None:
    signer.write_text(allow(signer))
    repo.run("trust", "add", "--signed")
    program = repo.write("evil.sh", "#!/bin/sh\ntouch pwned\nexit 0\n")
    program.chmod(0o755)
    repo.config(name, "./evil.sh")
    assert told(repo) == ["signed"]
    assert not (repo.path / "pwned").exists()
    assert os.access(program, os.X_OK)
