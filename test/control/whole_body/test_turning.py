# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The momentum about the vertical of a swinging leg: link by link, and none where something else counters it."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.control.whole_body.body import swing_lever
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.humanoid import humanoid_body


def test_a_leg_without_counterweight_has_the_momentum_of_its_links():
    body = humanoid_body(load_humanoid("surena3"))
    model = body.model
    q, data, dt = pin.neutral(model), model.createData(), 1e-6
    q[7:] = body.posture
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    jacobian = pin.getFrameJacobian(model, data, body.soles[0], pin.LOCAL_WORLD_ALIGNED)[:, 6:]
    v = np.concatenate((np.zeros(6), np.linalg.pinv(jacobian)[:, 0]))
    after = model.createData()
    pin.forwardKinematics(model, after, pin.integrate(model, q, dt * v))
    centre, momentum = pin.centerOfMass(model, data, q).copy(), 0.0
    pin.forwardKinematics(model, data, q)
    for inertia, before, later in zip(model.inertias[1:], data.oMi[1:], after.oMi[1:], strict=True):
        arm, moved = before.act(inertia.lever) - centre, later.act(inertia.lever) - before.act(inertia.lever)
        spin = later.rotation @ inertia.inertia @ before.rotation.T @ pin.log3(later.rotation @ before.rotation.T)
        momentum += (inertia.mass * np.cross(arm, moved) + spin)[2] / dt
    assert swing_lever(body) == pytest.approx(abs(momentum), rel=1e-3)
    assert swing_lever(body) > 0.1 * body.program.mass * 0.1  # a tenth of its mass at 0.1 m


@pytest.mark.parametrize("robot", ["talos", "bolt"])
def test_a_waist_takes_the_moment_and_points_hold_none(robot):
    assert swing_lever(humanoid_body(load_humanoid(robot))) == 0.0
