# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Postures of the planar biped whose feet rest on the floor."""

from biped_slip.control.planar.posture import Posture


def resting(hip, speed, feet, *, knee=(0.5, 0.5), slope=0.0, height=0.7):
    """Both feet at rest at ``feet`` [m], the hip ``height`` above them, at ``hip`` [m]
    along the floor with ``speed`` [m/s]."""
    return Posture(
        slope=slope,
        hip_s=hip,
        hip_n=height,
        hip_velocity_s=speed,
        hip_velocity_n=0.0,
        lean=0.0,
        lean_rate=0.0,
        foot_s=feet,
        foot_n=(0.0, 0.0),
        foot_velocity_s=(0.0, 0.0),
        foot_velocity_n=(0.0, 0.0),
        knee=knee,
    )
