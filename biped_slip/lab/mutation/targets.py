# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which files are mutated, which tests are to notice, and which survivors are known to change nothing."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """Modules that are mutated, one at a time; all kernels in them are plain Python meanwhile."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    plain: tuple[str, ...] = ()  # further modules whose kernels call those


HEALTH = "biped_slip.estimation.health"
TARGETS: dict[str, Target] = {
    "supervisor": Target(("biped_slip.control.supervisor",), ("test/control/test_supervisor.py",)),
    "limits": Target(
        ("biped_slip.control.torque_limits", "biped_slip.control.joint_motion"),
        ("test/control/test_supervisor.py", "test/control/test_joint_motion.py"),
    ),
    "watchdog": Target(
        ("biped_slip.control.tick_time", "biped_slip.control.own_stall"), ("test/control/test_tick_time.py",)
    ),
    "health": Target(
        (f"{HEALTH}.checks", f"{HEALTH}.force_balance", f"{HEALTH}.watch"),
        (
            "test/estimation/health/test_checks.py",
            "test/estimation/health/test_force_balance.py",
            "test/estimation/health/test_health.py",
        ),
        (f"{HEALTH}.humanoid",),
    ),
    "humanoid": Target(
        (f"{HEALTH}.humanoid", f"{HEALTH}.carried_body", "biped_slip.estimation.foot_wrench"),
        (
            "test/estimation/health/test_humanoid_watch.py",
            "test/estimation/test_foot_wrench.py",
            "test/estimation/health/test_force_balance.py",
        ),
        (f"{HEALTH}.checks", f"{HEALTH}.force_balance"),
    ),
    "readout": Target(
        ("biped_slip.friction_estimation.interval.readout",),
        ("test/friction_estimation/test_interval_readout.py", "test/friction_estimation/test_interval_answer.py"),
    ),
    "sole": Target(
        ("biped_slip.estimation.sole_motion",),
        ("test/estimation/test_sole_measurement.py", "test/estimation/test_sole_motion.py"),
    ),
}


#: Changes that change nothing: part of the line, the change, and why. They count neither as killed nor as survivors.
EQUIVALENT: tuple[tuple[str, str, str], ...] = (
    ("stopped = state.stopped if", "condition True", "outside a safe stop it is zero"),
    ('for problem in (None, Problem("trial"', "True to False", "a trial for nobody; its torques are thrown away"),
    ("supervise(standing, Demand(still, still", "0.001 to 0.002", "the same trial"),
    ("supervise(standing, Demand(still, still", "True to False", "the same trial"),
    ("one_way = velocity[i] * differenced > 0.0", "Gt to GtE", "where one of them is zero the smaller is zero"),
    (
        "one_way = velocity[i] * differenced > 0.0",
        "Mult to Div",
        "a ratio has the sign of the product; as above at zero",
    ),
    ("or fading <= 0.0 or", "LtE to Lt", "a damping of nothing is no torque"),
    ("strict=True)", "True to False", "both are two, one a foot"),
    ("turned(foot.sensor_rotation, reading[:3])", "3 to 4", "three are turned"),
    ("left, speed[0], soles.turned[0:1]", "1 to 2", "the first is used"),
    ("right, speed[1], soles.turned[1:2]", "2 to 3", "the first is used"),
    ("force = np.empty(3)", "3 to 4", "a buffer with room for more"),
    ("return -1", "1 to 2", "any negative number says none"),
)


def why_equivalent(line: str, what: str) -> str | None:
    """Why a change of a line of code changes nothing; None: it may change something."""
    return next((why for part, change, why in EQUIVALENT if part in line and change == what), None)
