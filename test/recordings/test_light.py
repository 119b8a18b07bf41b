# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings are read and judged without numba, the simulator or what draws."""

import subprocess
import sys
from pathlib import Path

import biped_slip

ROOT = Path(biped_slip.__file__).parent
#: Modules that load more, and what for.
HEAVY = {
    "recordings.bag_currents": "a humanoid's senses",
    "recordings.bag_humanoid": "a humanoid's controller",
    "recordings.bag_robot": "a robot's model",
    "recordings.foot_arrays": "estimators",
    "recordings.measurements": "estimators",
    "recordings.messages": "estimators, of bags and topics",
    "recordings.pulls": "the calibration of a sole",
    "recordings.replay": "estimators",
    "recordings.report": "figures",
    "recordings.slides": "the slip-based estimator",
    "gait_laboratory.study_report": "figures",
}
NOT_LOADED = """
import sys
loaded = [name for name in ("numba", "matplotlib", "biped_slip.simulation", "rclpy")
          if name in sys.modules]
assert not loaded, loaded
"""


def run(program):
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


def light_modules():
    paths = [
        path
        for room in ("recordings", "gait_laboratory")
        for path in sorted((ROOT / room).rglob("*.py"))
    ]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    assert set(HEAVY) <= set(names)
    return [name for name in names if name not in HEAVY]


def test_readers_the_judge_and_the_gait_laboratory_load_neither_numba_nor_a_simulator():
    imports = "".join(f"import biped_slip.{name}\n" for name in light_modules())
    ended = run(imports + NOT_LOADED)
    assert ended.returncode == 0, ended.stderr


def test_a_trial_is_judged_without_numba_statistics_or_figures():
    program = (
        "from biped_slip.cli import main\n"
        "main(['gait', 'trial', 'slide', '--subject', 'robot'])\n"
        + NOT_LOADED
        + "assert not [name for name in ('scipy.stats', 'scipy.signal') "
        "if name in sys.modules]\n"
    )
    ended = run(program)
    assert ended.returncode == 0, ended.stderr
    assert "required friction and slips" in ended.stdout
