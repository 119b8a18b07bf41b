# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A controller that keeps a humanoid in its standing posture: what tests of the plant need."""

import numpy as np
import pinocchio as pin


def holding_torques(humanoid):
    """Joint torques (n,) of the standing posture, the soles sharing the weight in the sense of least squares."""
    model, data, q = humanoid.model, humanoid.model.createData(), humanoid.standing()
    gravity = pin.computeGeneralizedGravity(model, data, q)
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    frames = [model.getFrameId(sole) for sole in humanoid.robot.soles]
    jacobian = np.vstack([pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED) for frame in frames])
    wrenches = np.linalg.lstsq(jacobian[:, :6].T, gravity[:6], rcond=None)[0]
    return (gravity - jacobian.T @ wrenches)[6:]


class Standing:
    """Springs and dampers in the joints, and ankles that brake the base's sway; gains grow with the weight."""

    def __init__(self, humanoid):
        model, weight = humanoid.model, humanoid.weight
        self.posture, self.forward = humanoid.posture, holding_torques(humanoid)
        self.stiffness, self.damping = 3.4 * weight, 0.2 * weight * min(1.0, humanoid.config.armature / 0.1)
        rolls = [model.frames[model.getFrameId(sole)].parentJoint for sole in humanoid.robot.soles]
        self.ankles = np.array([[model.joints[j].idx_v - 6 for j in (joint, model.parents[joint])] for joint in rolls])
        self.braking = 0.7 * weight

    def __call__(self, readings):
        torques = self.forward + self.stiffness * (self.posture - readings.joint_position)
        torques -= self.damping * readings.joint_velocity
        torques[self.ankles] += self.braking * readings.angular_velocity_in_base[:2]
        return torques


def stand(world, control):
    """Run a world to its end and return what is left of its log."""
    while not world.ended:
        world.advance(control(world.read()))
    return world.log.trim()
