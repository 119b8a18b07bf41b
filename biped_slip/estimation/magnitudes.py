# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Largest magnitudes of any robot or foot (choice): what is larger is no number."""

IMPLAUSIBLE_PLACE = 1e6  # [m]
IMPLAUSIBLE_SPEED = 100.0  # [m/s]
IMPLAUSIBLE_ACCELERATION = 1000.0  # [m/s^2]
IMPLAUSIBLE_SPIN = 200.0  # [rad/s]
IMPLAUSIBLE_TURN = 100.0  # [rad]
# [N m] no joint of a walking robot has a motor of a hundredth of it
IMPLAUSIBLE_TORQUE = 1e5
