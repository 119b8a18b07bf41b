# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The viewer node shows what it hears: base, joints, wrenches in their frames, what is
known of the floor."""

import math

import numpy as np
import pinocchio as pin
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytest.importorskip("viser", reason="viser is not installed (extra view)")
pytestmark = pytest.mark.ros

from ros.partner import PERIOD, activated, standing  # noqa: E402

from biped_slip.friction_estimation.types import NO_ESTIMATE  # noqa: E402
from biped_slip.robots.humanoid import load_humanoid  # noqa: E402
from biped_slip.ros.nodes.viewer import ViewerNode  # noqa: E402
from biped_slip.view.live_source import Bounds, LiveSource, Wrench  # noqa: E402

KNOWN = NO_ESTIMATE._replace(mu=0.5, mu_low=0.4, mu_high=0.6, usable=True)
NOTHING = Wrench("", np.zeros(3), np.zeros(3))
UNKNOWN = [Bounds(math.nan, math.nan, math.nan)] * 2


def test_the_node_shows_what_it_hears(partner):
    node = activated(ViewerNode, port=8500, rate=100.0)
    readings = standing()
    for tick in range(1, 600):
        partner.send(readings._replace(stamp_ns=tick * PERIOD))
        partner.send_estimates(tick * PERIOD, KNOWN)
        node.step()
        instants = node.source._instants
        if (
            instants
            and np.isfinite(instants[-1].numbers.low).all()
            and instants[-1].forces[:, 2].all()
        ):
            break
    last = instants[-1]
    assert last.forces[:, 2].sum() == pytest.approx(node.source.scene.weight, rel=0.1)
    assert last.soles[:, 0] == pytest.approx([0.5, -0.5], abs=2e-3)
    assert last.numbers.low == pytest.approx([0.4, 0.4])
    assert last.numbers.high == pytest.approx([0.6, 0.6])
    assert node.player.sent > 0
    assert node.status.healthy
    node.end()


def test_an_ankles_wrench_is_turned_and_moved_to_the_sole():
    humanoid = load_humanoid("talos")
    source = LiveSource(humanoid, "talos")
    q = humanoid.standing()
    joints = dict(zip(humanoid.robot.joints, q[7:], strict=True))
    data = humanoid.model.createData()
    pin.framesForwardKinematics(humanoid.model, data, q)
    sensor, sole = (
        data.oMf[humanoid.model.getFrameId(name)] for name in ("l_ft", "l_sole")
    )
    point = sole.translation + np.array([0.03, -0.02, 0.0])
    force = np.array([40.0, 10.0, 500.0])
    moment = np.cross(point - sensor.translation, force)
    wrench = Wrench("l_ft", sensor.rotation.T @ force, sensor.rotation.T @ moment)
    source.add(5.0, (q[:3], q[3:7]), joints, [wrench, NOTHING], UNKNOWN)
    instant = source.instant(0)
    assert instant.forces[0] == pytest.approx(force)
    assert instant.pressure[0] == pytest.approx(point, abs=1e-9)
    assert instant.numbers.ratio[0] == pytest.approx(math.hypot(40.0, 10.0) / 500.0)


def test_a_robot_whose_base_nobody_tells_stands_upright_on_the_floor():
    source = LiveSource(None, "biped")
    source.add(
        1.0, None, {"l_knee": -0.4, "stranger": 3.0}, [NOTHING, NOTHING], UNKNOWN
    )
    assert source.instant(0).soles[:, 2].min() == pytest.approx(0.0, abs=1e-9)


def test_a_landing_is_told_once_when_its_answer_has_settled():
    source = LiveSource(None, "biped")
    told = Bounds(limit=0.3, low=0.4, high=0.6, mu=0.5, travel=4e-3)
    for k, bound in enumerate(
        [UNKNOWN[0], told, told, told, told, UNKNOWN[0], told, told, told]
    ):
        source.add(1.0 + 0.03 * k, None, {}, [NOTHING, NOTHING], [bound, UNKNOWN[0]])
    counts = [len(source.instant(i).landings) for i in range(9)]
    assert counts == [0, 0, 0, 1, 1, 1, 1, 1, 2]
    landing = source.instant(8).landings[0]
    assert (landing.foot, landing.words) == (0, "0.50 (0.40 to 0.60)")
    assert landing.way == pytest.approx([-4e-3, 0.0, 0.0])


def test_time_counts_from_the_first_instant_and_begins_anew_with_the_robot():
    source = LiveSource(None, "biped")
    for time in (1.7e9, 1.7e9 + 0.5, 1.7e9 + 1.0):
        source.add(time, None, {}, [NOTHING, NOTHING], UNKNOWN)
    assert source.times == pytest.approx([0.0, 0.5, 1.0])
    source.add(3.0, None, {}, [NOTHING, NOTHING], UNKNOWN)
    assert source.times == pytest.approx([0.0])
