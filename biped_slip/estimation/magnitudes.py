# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Largest magnitudes of any robot or foot (choice): what is larger is no number."""

IMPLAUSIBLE = 1e6  # [m]
IMPLAUSIBLE_SPEED = 100.0  # [m/s]
HARD = 1000.0  # [m/s^2]
SPIN = 200.0  # [rad/s]
IMPLAUSIBLE_TURN = 100.0  # [rad]
