# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node: draws friction estimates for RViz and Foxglove.

It does so at a low rate, off every control loop.
"""

from __future__ import annotations

import math
import time
from typing import Any, Iterator, NamedTuple, Sequence

import numpy as np
from geometry_msgs.msg import Point, WrenchStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from biped_slip.compile.arrays import Array
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.friction_estimation.types import NO_ESTIMATE, FrictionEstimate
from biped_slip.reports.stances import answer_words
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.stick_figures import SolePlaces
from biped_slip.ros.dds import OUTPUTS, SENSOR_INPUTS, message_class
from biped_slip.ros.messages import (
    FOOT_NAMES,
    UnusableSample,
    check_topic_per_foot,
    estimate_from,
)
from biped_slip.ros.parameters import declare_configuration
from biped_slip.ros.planar_parameters import RobotConfig
from biped_slip.ros.robot_node import RobotNode
from biped_slip.ros.stamps import Present
from biped_slip.ros.whole_body_message import WHOLE_BODY_TYPE, whole_body_state

CONE_SIDES = 24  # of a drawn cone
UNKNOWN_COLOUR = (0.6, 0.6, 0.6, 0.35)
SHAFT = 0.012  # diameter of a force's arrow [m]
HEAD_DIAMETER = 0.03  # diameter of an arrow's head [m]
HEAD_LENGTH = 0.04  # of an arrow [m]
FOOT_DIAMETER = 0.04  # diameter of a foot's marker [m]
FOOTSTEP = 0.03  # diameter of a footstep's marker [m]
TEXT_HEIGHT = 0.05  # height of words [m]
ENLARGED = 10.0  # times that the slide of a landing is drawn longer


@configuration
class MarkerConfig(Configuration):
    """Configuration of the drawing."""

    frame: str = parameter("odom", doc="frame of all markers, that of the odometry")
    force_scale: float = parameter(
        0.003, unit="m/N", above=0.0, high=1.0, doc="length of a drawn force"
    )
    cone_height: float = parameter(
        0.15, unit="m", above=0.0, high=10.0, doc="of a drawn friction cone"
    )


class FootView(NamedTuple):
    """Foot to be drawn: pose, force and friction."""

    name: str
    position: Array  # of the sole's origin in the frame of the markers, (3,) [m]
    rotation: Array  # of the sole, (3, 3)
    force: Array  # of the ground on the foot in the sole frame, (3,) [N]
    estimate: FrictionEstimate


class Footstep(NamedTuple):
    """Place of a stance, and how much friction was left at most (NaN: unknown)."""

    position: Array
    margin: float


def margin(estimate: FrictionEstimate, force: Array) -> float:
    """Compute the share of unused friction, 1 − ratio / mu with the lower bound of mu.

    It is NaN where mu is unknown.
    """
    mu = (
        estimate.mu_low
        if estimate.usable and math.isfinite(estimate.mu_low)
        else estimate.mu
    )
    if not (mu > 0.0 and force[2] > 0.0):
        return math.nan
    return 1.0 - math.hypot(force[0], force[1]) / force[2] / mu


def colour(left: float) -> ColorRGBA:
    """Choose the colour of a margin.

    It is green at 1, yellow at half, red at 0 and below, grey where unknown.
    """
    if math.isnan(left):
        return ColorRGBA(**dict(zip("rgba", UNKNOWN_COLOUR, strict=True)))
    share = min(max(left, 0.0), 1.0)
    return ColorRGBA(
        r=min(1.0, 2.0 - 2.0 * share), g=min(1.0, 2.0 * share), b=0.1, a=0.7
    )


def marker_array(
    feet: Sequence[FootView],
    footsteps: Sequence[Footstep],
    stamp: tuple[int, int],
    config: MarkerConfig,
) -> MarkerArray:
    """Build all markers of one instant, stamped (seconds, nanoseconds).

    An earlier one of the same name is replaced.
    """
    markers = [marker for foot in feet for marker in _foot_markers(foot, config)]
    markers.append(_footsteps(footsteps))
    for marker in markers:
        marker.header.frame_id = config.frame
        marker.header.stamp.sec, marker.header.stamp.nanosec = stamp
        marker.pose.orientation.w = 1.0
    return MarkerArray(markers=markers)


def _marker(
    name: str,
    kind: int,
    there: bool,
    scale: tuple[float, float, float],
    tint: ColorRGBA,
) -> Marker:
    """Build a marker without a place; a missing one is deleted."""
    made = Marker(
        ns=name, type=kind, action=Marker.ADD if there else Marker.DELETE, color=tint
    )
    made.scale.x, made.scale.y, made.scale.z = scale
    return made


def _foot_markers(foot: FootView, config: MarkerConfig) -> Iterator[Marker]:
    yield _ball(foot)
    yield _force_arrow(foot, config.force_scale)
    yield _friction_cone(foot, config.cone_height)
    yield _answer(foot)
    yield _slide(foot)


def _ball(foot: FootView) -> Marker:
    """Mark the sole's origin in the colour of the margin that is left."""
    tint = colour(margin(foot.estimate, foot.force))
    ball = _marker(
        f"{foot.name}/foot",
        Marker.SPHERE,
        True,
        (FOOT_DIAMETER, FOOT_DIAMETER, FOOT_DIAMETER),
        tint,
    )
    ball.pose.position = _point(foot.position)
    return ball


def _force_arrow(foot: FootView, scale: float) -> Marker:
    """Draw the force of the ground, ``scale`` [m/N] long; none without a load."""
    blue = ColorRGBA(r=0.1, g=0.3, b=1.0, a=1.0)
    size = (SHAFT, HEAD_DIAMETER, HEAD_LENGTH)
    arrow = _marker(f"{foot.name}/force", Marker.ARROW, _loaded(foot), size, blue)
    tip = foot.position + scale * (foot.rotation @ foot.force)
    arrow.points = [_point(foot.position), _point(tip)]
    return arrow


def _friction_cone(foot: FootView, height: float) -> Marker:
    """Draw the cone of the friction that is known under a loaded foot."""
    known = foot.estimate
    mu = known.mu_low if known.usable else known.mu
    drawn = _loaded(foot) and math.isfinite(mu)
    tint = colour(margin(known, foot.force))
    size = (1.0, 1.0, 1.0)
    cone = _marker(f"{foot.name}/cone", Marker.TRIANGLE_LIST, drawn, size, tint)
    if drawn:
        corners = cone_triangles(foot.position, foot.rotation, mu, height)
        cone.points = [_point(place) for place in corners]
    return cone


def _answer(foot: FootView) -> Marker:
    """Write the estimate above a loaded foot."""
    known = foot.estimate
    words = answer_words(
        known.mu, known.mu_low, known.mu_high if known.usable else math.nan
    )
    answer = _marker(
        f"{foot.name}/answer",
        Marker.TEXT_VIEW_FACING,
        _loaded(foot) and words != "-",
        (0.0, 0.0, TEXT_HEIGHT),
        ColorRGBA(a=1.0),
    )
    answer.text = words
    answer.pose.position = _point(
        foot.position + np.array([0.0, 0.0, 2.0 * TEXT_HEIGHT])
    )
    return answer


def _slide(foot: FootView) -> Marker:
    """Draw the way that the foot slid as it landed, enlarged and backward."""
    travel = foot.estimate.test_travel
    slid = _loaded(foot) and math.isfinite(travel)
    size = (SHAFT, 0.0, 0.0)
    streak = _marker(f"{foot.name}/slide", Marker.LINE_LIST, slid, size, colour(1.0))
    way = np.nan_to_num(ENLARGED * travel) * foot.rotation[:, 0]
    streak.points = [_point(foot.position + way), _point(foot.position)]
    return streak


def _loaded(foot: FootView) -> bool:
    return bool(foot.force[2] > 0.0)


def cone_triangles(apex: Array, rotation: Array, mu: float, height: float) -> Array:
    """Compute corners (3 CONE_SIDES, 3) of a cone of slope 1/mu.

    It opens along the sole's z axis.
    """
    angles = np.linspace(0.0, 2.0 * np.pi, CONE_SIDES + 1)
    rim = np.column_stack(
        [
            mu * height * np.cos(angles),
            mu * height * np.sin(angles),
            np.full(CONE_SIDES + 1, height),
        ]
    )
    places = apex + rim @ rotation.T
    corners = np.empty((CONE_SIDES, 3, 3))
    corners[:, 0] = apex
    corners[:, 1] = places[:-1]
    corners[:, 2] = places[1:]
    return corners.reshape(-1, 3)


def _footsteps(footsteps: Sequence[Footstep]) -> Marker:
    flat = (FOOTSTEP, FOOTSTEP, 0.2 * FOOTSTEP)
    marker = _marker(
        "footsteps", Marker.SPHERE_LIST, bool(footsteps), flat, ColorRGBA()
    )
    marker.points = [_point(step.position) for step in footsteps]
    marker.colors = [colour(step.margin) for step in footsteps]
    return marker


def _point(place: Array) -> Point:
    return Point(x=float(place[0]), y=float(place[1]), z=float(place[2]))


class FootstepTrail:
    """Trail of stances and the smallest margin in each."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._standing: dict[str, int] = {}
        self._dropped = 0
        self.steps: list[Footstep] = []

    def add(self, feet: Sequence[FootView]) -> None:
        """Add one instant to the trail."""
        for foot in feet:
            if not foot.force[2] > 0.0:
                self._standing.pop(foot.name, None)
                continue
            index = self._standing.get(foot.name, -1) - self._dropped
            if index < 0:
                self._standing[foot.name] = len(self.steps) + self._dropped
                self.steps.append(
                    Footstep(foot.position.copy(), margin(foot.estimate, foot.force))
                )
            else:
                least = np.fmin(
                    self.steps[index].margin, margin(foot.estimate, foot.force)
                )
                self.steps[index] = self.steps[index]._replace(margin=float(least))
        while len(self.steps) > self._most:
            self.steps.pop(0)
            self._dropped += 1


@configuration
class MarkersNodeConfig(Configuration):
    """Parameters of this node alone."""

    rate: float = parameter(
        20.0, unit="Hz", above=0.0, high=200.0, doc="of the pictures"
    )
    footsteps: int = parameter(100, low=0, high=10000, doc="how many are shown")
    friction_topics: tuple[str, ...] = parameter(
        tuple(f"friction_estimator/{foot}/friction_values" for foot in FOOT_NAMES),
        doc="estimates of the left and right foot",
    )

    def check(self) -> None:
        """Check for one topic per foot."""
        check_topic_per_foot("friction_topics", self.friction_topics)


class FrictionMarkersNode(RobotNode):
    """Friction markers of the newest messages of every topic."""

    def __init__(self, **options: Any) -> None:
        super().__init__("friction_markers", **options)
        self._config = declare_configuration(self, MarkersNodeConfig())
        self._style = declare_configuration(self, MarkerConfig())
        self._robot = declare_configuration(self, RobotConfig())

    def build(self) -> None:
        """Build robot and topics."""
        self._places = SolePlaces(
            self._robot.robot_description or planar_biped().urdf, self._robot.soles
        )
        kinds = {"joint_states": JointState, "odom": Odometry}
        kinds |= {f"{foot}/wrench": WrenchStamped for foot in FOOT_NAMES}
        kinds |= dict.fromkeys(self._config.friction_topics, JointState)
        self._boxes = {
            topic: self.subscribe(kind, topic, SENSOR_INPUTS)
            for topic, kind in kinds.items()
        }
        self._output = self.advertise(MarkerArray, "~/markers", OUTPUTS)
        kind = message_class(WHOLE_BODY_TYPE)
        self._whole_body = (
            None
            if kind is None
            else self.advertise(kind, "~/whole_body_state", OUTPUTS)
        )

    def begin(self) -> None:
        """Start with empty inputs and footsteps."""
        self._present = Present("joint_states")
        self._trail = FootstepTrail(self._config.footsteps)
        self._due = time.monotonic()

    def wait(self, now: float, timeout: float) -> None:
        """Wait until the next picture."""
        self.sleep_until(self._due, timeout)

    def work(self, now: float) -> None:
        """Publish the markers when they are due and the robot's pose is known."""
        if now < self._due:
            return
        self._due = now + 1.0 / self._config.rate
        moved = {
            topic
            for topic, box in self._boxes.items()
            if self._present.take(topic, box.take())
        }
        if "joint_states" not in moved or self._present.get("odom") is None:
            return
        feet = self._feet()
        self._trail.add(feet)
        stamp = self._present.get("joint_states").header.stamp
        self._output.publish(
            marker_array(
                feet, self._trail.steps, (stamp.sec, stamp.nanosec), self._style
            )
        )
        if self._whole_body is not None:
            base = self._present.get("odom").pose.pose.orientation
            joints = self._present.get("joint_states")
            state = whole_body_state(self._style.frame, joints, base, feet)
            self._whole_body.publish(state)
        self.well("drawing")

    def _feet(self) -> list[FootView]:
        joints = self._present.get("joint_states")
        pose = self._present.get("odom").pose.pose
        quaternion = (
            pose.orientation.x,
            pose.orientation.y,
            pose.orientation.z,
            pose.orientation.w,
        )
        positions = dict(zip(joints.name, joints.position, strict=False))
        places = self._places.places(
            (pose.position.x, pose.position.y, pose.position.z), quaternion, positions
        )
        feet = []
        for foot, topic, place in zip(
            FOOT_NAMES, self._config.friction_topics, places, strict=True
        ):
            wrench = self._present.get(f"{foot}/wrench")
            force = np.zeros(3)
            if wrench is not None:
                force = np.array(
                    [
                        wrench.wrench.force.x,
                        wrench.wrench.force.y,
                        wrench.wrench.force.z,
                    ]
                )
            position, rotation = place
            feet.append(
                FootView(
                    name=foot,
                    position=position,
                    rotation=rotation,
                    force=force,
                    estimate=self._estimate(topic),
                )
            )
        return feet

    def _estimate(self, topic: str) -> Any:
        message = self._present.get(topic)
        if message is None:
            return NO_ESTIMATE
        try:
            return estimate_from(message)
        except UnusableSample as problem:
            self.skip(problem.problem)
            return NO_ESTIMATE
