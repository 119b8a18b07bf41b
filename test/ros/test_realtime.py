# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A process that asks for a real-time priority has it while it is active, not while it
loads."""

import ctypes
import os
import subprocess
import sys
from unittest.mock import Mock

import pytest

from biped_slip.ros import robot_node
from biped_slip.ros.endings import Ending
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.realtime import Prepared, Rest, hurry, prepare
from biped_slip.ros.robot_node import serve

LOADS_THEN_HURRIES = """
import os, threading
from biped_slip.ros.realtime import hurry, prepare

def policies():
    return sorted({os.sched_getscheduler(int(one)) for one in os.listdir("/proc/self/task")})

end = threading.Event()
other = threading.Thread(target=end.wait)
other.start()
note, priority = prepare(["--realtime-priority", "3"])
print(note, *policies(), sep=",")
hurry(priority)
print(*policies(), os.sched_getparam(0).sched_priority, os.sched_getparam(other.native_id).sched_priority, sep=",")
end.set()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these priorities")
def test_every_thread_has_the_priority_only_once_all_is_loaded():
    ended = subprocess.run(
        [sys.executable, "-c", LOADS_THEN_HURRIES],
        capture_output=True,
        text=True,
        check=True,
        timeout=120.0,
    )
    loading, hurrying = ended.stdout.splitlines()
    if "no right" in loading:
        pytest.skip("no right to a real-time priority")
    assert loading == f",{os.sched_getscheduler(0)}"
    assert hurrying == f"{os.SCHED_FIFO},3,3"


FILLS_THEN_HURRIES = """
import ctypes, mmap
from pathlib import Path
from biped_slip.ros.realtime import hurry, prepare
note, priority = prepare(["--realtime-priority", "3"])
def in_huge_pages():
    rollup = Path("/proc/self/smaps_rollup").read_text().split()
    return int(rollup[rollup.index("AnonHugePages:") + 1])

def given_to_who_asks():  # of 32 MB, block by block, by the kernel itself [kB]
    before = in_huge_pages()
    asks = mmap.mmap(-1, 32 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    asks.write(b"1" * (32 << 20))
    libc, start = ctypes.CDLL(None), ctypes.addressof(ctypes.c_char.from_buffer(asks))
    for page in range(-(-start >> 21) << 21, start + (30 << 20), 2 << 20):
        libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(2 << 20), 25)
    return in_huge_pages() - before

filled = bytes(bytearray(b"1") * (32 << 20))
before = in_huge_pages()
hurry(priority)
print(note, before, in_huge_pages(), given_to_who_asks(), sep=",")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these pages")
def test_memory_lies_in_huge_pages_while_a_node_is_active():
    if tuple(map(int, os.uname().release.split(".")[:2])) < (6, 1):
        pytest.skip("the kernel is older than the request")
    ended = subprocess.run(
        [sys.executable, "-c", FILLS_THEN_HURRIES],
        capture_output=True,
        text=True,
        check=True,
        timeout=120.0,
    )
    note, before, after, given = ended.stdout.strip().rsplit(",", 3)
    if "no right" in note:
        pytest.skip("no right to a real-time priority")
    assert int(after) >= int(before)
    if int(after) < 24 << 10 and int(given) < 24 << 10:
        # a full or scattered memory has no blocks of 2 MB to give
        pytest.skip(f"the kernel gives {given} kB of 32 MB to whoever asks")
    assert int(after) >= 24 << 10, "of the 32 MB, but for their ends"


def test_who_gives_way_goes_before_all_that_are_in_no_hurry():
    told = "import os, sys; from biped_slip.ros.realtime import hurry, prepare\n"
    told += "priority = prepare(sys.argv[1:]).priority; hurry(priority, True)\n"
    told += (
        "print(priority, os.sched_getscheduler(0) == os.SCHED_OTHER, "
        "os.getpriority(os.PRIO_PROCESS, 0))"
    )
    call = [sys.executable, "-c", told, "--realtime-priority", "3"]
    said = subprocess.run(
        call, capture_output=True, text=True, check=True
    ).stdout.split()
    if said[0] == "None":
        pytest.skip("no right to a real-time priority")
    assert said == ["3", "True", "-20"]


def test_what_is_not_allowed_is_one_sentence_and_no_priority(monkeypatch):
    def refuse(*arguments):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    # not this process's memory
    monkeypatch.setattr(
        ctypes, "CDLL", lambda name: Mock(**{"mlockall.return_value": 0})
    )
    note, priority = prepare(["--realtime-priority", "3"])
    assert note.startswith("no right to real-time priority 3 (Operation not permitted)")
    assert priority is None
    hurry(priority)


def test_a_wrong_number_is_named():
    note, priority = prepare(["--realtime-priority", "high"])
    assert (
        note
        == "--realtime-priority needs a whole number; the loop runs without real-time "
        "settings"
    )
    assert priority is None


# of each millisecond or longer
@pytest.mark.parametrize(("work", "share"), [(7e-4, 0.0), (9e-4, 0.25), (2e-3, 0.25)])
def test_a_loop_without_time_to_spare_pauses_so_that_others_have_their_share_of_the_core(
    work, share
):
    rest = Rest()
    now = 0.0
    busy = 0.0
    paused = 0.0
    for _ in range(10000):
        pause = rest.due(now, lambda: busy)  # noqa: B023
        paused += pause
        now = now + pause + max(work, 1e-3 - pause)
        busy = busy + work
    assert 1.0 - busy / now >= 0.19
    assert paused / now <= share


@pytest.mark.parametrize(
    ("kind", "cores", "yields"),
    [
        (ContactSimulatorNode, {0}, True),
        (ContactSimulatorNode, {0, 1}, False),
        (WalkingControllerNode, {0}, False),
    ],
)
def test_on_a_core_that_both_share_the_simulator_gives_way_to_the_controller(
    kind, cores, yields, monkeypatch
):
    for name in ("install", "begins"):
        monkeypatch.setattr(Ending, name, lambda ending: None)
    monkeypatch.setattr(robot_node, "rclpy", Mock())
    monkeypatch.setattr(robot_node, "prepare", lambda arguments: Prepared("", 3))
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: cores)
    node = Mock(yields=kind.yields, **{"run.return_value": 0})
    assert serve(lambda: node, []) == 0
    assert (node.priority, node.yields) == (3, yields)


NODE = """
import numpy, os
def main():
    numpy.ones((400, 400)) @ numpy.ones((400, 400))
    print(len(os.listdir("/proc/self/task")))
    return 0
"""


def test_nodes_have_no_threads_of_linear_algebra_which_spin_at_their_priority(tmp_path):
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "node.py").write_text(NODE)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ended = subprocess.run(
        [sys.executable, "-m", "biped_slip.ros", "some.node"],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            **{k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")},
            "PYTHONPATH": path,
        },
    )
    assert ended.stdout == "1\n", ended.stderr
