"""Reading through all tiers, as a user does: the nearer wins, and every answer says where it is from."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from gitkb.mcp.call import call_tool
from gitkb.operations.tiers.setup import make_workstation

from repo_builder import Repo
from tier_builder import World, make_world

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder."""
    monkeypatch.setenv("GITKB_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def world(tmp_path: Path, home: Path) -> World:
    """A project, a workstation and an organisation's tier, with an entry each."""
    world = make_world(tmp_path, home)
    world.add("project", key="mine", title="Threads of the project", content="near", ts=30)
    world.add("workstation", key="work", title="Threads of the workstation", aliases=["WL-001"])
    world.add("org", key="ours", title="Threads of the organisation", ts=10)
    return world


def places(found: list[dict[str, Any]]) -> dict[str, str]:
    return {hit["key"]: hit["tier"] for hit in found}


def test_recall_and_list_answer_from_all_tiers_and_say_which(world: World) -> None:
    expected = {"mine": "project", "work": "workstation", "ours": "org"}
    assert places(world.project.run("recall", "threads", "--json").json()) == expected
    assert places(world.project.run("list", "--json").json()) == expected
    text = world.project.run("recall", "threads").stdout
    assert "ours  fact · tier org · " in text
    assert "work  fact · tier workstation · " in text
    assert "mine  fact · 1970" not in text
    assert "tier project" not in text


def test_of_two_with_one_key_the_nearer_wins_and_the_other_is_marked(world: World) -> None:
    world.add("org", key="mine", title="Threads by the organisation", content="far", ts=99)
    [hit] = [hit for hit in world.project.run("list", "--json").json() if hit["key"] == "mine"]
    assert (hit["tier"], hit["shadows"], hit["content"]) == ("project", ["org"], "near")
    both = [
        hit
        for hit in world.project.run("recall", "threads", "--all", "--json").json()
        if hit["key"] == "mine"
    ]
    assert [(hit["tier"], hit.get("shadowed"), hit.get("shadowed_by")) for hit in both] == [
        ("project", None, None),
        ("org", True, "project"),
    ]
    # What the nearer one says does not fit; the farther one is hidden all the same.
    assert world.project.run("recall", "far", "--json").json() == []
    assert "shadows the one in org" in world.project.run("show", "mine").stdout
    assert world.project.run("show", "mine", "--json").json()["shadows"] == ["org"]
    [named] = [
        hit
        for hit in world.project.run("list", "--tier", "org", "--json").json()
        if hit["key"] == "mine"
    ]
    assert (named["content"], named["shadowed"]) == ("far", True)


def test_what_the_nearer_tier_has_put_aside_stays_hidden(world: World) -> None:
    world.add("org", key="mine", content="far threads")
    world.project.run("archive", "mine")
    assert "mine" not in places(world.project.run("recall", "threads", "--json").json())
    world.project.run("restore", "mine")
    world.project.run("forget", "mine")
    # What is forgotten here, the organisation still knows.
    assert places(world.project.run("recall", "threads", "--json").json())["mine"] == "org"
    assert world.project.run("show", "mine", "--json").json()["tier"] == "org"


def test_a_limit_holds_for_all_tiers_together(world: World) -> None:
    whole = world.project.run("recall", "threads", "--json").json()
    for limit in (1, 2, 3, 4):
        some = world.project.run("recall", "threads", "--limit", str(limit), "--json").json()
        assert some == whole[:limit]
    listed = world.project.run("list", "--json").json()
    assert [hit["ts"] for hit in listed] == sorted((hit["ts"] for hit in listed), reverse=True)
    assert world.project.run("list", "--limit", "2", "--json").json() == listed[:2]


def test_a_tier_can_be_asked_for_by_name(world: World) -> None:
    assert places(world.project.run("list", "--tier", "org", "--json").json()) == {"ours": "org"}
    two = world.project.run("recall", "threads", "--tier", "org", "--tier", "project", "--json")
    assert set(places(two.json())) == {"mine", "ours"}
    refused = world.project.run("list", "--tier", "nix", exit_code=2)
    assert "no tier 'nix'" in refused.stderr
    assert "project, workstation, org" in refused.stderr


def test_explanations_come_from_the_tier_of_the_hit(world: World) -> None:
    hits = world.project.run("recall", "organisation", "--explain", "--json").json()
    assert [(hit["key"], hit["explain"]["words"]["title"][0]["how"]) for hit in hits] == [
        ("ours", "exact")
    ]
    assert "title: " in world.project.run("recall", "organisation", "--explain").stdout


def _no_clone(world: World) -> None:
    shutil.rmtree(world.home / "tiers" / "org")


def _no_store(world: World) -> None:
    shutil.rmtree(world.home / "tiers" / "org" / ".gitkb")


def _a_file_for_a_folder(world: World) -> None:
    shutil.rmtree(world.home / "tiers" / "org")
    (world.home / "tiers" / "org").write_text("what is this?")


def _broken_lines(world: World) -> None:
    (world.home / "tiers" / "org" / ".gitkb" / "knowledge" / "all.jsonl").write_bytes(b"{\n\0\n")


def _a_folder_for_a_file(world: World) -> None:
    path = world.home / "tiers" / "org" / ".gitkb" / "knowledge" / "all.jsonl"
    path.unlink()
    path.mkdir()


def _settings_that_are_none(world: World) -> None:
    (world.home / "tiers.json").write_text("[")


def _a_folder_that_cannot_be_read(world: World) -> None:
    folder = world.home / "tiers" / "org" / ".gitkb" / "knowledge"
    shutil.rmtree(folder)
    folder.symlink_to(folder)  # for the superuser too


@pytest.mark.skipif(os.name == "nt", reason="a loop of links needs rights there")
@pytest.mark.parametrize(
    "break_it",
    [
        _no_clone,
        _no_store,
        _a_file_for_a_folder,
        _broken_lines,
        _a_folder_for_a_file,
        _settings_that_are_none,
        _a_folder_that_cannot_be_read,
    ],
)
def test_a_broken_tier_costs_the_others_nothing(
    world: World, break_it: Callable[[World], None]
) -> None:
    break_it(world)
    for words in (("recall", "threads"), ("list",)):
        done = world.project.run(*words, "--json")
        found = places(done.json())
        assert found.pop("ours", "org") == "org"
        assert found == {"mine": "project", "work": "workstation"}
        assert "tier" in done.stderr
    assert world.project.run("show", "WL-001", "--json").json()["key"] == "work"
    assert world.project.run("related", "work", "--json").json()["tier"] == "workstation"
    assert world.project.run("why", "work", "--json").json()["root"] == "work"


def test_a_damaged_index_of_a_tier_is_built_anew_and_said(world: World) -> None:
    world.project.run("list")
    [database] = (world.home / "tiers" / "org" / ".git").rglob("index.sqlite")
    database.write_bytes(b"SQLite format 3\0" + b"\xff" * 8192)
    done = world.project.run("recall", "threads", "--json")
    assert "ours" in places(done.json())
    assert (
        "in the tier 'org': the search index was a copy, of another version, or damaged"
        in done.stderr
    )


def test_a_named_tier_that_cannot_be_read_is_an_error_with_its_cure(world: World) -> None:
    _no_clone(world)
    refused = world.project.run("list", "--tier", "org", exit_code=5)
    assert "gitkb tier pull org" in refused.stderr


def test_an_entry_is_shown_from_the_tier_that_holds_it(world: World) -> None:
    shown = world.project.run("show", "WL-001", "--json").json()
    assert (shown["key"], shown["tier"]) == ("work", "workstation")
    assert "work  fact · tier workstation" in world.project.run("show", "work").stdout
    refused = world.project.run("show", "nobody", exit_code=4)
    assert refused.stderr.startswith("error: no entry 'nobody'\n")


def test_a_redirect_is_followed_by_every_name(world: World) -> None:
    world.add("project", key="pool", title="Pools", category="technical", aliases=["L-007"])
    world.project.run("add", stdin='{"key":"uses","type":"note","content":"see [[pool]]"}')
    world.project.run("promote", "pool")
    for name in ("pool", "L-007", "WL-002"):
        shown = world.project.run("show", name, "--json").json()
        assert (shown["key"], shown["tier"]) == ("pool", "workstation"), name
    assert world.project.run("related", "L-007", "--json").json()["nodes"][0]["key"] == "uses"
    [near] = world.project.run("related", "uses", "--json").json()["nodes"]
    assert (near["key"], near["tier"], near["title"]) == ("pool", "workstation", "Pools")
    world.project.run("demote", "WL-002")
    assert world.project.run("show", "L-007", "--json").json()["tier"] == "project"
    assert world.project.run("show", "WL-002", "--json").json()["key"] == "pool"


def test_without_the_tier_it_went_to_the_last_version_is_shown(
    world: World, tmp_path: Path
) -> None:
    world.add("project", key="pool", title="Pools", category="technical", aliases=["L-007"])
    world.project.run("promote", "pool")
    world.project.commit("Promote")
    ben = Repo.clone(world.project, tmp_path / "ben")
    other = {"GITKB_HOME": str(tmp_path / "other home")}
    for name in ("pool", "L-007"):
        done = ben.run("show", name, "--json", env=other)
        shown = done.json()
        assert (shown["title"], shown["moved"], shown["archived"]) == ("Pools", "workstation", True)
        assert "has moved to the tier 'workstation'" in done.stderr
    assert "moved to workstation" in ben.run("show", "pool", env=other).stdout


def test_what_came_home_to_a_project_is_not_shown_to_another(world: World, tmp_path: Path) -> None:
    world.add("project", key="pool", title="Pools", category="technical")
    world.project.run("promote", "pool")
    world.project.run("demote", "pool")
    other = Repo.init(tmp_path / "shop")
    other.run("init")
    refused = other.run("show", "pool", exit_code=4)
    assert "has moved to the tier 'project app'" in refused.stderr
    assert other.run("recall", "pools", "--all", "--json").json() == []


def test_a_number_of_the_project_means_nothing_elsewhere(world: World) -> None:
    world.add("org", key="numbered", aliases=["L-042"])
    assert world.project.run("show", "L-042", exit_code=4).stdout == ""


def test_the_story_of_an_entry_goes_on_in_other_tiers(world: World) -> None:
    link = {"links": [{"rel": "caused_by", "to": "ours"}]}
    world.add("project", key="choice", type="decision", content="because", **link)
    story = world.project.run("why", "choice", "--json").json()
    assert {step["key"]: step["tier"] for step in story["steps"]} == {
        "ours": "org",
        "choice": "project",
    }
    assert [step["author"] is None for step in story["steps"]] == [
        step["key"] == "choice" for step in story["steps"]
    ]
    assert "ours  fact · tier org" in world.project.run("why", "choice").stdout
    found = world.project.run("why", "threads", "of", "the", "organisation", "--json").json()
    assert (found["root"], found["matched"]) == ("ours", True)


def test_marks_follow_what_all_tiers_say(world: World) -> None:
    world.add("project", key="new", links=[{"rel": "supersedes", "to": "ours"}], content="later")
    world.add("project", key="leans", links=[{"rel": "depends_on", "to": "work"}], content="rests")
    hits = {hit["key"]: hit for hit in world.project.run("list", "--json").json()}
    assert hits["ours"]["superseded_by"] == ["new"]
    assert "in_doubt" not in hits["leans"]
    world.workstation.run("archive", "work")
    hits = {hit["key"]: hit for hit in world.project.run("list", "--json").json()}
    assert hits["leans"]["in_doubt"] == ["work"]
    assert world.project.run("show", "leans", "--json").json()["in_doubt"] == ["work"]


def test_writing_by_key_stays_here_and_says_where_the_entry_is(world: World) -> None:
    for words in (("archive", "work"), ("reject", "WL-001"), ("forget", "work")):
        refused = world.project.run(*words, exit_code=4)
        assert "'work' is in the tier 'workstation'" in refused.stderr
        assert "gitkb demote work" in refused.stderr
        assert f"gitkb --dir '{world.home / 'workstation'}'" in refused.stderr
    refused = world.project.run("supersede", "ours", "mine", exit_code=4)
    assert "'ours' is in the tier 'org'" in refused.stderr
    assert "demote" not in refused.stderr
    assert world.workstation.status() == []


def test_a_moved_entry_is_not_written_here(world: World) -> None:
    world.add("project", key="pool", category="technical", title="Pools")
    world.project.run("promote", "pool")
    for words in (("reject", "pool"), ("restore", "pool"), ("forget", "pool")):
        refused = world.project.run(*words, exit_code=4)
        assert "has moved to the tier 'workstation'" in refused.stderr
        assert "gitkb demote pool" in refused.stderr


def test_outside_of_every_project_the_tiers_speak_alone(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    run = world.project.run
    found = run("recall", "threads", "--json", cwd=outside).json()
    assert places(found) == {"work": "workstation", "ours": "org"}
    assert run("show", "ours", "--json", cwd=outside).json()["tier"] == "org"
    assert run("why", "WL-001", "--json", cwd=outside).json()["root"] == "work"
    assert run("related", "work", "--json", cwd=outside).json()["tier"] == "workstation"
    refused = run("list", "--dir", str(outside), cwd=outside, exit_code=4)
    assert "no knowledge base" in refused.stderr
    refused = run("archive", "work", cwd=outside, exit_code=4)
    assert "no knowledge base" in refused.stderr


def test_without_project_and_tiers_it_is_the_known_error(home: Path, tmp_path: Path) -> None:
    outside = Repo(tmp_path / "outside")
    outside.path.mkdir()
    home.mkdir()
    refused = outside.run("recall", "threads", exit_code=4)
    assert "no knowledge base" in refused.stderr
    assert "gitkb init" in refused.stderr


def test_a_project_without_tiers_answers_as_if_there_were_none(home: Path, tmp_path: Path) -> None:
    repo = Repo.init(tmp_path / "app")
    repo.run("init", "--shards", "1")
    repo.kb_add(key="mine", type="fact", content="threads")
    for words in (("recall", "threads"), ("list",)):
        [hit] = repo.run(*words, "--json").json()
        assert "tier" not in hit
    assert "tier" not in repo.run("show", "mine", "--json").json()
    assert not home.exists()
    assert repo.run("list", "--tier", "workstation", "--json").json() == []
    make_workstation()
    [hit] = repo.run("list", "--json").json()
    assert hit["tier"] == "project"


def test_who_wrote_what_is_told_from_the_history_of_its_tier(world: World) -> None:
    world.project.commit("Write here")
    found = world.project.run("blame", "--json").json()
    assert places(found) == {"mine": "project", "work": "workstation", "ours": "org"}
    [one] = world.project.run("blame", "WL-001", "--json").json()
    assert (one["key"], one["tier"], one["subject"]) == ("work", "workstation", "Write")
    assert one["commit"] == world.workstation.git("rev-parse", "HEAD").stdout.strip()
    assert "(tier workstation)" in world.project.run("blame", "work").stdout
    assert "(tier project)" not in world.project.run("blame").stdout
    [version] = world.project.run("log", "ours", "--json").json()
    assert (version["kind"], version["tier"]) == ("written", "org")
    assert "(tier org)" in world.project.run("log", "ours").stdout
    for verb in ("blame", "log"):
        assert "no entry 'nobody'" in world.project.run(verb, "nobody", exit_code=4).stderr


def test_a_shadowed_entry_has_a_history_that_can_be_asked_for(world: World) -> None:
    world.add("org", key="mine", title="Threads by the organisation", content="far", ts=99)
    world.project.commit("Write here")
    assert places(world.project.run("blame", "--json").json())["mine"] == "project"
    [one] = world.project.run("log", "mine", "--json").json()
    assert one["entry"]["content"] == "near"
    [far] = world.project.run("log", "mine", "--tier", "org", "--json").json()
    assert (far["tier"], far["entry"]["content"]) == ("org", "far")
    [far] = world.project.run("blame", "mine", "--tier", "org", "--json").json()
    assert far["tier"] == "org"
    assert (
        "no tier 'orgs'" in world.project.run("log", "mine", "--tier", "orgs", exit_code=2).stderr
    )


def test_the_history_of_what_moved_goes_on_in_its_new_tier(world: World) -> None:
    world.add("project", key="pool", title="Pools", category="technical", content="one")
    world.project.commit("Learn")
    world.project.run("promote", "pool")
    world.project.commit("Give it away")
    told = [(one["kind"], one["tier"]) for one in world.project.run("log", "pool", "--json").json()]
    assert told == [("written", "workstation"), ("moved", "project"), ("written", "project")]
    tiers = [one["tier"] for one in world.project.run("blame", "pool", "--json").json()]
    assert tiers == ["workstation", "project"]


def test_a_history_that_cannot_be_read_is_left_out_and_named(world: World) -> None:
    world.project.commit("Write here")
    shutil.rmtree(world.workstation.path / ".git")
    done = world.project.run("blame", "--json")
    assert places(done.json()) == {"mine": "project", "ours": "org"}
    assert "the tier 'workstation' is left out" in done.stderr
    assert "git" in world.project.run("blame", "work", exit_code=6).stderr


def test_the_graph_leads_through_all_tiers_and_says_which(world: World) -> None:
    world.add("project", key="after", title="It follows", content="[[ours]] and [[work]]")
    found = world.project.run("graph", "--format", "json").json()
    assert places(found["nodes"]) == {"after": "project", "work": "workstation", "ours": "org"}
    drawn = world.project.run("graph", "ours").stdout
    assert "ours #40;tier org#41;" in drawn
    assert "tier project" not in drawn
    _no_clone(world)
    less = world.project.run("graph", "--json")
    assert {"key": "ours", "type": "", "title": "", "status": "missing"} in less.json()["nodes"]
    assert "the tier 'org' has no copy here" in less.stderr


def test_every_tier_is_counted_by_itself(world: World) -> None:
    world.add("project", key="second", content="two")
    counts = world.project.run("stats", "--json").json()
    assert (counts["tier"], counts["active"], counts["byType"]) == ("project", 2, {"fact": 2})
    others = {each["tier"]: each["active"] for each in counts["tiers"]}
    assert others == {"workstation": 1, "org": 1}
    heading, *lines = world.project.run("stats").stdout.splitlines()
    assert heading.split() == ["project", "workstation", "org"]
    assert ["active", "2", "1", "1"] in [line.split() for line in lines]


def test_a_pack_takes_from_all_tiers_and_says_which(world: World) -> None:
    rule = {"type": "pitfall", "content": "MUST-CHECK: yield, do not return", "importance": 5}
    world.add("org", key="rule", title="Lifespan handlers", tags=["fastapi"], **rule)
    world.add("workstation", key="plain", type="principle", content="Small changes")
    world.add("org", key="mine", type="principle", content="Threads, far")
    world.add("org", key="ses_1", type="session", content="of somebody else")
    done = world.project.run("context", "threads", "--tag", "fastapi", "--json").json()
    tiers = {entry["key"]: entry.get("tier") for entry in done["entries"]}
    assert tiers == {"mine": None, "work": "workstation", "ours": "org", "rule": "org"} | {
        "plain": "workstation"
    }
    assert "\ntier org · pitfall" in done["text"]
    assert "near" in done["text"]
    assert "far" not in done["text"]
    assert "tier project" not in done["text"]
    again = world.project.run("context", "threads", "--tag", "fastapi", "--json").json()
    assert again == done
    _no_clone(world)
    less = world.project.run("context", "threads")
    assert "tier workstation" in less.stdout
    assert "the tier 'org' has no copy here" in less.stderr


def test_a_pack_outside_of_every_project_is_of_the_tiers(world: World, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    done = world.project.run("context", "threads", "--json", cwd=outside).json()
    assert {entry["key"]: entry.get("tier") for entry in done["entries"]} == {
        "work": "workstation",
        "ours": "org",
    }


def test_the_tools_of_agents_look_through_all_tiers(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(world.project.path)
    world.add("project", key="pool", title="Pools", category="technical", content="[[ours]]")
    world.project.run("promote", "pool")
    world.add("org", key="mine", title="Threads by others", content="far")

    def values(name: str, **given: Any) -> dict[str, Any]:
        reply = call_tool(name, given)
        assert not reply.is_error, reply.text
        assert reply.values is not None
        return reply.values

    found = values("gitkb_recall", query="threads")["entries"]
    assert places(found) == {"mine": "project", "work": "workstation", "ours": "org"}
    [own] = [entry for entry in found if entry["key"] == "mine"]
    assert own["shadows"] == ["org"]
    text = call_tool("gitkb_recall", {"query": "threads"}).text
    assert "[ours] fact · tier org" in text
    assert "[mine] fact · shadows the one in org" in text
    both = values("gitkb_recall", query="threads", include_inactive=True)["entries"]
    marked = [entry["tier"] for entry in both if entry.get("shadowed_by") == "project"]
    assert marked == ["org"]
    [got] = values("gitkb_get", key="WL-002")["entries"]
    assert (got["key"], got["tier"], got["author"]) == ("pool", "workstation", "Ada Lovelace")
    near = values("gitkb_related", key="pool")
    assert (near["tier"], places(near["entries"])) == ("workstation", {"ours": "org"})
    assert places(values("gitkb_why", key="work")["entries"]) == {"work": "workstation"}
    assert "tier org" in values("gitkb_context", task="threads")["text"]
    refused = call_tool("gitkb_forget", {"key": "work"})
    assert refused.is_error
    assert "'work' is in the tier 'workstation'" in refused.text
    (tmp_path / "outside").mkdir()
    monkeypatch.chdir(tmp_path / "outside")
    assert "pool" in places(values("gitkb_recall", query="pools")["entries"])
    assert call_tool("gitkb_remember", {"title": "x", "type": "note"}).is_error
