"""Which trust list is in force for a store, and what it leaves out.

1. A list in git's configuration (`gitkb.trust`, `gitkb.trustSigned`) is the user's own and goes before
   all else: no commit can bring one along.
2. The list of config.toml counts as this clone took it over: the first one that is seen, what `gitkb trust`
   writes or accepts here, and every change that somebody wrote who was trusted before it. Any other
   change is told of, and the list stays as it was.
3. What no commit holds yet is the user's own, and trusted. What git cannot tell the author of is not.
4. Where nothing is listed nothing is asked of git but that configuration.
"""

from __future__ import annotations

from typing import NamedTuple

from gitkb.core.trust import EVERYBODY, TrustList, read_trust
from gitkb.errors import DataError, GitError
from gitkb.store.home_path import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from typing import Literal

    from gitkb.operations.history.provenance import Author
    from gitkb.operations.tiers.chain import Link
    from gitkb.store.layout import Store

    Origin = Literal["", "git config", "config.toml", "accepted before"]

CURE = "gitkb trust list"
_CONFIG: Literal["config.toml"] = "config.toml"
_MOST_CHANGES = 100  # commits that are looked at to see who changed the list


class Rule(NamedTuple):
    """The list that is in force, and where it is from."""

    listed: TrustList = EVERYBODY
    origin: Origin = ""
    pending: TrustList | None = None
    """What config.toml says, where nobody here has accepted that."""


def read_rule(store: Store) -> Rule:
    """Find the rule for a store; takes over a list that may be taken over.

    Raises:
        DataError: when config.toml cannot be read; who would be trusted is unknown then.
        StateError: when the file cannot be opened.
    """
    if store.worktree is None:
        return Rule()  # nobody commits here
    own = _read_own(store)
    if own.is_set:
        return Rule(own, "git config")
    from gitkb.store.trust_record import read_accepted, write_accepted

    team, accepted = read_team(store), read_accepted(store)
    if accepted == team or (accepted is None and not team.is_set):
        return Rule(team, _CONFIG) if team.is_set else Rule()
    if accepted is None:
        write_accepted(store, team)
        return Rule(team, _CONFIG)
    try:
        is_own, is_vouched = _is_own_edit(store, team), _is_vouched(store, accepted)
    except GitError:
        is_own = is_vouched = False
    if is_vouched:
        write_accepted(store, team)
    if is_own or is_vouched:
        return Rule(team, _CONFIG) if team.is_set else Rule()
    return Rule(accepted, "accepted before", team) if accepted.is_set else Rule(pending=team)


def read_team(store: Store) -> TrustList:
    """Read what config.toml says; a TOML parser is dear, and most stores say nothing here."""
    try:
        with open(store.config_path, "rb") as file:
            if b"trust" not in file.read():
                return EVERYBODY
    except FileNotFoundError:
        return EVERYBODY
    except OSError:
        pass  # the reader says what is wrong
    from gitkb.store.config import read_config

    return read_trust(read_config(store).values, store.config_path)


def _read_own(store: Store) -> TrustList:
    from gitkb.git.command import ask_git
    from gitkb.operations.history.provenance import has_own_environment

    # Where git is missing or refuses the repository, it is not asked about authors either.
    try:
        asked = ["config", "--null", "--get-regexp", r"^gitkb\.trust(signed)?$"]
        answer = ask_git(asked, store.worktree or ".", own_environment=has_own_environment(store))
    except GitError:
        return EVERYBODY
    authors, signed = [], False
    for setting in answer.stdout.decode("utf-8", "replace").split("\0"):
        name, _, value = setting.partition("\n")
        if name == "gitkb.trust" and value.strip():
            authors.append(value)
        elif name == "gitkb.trustsigned":
            signed = "\n" not in setting or value.lower() in ("true", "yes", "on", "1")
    return TrustList(tuple(authors), signed)


def _is_own_edit(store: Store, team: TrustList) -> bool:
    """Whether somebody is editing the list here: HEAD says something else, and nothing is being merged."""
    from gitkb.git.repository import open_repository
    from gitkb.operations.history.provenance import has_own_environment

    top, own = store.worktree or store.root, has_own_environment(store)
    repository = open_repository(top, own_environment=own)
    if repository.operation() is not None or repository.head() is None:
        return False
    return _list_at(store, "HEAD") != team


def _is_vouched(store: Store, accepted: TrustList) -> bool:
    """Whether each change of the list since the accepted one was written by somebody trusted then."""
    from gitkb.git.command import run_git
    from gitkb.operations.history.provenance import has_own_environment

    own = has_own_environment(store)
    asked = ["--no-replace-objects", "log", "-n", str(_MOST_CHANGES), "--no-mailmap", "--no-color"]
    asked += ["--no-show-signature", "--no-notes", "--encoding=UTF-8", "--format=%H%x00%an%x00%ae"]
    answer = run_git([*asked, "--", _CONFIG], store.root, own_environment=own)
    commits = [line.split("\0") for line in answer.decode("utf-8", "replace").splitlines()]
    changes = []
    now = _list_at(store, "HEAD")
    for place, (id_, name, mail) in enumerate(commits):
        if now == accepted:
            break
        before = _list_at(store, commits[place + 1][0]) if place + 1 < len(commits) else EVERYBODY
        if before != now:
            changes.append((id_, name, mail))
        now = before
    if now != accepted or not changes:
        return False
    return all(_trusts(store, accepted, *change) for change in changes)


def _trusts(store: Store, listed: TrustList, id_: str, name: str, mail: str) -> bool:
    from gitkb.git.history import map_people
    from gitkb.git.signature import good_signatures
    from gitkb.operations.history.provenance import has_own_environment

    own = has_own_environment(store)
    if listed.names(*map_people(store.root, [(name, mail)], own)[0]):
        return True
    return listed.signed and bool(good_signatures(store.worktree or store.root, [id_], own))


def _list_at(store: Store, revision: str) -> TrustList:
    """What config.toml said in a commit; nobody at all where it cannot be read, so that it is a change."""
    from gitkb.core.toml_text import TomlError, parse_toml
    from gitkb.git.command import ask_git
    from gitkb.operations.history.provenance import has_own_environment

    asked = ["--no-replace-objects", "cat-file", "blob", f"{revision}:./{_CONFIG}"]
    answer = ask_git(asked, store.root, own_environment=has_own_environment(store))
    if answer.code:
        return EVERYBODY
    try:
        return read_trust(parse_toml(answer.stdout.decode("utf-8")), _CONFIG)
    except (UnicodeDecodeError, TomlError, DataError):
        return TrustList(("",))


class Judge:
    """Tells the keys of one store that its rule leaves out. Git is asked when the first is judged."""

    def __init__(self, store: Store, notices: list[str] | None = None) -> None:
        """Read the rule. Raises as `read_rule` does."""
        self.rule = read_rule(store)
        self._store = store
        self._notices = notices
        self._found: Writers | None = None
        self._signed: dict[str, bool] = {}
        if self.rule.pending is not None and notices is not None:
            notices.append(
                "config.toml brought another trust list along, which nobody here has accepted; the "
                f"one before it holds: {CURE}"
            )

    @property
    def is_needed(self) -> bool:
        """Whether anything can be left out at all."""
        return self.rule.listed.is_set

    @property
    def writers(self) -> Writers:
        """Who wrote what; of nobody and nothing where git cannot say, so that nobody is trusted."""
        if self._found is None:
            try:
                self._found = _find_writers(self._store)
            except GitError as error:
                self._found = Writers({}, frozenset())
                if self._notices is not None:
                    self._notices.append(
                        f"nobody is trusted, because git cannot say who wrote what: {error.message}"
                    )
        return self._found

    def left_out(self, keys: Iterable[str]) -> frozenset[str]:
        """Give those of the keys that nobody trusted wrote last."""
        wanted = set(keys) if self.is_needed else set()
        if not wanted:
            return frozenset()
        authors, own = self.writers
        doubted = {key for key in wanted - own if not self._is_named(authors.get(key))}
        if self.rule.listed.signed and doubted:
            self._verify({authors[key].commit for key in doubted if key in authors})
            doubted -= {
                key for key in doubted if key in authors and self._signed[authors[key].commit]
            }
        return frozenset(doubted)

    def _is_named(self, writer: Author | None) -> bool:
        if writer is None or writer.is_cut:
            return False
        return self.rule.listed.names(writer.name, writer.mail)

    def _verify(self, commits: set[str]) -> None:
        from gitkb.git.signature import good_signatures
        from gitkb.operations.history.provenance import has_own_environment

        unknown = commits - self._signed.keys()
        top, own = self._store.worktree or self._store.root, has_own_environment(self._store)
        good: Collection[str] = ()
        try:
            good = good_signatures(top, unknown, own, self._notices)
        except GitError as error:
            if self._notices is not None:
                self._notices.append(f"no signature can be verified: {error.message}")
        self._signed.update((id_, id_ in good) for id_ in unknown)


def judges_of(links: Sequence[Link], notices: list[str] | None = None) -> dict[str, Judge | None]:
    """Give for each tier the judge of its entries, as `judge_of` does."""
    return {link.name: judge_of(link.name, link.store, notices) for link in links}


def judge_of(tier: str, store: Store, notices: list[str] | None = None) -> Judge | None:
    """Give the judge of a tier's entries; None where its rule leaves nothing out.

    The workstation's own tier has none: it is the user's.
    """
    if tier not in ("", PROJECT):
        from gitkb.store.home import WORKSTATION

        if tier == WORKSTATION:
            return None
    judge = Judge(store, notices)
    return judge if judge.is_needed else None


def left_out(store: Store, keys: Sequence[str], notices: list[str] | None = None) -> frozenset[str]:
    """Give those of a store's keys that its rule leaves out, and say in the notices how many."""
    judge = Judge(store, notices)
    bad = judge.left_out(keys)
    if bad and notices is not None:
        notices.append(left_out_note(len(bad)))
    return bad


class Writers(NamedTuple):
    """Who wrote what HEAD holds, by key, and what is the user's own. What is in neither is nobody's."""

    authors: dict[str, Author]
    own: frozenset[str]
    """Keys that the work tree has otherwise than HEAD."""


def _find_writers(store: Store) -> Writers:
    from gitkb.git.history import read_work_changes
    from gitkb.git.repository import open_repository
    from gitkb.operations.history.provenance import author_of, has_own_environment, trace_head

    own_environment = has_own_environment(store)
    traced = trace_head(store)
    if traced.head.id is None:
        from gitkb.store.reader import read_store

        return Writers({}, frozenset(read_store(store).current))
    changed = frozenset(read_work_changes(store.root, own_environment))
    last = {
        key: origin[0] for key, origin in traced.origins.items() if origin[0] and key not in changed
    }
    authors = author_of(store, traced.head, [traced.commits[id_] for id_ in set(last.values())])
    if changed and store.worktree is not None:
        # What a merge or a rebase brings is not committed yet either, and others wrote it.
        repository = open_repository(store.worktree, own_environment=own_environment)
        if repository.operation() is not None:
            changed = frozenset()
    return Writers({key: authors[id_] for key, id_ in last.items()}, changed)


def left_out_note(count: int) -> str:
    """Say how many entries a rule leaves out; never said of none."""
    what = "1 entry" if count == 1 else f"{count} entries"
    return f"{what} of untrusted authors left out: {CURE} says whose, gitkb recall finds them"
