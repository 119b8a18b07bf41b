# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Unitree's messages LowState and LowCmd: layout, checksum, and what is in them.

The vendor's programs [Unitree2026] take a checksum over the C structure of a message,
its padding included, without the last word, which is the checksum. So a message is here
the bytes of that structure. Types of ``unitree_hg`` are those of G1 and H1-2,
``unitree_go`` those of H1.

The checksum is CRC-32/MPEG-2 (polynomial 0x04C11DB7, first value 0xFFFFFFFF, nothing
reflected, no last inversion) of 32-bit words, the highest bit of each first. It is
zlib's CRC, which is reflected and inverted, of the words with their bits in reverse, in
reverse.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.robots.unitree.motors import MotorTable

Layout = np.dtype[np.void]
Fields = list[tuple[Any, ...]]  # name, type, and the length of an array


def structure(fields: Fields) -> Layout:
    """Lay fields out as a C compiler does."""
    return np.dtype(fields, align=True)


def _imu(temperature: str) -> Layout:
    return structure(
        [
            ("quaternion", "<f4", 4),
            ("gyroscope", "<f4", 3),
            ("accelerometer", "<f4", 3),
            ("rpy", "<f4", 3),
            ("temperature", temperature),
        ]
    )


def _motor_command(reserved: int) -> Layout:
    return structure(
        [
            ("mode", "u1"),
            ("q", "<f4"),
            ("dq", "<f4"),
            ("tau", "<f4"),
            ("kp", "<f4"),
            ("kd", "<f4"),
            ("reserve", "<u4", (reserved,)),
        ]
    )


HG_MOTOR_STATE = structure(
    [
        ("mode", "u1"),
        ("q", "<f4"),
        ("dq", "<f4"),
        ("ddq", "<f4"),
        ("tau_est", "<f4"),
        ("temperature", "<i2", 2),
        ("vol", "<f4"),
        ("sensor", "<u4", 2),
        ("motorstate", "<u4"),
        ("reserve", "<u4", 4),
    ]
)
HG_STATE = structure(
    [
        ("version", "<u4", 2),
        ("mode_pr", "u1"),
        ("mode_machine", "u1"),
        ("tick", "<u4"),
        ("imu_state", _imu("<i2")),
        ("motor_state", HG_MOTOR_STATE, 35),
        ("wireless_remote", "u1", 40),
        ("reserve", "<u4", 4),
        ("crc", "<u4"),
    ]
)
HG_COMMAND = structure(
    [
        ("mode_pr", "u1"),
        ("mode_machine", "u1"),
        ("motor_cmd", _motor_command(1), 35),
        ("reserve", "<u4", 4),
        ("crc", "<u4"),
    ]
)
GO_MOTOR_STATE = structure(
    [
        ("mode", "u1"),
        ("q", "<f4"),
        ("dq", "<f4"),
        ("ddq", "<f4"),
        ("tau_est", "<f4"),
        ("q_raw", "<f4"),
        ("dq_raw", "<f4"),
        ("ddq_raw", "<f4"),
        ("temperature", "u1"),
        ("lost", "<u4"),
        ("reserve", "<u4", 2),
    ]
)
GO_BATTERY_STATE = structure(
    [
        ("version_high", "u1"),
        ("version_low", "u1"),
        ("status", "u1"),
        ("soc", "u1"),
        ("current", "<i4"),
        ("cycle", "<u2"),
        ("bq_ntc", "u1", 2),
        ("mcu_ntc", "u1", 2),
        ("cell_vol", "<u2", 15),
    ]
)
GO_HEAD: Fields = [
    ("head", "u1", 2),
    ("level_flag", "u1"),
    ("frame_reserve", "u1"),
    ("sn", "<u4", 2),
    ("version", "<u4", 2),
    ("bandwidth", "<u2"),
]
GO_STATE = structure(
    [
        *GO_HEAD,
        ("imu_state", _imu("u1")),
        ("motor_state", GO_MOTOR_STATE, 20),
        ("bms_state", GO_BATTERY_STATE),
        ("foot_force", "<i2", 4),
        ("foot_force_est", "<i2", 4),
        ("tick", "<u4"),
        ("wireless_remote", "u1", 40),
        ("bit_flag", "u1"),
        ("adc_reel", "<f4"),
        ("temperature_ntc1", "u1"),
        ("temperature_ntc2", "u1"),
        ("power_v", "<f4"),
        ("power_a", "<f4"),
        ("fan_frequency", "<u2", 4),
        ("reserve", "<u4"),
        ("crc", "<u4"),
    ]
)
GO_COMMAND = structure(
    [
        *GO_HEAD,
        ("motor_cmd", _motor_command(3), 20),
        ("bms_off", "u1"),
        ("bms_reserve", "u1", 3),
        ("wireless_remote", "u1", 40),
        ("led", "u1", 12),
        ("fan", "u1", 2),
        ("gpio", "u1"),
        ("reserve", "<u4"),
        ("crc", "<u4"),
    ]
)
STATE_LAYOUTS = {"unitree_hg": HG_STATE, "unitree_go": GO_STATE}
COMMAND_LAYOUTS = {"unitree_hg": HG_COMMAND, "unitree_go": GO_COMMAND}
STATE_TYPE = "msg::dds_::LowState_"
COMMAND_TYPE = "msg::dds_::LowCmd_"
LOW_STATE_TOPIC = "rt/lowstate"
LOW_COMMAND_TOPIC = "rt/lowcmd"
#: Ankles (and the waist of G1) in pitch and roll, not by their motors A and B.
SERIES_ANKLES = 0
CRC_BYTES = 4
#: What H1 wants in the head of a command: its mark, and that it is of the low level.
GO_MARK = (0xFE, 0xEF)
LOW_LEVEL = 0xFF

_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_ALL_ONES = 0xFFFFFFFF


def checksum(words: bytes) -> int:
    """Compute the CRC of 32-bit little-endian words."""
    reversed_words = np.frombuffer(words.translate(_REVERSED), dtype=">u4")
    crc = zlib.crc32(reversed_words.astype("<u4").tobytes()) ^ _ALL_ONES
    return int(f"{crc:032b}"[::-1], 2)


def intact(raw: bytes) -> bool:
    """Return whether a message has the checksum of its content."""
    return checksum(raw[:-CRC_BYTES]) == int.from_bytes(raw[-CRC_BYTES:], "little")


def sealed(message: NDArray[np.uint8]) -> bytes:
    """Write the checksum into the last word of a message; return its bytes."""
    crc = checksum(message[:-CRC_BYTES].tobytes())
    message[-CRC_BYTES:] = np.frombuffer(crc.to_bytes(CRC_BYTES, "little"), np.uint8)
    return message.tobytes()


class LowState(NamedTuple):
    """State of a robot's joints and IMU at one tick.

    Attributes:
        tick: of the robot's counter.
        mode_pr: whether ankles are in pitch and roll (0) or by motors A and B (1).
        mode_machine: kind of machine; a command must repeat it.
        position: (n,) [rad].
        velocity: (n,) [rad/s].
        effort: (n,) [N m], by the motors' currents.
        orientation: of the IMU (x, y, z, w).
        angular_velocity: (3,) [rad/s] in the IMU.
        specific_force: (3,) [m/s^2] in the IMU, +g at rest.
    """

    tick: int
    mode_pr: int
    mode_machine: int
    position: Array
    velocity: Array
    effort: Array
    orientation: Array
    angular_velocity: Array
    specific_force: Array


def read_state(raw: bytes, table: MotorTable) -> LowState:
    """Read the state of a robot's joints and IMU from a message."""
    layout = STATE_LAYOUTS[table.package]
    message = np.frombuffer(raw, dtype=layout)[0]
    motors = message["motor_state"][list(table.slots)]
    imu = message["imu_state"]
    names = layout.names or ()
    w, x, y, z = imu["quaternion"].astype(float)
    return LowState(
        tick=int(message["tick"]),
        mode_pr=int(message["mode_pr"]) if "mode_pr" in names else SERIES_ANKLES,
        mode_machine=int(message["mode_machine"]) if "mode_machine" in names else 0,
        position=motors["q"].astype(float),
        velocity=motors["dq"].astype(float),
        effort=motors["tau_est"].astype(float),
        orientation=np.array([x, y, z, w]),
        angular_velocity=imu["gyroscope"].astype(float),
        specific_force=imu["accelerometer"].astype(float),
    )


def torque_command(table: MotorTable, efforts: Array, mode_machine: int) -> bytes:
    """Make the command of joint torques.

    Args:
        table: of the robot.
        efforts: (n,) in the order of the table [N m].
        mode_machine: as the last state has it.
    """
    return _command(table, efforts, 0.0, mode_machine)


def damping_command(table: MotorTable, damping: float, mode_machine: int) -> bytes:
    """Make the command that damps every joint [N m s/rad] and drives none."""
    return _command(table, np.zeros(len(table.slots)), damping, mode_machine)


def _command(
    table: MotorTable, efforts: Array, damping: float, mode_machine: int
) -> bytes:
    layout = COMMAND_LAYOUTS[table.package]
    raw = np.zeros(layout.itemsize, dtype=np.uint8)
    message = raw.view(layout)[0]
    motors = message["motor_cmd"]
    slots = list(table.slots)
    motors["mode"][slots] = table.modes
    motors["tau"][slots] = efforts
    motors["kd"][slots] = damping
    if table.package == "unitree_go":
        message["head"] = GO_MARK
        message["level_flag"] = LOW_LEVEL
    else:
        message["mode_pr"] = SERIES_ANKLES
        message["mode_machine"] = mode_machine
    return sealed(raw)
