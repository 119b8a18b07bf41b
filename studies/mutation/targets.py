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
        ("biped_slip.control.supervisor", "biped_slip.control.supervisor"),
        ("test/control/test_supervisor.py", "test/control/test_joint_motion.py"),
    ),
    "watchdog": Target(
        ("biped_slip.control.tick_time", "biped_slip.control.tick_time"), ("test/control/test_tick_time.py",)
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
        (f"{HEALTH}.humanoid", f"{HEALTH}.carried_body", "biped_slip.estimation.humanoid_observer"),
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


#: Changes that change nothing: part of the line, the changes, and why. They count neither as killed nor as survivors.
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
    ("soles.turned[foot:foot + 1],", "1 to 2", "the first is used"),
    ("force = np.empty(3)", "3 to 4", "a buffer with room for more"),
    (
        "np.zeros((2, 3)), np.zeros((2, 3, 3)), np.zeros((2, 6))",
        "2 to 3 | 3 to 4 | 6 to 7",
        "buffers with room for more",
    ),
    (
        "sole_measurements, 0, np.zeros",
        "0 to 1 | 2 to 3 | 3 to 4 | 6 to 7 | True to False",
        "an example tells types alone",
    ),
    ("example = self._robot, np.zeros", "3 to 4", "an example tells types alone"),
    ("both, wrenches, six = ", "0 to 1 | 2 to 3 | 6 to 7", "examples tell types alone"),
    ("humanoid_health, self._memory, q, q,", "0 to 1", "an example tells types alone"),
    ("return BalanceState(np.zeros(1)", "1 to 2 | 2 to 3 | 3 to 4", "buffers with room for more"),
    ("state.known[0] = 1.0", "1 to 2", "anything but zero says that it is known"),
    ("q, joints = np.zeros(ROOT +", "Add to Sub", "an example tells types alone"),
    (
        "self._data.vcom[0]",
        "0 to 1",
        "what hangs at the base is the whole body, in the axes of a base that stands still",
    ),
    ("if filters.probability[n] > filters.probability[best]", "Gt to GtE", "of equal ones either serves"),
    ("if z > 4.0", "Gt to GtE | 4 to 8 | condition False", "the formula says the same there, to 1e-4"),
    ("-40.0), 40.0)", "40 to 80", "a guard of the exponential against what it says anyway"),
    ("if log_weight < NEGLIGIBLE", "Lt to LtE | condition False", "what is negligible changes nothing"),
    ("if s_p <= 0.0", "LtE to Lt", "the table begins with zero"),
    ("1e-18)", "1e-18 to 2e-18", "a floor that keeps from dividing by zero"),
    ("chance, sole = 1.0, model.axes", "1 to 2", "the same factor for all filters"),
    ("if below + here >= share", "GtE to Gt", "the edge of a cell is that of the next one"),
    (">= model.level * model.prior[node] * expected", "GtE to Gt", "no likelihood is the level to the last bit"),
    ("likely >= RULED_OUT * believed", "GtE to Gt", "no likelihood is that to the last bit"),
    ("return -1", "1 to 2", "any negative number says none"),
)


def why_equivalent(line: str, what: str) -> str | None:
    """Why a change of a line of code changes nothing; None: it may change something."""
    return next((why for part, changes, why in EQUIVALENT if part in line and what in changes.split(" | ")), None)
