# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""robot.launch.py under the real launch with the real controller manager on mock hardware.

Skipped with the reason where ros2_control is not installed; ``pytest -m ros2_control`` runs these alone.
"""

import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.ros2_control]

import rclpy  # noqa: E402
from geometry_msgs.msg import WrenchStamped  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rclpy.context import Context  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.qos import qos_profile_sensor_data  # noqa: E402
from ros.ros2_control import launched, need_ros2_control, processes_of  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from biped_slip.friction_estimation.types import EstimateState  # noqa: E402
from biped_slip.ros.processes import free_domain  # noqa: E402
from biped_slip.ros.topics.controller_activity import TOLD_LATE  # noqa: E402
from biped_slip.ros.topics.named_scalars import estimate_from  # noqa: E402

PATIENCE = 120.0  # [s] a loaded machine compiles slowly


class Listener:
    """Hears what a launched robot says."""

    def __init__(self, domain, namespace):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node("listener", namespace=namespace, context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.newest = {}

    def listen(self, kind, topic):
        def keep(message):
            self.newest.setdefault(topic, []).append(message)

        self.node.create_subscription(kind, topic, keep, qos_profile_sensor_data)

    def until(self, condition, process, log):
        end = time.monotonic() + PATIENCE
        while not (found := condition()):
            assert process.poll() is None, log.read_text()[-4000:]
            assert time.monotonic() < end, log.read_text()[-6000:]
            self.executor.spin_once(timeout_sec=0.1)
        return found

    def close(self):
        self.executor.remove_node(self.node)
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def listener(request):
    need_ros2_control()
    made = []

    def make(domain, namespace):
        made.append(Listener(domain, namespace))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize("namespace", ["", "one"])
def test_mock_hardware_is_a_robot_that_says_something_and_of_which_nothing_is_known(listener, tmp_path, namespace):
    """Sensors are sane, odometry comes from base_estimator, and numbers that stand still are not evidence."""
    domain = free_domain()
    ear = listener(domain, namespace)
    topics = {
        "joint_states": JointState,
        "imu_sensor_broadcaster/imu": Imu,
        "l_foot_fts_broadcaster/wrench": WrenchStamped,
        "odom": Odometry,
        "friction_estimator/l_foot/friction": JointState,
    }
    for topic, kind in topics.items():
        ear.listen(kind, topic)
    arguments = {"namespace": namespace} if namespace else {}
    with launched("robot.launch.py", domain, tmp_path, hardware="mock", **arguments) as (process, log):
        ear.until(lambda: all(len(ear.newest.get(topic, ())) > 200 for topic in topics), process, log)
        joints, imu, wrench, odom, _ = (ear.newest[topic][-1] for topic in topics)
        assert set(joints.name) >= {"l_hip", "l_knee", "r_hip", "r_knee"}
        assert imu.linear_acceleration.z == pytest.approx(9.81)
        assert wrench.header.frame_id == "l_sole"
        assert np.hypot(wrench.wrench.force.x, wrench.wrench.force.z) == pytest.approx(16.68, abs=0.01)
        assert odom.pose.pose.position.z == pytest.approx(0.7, abs=0.01)
        states = [estimate_from(one).state_code for one in ear.newest["friction_estimator/l_foot/friction"][-50:]]
        assert not {EstimateState.USABLE, EstimateState.SLIPPING} & set(states)
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60.0)
        end = time.monotonic() + 10.0
        while processes_of(process.pid) and time.monotonic() < end:
            time.sleep(0.1)
        assert not processes_of(process.pid), log.read_text()[-3000:]


def test_the_walking_controller_is_active_before_the_controller_of_efforts(listener, tmp_path):
    domain = free_domain()
    ear = listener(domain, "")
    with launched("robot.launch.py", domain, tmp_path, hardware="mock", walk="true") as (process, log):
        ear.until(
            lambda: (
                "Configured and activated effort_controller" in log.read_text()
                or "activated all the parsed controllers list : ['effort_controller']" in log.read_text()
            ),
            process,
            log,
        )
        said = log.read_text()
        waited = next(line for line in said.splitlines() if "wait_for_active" in line and "finished cleanly" in line)
        assert said.index(waited) < said.rindex("effort_controller")


def test_the_manager_clips_efforts_keeps_the_last_torque_and_drops_who_sends_a_wrong_size(listener, tmp_path):
    """What docs/robots.md says of ros2_control; mock hardware answers each effort by the same."""
    domain = free_domain()
    ear = listener(domain, "")
    ear.listen(JointState, "joint_states")
    command = ear.node.create_publisher(Float64MultiArray, "effort_controller/commands", 1)
    activity = pytest.importorskip("controller_manager_msgs.msg").ControllerManagerActivity
    states = []
    ear.node.create_subscription(
        activity,
        "controller_manager/activity",
        lambda told: states.append({one.name: one.state.label for one in told.controllers}),
        TOLD_LATE,
    )

    def effort(of="l_hip"):
        newest = ear.newest["joint_states"][-1]
        return newest.effort[newest.name.index(of)]

    with launched("robot.launch.py", domain, tmp_path, hardware="mock", walk="true", odom="given") as (process, log):
        # without odom the walking controller waits, and sends nothing
        ear.until(lambda: states and states[-1].get("effort_controller") == "active", process, log)
        ear.until(lambda: command.get_subscription_count(), process, log)

        def sent(*efforts):
            command.publish(Float64MultiArray(data=[float(one) for one in efforts]))
            return True

        ear.until(lambda: sent(100, 0, 0, 0) and effort() == pytest.approx(60.0), process, log)
        ear.until(lambda: sent(7, 0, 0, 0) and effort() == pytest.approx(7.0), process, log)
        ear.newest["joint_states"].clear()
        ear.until(lambda: len(ear.newest["joint_states"]) > 500, process, log)
        assert effort() == pytest.approx(7.0)  # nobody has sent anything for half a second
        ear.until(lambda: sent(1, 2) and states[-1].get("effort_controller") != "active", process, log)
        ear.newest["joint_states"].clear()
        ear.until(lambda: len(ear.newest["joint_states"]) > 100, process, log)
        assert effort() == pytest.approx(7.0)  # nor when the controller is gone: the hardware needs a watchdog
