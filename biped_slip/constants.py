# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Constants of nature as the papers use them, and the order of the feet."""

GRAVITY = 9.81  # [m/s^2]
FEET = ("left", "right")
WET_ICE = 0.05  # friction that no floor is taken to fall below (choice)
