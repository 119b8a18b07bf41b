# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A recording plays through the estimator node to the same answers as the estimator gives without ROS."""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from nodes.partner import FRICTION, activated  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402

from biped_slip.estimation.foot_measurement import OdometryMotion  # noqa: E402
from biped_slip.estimation.friction_observer import FrictionObserver  # noqa: E402
from biped_slip.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402
from biped_slip.nodes.named_scalars import estimate_from  # noqa: E402
from biped_slip.nodes.recording_player import RecordingPlayerNode  # noqa: E402
from biped_slip.recordings.as_readings import SLED_JOINTS, as_readings  # noqa: E402
from biped_slip.recordings.layout import read_layouts  # noqa: E402
from biped_slip.recordings.table_recording import read_table_recording  # noqa: E402
from biped_slip.robots.planar_biped import SOLES  # noqa: E402
from biped_slip.robots.robot import Robot, Root  # noqa: E402
from biped_slip.shared_files import shared_file  # noqa: E402
from biped_slip.simulation.prevention import prevention  # noqa: E402
from biped_slip.simulation.run import named_scenario  # noqa: E402

SAMPLES = 60


@pytest.fixture
def table(tmp_path):
    time = 0.005 * np.arange(SAMPLES)
    normal = np.where(time < 0.02, 0.0, 50.0)
    position = 1e-3 * np.maximum(time - 0.05, 0.0)
    force = -np.minimum(0.4 * normal, 4e5 * position)
    rows = np.column_stack([time, normal, position, force])
    file, layout = tmp_path / "pull.csv", tmp_path / "layout.yaml"
    file.write_text("t,n,x,f\n" + "\n".join(",".join(map(repr, map(float, row))) for row in rows))
    columns = "time: {column: t, unit: s}\n  normal: {column: n, unit: N}\n  position_x: {column: x, unit: m}"
    layout.write_text(
        f"source: pull\nlayouts:\n- name: pull\n  feet:\n  - name: left\n    "
        f"{columns.replace(chr(10), chr(10) + '  ')}\n    force_x: {{column: f, unit: N}}\n"
    )
    return file, layout


def test_a_played_recording_has_the_estimates_of_the_library(partner, table):
    file, layout = table
    urdf = shared_file("urdf/foot_sled.urdf").read_text()
    robot = Robot(urdf, Root.SAGITTAL, SLED_JOINTS, SOLES)
    estimator = prevention("interval", named_scenario("thesis"), robot).estimator
    observer = FrictionObserver(robot, estimator, OdometryMotion(robot))
    series, _ = read_table_recording(file, read_layouts(layout))
    expected = [observer.step(readings).estimates[0] for readings in as_readings(series)]
    assert expected[-1].force_ratio == pytest.approx(0.4)

    estimator = activated(FrictionEstimatorNode, robot_description=urdf, joints=list(SLED_JOINTS))
    player = activated(RecordingPlayerNode, **{"recording": str(file), "layout": str(layout), "speed": 0.5})
    partner.connect(estimator, FRICTION[0])
    got = {}
    for _ in range(20 * SAMPLES):
        if player.exit_code is None:
            player.step()
        for message in partner.received(estimator, 0.003)[FRICTION[0]]:
            got[message.header.stamp.nanosec] = estimate_from(message)
        if player.exit_code == 0 and len(got) == SAMPLES:
            break
    assert player.exit_code == 0
    assert len(got) > 0.9 * SAMPLES
    stamps = [int(stamp) for stamp in series[0].stamp_ns]
    if len(got) == SAMPLES:
        np.testing.assert_array_equal([got[stamp] for stamp in stamps], expected)
    np.testing.assert_allclose(
        [got[stamp].force_ratio for stamp in got], [expected[stamps.index(s)].force_ratio for s in got]
    )
    player.end()
    estimator.end()


def test_a_recording_that_is_not_there_is_refused(ros, table):
    from nodes.partner import make

    node = make(RecordingPlayerNode, **{"recording": "nowhere.csv", "layout": str(table[1])})
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "nowhere.csv" in node.status.sentence
    node.end()
