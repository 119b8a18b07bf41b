# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Check a humanoid's description and YAML, and show the resulting model."""

from __future__ import annotations

import argparse

import numpy as np
import pinocchio as pin
from rich.table import Table

from biped_slip.cli.terminal import result_screen, write_text
from biped_slip.robots.description import mesh_folders, read_description
from biped_slip.robots.humanoid import (
    FOOT_IMUS,
    FORCE_SENSORS,
    IMU,
    Humanoid,
    doubts,
    load_humanoid,
)
from biped_slip.robots.robot import SOLES
from biped_slip.simulation.humanoid.plant import (
    FloatingPlantConfig,
    choose_step,
    sole_points,
)
from biped_slip.simulation.humanoid.terrain import TerrainConfig
from biped_slip.view.shapes import missing_visuals

PLACE_TOLERANCE = 1e-5  # [m] of the base's place, for the step that is shown


def run(arguments: argparse.Namespace) -> int:
    """Load, check and show a robot; errors are one sentence."""
    humanoid = load_humanoid(arguments.robot)
    console = result_screen(arguments)
    console.print(_summary(humanoid), _joints(humanoid), _frames(humanoid))
    for doubt in (*doubts(humanoid.model, humanoid.efforts), *_undrawn(humanoid)):
        console.print(f"note: {doubt}")
    if not arguments.no_trial:
        choice = choose_step(
            humanoid, TerrainConfig(), FloatingPlantConfig(), PLACE_TOLERANCE
        )
        console.print(
            f"a landing from 2 cm needs {choice.steps} steps per ms for an error "
            f"below {1e6 * PLACE_TOLERANCE:g} um "
            f"({1e6 * choice.error:.2g} um)"
        )
    if arguments.urdf is not None:
        write_text(arguments.urdf, humanoid.urdf)
    return 0


def _undrawn(humanoid: Humanoid) -> list[str]:
    source = humanoid.config.description
    folder = humanoid.folder
    text = read_description(source, folder)
    folders = mesh_folders(source, folder)
    missing = missing_visuals(humanoid.model, text, folders)
    return [f"it is drawn as rods: {missing}"] if missing else []


def _summary(humanoid: Humanoid) -> str:
    model = humanoid.model
    q = humanoid.standing()
    centre = pin.centerOfMass(model, model.createData(), q)
    points = sole_points(humanoid)[0]
    stiffness = humanoid.config.contact.stiffness * humanoid.weight
    length = np.ptp(points[:, 0])
    width = np.ptp(points[:, 1])
    return (
        f"{humanoid.name}: {humanoid.robot.mass:.2f} kg, {len(humanoid.robot.joints)} "
        "joints; standing, its base is "
        f"{q[2]:.3f} m high and its centre of mass {centre[0]:+.3f} m ahead of the "
        f"soles, {centre[2]:.3f} m high\n"
        f"each sole: {length:.3f} x {width:.3f} m, {len(points)} contact points, "
        f"{stiffness:.3g} N/m"
    )


def _joints(humanoid: Humanoid) -> Table:
    model = humanoid.model
    table = Table(
        "joint",
        "range [rad]",
        "stands at [rad]",
        "torque [N m]",
        "speed [rad/s]",
        "rotor [kg m^2]",
    )
    for i, name in enumerate(humanoid.robot.joints):
        low = model.lowerPositionLimit[7 + i]
        high = model.upperPositionLimit[7 + i]
        table.add_row(
            name,
            f"{low:.2f} .. {high:.2f}",
            f"{humanoid.posture[i]:.3f}",
            f"{humanoid.efforts[i]:g}",
            f"{model.velocityLimit[6 + i]:g}",
            f"{model.armature[6 + i]:g}",
        )
    return table


def _frames(humanoid: Humanoid) -> Table:
    model = humanoid.model
    data = humanoid.model.createData()
    pin.framesForwardKinematics(model, data, humanoid.standing())
    table = Table("frame", "moves with joint", "standing at x, y, z [m]")
    for name in (*SOLES, *FORCE_SENSORS, IMU, *FOOT_IMUS):
        frame = model.getFrameId(name)
        place = ", ".join(f"{x:.3f}" for x in data.oMf[frame].translation)
        table.add_row(name, model.names[model.frames[frame].parentJoint], place)
    return table
