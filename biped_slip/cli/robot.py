# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Check a humanoid's description and YAML, and show the resulting model.

Of a description alone, what was found in it is shown as the YAML that it stands for.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pinocchio as pin
from rich.table import Table

from biped_slip.cli.terminal import result_screen, write_text
from biped_slip.errors import InvalidParameter
from biped_slip.robots.described_sensors import described_sensors
from biped_slip.robots.description import mesh_folders, parsed, read_description
from biped_slip.robots.humanoid import (
    FOOT_IMUS,
    FORCE_SENSORS,
    IMU,
    Humanoid,
    check_legs,
    doubts,
    load_humanoid,
)
from biped_slip.robots.legs import chain_to
from biped_slip.robots.robot import SOLES
from biped_slip.robots.robot_file import (
    RobotFile,
    described_source,
    read_robot_file,
    written_yaml,
)
from biped_slip.robots.standing_posture import knee_of
from biped_slip.shared_files import shared_names
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
    check_legs(humanoid)
    found = _found(arguments.robot)
    console = result_screen(arguments)
    console.print(_summary(humanoid), _joints(humanoid), _frames(humanoid))
    console.print(_parts(humanoid), highlight=False)
    console.print(_balance(humanoid), highlight=False)
    if found is not None:
        console.print(written_yaml(found), highlight=False, markup=False)
    for doubt in (
        *doubts(humanoid.model, humanoid.efforts),
        *_invented(humanoid),
        *_undrawn(humanoid),
    ):
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
    if arguments.yaml is not None:
        if found is None:
            raise InvalidParameter(
                "--yaml",
                str(arguments.yaml),
                "left out with a robot that has a YAML",
                "it writes what is found in a description",
            )
        write_text(arguments.yaml, written_yaml(found))
    return 0


def _found(robot: str) -> RobotFile | None:
    """Return what was found in a description; None for a robot with a YAML."""
    shipped = shared_names("config/robots")
    if robot in shipped or Path(robot).suffix in (".yaml", ".yml"):
        return None
    return read_robot_file(described_source(robot, shipped))


def _parts(humanoid: Humanoid) -> str:
    """Say which joints of the left leg were taken for what."""
    model = humanoid.model
    frames = [model.frames[model.getFrameId(sole)] for sole in SOLES]
    whole, other = (chain_to(model, frame.parentJoint) for frame in frames)
    chain = [joint for joint in whole if joint not in other]
    at = chain.index(knee_of(model, chain, frames[0].placement))
    names = [str(model.names[joint]) for joint in chain]
    shared = [str(model.names[joint]) for joint in whole if joint in other]
    parts = {
        "hip": names[:at],
        "knee": names[at : at + 1],
        "ankle": names[at + 1 :],
        "above both legs": shared,
    }
    found = (f"{part} {', '.join(joints)}" for part, joints in parts.items() if joints)
    return f"left leg: {'; '.join(found)}"


def _balance(humanoid: Humanoid) -> str:
    """Say where the centre of mass stands over the soles, and what senses forces."""
    model = humanoid.model
    data = model.createData()
    q = humanoid.standing()
    pin.framesForwardKinematics(model, data, q)
    centre = float(pin.centerOfMass(model, data, q)[0])
    frame = model.getFrameId(SOLES[0])
    ankle = float(data.oMi[model.frames[frame].parentJoint].translation[0])
    sole = float(data.oMf[frame].translation[0])
    along = np.array(humanoid.polygon(0))[:, 0]
    forces = (
        "from the currents of its motors: it has no force sensors there"
        if "force_torque" in humanoid.config.absent
        else "from the force/torque sensors l_ft and r_ft"
    )
    return (
        f"its centre of mass stands {centre - ankle:+.3f} m ahead of the ankles, "
        f"{centre - sole - along.min():.3f} m from the heels' and "
        f"{along.max() - centre + sole:.3f} m from the toes' end of the soles\n"
        f"forces on its feet: {forces}"
    )


def _invented(humanoid: Humanoid) -> list[str]:
    """Name sensors that the robot's file takes for granted."""
    if humanoid.config.l_ft.link or "force_torque" in humanoid.config.absent:
        return []
    source = humanoid.config.description
    sensors = described_sensors(parsed(read_description(source, humanoid.folder)))
    if sensors.wrenches:
        return []
    return [
        "its description has no force sensors in the feet, a walk has them all the "
        "same; say 'absent: [force_torque]' if it has none"
    ]


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
