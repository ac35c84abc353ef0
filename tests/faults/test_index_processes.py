"""Many processes at once: none fails, none gets a wrong answer."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from index_builder import World, entry_line

if TYPE_CHECKING:
    from pathlib import Path

PROCESSES = 8
ROUNDS = 15

# Each asks again and again, some of them building anew each time. `fixed` never changes; `number`
# only grows, in the file and so in the answers of one process.
_CODE = """
import json, sys, glob, os
from gitkb.index.search import Filters
from gitkb.index.sync import DataFile, open_synced
database, root, force, rounds = sys.argv[1:]
last = 0
for round in range(int(rounds)):
    files = [DataFile("knowledge/" + os.path.basename(p), p) for p in glob.glob(root + "/*.jsonl")]
    notices = []
    with open(root + "/00.jsonl", "rb") as file:
        written = json.loads(file.read())["number"]
    index = open_synced(database, files, force=bool(int(force)) and round % 3 == 0, notices=notices)
    hits = index.search("zebra", Filters())
    index.close()
    found = {json.loads(hit.line)["key"]: json.loads(hit.line) for hit in hits}
    assert sorted(found) == ["counter", "fixed"], (sorted(found), notices)
    number = found["counter"]["number"]
    assert written <= number, (written, number, notices)
    assert not any("damaged" in notice for notice in notices), notices
"""


@pytest.mark.slow
@pytest.mark.parametrize("forced", [0, 2, PROCESSES])
def test_processes_that_ask_and_build_at_once_all_get_the_right_answer(
    tmp_path: Path, forced: int
) -> None:
    world = World(tmp_path)
    draw = random.Random(1)
    lines = [entry_line(f"k{n}", f"{draw.getrandbits(64):x}") for n in range(2_000)]
    world.write("knowledge/01.jsonl", *lines, entry_line("fixed", "zebra"))
    counter = world.path("knowledge/00.jsonl")
    world.write("knowledge/00.jsonl", entry_line("counter", "zebra", number=0))
    processes = [
        subprocess.Popen(
            [
                *(sys.executable, "-c", _CODE, str(world.database), str(counter.parent)),
                *(str(int(number < forced)), str(ROUNDS)),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(PROCESSES)
    ]
    number = 0
    while any(process.poll() is None for process in processes):
        number += 1
        new = counter.with_suffix(".tmp")
        new.write_bytes(entry_line("counter", "zebra", number=number))
        new.replace(counter)
        try:
            processes[number % PROCESSES].wait(0.02)
        except subprocess.TimeoutExpired:
            pass
    assert [process.communicate()[1] for process in processes] == [""] * PROCESSES
    assert sorted(world.found("zebra")) == ["counter", "fixed"]
    world.rows()
