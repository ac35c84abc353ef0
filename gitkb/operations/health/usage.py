"""The check of `gitkb doctor` that knows the log of what is used."""

from __future__ import annotations

from gitkb.operations.health.finding import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gitkb.store.layout import Store


def check_usage(store: Store) -> Callable[[], Iterator[Finding]]:
    """Make the check that says whether a log is kept, where, and that it can be."""

    def run() -> Iterator[Finding]:
        import os

        from gitkb.operations.usage_log.switch import read_switch
        from gitkb.store.usage_log import LOG, size_of_log

        switch = read_switch(store)
        folder = store.shared
        path = os.path.join(folder, LOG)
        if not switch.log:
            message = f"what is used is not logged: {switch.off_by}"
            if size_of_log(store):
                message += f"; what was logged before lies in '{path}'"
            yield Finding("usage", "ok", message)
            return
        there = next((one for one in (path, folder) if os.path.exists(one)), "")
        if there and not os.access(there, os.W_OK):
            message = f"what is used cannot be logged: '{there}' cannot be written"
            why = "gitkb usage says less, and all else works without it"
            yield Finding("usage", "warning", message, why, f"chmod u+w '{there}'")
            return
        kib = -(-size_of_log(store) // 1024)
        yield Finding("usage", "ok", f"what is used is logged for this clone alone: {kib} KiB")

    return run
