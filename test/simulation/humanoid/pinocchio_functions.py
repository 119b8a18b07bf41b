# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The model functions of a robot with a floating base, written a second time with
Pinocchio's own algorithms."""

import numpy as np
import pinocchio as pin

from biped_slip.robots.model_functions import sensor_frames

AXES = pin.LOCAL_WORLD_ALIGNED


def with_pinocchio(robot):
    """Every function by its name, filled by Pinocchio; the first argument is not looked
    at."""
    model = robot.model
    data = model.createData()
    frames = [model.getFrameId(sole) for sole in robot.soles]
    imu, *others = sensor_frames(robot)

    def outside(q, wrenches):
        pin.framesForwardKinematics(model, data, q)
        forces = pin.StdVec_Force()
        forces.extend(pin.Force.Zero() for _ in range(model.njoints))
        for frame, wrench in zip(frames, wrenches, strict=True):
            joint = model.frames[frame].parentJoint
            at_sole = pin.SE3(np.eye(3), data.oMf[frame].translation)
            forces[joint] += data.oMi[joint].actInv(at_sole.act(pin.Force(wrench)))
        return forces

    def forward_dynamics(robot, q, v, tau, wrenches, acceleration):
        acceleration[:] = pin.aba(model, data, q, v, tau, outside(q, wrenches))

    def inertial(frame, out):
        index = model.getFrameId(frame.name)
        turn = pin.updateFramePlacement(model, data, index).rotation.T
        out[:3] = pin.getFrameVelocity(model, data, index, pin.LOCAL).angular
        moving = pin.getFrameClassicalAcceleration(model, data, index, pin.LOCAL).linear
        out[3:] = moving - turn @ model.gravity.linear

    def sensor_readings(robot, q, v, acceleration, wrenches, *filled):
        imu_out, foot_imus, force_torque = filled
        pin.rnea(model, data, q, v, acceleration, outside(q, wrenches))
        for frame, out in zip(others[2:], force_torque, strict=True):
            out[:] = -frame.placement.actInv(data.f[frame.parentJoint]).vector
        pin.forwardKinematics(model, data, q, v, acceleration)
        for frame, out in zip((imu, *others[:2]), (imu_out, *foot_imus), strict=True):
            inertial(frame, out)

    def sole_kinematics(robot, q, v, position, rotation, velocity):
        pin.forwardKinematics(model, data, q, v)
        for foot, frame in enumerate(frames):
            place = pin.updateFramePlacement(model, data, frame)
            position[foot] = place.translation
            rotation[foot] = place.rotation
            velocity[foot] = pin.getFrameVelocity(model, data, frame, AXES).vector

    def body_kinematics(robot, joint_position, joint_velocity, *filled):
        rotation, position, velocity, sole_position, sole_rotation = filled
        q = pin.neutral(model)
        v = np.zeros(model.nv)
        index = model.getFrameId(imu.name)
        q[7:] = joint_position
        v[6:] = joint_velocity
        pin.forwardKinematics(model, data, q, v)
        rotation[:] = data.oMi[imu.parentJoint].rotation
        position[:] = pin.updateFramePlacement(model, data, index).translation
        velocity[:] = pin.getFrameVelocity(model, data, index, AXES).vector
        for foot, frame in enumerate(frames):
            place = pin.updateFramePlacement(model, data, frame)
            sole_position[foot] = place.translation
            sole_rotation[foot] = place.rotation

    upper = model.copy()
    for sensor in others[2:]:
        upper.inertias[sensor.parentJoint] = pin.Inertia.Zero()
    rest = upper.createData()

    def carried_body(robot, sensors, filled):
        position, velocity, readings, wrenches, sensed = sensors
        load, carried, momentum, up, turning, soles, foot_rates, swing, pull = filled
        q = pin.neutral(model)
        v = np.zeros(model.nv)
        mass = pin.computeTotalMass(upper)
        q[7:] = position
        v[6:] = velocity
        pin.forwardKinematics(upper, rest, q, v)
        pin.updateFramePlacements(upper, rest)
        of = model.getFrameId
        placed = rest.oMf
        turn = placed[of(imu.name)].rotation
        up[:] = turn @ readings[3:]
        v[3:6] = (
            turn @ readings[:3]
            - pin.getFrameVelocity(upper, rest, of(imu.name), AXES).angular
        )
        pin.computeCentroidalMomentum(upper, rest, q, v)
        at_centre = pin.SE3(np.eye(3), -rest.com[0])
        forces = (
            placed[of(one.name)].act(pin.Force(w))
            for one, w in zip(others[2:], wrenches, strict=True)
        )
        load[:] = sum(at_centre.act(force).vector for force in forces)
        turning[:] = v[3:6]
        momentum[3:] = rest.hg.angular
        carried[:3], carried[3:] = mass * up, np.cross(turning, rest.hg.angular)
        momentum[:3] = mass * (
            rest.vcom[0] - pin.getFrameVelocity(upper, rest, of(imu.name), AXES).linear
        )
        soles[:] = [placed[frame].translation for frame in frames]
        foot_rates[:] = [
            pin.getFrameVelocity(upper, rest, of(one.name), pin.LOCAL).angular
            for one in others[:2]
        ]
        way, *ends = (
            pin.getFrameVelocity(upper, rest, of(one.name), AXES).linear
            for one in (imu, *others[:2])
        )
        for foot, (one, end) in enumerate(zip(others[:2], ends, strict=True)):
            swing[foot] = way - end
            pull[foot] = (
                up
                - placed[of(one.name)].rotation @ sensed[foot, 3:]
                - np.cross(turning, swing[foot])
            )

    def whole_body_terms(robot, motion, filled):
        q, v = motion
        (
            mass_matrix,
            bias,
            jacobians,
            drift,
            position,
            rotation,
            velocity,
            centre,
            centre_velocity,
            momentum,
        ) = filled
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        for foot, frame in enumerate(frames):
            drift[foot] = pin.getFrameClassicalAcceleration(
                model, data, frame, AXES
            ).vector
        sole_kinematics(robot, q, v, position, rotation, velocity)
        pin.computeAllTerms(model, data, q, v)
        for foot, frame in enumerate(frames):
            jacobians[foot] = pin.getFrameJacobian(model, data, frame, AXES)
        upper = np.triu(data.M)  # Pinocchio fills no more
        mass_matrix[:] = upper + np.triu(upper, 1).T
        bias[:] = data.nle
        centre[:], centre_velocity[:], momentum[:] = (
            data.com[0],
            data.vcom[0],
            data.hg.angular,
        )

    functions = (
        forward_dynamics,
        sole_kinematics,
        sensor_readings,
        body_kinematics,
        carried_body,
        whole_body_terms,
    )
    return {function.__name__: function for function in functions}
