# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pinocchio as pin
import pytest

from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.stick_figures import TRUNK_HEIGHT, stick_figure


@pytest.mark.parametrize("variant", ["thesis", "torso"])
def test_knees_and_soles_are_where_the_rigid_body_library_puts_them(variant):
    robot = planar_biped(variant)
    model = robot.model
    data = robot.model.createData()
    q = np.random.default_rng(5).uniform(-2.0, 2.0, (50, model.nq))
    figure = stick_figure(robot, q)
    for i, row in enumerate(q):
        pin.framesForwardKinematics(model, data, row)
        for foot in (0, 1):
            knee = data.oMi[model.getJointId(robot.joints[1 + 2 * foot])].translation[
                [0, 2]
            ]
            sole = data.oMf[model.getFrameId(robot.soles[foot])].translation[[0, 2]]
            assert figure.knees[i, foot] == pytest.approx(knee, abs=1e-12)
            assert figure.soles[i, foot] == pytest.approx(sole, abs=1e-12)
        torso = data.oMf[model.getFrameId("base_link")]
        assert figure.hip[i] == pytest.approx(torso.translation[[0, 2]], abs=1e-12)
        assert figure.trunk[i] == pytest.approx(
            torso.act(np.array([0.0, 0.0, TRUNK_HEIGHT]))[[0, 2]], abs=1e-12
        )


def test_no_samples_give_no_points():
    assert stick_figure(planar_biped(), np.zeros((0, 6))).soles.shape == (0, 2, 2)
