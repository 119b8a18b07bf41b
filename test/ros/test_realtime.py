# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A process that asks for a real-time priority has it while it is active, not while it loads."""

import ctypes
import os
import subprocess
import sys
from unittest.mock import Mock

import pytest

from biped_slip.ros.robot_node import hurry, prepare

LOADS_THEN_HURRIES = """
import os, threading
from biped_slip.ros.robot_node import hurry, prepare

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
        [sys.executable, "-c", LOADS_THEN_HURRIES], capture_output=True, text=True, check=True, timeout=120.0
    )
    loading, hurrying = ended.stdout.splitlines()
    if "no right" in loading:
        pytest.skip("no right to a real-time priority")
    assert loading == f",{os.sched_getscheduler(0)}"
    assert hurrying == f"{os.SCHED_FIFO},3,3"


def test_what_is_not_allowed_is_one_sentence_and_no_priority(monkeypatch):
    def refuse(*arguments):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    monkeypatch.setattr(ctypes, "CDLL", lambda name: Mock(**{"mlockall.return_value": 0}))  # not this process's memory
    note, priority = prepare(["--realtime-priority", "3"])
    assert note.startswith("no right to real-time priority 3 (Operation not permitted)")
    assert priority is None
    hurry(priority)


def test_a_wrong_number_is_named():
    note, priority = prepare(["--realtime-priority", "high"])
    assert note == "--realtime-priority needs a whole number; the loop runs without real-time settings"
    assert priority is None
