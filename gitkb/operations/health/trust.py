"""The check of `gitkb doctor` that tells of a trust list which nobody here has accepted."""

from __future__ import annotations

from gitkb.operations.health.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.store.layout import Store


def check_trust(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check that config.toml says the trust list that this clone goes by."""

    def run() -> Iterator[Finding]:
        from gitkb.errors import GitkbError
        from gitkb.operations.reading.trust_rule import read_rule

        try:
            rule = read_rule(store)
        except GitkbError as error:
            message = f"the trust list cannot be read: {error.message}"
            yield Finding("trust", "error", message, "no pack is made", error.hint or "")
            return
        if rule.pending is not None:
            message = "config.toml has a trust list that nobody here has accepted"
            why = (
                "the one before it holds; somebody not trusted may have written it, so look first: "
                "gitkb trust list"
            )
            yield Finding("trust", "warning", message, why, "gitkb trust accept")
        elif rule.listed.is_set:
            count = len(rule.listed.authors)
            names = f"{count} author{'' if count == 1 else 's'}"
            seal = " and good signatures" if rule.listed.signed else ""
            yield Finding("trust", "ok", f"the trust list of {rule.origin}: {names}{seal}")

    return run
