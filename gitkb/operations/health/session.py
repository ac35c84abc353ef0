"""The check of `gitkb doctor` that looks for sessions nobody ended."""

from __future__ import annotations

from gitkb.operations.health.finding import Finding
from gitkb.operations.writing.clock import SECONDS_A_DAY, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.store.layout import Store


def check_sessions(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check that no session of this worktree has been open for more than a day."""

    def run() -> Iterator[Finding]:
        from gitkb.store.open_session import OpenSession, read_sessions

        orphans = 0
        for session in read_sessions(store):
            if not isinstance(session, OpenSession):
                message = f"the file of the session {session.id} cannot be read: {session.reason}"
                cure = f"gitkb session drop {session.id}"
                yield Finding("sessions", "warning", message, f"it is '{session.path}'", cure)
            elif session.started < now() - SECONDS_A_DAY:
                days = (now() - session.started) // SECONDS_A_DAY
                for_long = "a day" if days == 1 else f"{days} days"
                message = f"the session {session.id} has been open for {for_long}: {session.goal}"
                why = (
                    "what it did and decided is known to nobody: say it with --done, --decided, --open "
                    "and --next, or let gitkb session drop forget it"
                )
                cure = f"gitkb session end {session.id}"
                yield Finding("sessions", "warning", message, why, cure)
            else:
                continue
            orphans += 1
        if not orphans:
            yield Finding("sessions", "ok", "no session was left open")

    return run
