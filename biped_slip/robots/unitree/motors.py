# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Motors of Unitree's humanoids: which slot of the messages moves which joint.

Orders are those of the enumerations ``JointIndex`` in the vendor's examples
[Unitree2026] (``g1_low_level_example.py``, ``h1_low_level_example.py``,
``h1_2_low_level_example.py``); joints have the names of the vendor's descriptions. A G1
with 23 joints leaves slots out: its arms begin at 15 and 22 as those of 29 joints do.
(An older table of the vendor, ``g1_joint_index_dds.md``, counts them on without gaps.)
"""

from __future__ import annotations

from typing import NamedTuple

from biped_slip.errors import UnknownName

SIDES = ("left", "right")
G1_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
H1_2_LEG = ("hip_yaw", "hip_pitch", "hip_roll", "knee", "ankle_pitch", "ankle_roll")
SHORT_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")
ARM = (*SHORT_ARM, "wrist_roll", "wrist_pitch", "wrist_yaw")
#: Motors of H1 by their slots; slot 9 is not used.
H1_SLOTS = {
    **{"right_hip_roll": 0, "right_hip_pitch": 1, "right_knee": 2},
    **{"left_hip_roll": 3, "left_hip_pitch": 4, "left_knee": 5},
    **{"torso": 6, "left_hip_yaw": 7, "right_hip_yaw": 8},
    **{"left_ankle": 10, "right_ankle": 11},
    **{f"right_{name}": 12 + k for k, name in enumerate(SHORT_ARM)},
    **{f"left_{name}": 16 + k for k, name in enumerate(SHORT_ARM)},
}
#: Slots of H1's small motors, which are enabled by another mode.
H1_SMALL_MOTORS = frozenset(range(10, 20))
ENABLED = 0x01
#: Mode of H1's large motors.
ENABLED_LARGE = 0x0A


class MotorTable(NamedTuple):
    """Motors of one robot.

    Attributes:
        robot: name of the robot.
        package: of its message types: ``unitree_hg``, or ``unitree_go`` of H1.
        joints: names, in the order of the slots.
        slots: places of the joints in the messages' arrays of motors.
        modes: that enable the motors of these joints.
        machines: values of ``mode_machine`` that such a robot is known to send; empty:
            it sends none.
        imu_frame: link that the IMU of ``lowstate`` is in.
        parallel: whether two motors together move an ankle.
    """

    robot: str
    package: str
    joints: tuple[str, ...]
    slots: tuple[int, ...]
    modes: tuple[int, ...]
    machines: frozenset[int]
    imu_frame: str
    parallel: bool


def _table(
    robot: str,
    slots: dict[str, int],
    machines: frozenset[int],
    imu_frame: str,
) -> MotorTable:
    """Make the table of a robot with two motors an ankle."""
    return MotorTable(
        robot=robot,
        package="unitree_hg",
        joints=tuple(f"{name}_joint" for name in slots),
        slots=tuple(slots.values()),
        modes=(ENABLED,) * len(slots),
        machines=machines,
        imu_frame=imu_frame,
        parallel=True,
    )


def _limbs(parts: tuple[str, ...], left: int, right: int) -> dict[str, int]:
    """Return the slots of both limbs, counted from their first ones."""
    firsts = (left, right)
    return {
        f"{side}_{part}": first + k
        for side, first in zip(SIDES, firsts, strict=True)
        for k, part in enumerate(parts)
    }


G1_LEGS = _limbs(G1_LEG, 0, 6)
_IN_ORDER_OF_H1 = dict(sorted(H1_SLOTS.items(), key=lambda item: item[1]))

#: Values of ``mode_machine`` are of the vendor's page of descriptions [Unitree2025a];
#: those with a locked waist send all 29 slots.
TABLES: dict[str, MotorTable] = {
    "g1": _table(
        "g1",
        {
            **G1_LEGS,
            **{"waist_yaw": 12, "waist_roll": 13, "waist_pitch": 14},
            **_limbs(ARM, 15, 22),
        },
        frozenset({2, 3, 5, 6, 11, 12, 13, 14, 15}),
        "imu_in_pelvis",
    ),
    "g1_23": _table(
        "g1_23",
        {**G1_LEGS, "waist_yaw": 12, **_limbs(ARM[:5], 15, 22)},
        frozenset({1, 4, 10}),
        "imu_in_pelvis",
    ),
    "h1": MotorTable(
        robot="h1",
        package="unitree_go",
        joints=tuple(f"{name}_joint" for name in _IN_ORDER_OF_H1),
        slots=tuple(_IN_ORDER_OF_H1.values()),
        modes=tuple(
            ENABLED if slot in H1_SMALL_MOTORS else ENABLED_LARGE
            for slot in _IN_ORDER_OF_H1.values()
        ),
        machines=frozenset(),
        # the IMU of H1 and H1-2 is above the waist
        imu_frame="imu_link",
        parallel=False,
    ),
    "h1_2": _table(
        "h1_2",
        {**_limbs(H1_2_LEG, 0, 6), "torso": 12, **_limbs(ARM, 13, 20)},
        frozenset(),
        "torso_link",
    ),
}


def motor_table(robot: str) -> MotorTable:
    """Return the motors of a robot; raises UnknownName."""
    if robot not in TABLES:
        raise UnknownName("Unitree robot", robot, list(TABLES))
    return TABLES[robot]


def other_robot(table: MotorTable, mode_machine: int) -> str:
    """Say which robot sends a value of ``mode_machine``; empty: it may be this one.

    A simulated robot sends 0, and newer machines have values of their own.
    """
    if mode_machine in table.machines:
        return ""
    others = [one.robot for one in TABLES.values() if mode_machine in one.machines]
    if not table.machines or not others:
        return ""
    return (
        f"mode_machine is {mode_machine}, which {others[0]} sends, not {table.robot}; "
        f"set robot to {others[0]}"
    )
