"""Several gits at once: each task waits for a git of its own, so threads suffice."""

from __future__ import annotations

from gitkb.errors import GitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    Answer = TypeVar("Answer")


def in_parallel(tasks: Sequence[Callable[[], Answer]]) -> list[Answer]:
    """Do each task in its own thread and give the answers in order; the first GitError is raised."""
    if len(tasks) <= 1:
        return [task() for task in tasks]
    # By hand, because concurrent.futures brings logging along: as much as a bare start of Python.
    from threading import Thread

    answers: dict[int, Answer] = {}
    errors: list[GitError] = []

    def work(number: int) -> None:
        try:
            answers[number] = tasks[number]()
        except GitError as error:
            errors.append(error)

    threads = [Thread(target=work, args=(number,)) for number in range(len(tasks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [answers[number] for number in range(len(tasks))]
