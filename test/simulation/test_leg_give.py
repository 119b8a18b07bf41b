# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Legs that give way between encoders and soles: joints then show the soles elsewhere,
by Hooke's law."""

import numpy as np
import pinocchio as pin
import pytest

from biped_slip.robots.humanoid import load_humanoid
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.sensor_config import EncoderConfig
from biped_slip.simulation.humanoid.sensors import LegGive
from biped_slip.simulation.planar.oracle import planar_policy
from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
from biped_slip.simulation.planar.walk import Walk


def test_a_humanoids_encoders_show_soles_that_the_ground_has_not_pushed_back():
    humanoid = load_humanoid("talos")
    legs = LegGive(
        humanoid,
        EncoderConfig(leg_stiffness=1e5, leg_spread=0.0),
        np.random.default_rng(0),
    )
    q = humanoid.standing()
    forces = np.array([[-80.0, 10.0, 400.0], [30.0, 0.0, 500.0]])
    shown = q.copy()
    shown[7:] += legs.shown(q, forces)
    model, data = humanoid.model, humanoid.model.createData()

    def soles(at):
        pin.framesForwardKinematics(model, data, at)
        return [
            data.oMf[model.getFrameId(sole)].copy() for sole in humanoid.robot.soles
        ]

    for true, seen, force in zip(soles(q), soles(shown), forces, strict=True):
        assert seen.translation[:2] - true.translation[:2] == pytest.approx(
            -1e-5 * force[:2], abs=2e-6
        )
        assert seen.translation[2] - true.translation[2] == pytest.approx(0.0, abs=2e-6)
        assert seen.rotation == pytest.approx(true.rotation, abs=1e-5)


def test_legs_differ_as_much_as_is_said():
    humanoid = load_humanoid("talos")
    config = EncoderConfig(leg_stiffness=1e5)
    drawn = [
        LegGive(humanoid, config, np.random.default_rng(seed)).compliance
        for seed in range(40)
    ]
    assert np.mean(drawn) == pytest.approx(1e-5, rel=0.1)
    assert np.std(drawn) == pytest.approx(2e-6, rel=0.3)


def test_the_planar_bipeds_encoders_do_the_same_and_nothing_else_changes():
    said = chosen_scenario("thesis").to_mapping()
    rigid = Walk(
        ScenarioConfig.from_mapping(said),
        planar_policy("none", ScenarioConfig.from_mapping(said)),
    )
    said["sensors"].update(leg_stiffness=2e4, leg_spread=0.0)
    scenario = ScenarioConfig.from_mapping(said)
    soft = Walk(scenario, planar_policy("none", scenario))
    for _ in range(400):
        torques = rigid.controller.step(rigid.read()).torques
        soft.read()
        rigid.advance(torques)
        soft.advance(torques)
    sees = soft.read()
    row = soft.log.length - 1
    q = soft.log.q[row]
    root = soft.robot.root_size
    functions = model_functions(soft.robot)
    shown = np.concatenate((q[:root], sees.joint_position))
    apart = (
        functions.sole_motion(shown, np.zeros_like(shown))[0]
        - functions.sole_motion(q, np.zeros_like(q))[0]
    )
    assert np.abs(soft.log.tangential[row]).max() > 1.0
    assert apart[:, 0] == pytest.approx(-soft.log.tangential[row] / 2e4, rel=0.02)
    assert apart[:, 2] == pytest.approx(
        [0.0, 0.0], abs=0.02 * np.abs(apart[:, 0]).max()
    )
    assert np.array_equal(
        sees.wrench_ground_on_foot_in_sole, rigid.read().wrench_ground_on_foot_in_sole
    )
