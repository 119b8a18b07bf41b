# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""robot.launch.py under the real launch with the real controller manager on mock
hardware.

Skipped with the reason where ros2_control is not installed; ``pytest -m ros2_control``
runs these alone.
"""

import os
import signal
import time

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.ros2_control]

from geometry_msgs.msg import WrenchStamped  # noqa: E402
from nav_msgs.msg import Odometry  # noqa: E402
from rclpy.qos import qos_profile_sensor_data  # noqa: E402
from ros.ros2_control import (  # noqa: E402
    Ear,
    launched,
    let_go,
    missing,
    need_ros2_control,
    processes_of,
    program_of,
)
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402

from biped_slip.friction_estimation.types import EstimateState  # noqa: E402
from biped_slip.ros.messages import estimate_from  # noqa: E402
from biped_slip.ros.nodes.walking_controller import TOLD_LATE  # noqa: E402
from biped_slip.ros.processes import NodeProcess, free_domain  # noqa: E402


@pytest.fixture
def listener(request):
    need_ros2_control()
    made = []

    def make(domain, namespace):
        made.append(Ear(domain, namespace))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize("namespace", ["", "one"])
def test_mock_hardware_is_a_robot_that_says_something_and_of_which_nothing_is_known(
    listener, tmp_path, namespace
):
    """Sensors are sane, odometry comes from base_estimator, and numbers that stand
    still are not evidence."""
    domain = free_domain()
    ear = listener(domain, namespace)
    topics = {
        "joint_states": JointState,
        "imu_sensor_broadcaster/imu": Imu,
        "l_foot_fts_broadcaster/wrench": WrenchStamped,
        "odom": Odometry,
        "friction_estimator/l_foot/friction_values": JointState,
    }
    for topic, kind in topics.items():
        ear.listen(kind, topic)
    arguments = {"namespace": namespace} if namespace else {}
    with launched(
        "robot.launch.py", domain, tmp_path, hardware="mock", **arguments
    ) as (process, log):
        ear.until(
            lambda: all(len(ear.newest.get(topic, ())) > 200 for topic in topics),
            process,
            log,
        )
        joints, imu, wrench, odom, _ = (ear.newest[topic][-1] for topic in topics)
        assert set(joints.name) >= {"l_hip", "l_knee", "r_hip", "r_knee"}
        assert imu.linear_acceleration.z == pytest.approx(9.81)
        assert wrench.header.frame_id == "l_sole"
        assert np.hypot(wrench.wrench.force.x, wrench.wrench.force.z) == pytest.approx(
            16.68, abs=0.01
        )
        assert odom.pose.pose.position.z == pytest.approx(0.7, abs=0.01)
        states = [
            estimate_from(one).state_code
            for one in ear.newest["friction_estimator/l_foot/friction_values"][-50:]
        ]
        assert not {EstimateState.USABLE, EstimateState.SLIPPING} & set(states)
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60.0)
        end = time.monotonic() + 10.0
        while processes_of(process.pid) and time.monotonic() < end:
            time.sleep(0.1)
        assert not processes_of(process.pid), log.read_text()[-3000:]


def test_the_walking_controller_is_active_before_the_controller_of_efforts(
    listener, tmp_path
):
    domain = free_domain()
    ear = listener(domain, "")
    with launched(
        "robot.launch.py", domain, tmp_path, hardware="mock", walk="true"
    ) as (process, log):
        ear.until(lambda: let_go(log), process, log)
        said = log.read_text()
        waited = next(
            line
            for line in said.splitlines()
            if "wait_for_active" in line and "finished cleanly" in line
        )
        assert said.index(waited) < said.rindex("effort_controller")


def test_the_manager_clips_efforts_keeps_the_last_torque_and_drops_who_sends_a_wrong_size(
    listener, tmp_path
):
    """What docs/robots.md says of ros2_control; mock hardware answers each effort by
    the same."""
    domain = free_domain()
    ear = listener(domain, "")
    ear.listen(JointState, "joint_states")
    command = ear.node.create_publisher(
        Float64MultiArray, "effort_controller/commands", 1
    )
    activity = pytest.importorskip(
        "controller_manager_msgs.msg"
    ).ControllerManagerActivity
    states = []
    ear.node.create_subscription(
        activity,
        "controller_manager/activity",
        lambda told: states.append(
            {one.name: one.state.label for one in told.controllers}
        ),
        TOLD_LATE,
    )

    def effort(of="l_hip"):
        newest = ear.newest["joint_states"][-1]
        return newest.effort[newest.name.index(of)]

    with launched(
        "robot.launch.py", domain, tmp_path, hardware="mock", walk="true", odom="given"
    ) as (process, log):
        # without odom the walking controller waits, and sends nothing
        ear.until(
            lambda: states and states[-1].get("effort_controller") == "active",
            process,
            log,
        )
        ear.until(lambda: command.get_subscription_count(), process, log)

        def sent(*efforts):
            command.publish(Float64MultiArray(data=[float(one) for one in efforts]))
            return True

        ear.until(
            lambda: sent(100, 0, 0, 0) and effort() == pytest.approx(60.0), process, log
        )
        ear.until(
            lambda: sent(7, 0, 0, 0) and effort() == pytest.approx(7.0), process, log
        )
        ear.newest["joint_states"].clear()
        ear.until(lambda: len(ear.newest["joint_states"]) > 500, process, log)
        # nobody has sent anything for half a second
        assert effort() == pytest.approx(7.0)
        ear.until(
            lambda: sent(1, 2) and states[-1].get("effort_controller") != "active",
            process,
            log,
        )
        ear.newest["joint_states"].clear()
        ear.until(lambda: len(ear.newest["joint_states"]) > 100, process, log)
        # nor when the controller is gone: the hardware needs a watchdog
        assert effort() == pytest.approx(7.0)


def test_a_killed_controller_leaves_its_last_torque_and_the_next_one_takes_over(
    listener, tmp_path
):
    """The launch goes on; whoever starts the controller again needs no other step."""
    domain = free_domain()
    ear = listener(domain, "")
    for kind, topic in (
        (JointState, "joint_states"),
        (Float64MultiArray, "effort_controller/commands"),
    ):
        ear.listen(kind, topic)
    command = ear.node.create_publisher(
        Float64MultiArray, "effort_controller/commands", 1
    )

    def effort():
        newest = ear.newest["joint_states"][-1]
        return newest.effort[newest.name.index("l_hip")]

    def commanded():
        return ear.newest.get("effort_controller/commands", [])

    with launched(
        "robot.launch.py", domain, tmp_path, hardware="mock", walk="true"
    ) as (process, log):
        ear.until(
            lambda: (
                let_go(log)
                and len(commanded()) > 100
                and ear.newest.get("joint_states")
            ),
            process,
            log,
        )
        (controller,) = program_of(process.pid, "walking_controller")
        os.kill(controller, signal.SIGKILL)
        ear.until(lambda: "process has died" in log.read_text(), process, log)

        def sent():  # as the last word of a controller that walks
            command.publish(Float64MultiArray(data=[7.0, 0.0, 0.0, 0.0]))
            return effort() == pytest.approx(7.0)

        ear.until(sent, process, log)
        commanded().clear()
        ear.newest["joint_states"].clear()
        ear.until(lambda: len(ear.newest["joint_states"]) > 500, process, log)
        assert effort() == pytest.approx(7.0)
        remapped = {"imu/data": "imu_sensor_broadcaster/imu"}
        remapped |= {
            f"{foot}_foot/wrench": f"{foot}_foot_fts_broadcaster/wrench"
            for foot in "lr"
        }
        words = [
            "--ros-args",
            *(word for pair in remapped.items() for word in ("-r", ":=".join(pair))),
        ]
        again = NodeProcess(
            "walking_controller",
            {"autostart": True, "mode": "real-time"},
            tmp_path,
            domain,
            words,
        )
        try:
            ear.until(
                lambda: len(commanded()) > 100 and effort() != pytest.approx(7.0),
                process,
                log,
            )
        finally:
            again.end()
        # SIGINT: its last word is zero
        ear.until(lambda: effort() == 0.0, process, log)


def test_two_robots_side_by_side_do_not_hear_each_other(listener, tmp_path):
    domain = free_domain()
    ears = {name: listener(domain, name) for name in ("one", "two")}
    send = ears["one"].node.create_publisher(
        Float64MultiArray, "effort_controller/commands", 1
    )
    for ear in ears.values():
        ear.listen(JointState, "joint_states")
        ear.listen(JointState, "friction_estimator/l_foot/friction_values")
    folders = {name: tmp_path / name for name in ears}
    for folder in folders.values():
        folder.mkdir()
    mock = {
        "hardware": "mock",
        "walk": "true",
        "odom": "given",
    }  # without odom nobody else sends efforts
    with (
        launched(
            "robot.launch.py", domain, folders["one"], namespace="one", **mock
        ) as (first, log),
        launched(
            "robot.launch.py", domain, folders["two"], namespace="two", **mock
        ) as (second, other_log),
    ):

        def effort(name):
            newest = ears[name].newest["joint_states"][-1]
            return newest.effort[newest.name.index("l_hip")]

        def sent():
            send.publish(Float64MultiArray(data=[7.0, 0.0, 0.0, 0.0]))
            return ears["one"].newest.get("joint_states") and effort(
                "one"
            ) == pytest.approx(7.0)

        ears["two"].until(
            lambda: ears["two"].newest.get("joint_states"), second, other_log
        )
        ears["one"].until(sent, first, log)
        ears["two"].newest["joint_states"].clear()
        ears["two"].until(
            lambda: len(ears["two"].newest["joint_states"]) > 200, second, other_log
        )
        assert effort("two") == 0.0


def test_after_sigterm_the_last_command_is_zero_and_nobody_of_ours_is_left(
    listener, tmp_path
):
    """To the launch's process group, as a service manager does it."""
    domain = free_domain()
    ear = listener(domain, "")
    ear.listen(Float64MultiArray, "effort_controller/commands")
    with launched(
        "robot.launch.py", domain, tmp_path, hardware="mock", walk="true"
    ) as (process, log):
        ear.until(
            lambda: len(ear.newest.get("effort_controller/commands", ())) > 100,
            process,
            log,
        )
        ours = program_of(process.pid, "walking_controller")
        os.killpg(process.pid, signal.SIGTERM)
        end = time.monotonic() + 60.0
        while set(ours) & set(processes_of(process.pid)) and time.monotonic() < end:
            ear.executor.spin_once(timeout_sec=0.1)
        assert not set(ours) & set(processes_of(process.pid))
        # what waits in the listener's queue, too: each spin takes one message
        end = time.monotonic() + 3.0
        while time.monotonic() < end:
            ear.executor.spin_once(timeout_sec=0.02)
        assert not any(ear.newest["effort_controller/commands"][-1].data)


def test_a_robot_on_joint_topics_is_read_and_commanded_through_ros2_control(
    listener, tmp_path
):
    domain = free_domain()
    ear = listener(domain, "")
    if absent := missing(("topic_based_ros2_control",)):
        pytest.skip(f"{absent[0]} is not installed")
    ear.listen(JointState, "joint_states")
    ear.listen(JointState, "hardware/joint_commands")
    robot = ear.node.create_publisher(
        JointState, "hardware/joint_states", qos_profile_sensor_data
    )
    command = ear.node.create_publisher(
        Float64MultiArray, "effort_controller/commands", 1
    )
    names = ["l_hip", "l_knee", "r_hip", "r_knee"]
    angles = [-1.0, 0.5, -2.0, 0.7]

    def spoken():
        robot.publish(
            JointState(
                name=names, position=angles, velocity=[0.0] * 4, effort=[0.0] * 4
            )
        )
        command.publish(Float64MultiArray(data=[1.0, 2.0, 3.0, 4.0]))
        heard = ear.newest.get("joint_states", [None])[-1]
        told = ear.newest.get("hardware/joint_commands", [None])[-1]
        return (
            heard is not None
            and told is not None
            and [heard.position[list(heard.name).index(name)] for name in names]
            == angles
            and dict(zip(told.name, told.effort, strict=False))
            == dict(zip(names, (1.0, 2.0, 3.0, 4.0), strict=True))
        )

    given = {"hardware": "topic", "walk": "true", "odom": "given"}
    with launched("robot.launch.py", domain, tmp_path, **given) as (process, log):
        ear.until(spoken, process, log)
