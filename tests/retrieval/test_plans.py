"""How well `check-plan` tells a plan that runs into a rejected option from one that does not.

The options are those that real decision records weighed and turned down; the plans are written for
this. Those of `FRESH` were written after the thresholds were chosen, and nothing was changed for them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from gitkb.core.entry import Entry
from gitkb.core.search.words import Analyser
from gitkb.core.touch.plan import make_option, make_passages, match, weights_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gitkb.core.touch.plan import Option


class Plan(NamedTuple):
    """A plan, and the option that it runs into: the number of the record, and words of its title."""

    text: str
    record: str = ""
    title: str = ""


INTO = (
    Plan(
        "Add a queue with BullMQ for delivering turns to workers. Use it as the job library.",
        "0013",
        "BullMQ",
    ),
    Plan(
        "We will move to an exactly-once message broker so that no turn is ever delivered twice.",
        "0013",
        "exactly-once",
    ),
    Plan(
        "1. Catch the error of the turn\n2. Auto-retry every turn that failed\n3. Log it",
        "0013",
        "Auto-retry",
    ),
    Plan("Adopt Google ADK as the second harness.", "0011", "Google ADK"),
    Plan(
        "Let us build our own harness, it is only a loop over the model API.",
        "0011",
        "Build our own",
    ),
    Plan(
        "Translate bundles to the native format of OpenCode when the author saves them.",
        "0011",
        "Translate bundles",
    ),
    Plan(
        "Describe the contract in protobuf and make that IDL the source of truth for the three languages.",
        "0017",
        "protobuf",
    ),
    Plan(
        "Keep three language copies of the contract and maintain them by hand.",
        "0017",
        "Hand-maintain",
    ),
    Plan(
        "Only validate the schema at runtime; no generated types are needed.",
        "0017",
        "Runtime schema",
    ),
    Plan(
        "Build the GCS adapter and the Azure adapter for storage now, before the release.",
        "0026",
        "GCS/Azure",
    ),
    Plan("Create a new shared storage package that both apps import.", "0026", "shared"),
    Plan(
        "On the push to prod, rebuild the artifact from the tagged commit.",
        "0014",
        "Rebuild the artifact",
    ),
    Plan(
        "Make deployments mutable: production follows a moving latest bundle.",
        "0014",
        "Mutable deployments",
    ),
    Plan("Evals become an optional step that people run manually.", "0014", "optional or manual"),
    Plan(
        "Run a vault sidecar service as credential broker next to each runner.",
        "0015",
        "vault sidecar",
    ),
    Plan("When no credential is present, default to the fake model.", "0015", "fake model"),
    Plan("Use a separate harness for each model provider.", "0015", "separate harness per"),
    Plan(
        "Introduce a generic plugin registry framework for all six jobs.", "0016", "plugin/registry"
    ),
    Plan(
        "Bake the secrets into .mcp.json of the bundle so that the connector starts.",
        "0009",
        "Bake secrets",
    ),
    Plan(
        "Hold the pending approval state in memory of the live sandbox.",
        "0010",
        "Hold pending state",
    ),
    Plan("Use a managed cloud runtime such as Bedrock AgentCore.", "0012", "Managed cloud"),
    Plan("Adopt fancy-regex in the CLI so that both dialects agree.", "0019", "fancy-regex"),
    Plan(
        "Skills emit Slack blocks, channel-native markup, and the core translates them down.",
        "0020",
        "channel-native",
    ),
    Plan("Expose the harness as an MCP server only and retire the CLI.", "0021", "MCP server"),
    Plan("Auto-commit the trace cases once they are promoted.", "0022", "Auto-commit"),
    Plan("Store memory in a new S3 object store backend.", "0025", "object-store memory"),
)
PAST = (
    Plan("Rename the column `user_name` to `login` in the accounts table and write a migration."),
    Plan("Fix the flaky test of the date picker: wait for the animation to end before clicking."),
    Plan("Update the README with installation steps for Windows and a badge for the build."),
    Plan("Upgrade the version of TypeScript and fix the new compiler warnings."),
    Plan("Add a button to the settings page that exports the profile as CSV."),
    Plan("Speed up the image gallery by lazy loading thumbnails and caching them for a day."),
    Plan("Refactor the parser: split the tokenizer into its own file and add unit tests."),
    Plan("Write a script that rotates the logs every night and compresses the old ones."),
    Plan("Translate the user interface into German and French; texts live in JSON files."),
    Plan("Show an error message when the upload exceeds ten megabytes."),
    Plan("Introduce dark mode: define CSS variables for colours and a toggle in the header."),
    Plan("Paginate the list of orders and keep the filter in the query string."),
    Plan("Replace the hand-written date formatting by the library's function."),
    Plan("Add an index on (tenant_id, created_at) because the report query scans the table."),
    Plan(
        "1. Add a health endpoint\n2. Let the load balancer call it\n3. Alert when it fails three times in a row"
    ),
    Plan("Let the worker read its concurrency from an environment variable, default four."),
    Plan("Document how a new connector is added, with an example of the bundle layout."),
    Plan("Add a metric for the number of turns per minute and a dashboard for it."),
    Plan("Show the status of a deployment in the terminal, with colours and the age of the pod."),
    Plan(
        "Validate the names of agents: lower case letters, digits and dashes, at most 63 characters."
    ),
    Plan("Make the CLI print JSON with --json for every reading command."),
    Plan("Return 404 instead of 500 when the agent does not exist, and cover it with a test."),
    Plan("Store the sandbox logs for seven days, then delete them."),
    Plan("Run the linter in CI and fail the build on warnings."),
    Plan("Add a retry with backoff to the HTTP client that fetches release notes."),
    Plan("Use Valkey Streams directly rather than BullMQ; no exactly-once broker."),
    Plan("Do not rebuild the artifact on the prod push; promote the bundle that was tested."),
    Plan(
        "Generate the types from the Pydantic models instead of maintaining three language copies by hand."
    ),
    Plan("Keep secrets out of the bundle: never bake them into .mcp.json."),
    Plan("Document how a bundle is translated at deploy time."),
    Plan("Avoid auto-retry of failed turns: escalate to a person once a side effect happened."),
    Plan(
        "Add a storage test that writes a bundle twice and expects the second write to be refused."
    ),
    Plan("Evals run on every push before promotion; show their results in the pull request."),
    Plan("Give the approval dialog a timeout and show who approved in the log."),
    Plan("Cache the discovery of the node host for the duration of one CLI call."),
    Plan("Move the chart's default resources into values.yaml and document them."),
)
FRESH_INTO = (
    Plan("Start with Kubernetes as the only target and forget about laptops.", "0012", "Kubernetes only"),
    Plan("Set up a second broker, Kafka, right away so that we can compare both.", "0027", "second (Kafka"),
    Plan("Unknown enum values shall degrade to a fallback value.", "0036", "Degrade unknown enum"),
    Plan("Let the worker process track how often a message was delivered.", "0039", "Track the delivery count"),
    Plan("The runner calls a networked vault for secrets when a tool is invoked.", "0009", "networked secret broker"),
    Plan("Train our own model for the memory agent with SFT and GRPO.", "0030", "Train our own"),
    Plan("Put a LiteLLM proxy as a sidecar in the path of the tokens for routing.", "0037", "gateway/proxy"),
    Plan("Compile a table from provider to CIDR and bake it into the binary.", "0032", "CIDR table"),
    Plan("Hibernate the live sandbox while the approval is paused.", "0010", "Live-hibernate"),
    Plan("Models are listed in a registry that the bundle carries.", "0037", "Bundle-carried"),
    Plan("Prune keys that the reader does not know.", "0036", "Prune unknown keys"),
    Plan("Widen the ClusterRole again to all networkpolicies.", "0023", "Re-widen the ClusterRole"),
)  # fmt: skip
FRESH_PAST = (
    Plan("Count how many messages a worker handled and show it in the status page."),
    Plan("Add a flag --timeout to the command that waits for a deployment."),
    Plan("Fix the typo in the chart's notes and bump its version."),
    Plan("Let users sort the table of agents by name and by age."),
    Plan("The runner logs the name of each tool before it is invoked."),
    Plan("Cache the parsed bundle between two turns of one conversation."),
    Plan("Send a notification when an approval waits for longer than an hour."),
    Plan("Write an end-to-end test that deploys the sample bundle and sends one message."),
    Plan("Cluster roles stay as they are; only the controller's image changes."),
    Plan("Replace the deprecated ingress annotation and test with the newest Kubernetes."),
    Plan("Split the settings page into tabs and remember the last one in local storage."),
    Plan("Print the reason of the last failure in red when a turn ends with an error."),
    Plan("Add pagination to the endpoint that lists conversations."),
    Plan("Generate the changelog from the titles of merged pull requests."),
    Plan("Rename the package of the operator and update the imports."),
    Plan("Stop sending metrics when the collector is not reachable, and try again a minute later."),
)  # fmt: skip


@pytest.fixture(scope="module")
def options(shared_data: Path) -> list[Option]:
    """The options that the records name as rejected or weighed."""
    analyser = Analyser()
    records = sorted((shared_data / "corpora" / "adr").glob("0*.md"))
    return [
        make_option(Entry(fields), analyser.split, analyser.stem)
        for record in records
        for fields in _options_of(record.name[:4], record.read_text(encoding="utf-8"))
    ]


def _options_of(number: str, text: str) -> Iterator[dict[str, str]]:
    section = re.search(r"## Alternatives[^\n]*\n(.*?)(?=\n## |\Z)", text, re.DOTALL)
    points = re.split(r"\n(?=[-*] |\d+\. )", f"\n{section[1]}") if section else []
    for place, point in enumerate(points):
        found = re.match(r"(?:[-*]|\d+\.) \*\*(.+?)\*\*(.*)", " ".join(point.split()))
        if found:
            yield {
                "key": f"adr-{number}-{place}",
                "type": "decision",
                "title": found[1].rstrip(".:"),
                "content": found[2].strip(" .") or "x",
            }


def met(plan: Plan, options: list[Option]) -> list[Option]:
    analyser = Analyser()
    weights = weights_of(options)
    passages = make_passages(plan.text, analyser.split, analyser.stem)
    return [one for one in options if match(one, passages, weights, turned_down=False)]


def is_meant(plan: Plan, option: Option) -> bool:
    entry = option.entry
    return entry.key.startswith(f"adr-{plan.record}-") and plan.title.lower() in entry.title.lower()


@pytest.mark.parametrize(
    ("into", "past", "least_recall", "least_precision"),
    [(INTO, PAST, 1.0, 0.9), (FRESH_INTO, FRESH_PAST, 0.7, 0.85)],
    ids=["known", "fresh"],
)
def test_plans_run_into_what_they_repeat_and_past_everything_else(
    options: list[Option],
    into: tuple[Plan, ...],
    past: tuple[Plan, ...],
    least_recall: float,
    least_precision: float,
) -> None:
    assert len(options) > 100
    right = wrong = 0
    missed = []
    for plan in into:
        found = met(plan, options)
        good = [one for one in found if is_meant(plan, one)]
        right += len(good)
        wrong += len(found) - len(good)
        missed += [] if good else [plan.text]
    stopped = [plan.text for plan in past if met(plan, options)]
    wrong += sum(len(met(plan, options)) for plan in past)
    recall, precision = 1 - len(missed) / len(into), right / (right + wrong)
    assert recall >= least_recall, missed
    assert precision >= least_precision
    assert len(stopped) <= len(past) * 0.07, stopped
