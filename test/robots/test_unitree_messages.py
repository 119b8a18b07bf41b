# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Unitree's messages: the C structures that the vendor's own Python package packs with
``struct`` (unitree_sdk2py/utils/crc.py), its checksum bit by bit, and the motors."""

import struct

import numpy as np
import pytest

from biped_slip.errors import UnknownName
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.unitree.messages import (
    COMMAND_LAYOUTS,
    STATE_LAYOUTS,
    checksum,
    damping_command,
    intact,
    read_state,
    sealed,
    torque_command,
)
from biped_slip.robots.unitree.motors import TABLES, motor_table, other_robot

G1 = TABLES["g1"]
H1 = TABLES["h1"]
# the vendor's formats, and its sizes in the comments above them
HG_STATE = "<2I2B2xI" + "13fh2x" + "B3x4f2hf7I" * 35 + "40B5I"
HG_COMMAND = "<2B2x" + "B3x5fI" * 35 + "5I"
GO_STATE = (
    "<4B4IH2x" + "13fB3x" + "B3x7fB3x3I" * 20 + "4BiH4b15H" + "8hI41B3xf2b2x2f4h2I"
)
GO_COMMAND = "<4B4IH2x" + "B3x5f3I" * 20 + "4B" + "55Bx2I"


def crc_bit_by_bit(raw):
    """The vendor's loop over 32-bit words, highest bit first."""
    crc = 0xFFFFFFFF
    for (word,) in struct.iter_unpack("<I", raw):
        for bit in range(31, -1, -1):
            over = crc >> 31
            crc = (crc << 1) & 0xFFFFFFFF
            if over:
                crc ^= 0x04C11DB7
            if word >> bit & 1:
                crc ^= 0x04C11DB7
    return crc


def hg_state(rng, tick=7, mode_pr=0, mode_machine=5):
    """A state packed by the vendor's format, and the numbers of its motors."""
    imu = np.round(rng.normal(size=13), 3)
    motors = np.round(rng.normal(size=(35, 4)), 3)
    values = [1, 2, mode_pr, mode_machine, tick, *imu, 31]
    for q, dq, ddq, tau in motors:
        values += [1, q, dq, ddq, tau, 40, 41, 48.0, 1, 2, 0, 0, 0, 0, 9]
    values += [*range(40), 0, 0, 0, 0, 0]
    raw = struct.pack(HG_STATE, *values)
    return sealed(np.frombuffer(raw, np.uint8).copy()), imu, motors


@pytest.mark.parametrize(
    ("layouts", "package", "form", "size"),
    [
        (STATE_LAYOUTS, "unitree_hg", HG_STATE, 2092),
        (COMMAND_LAYOUTS, "unitree_hg", HG_COMMAND, 1004),
        (STATE_LAYOUTS, "unitree_go", GO_STATE, 1180),
        (COMMAND_LAYOUTS, "unitree_go", GO_COMMAND, 812),
    ],
)
def test_a_structure_has_the_size_that_the_vendor_packs(layouts, package, form, size):
    assert layouts[package].itemsize == struct.calcsize(form) == size


def test_the_checksum_is_the_vendors_bit_by_bit():
    rng = np.random.default_rng(1)
    for words in (1, 2, 17, 250):
        raw = rng.bytes(4 * words)
        assert checksum(raw) == crc_bit_by_bit(raw)


def test_one_wrong_bit_anywhere_breaks_the_checksum():
    rng = np.random.default_rng(2)
    raw, _, _ = hg_state(rng)
    assert intact(raw)
    for place in rng.integers(8 * len(raw), size=200):
        wrong = bytearray(raw)
        wrong[place // 8] ^= 1 << place % 8
        assert not intact(bytes(wrong))


def test_a_state_that_the_vendor_packs_is_read_by_name():
    raw, imu, motors = hg_state(np.random.default_rng(3), tick=123456)
    state = read_state(raw, G1)
    assert state.tick == 123456
    assert (state.mode_pr, state.mode_machine) == (0, 5)
    knee = G1.joints.index("right_knee_joint")
    assert state.position[knee] == pytest.approx(motors[9, 0])
    assert state.velocity[knee] == pytest.approx(motors[9, 1])
    # not the acceleration, which lies between them
    assert state.effort[knee] == pytest.approx(motors[9, 3])
    # the vendor has w first
    assert state.orientation == pytest.approx([*imu[1:4], imu[0]])
    assert state.angular_velocity == pytest.approx(imu[4:7])
    assert state.specific_force == pytest.approx(imu[7:10])


def test_a_g1_of_23_joints_leaves_the_slots_of_waist_and_wrists_out():
    raw, _, motors = hg_state(np.random.default_rng(4))
    state = read_state(raw, TABLES["g1_23"])
    by_name = dict(zip(TABLES["g1_23"].joints, state.position, strict=True))
    assert len(by_name) == 23
    assert by_name["right_shoulder_pitch_joint"] == pytest.approx(motors[22, 0])
    assert by_name["right_wrist_roll_joint"] == pytest.approx(motors[26, 0])
    assert not {"waist_roll_joint", "left_wrist_yaw_joint"} & set(by_name)


def test_h1_counts_its_right_leg_first_and_has_no_series_of_ankles():
    motors = np.arange(20.0)
    values = [0xFE, 0xEF, 0xFF, 0, 1, 2, 3, 4, 0]
    values += [1.0, 0, 0, 0, 0.1, 0.2, 0.3, 0, 0, 9.81, 0, 0, 0, 200]
    for q in motors:
        values += [10, q, -q, 0, 2.0 * q, 0, 0, 0, 30, 0, 0, 0]
    values += [1, 2, 3, 90, -1, 4, 1, 2, 3, 4, *range(15)]
    values += [*range(8), 999, *range(40), 0, 0.5, 1, 2, 48.0, 2.0, *range(4), 0, 0]
    raw = sealed(np.frombuffer(struct.pack(GO_STATE, *values), np.uint8).copy())
    state = read_state(raw, H1)
    by_name = dict(zip(H1.joints, state.position, strict=True))
    assert by_name["right_hip_roll_joint"] == 0.0
    assert by_name["left_hip_yaw_joint"] == 7.0
    assert by_name["left_ankle_joint"] == 10.0
    assert by_name["left_elbow_joint"] == 19.0
    assert state.effort == pytest.approx(2.0 * state.position)
    assert state.tick == 999
    assert state.mode_pr == 0
    assert state.specific_force == pytest.approx([0.0, 0.0, 9.81])


def test_torques_go_to_the_motors_of_their_joints_and_nothing_else_drives():
    efforts = np.arange(23.0) / 4.0
    raw = torque_command(TABLES["g1_23"], efforts, mode_machine=4)
    assert intact(raw)
    mode_pr, mode_machine, *values = struct.unpack(HG_COMMAND, raw)
    motors = np.array(values[: 7 * 35]).reshape(35, 7)
    slots = list(TABLES["g1_23"].slots)
    assert (mode_pr, mode_machine) == (0, 4)
    assert motors[slots, 0].tolist() == [1.0] * 23
    assert motors[slots, 3].tolist() == efforts.tolist()
    rest = np.delete(np.arange(35), slots)
    assert not motors[rest].any()
    assert not motors[:, [1, 2, 4, 5, 6]].any()


def test_damping_drives_no_joint_and_slows_each():
    raw = damping_command(G1, 8.0, mode_machine=5)
    _, machine, *values = struct.unpack(HG_COMMAND, raw)
    motors = np.array(values[: 7 * 35]).reshape(35, 7)
    assert intact(raw)
    assert machine == 5
    # mode, q, dq, tau, kp, kd
    assert motors[:29, :6].tolist() == [[1.0, 0.0, 0.0, 0.0, 0.0, 8.0]] * 29


def test_h1_is_commanded_with_its_mark_and_its_two_kinds_of_motors():
    raw = torque_command(H1, np.ones(19), mode_machine=0)
    assert intact(raw)
    values = struct.unpack(GO_COMMAND, raw)
    assert values[:3] == (0xFE, 0xEF, 0xFF)
    motors = np.array(values[9 : 9 + 20 * 9]).reshape(20, 9)
    # hips, knees and torso by 0x0A; ankles and arms by 0x01; slot 9 is none
    assert motors[:, 0].tolist() == [10.0] * 9 + [0.0] + [1.0] * 10
    assert motors[9, 3] == 0.0
    assert motors[:9, 3].tolist() == [1.0] * 9


def test_joints_of_the_tables_are_those_of_the_shipped_g1_in_its_order():
    assert G1.joints == load_humanoid("g1").robot.joints
    assert len(TABLES["g1_23"].joints) == 23
    assert len(TABLES["h1_2"].joints) == 27


@pytest.mark.parametrize("robot", TABLES)
def test_every_joint_has_a_slot_of_its_own_and_a_twin(robot):
    table = TABLES[robot]
    motors = STATE_LAYOUTS[table.package]["motor_state"].shape[0]
    assert len(set(table.joints)) == len(set(table.slots)) == len(table.joints)
    assert max(table.slots) < motors
    sided = {joint for joint in table.joints if joint.startswith(("left", "right"))}
    swapped = {
        joint.replace("left", "x").replace("right", "left").replace("x", "right")
        for joint in sided
    }
    assert sided == swapped


def test_a_state_of_another_kind_of_g1_says_which_one():
    assert "set robot to g1_23" in other_robot(G1, 4)
    assert "set robot to g1" in other_robot(TABLES["g1_23"], 5)


@pytest.mark.parametrize("mode_machine", [0, 5, 200])
def test_the_own_kind_a_simulation_and_unknown_kinds_are_taken(mode_machine):
    assert other_robot(G1, mode_machine) == ""


def test_an_unknown_robot_is_refused_with_the_known_ones():
    with pytest.raises(UnknownName, match="g1_23, h1"):
        motor_table("g2")
