# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The real Gazebo for tests: what is installed of it, a walk in it as a bag, and what
the bag says of the feet."""

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml
from ros.ros2_control import NEEDED as UNDER_ROS2_CONTROL
from ros.ros2_control import Ear, launched, let_go, missing

from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.recordings.bag_feet import RobotTopics
from biped_slip.recordings.bag_robot import RobotSource
from biped_slip.recordings.bags import Bag
from biped_slip.recordings.replay import answer_bag
from biped_slip.robots.planar_biped import planar_biped, standing_coordinates
from biped_slip.ros.messages import estimate_from
from biped_slip.ros.processes import NodeProcess, free_domain
from biped_slip.simulation.planar.scenario import chosen_scenario

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "config" / "recordings" / "walk.yaml"
NEEDED = (
    *UNDER_ROS2_CONTROL[:3],
    "forward_command_controller",
    "robot_state_publisher",
    "xacro",
    "gz_ros2_control",
    "ros_gz_sim",
    "ros_gz_bridge",
)
SENSORS = ("joint_states", "imu/data", "odom", "l_foot/wrench", "r_foot/wrench")
ESTIMATES = tuple(f"friction_estimator/{foot}_foot/friction_values" for foot in "lr")
# real-time factor: on two cores that others use, too
RATE = float(os.environ.get("GAZEBO_RATE", "0.1"))
BALL = 0.001  # [m] radius of a foot
FALLEN = 0.45  # [m] of the base
# [N], [s], [s]: what a stance is
LOADED = 2.0
SHORTEST = 0.1
GAP = 0.02
TOUCHDOWN = 0.01  # [s] in which a foot comes to rest


def need_gazebo():
    """Skip where the real programs are not installed, with the reason."""
    absent = missing(NEEDED)
    if shutil.which("gz") is None:
        absent.append("gz")
    if absent:
        pytest.skip(f"Gazebo is not installed: no {', '.join(absent)}")


def world(folder, rate, name="friction_patches"):
    """A shipped world at a real-time factor."""
    text = (ROOT / "worlds" / f"{name}.sdf").read_text()
    assert "<real_time_factor>1</real_time_factor>" in text
    file = folder / f"{name}.sdf"
    file.write_text(text.replace("<real_time_factor>1<", f"<real_time_factor>{rate}<"))
    return str(file)


def start_of(seed):
    """Arguments of the launch for a drawn start: posture, and the patch's place; none
    is nominal."""
    if seed is None:
        return {}, 2.25
    scenario = chosen_scenario("thesis", seed=seed)
    start = scenario.start
    robot = planar_biped()
    feet = (start.left_foot, 0.0), (start.right_foot, 0.0)
    posture = standing_coordinates(robot, (0.0, start.hip_height), feet)[
        robot.root_size :
    ]
    (edge,) = scenario.ground.edges
    x = 2.25 - edge  # of the start: the world's patch stays where it is
    words = " ".join(f"{angle:.6f}" for angle in posture)
    return {
        "posture": words,
        "z": f"{start.hip_height + BALL:.6f}",
        "x": f"{x:.6f}",
    }, 2.25


class Watcher(Ear):
    """Looks at the base ten times a second."""

    def __init__(self, domain, namespace=""):
        from nav_msgs.msg import Odometry
        from rclpy.qos import QoSProfile, QoSReliabilityPolicy

        super().__init__(domain, namespace)
        self.time = -np.inf
        self.place = None
        self.height = None
        newest = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)
        self.node.create_subscription(Odometry, "odom", self._see, newest)

    def _see(self, message):
        stamp = message.header.stamp
        position = message.pose.pose.position
        self.time = stamp.sec + 1e-9 * stamp.nanosec
        self.place = position.x
        self.height = position.z
        time.sleep(0.1)  # the next one that is looked at is the newest then


@contextlib.contextmanager
def gazebo(folder, domain, rate=RATE, **arguments):
    """gazebo.launch.py without a window."""
    need_gazebo()
    given = {"gz_args": "-s -r", "world": world(folder, rate), **arguments}
    with launched(
        "gazebo.launch.py", domain, folder, {"GZ_PARTITION": f"test{domain}"}, **given
    ) as (process, log):
        yield process, log


def recorded(
    folder, seconds, rate=RATE, namespace="", topics=(*SENSORS, *ESTIMATES), **arguments
):
    """Bag of a walk of so many simulated seconds after the joints were let go, or until
    it has fallen."""
    need_gazebo()
    domain = free_domain()
    bag = folder / "walk.mcap"
    given = {"namespace": namespace, **arguments} if namespace else arguments
    ear = Watcher(domain, namespace)
    place = f"/{namespace}/" if namespace else "/"
    said = {
        "output": str(bag),
        "topics": [place + topic for topic in topics],
        "autostart": True,
    }
    try:
        with gazebo(folder, domain, rate, **given) as (process, log):
            recorder = NodeProcess("topic_recorder", said, folder, domain)
            try:
                ear.until(lambda: let_go(log), process, log)
                ear.until(lambda: ear.height is not None, process, log)
                end = ear.time + seconds
                ear.until(
                    lambda: ear.time > end or ear.height < FALLEN,
                    process,
                    log,
                    6.0 * seconds / rate + 60.0,
                )
            finally:
                recorder.end()
            os.killpg(process.pid, signal.SIGINT)
            process.wait(60.0)
    finally:
        ear.close()
    return bag


class Stance(NamedTuple):
    """One stance of one foot."""

    foot: int
    begin: float  # [s]
    end: float
    place: float  # [m] along x, at its middle
    slip: float  # [m] largest distance between two of its places
    ratio: float  # 99 % quantile of |tangential| / normal


class Walk(NamedTuple):
    """What a bag says."""

    stances: list[Stance]
    distance: float  # [m]
    lowest: float  # [m] of the base
    seconds: float


def walk_of(bag, namespace=""):
    """Stances of a recorded walk, through the robot's model."""
    source = RobotSource(Bag(bag), topics_of(namespace))
    rows = ([], [])
    base = []
    for sample in source.samples():
        values = sample.values
        rows[sample.foot].append(
            (1e-9 * sample.stamp_ns, values[0], values[2], values[6])
        )
    for readings in source.readings():
        base.append((1e-9 * readings.stamp_ns, *readings.position_base_in_odom))
    base = np.array(base)
    stances = [
        stance
        for foot, one in enumerate(rows)
        for stance in _stances(foot, np.array(one))
    ]
    return Walk(
        stances,
        base[-1, 1] - base[0, 1],
        float(base[:, 3].min()),
        float(base[-1, 0] - base[0, 0]),
    )


def topics_of(namespace=""):
    """Names in the bag, and what the estimators are told."""
    layout = bag_layout_of(CONFIG)
    if not namespace:
        return layout
    moved = {
        name: f"/{namespace}{getattr(layout, name)}"
        for name in ("joints", "imu", "odometry", "left_wrench", "right_wrench")
    }
    return RobotTopics.from_mapping({**layout.to_mapping(), **moved})


def bag_layout_of(file):
    """The robot of a layout file."""
    return RobotTopics.from_mapping(
        yaml.safe_load(Path(file).read_text())["bag"]["robot"]
    )


def _stances(foot, rows):
    at, along, normal, place = rows.T
    loaded = normal > LOADED
    found = []
    begin = None
    last = None
    for k in np.flatnonzero(loaded):
        if begin is None or at[k] - at[last] > GAP:
            if begin is not None:
                found.append((begin, last))
            begin = k
        last = k
    if begin is not None:
        found.append((begin, last))
    for begin, last in found:
        if at[last] - at[begin] < SHORTEST:
            continue
        inside = slice(begin, last + 1)
        rest = (
            loaded[inside]
            & (at[inside] > at[begin] + TOUCHDOWN)
            & (at[inside] < at[last] - TOUCHDOWN)
        )
        x = place[inside][rest]
        ratio = np.abs(along[inside][rest]) / normal[inside][rest]
        yield Stance(
            foot=foot,
            begin=at[begin],
            end=at[last],
            place=float(np.median(x)),
            slip=float(np.ptp(x)),
            ratio=float(np.quantile(ratio, 0.99)),
        )


def estimates_of(bag, namespace=""):
    """Times and estimates of both feet."""
    place = f"/{namespace}/" if namespace else "/"
    names = [place + topic for topic in ESTIMATES]
    found = ([], [])
    for message in Bag(bag).messages(set(names)):
        stamp = message.content.header.stamp
        found[names.index(message.topic)].append(
            (stamp.sec + 1e-9 * stamp.nanosec, estimate_from(message.content))
        )
    return found


def during(estimates, stance):
    """Estimates of a stance."""
    return [
        one for at, one in estimates[stance.foot] if stance.begin <= at <= stance.end
    ]


def base_of(bag, topic="/odom"):
    """Time and place (n, 4) of the base."""
    rows = []
    for message in Bag(bag).messages({topic}):
        stamp = message.content.header.stamp
        place = message.content.pose.pose.position
        rows.append((stamp.sec + 1e-9 * stamp.nanosec, place.x, place.y, place.z))
    return np.array(rows)


class Replayed(NamedTuple):
    """A stance as the node answered it and as a replay of the bag does."""

    stance: Stance
    live: int  # instants that the node answered
    replayed: int  # instants that the replay answered
    # share of the node's instants whose force ratio is the same to the last bit
    ratios: float
    estimates: float  # share whose whole estimate is


def replayed_stances(bag):
    """Every stance, live and replayed."""
    live = estimates_of(bag)
    found = []
    answers = [
        dict(zip(map(int, foot.series.stamp_ns), foot.answers, strict=True))
        for foot in answer_bag(bag, CONFIG, "interval").feet
    ]
    ratio = FrictionEstimate._fields.index("force_ratio")
    for stance in walk_of(bag).stances:
        inside = [
            at for at in answers[stance.foot] if stance.begin <= 1e-9 * at <= stance.end
        ]
        told = [
            (round(1e9 * at), one)
            for at, one in live[stance.foot]
            if stance.begin <= at <= stance.end
        ]
        pairs = [
            (np.array(one, dtype=float), answers[stance.foot].get(at))
            for at, one in told
        ]
        same = [
            (
                b is not None and np.array_equal(a[ratio], b[ratio], equal_nan=True),
                b is not None and np.array_equal(a, b, equal_nan=True),
            )
            for a, b in pairs
        ]
        found.append(
            Replayed(
                stance,
                len(told),
                len(inside),
                *(np.mean(same, axis=0) if same else (0.0, 0.0)),
            )
        )
    return found
