"""Open the search index of a store, right as of now."""

from __future__ import annotations

from contextlib import contextmanager

from gitkb.index.sync import DataFile, open_synced
from gitkb.store.config import read_languages
from gitkb.store.layout import iter_data_files
from gitkb.store.settle import settle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitkb.index.search import Index
    from gitkb.store.layout import Store


@contextmanager
def open_index(
    store: Store,
    *,
    force: bool = False,
    deadline: float | None = None,
    notices: list[str] | None = None,
) -> Iterator[Index]:
    """Open the index after bringing it up to date with the files.

    `force` builds it anew; `deadline` is a `time.monotonic()` after which the work is given up.
    What the user should know (an index that was rebuilt, a folder that cannot be written) is added
    to `notices`.
    """
    settle(store)
    files = [DataFile(name, path) for name, path in iter_data_files(store.root)]
    index = open_synced(
        store.database_path,
        files,
        languages=read_languages(store),
        force=force,
        deadline=deadline,
        notices=notices,
    )
    try:
        yield index
    finally:
        index.close()
