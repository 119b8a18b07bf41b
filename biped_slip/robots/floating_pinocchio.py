# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The functions of a floating-base robot by Pinocchio: :mod:`.floating_functions` says what they are.

Where there is no C compiler they take the place of the generated ones, which tests compare with them.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pinocchio as pin

from biped_slip.compile.arrays import Array
from biped_slip.robots.floating_expressions import sensor_frames
from biped_slip.robots.robot import Robot

AXES = pin.LOCAL_WORLD_ALIGNED


def with_pinocchio(robot: Robot) -> dict[str, Callable[..., None]]:
    """Every function by its name; the first argument is not looked at."""
    model = robot.model
    data = model.createData()
    frames = [model.getFrameId(sole) for sole in robot.soles]

    imu, *others = sensor_frames(robot)

    def outside(q: Array, wrenches: Array) -> Any:
        pin.framesForwardKinematics(model, data, q)
        forces = pin.StdVec_Force()
        forces.extend(pin.Force.Zero() for _ in range(model.njoints))
        for frame, wrench in zip(frames, wrenches, strict=True):
            joint = model.frames[frame].parentJoint
            at_sole = pin.SE3(np.eye(3), data.oMf[frame].translation)
            forces[joint] += data.oMi[joint].actInv(at_sole.act(pin.Force(wrench)))
        return forces

    def forward_dynamics(robot: Any, q: Array, v: Array, tau: Array, wrenches: Array, acceleration: Array) -> None:
        acceleration[:] = pin.aba(model, data, q, v, tau, outside(q, wrenches))

    def inertial(frame: Any, out: Array) -> None:
        index = model.getFrameId(frame.name)
        turn = pin.updateFramePlacement(model, data, index).rotation.T
        out[:3] = pin.getFrameVelocity(model, data, index, pin.LOCAL).angular
        moving = pin.getFrameClassicalAcceleration(model, data, index, pin.LOCAL).linear
        out[3:] = moving - turn @ model.gravity.linear

    def sensor_readings(
        robot: Any,
        q: Array,
        v: Array,
        acceleration: Array,
        wrenches: Array,
        imu_out: Array,
        foot_imus: Array,
        force_torque: Array,
    ) -> None:
        pin.rnea(model, data, q, v, acceleration, outside(q, wrenches))
        for frame, out in zip(others[2:], force_torque, strict=True):
            out[:] = -frame.placement.actInv(data.f[frame.parentJoint]).vector
        pin.forwardKinematics(model, data, q, v, acceleration)
        for frame, out in zip((imu, *others[:2]), (imu_out, *foot_imus), strict=True):
            inertial(frame, out)

    def sole_kinematics(robot: Any, q: Array, v: Array, position: Array, rotation: Array, velocity: Array) -> None:
        pin.forwardKinematics(model, data, q, v)
        for foot, frame in enumerate(frames):
            place = pin.updateFramePlacement(model, data, frame)
            position[foot], rotation[foot] = place.translation, place.rotation
            velocity[foot] = pin.getFrameVelocity(model, data, frame, AXES).vector

    def body_kinematics(
        robot: Any,
        joint_position: Array,
        joint_velocity: Array,
        rotation: Array,
        position: Array,
        velocity: Array,
        sole_position: Array,
        sole_rotation: Array,
    ) -> None:
        q, v, index = pin.neutral(model), np.zeros(model.nv), model.getFrameId(imu.name)
        q[7:], v[6:] = joint_position, joint_velocity
        pin.forwardKinematics(model, data, q, v)
        rotation[:] = data.oMi[imu.parentJoint].rotation
        position[:] = pin.updateFramePlacement(model, data, index).translation
        velocity[:] = pin.getFrameVelocity(model, data, index, AXES).vector
        for foot, frame in enumerate(frames):
            place = pin.updateFramePlacement(model, data, frame)
            sole_position[foot], sole_rotation[foot] = place.translation, place.rotation

    def whole_body_terms(
        robot: Any,
        q: Array,
        v: Array,
        mass_matrix: Array,
        bias: Array,
        jacobians: Array,
        drift: Array,
        position: Array,
        rotation: Array,
        velocity: Array,
        centre: Array,
        centre_velocity: Array,
        momentum: Array,
    ) -> None:
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        for foot, frame in enumerate(frames):
            drift[foot] = pin.getFrameClassicalAcceleration(model, data, frame, AXES).vector
        sole_kinematics(robot, q, v, position, rotation, velocity)
        pin.computeAllTerms(model, data, q, v)
        for foot, frame in enumerate(frames):
            jacobians[foot] = pin.getFrameJacobian(model, data, frame, AXES)
        upper = np.triu(data.M)  # Pinocchio fills no more
        mass_matrix[:], bias[:] = upper + np.triu(upper, 1).T, data.nle
        centre[:], centre_velocity[:], momentum[:] = data.com[0], data.vcom[0], data.hg.angular

    functions: tuple[Callable[..., None], ...] = (
        forward_dynamics, sole_kinematics, sensor_readings, body_kinematics, whole_body_terms,
    )  # fmt: skip
    return {function.__name__: function for function in functions}
