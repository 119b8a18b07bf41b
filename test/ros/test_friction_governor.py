# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The governor's node over DDS: what goes through, what it says, and what goes out when
nobody commands."""

import math
from itertools import pairwise

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import Twist, TwistStamped  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.qos import QoSProfile  # noqa: E402
from ros.partner import FRICTION, activated, make, standing, until  # noqa: E402

from biped_slip.friction_estimation.types import NO_ESTIMATE, EstimateState  # noqa: E402
from biped_slip.ros.dds import PolledSubscription, Waiter, message_class  # noqa: E402
from biped_slip.ros.friction_messages import ESTIMATE_TYPE, NORMAL_FORCE  # noqa: E402
from biped_slip.ros.messages import ESTIMATE_NAMES, NamedScalars, set_time  # noqa: E402
from biped_slip.ros.nodes.friction_governor import FrictionGovernorNode  # noqa: E402
from biped_slip.ros.stamps import ClockRange  # noqa: E402
from biped_slip.walking.controller import PERIOD  # noqa: E402

WEIGHT = 300.0
RATE = 50.0
TOLERANCE = 0.5  # [s] between stamps and the node's clock
DELIVERY = 10.0  # [s] at most, of a message on this machine
KNOWN = NO_ESTIMATE._replace(
    usable=True, force_ratio=0.1, state_code=int(EstimateState.USABLE)
)


class Robot:
    """Its planner, its feet on a floor, and its walking controller; time passes as the
    test says."""

    def __init__(self, partner, stamped=True, **parameters):
        self.partner = partner
        self.stamped = stamped
        self.time = 0.0
        self.tick = 0
        self.kind = TwistStamped if stamped else Twist
        self.node = activated(
            FrictionGovernorNode,
            body_weight=WEIGHT,
            rate=RATE,
            stamped=stamped,
            **parameters,
        )
        self.node.clock = lambda: self.time
        self.node.present = lambda: ClockRange(
            now_ns=round(1e9 * PERIOD) * self.tick, tolerance=TOLERANCE
        )
        self.node.begin()
        self.planner = partner.node.create_publisher(
            self.kind, "cmd_vel_smoothed", QoSProfile(depth=1)
        )
        self.heard = PolledSubscription(
            partner.node, self.kind, "cmd_vel", QoSProfile(depth=10)
        )
        self.got = []
        self.waiter = Waiter(partner.node, 1)
        self.readings = standing()
        wrenches = self.readings.wrench_ground_on_foot_in_sole.copy()
        wrenches[:] = 0.0
        wrenches[:, 0] = 15.0
        wrenches[:, 2] = 150.0
        self.readings = self.readings._replace(wrench_ground_on_foot_in_sole=wrenches)

    def command(self, x, y=0.0, turn=0.0, stamp=0, frame="base_link"):
        message = self.kind()
        inner = message.twist if self.stamped else message
        inner.linear.x = x
        inner.linear.y = y
        inner.angular.z = turn
        if self.stamped:
            message.header.frame_id = frame
            set_time(message.header.stamp, stamp)
        self.planner.publish(message)

    def walk(self, seconds, mu=None, command=None, feet=True):
        """Commands of that time, after each of which the node has worked once."""
        for _ in range(round(seconds * RATE)):
            self.tick += 1
            self.time += 1.0 / RATE + 1e-9
            if feet:
                self.partner.send(
                    self.readings._replace(stamp_ns=round(1e9 * PERIOD) * self.tick)
                )
                known = (
                    NO_ESTIMATE
                    if mu is None
                    else KNOWN._replace(mu=mu, mu_q05=mu, mu_low=mu, mu_high=mu)
                )
                self.partner.send_estimates(self.tick * 1_000_000, known)
            if command is not None:
                self.command(*command)
            node = self.node
            sent = [*node._wrenches, *node._friction] if feet else []
            for source in sent + ([node._commands] if command is not None else []):
                self.waiter.wait([source._box], DELIVERY)
            node.step()
            if command is not None:
                self.waiter.wait([self.heard], DELIVERY)
            self.got += list(self.heard.take())
        return self.last()

    def last(self):
        message = self.got[-1].twist if self.stamped else self.got[-1]
        return message.linear.x, message.linear.y, message.angular.z

    def connect(self):
        until(lambda: self.heard.senders() and self.planner.get_subscription_count())
        heard = [
            source.topic for source in (*self.node._wrenches, *self.node._friction)
        ]
        until(
            lambda: all(
                self.partner.outputs[topic].get_subscription_count() for topic in heard
            )
        )

    def close(self):
        self.node.end()
        self.heard.close()


@pytest.fixture
def robot(partner):
    made = []

    def start(**options):
        made.append(Robot(partner, **options))
        made[-1].connect()
        return made[-1]

    yield start
    for each in made:
        each.close()


@pytest.mark.parametrize("stamped", [True, False])
def test_a_good_floor_lets_everything_through_and_ice_stops_it(robot, stamped):
    walker = robot(stamped=stamped)
    walker.walk(0.5, 0.9, (0.0,))
    assert walker.walk(1.0, 0.9, (0.8, 0.1, 0.2)) == pytest.approx((0.8, 0.1, 0.2))
    assert walker.node.status.word == "passing"
    assert walker.walk(1.5, 0.05, (0.8, 0.1, 0.2)) == (0.0, 0.0, 0.0)
    assert walker.node.status.word == "limiting"
    assert "0.05" in walker.node.status.sentence
    said = walker.node.counters()
    assert said["reason"] == "the floor holds less than stepping in place requires"
    assert said["left"].startswith("known to hold 0.05")
    if stamped:
        assert walker.got[-1].header.frame_id == "base_link"


def test_without_wrenches_it_takes_the_loads_that_the_estimates_say(robot):
    """As a robot's whose motors tell the forces."""
    walker = robot(loads_in_estimates=True)
    partner = walker.partner
    names = [*ESTIMATE_NAMES, NORMAL_FORCE]
    messages = [NamedScalars(sole, names) for sole in ("l_sole", "r_sole")]

    def send(stamp, known):
        for topic, message in zip(FRICTION, messages, strict=True):
            partner.outputs[topic].publish(message.fill(stamp, [*known, 150.0]))

    partner.send_estimates = send
    walker.walk(0.5, 0.9, (0.0,))
    assert walker.walk(1.0, 0.9, (0.8,))[0] == pytest.approx(0.8)
    assert walker.walk(1.5, 0.05, (0.8,))[0] == 0.0
    assert walker.node.counters()["left"].startswith("known to hold 0.05")


def test_typed_estimates_are_heard_or_refused_in_one_sentence(ros):
    node = make(FrictionGovernorNode, body_weight=WEIGHT, typed_estimates=True)
    done = node.trigger_configure()
    if message_class(ESTIMATE_TYPE) is None:
        assert done == TransitionCallbackReturn.FAILURE
        assert "biped_slip_msgs/msg/FrictionEstimate is not installed" in (
            node.status.sentence
        )
    else:
        assert done == TransitionCallbackReturn.SUCCESS
    node.end()


def test_speed_falls_evenly_and_no_faster_than_configured(robot):
    walker = robot(**{"governor.deceleration": 1.0})
    walker.walk(0.5, 0.9, (0.0,))
    walker.walk(0.5, 0.9, (1.0,))
    walker.got.clear()
    walker.walk(2.0, 0.05, (1.0,))
    speeds = [message.twist.linear.x for message in walker.got]
    falls = [before - after for before, after in pairwise(speeds)]
    assert max(falls) <= 1.0 / RATE + 1e-6
    assert speeds[-1] == 0.0


def test_without_wrenches_and_estimates_it_is_careful_and_says_what_is_missing(robot):
    walker = robot()
    speed, _, _ = walker.walk(1.0, command=(1.0,), feet=False)
    assert speed == pytest.approx((0.3 - 0.15) / 0.35)
    assert walker.node.status.word == "deaf"
    assert "l_foot/wrench" in walker.node.status.sentence
    assert not walker.node.status.healthy


def test_when_commands_end_one_of_zero_goes_out_and_then_none(robot):
    walker = robot(velocity_timeout=0.2)
    walker.walk(0.6, 0.9, (0.5,))
    walker.got.clear()
    walker.walk(1.0, 0.9)
    assert walker.last() == (0.0, 0.0, 0.0)
    assert len(walker.got) <= round(0.2 * RATE) + 3


def test_a_command_that_is_no_number_goes_out_as_zero(robot):
    walker = robot()
    assert walker.walk(0.5, 0.9, (math.nan,)) == (0.0, 0.0, 0.0)
    assert walker.node.status.word == "refusing"


def test_a_stopped_governor_stops_the_robot(robot):
    walker = robot()
    walker.walk(0.5, 0.9, (0.0,))
    walker.walk(0.5, 0.9, (0.7,))
    walker.got.clear()
    walker.node.trigger_deactivate()
    walker.waiter.wait([walker.heard], DELIVERY)
    walker.got += list(walker.heard.take())
    assert walker.last() == (0.0, 0.0, 0.0)


def test_a_governor_without_the_robots_weight_is_refused_in_one_sentence(ros):
    node = make(FrictionGovernorNode)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "body_weight" in node.status.sentence
    node.end()


@pytest.mark.parametrize("value", [1.5e308, -1e12, 11.0, math.inf, math.nan])
@pytest.mark.parametrize("axis", range(3))
def test_a_command_that_nothing_walks_goes_out_as_zero_and_is_named(robot, value, axis):
    walker = robot()
    walker.walk(0.3, 0.9, (0.2, 0.0, 0.1))
    command = [0.2, 0.0, 0.1]
    command[axis] = value
    assert walker.walk(0.1, 0.9, command) == (0.0, 0.0, 0.0)
    assert (walker.node.status.word, walker.node.active) == ("refusing", True)
    assert all(
        math.isfinite(m.twist.linear.x) and math.isfinite(m.twist.angular.z)
        for m in walker.got
    )
    assert walker.walk(1.0, 0.9, (0.2, 0.0, 0.1))[0] > 0.0


def careful(walker):
    """Whether no more goes through than on a floor that nobody knows."""
    speed, _, _ = walker.walk(3.0, 0.9, (1.0,))
    return speed <= (0.3 - 0.15) / 0.35 + 1e-6


CODES = [{"state_code": code} for code in (17, -1, 1e300)]


@pytest.mark.parametrize("change", [{"mu": 1e300}, {"mu_q05": 11.0}, *CODES])
def test_estimates_that_say_what_no_floor_holds_are_refused_by_name_and_diagnostics_go_on(
    robot, change, monkeypatch
):
    walker = robot()
    send = walker.partner.send_estimates
    monkeypatch.setattr(
        walker.partner,
        "send_estimates",
        lambda stamp, known: send(stamp, known._replace(**change)),
    )
    assert careful(walker)
    name = "unknown state" if "state_code" in change else "implausible input"
    assert any(sentence.startswith(name) for sentence in walker.node.skipped)
    assert "left" in walker.node.counters()


@pytest.mark.parametrize(
    ("late", "word"),
    [(3600.0, "refusing input"), (0.2, "deaf"), (-3600.0, "refusing input")],
)
def test_estimates_that_are_old_or_early_by_their_stamps_are_not_seen_though_they_have_just_come(
    robot, late, word, monkeypatch
):
    """Some tenths of a second against the wrenches, more against the node's clock."""
    walker = robot()
    send = walker.partner.send_estimates
    walker.tick = 5_000_000  # wrenches are from 5000 s on
    late_ns = round(1e9 * late)
    monkeypatch.setattr(
        walker.partner,
        "send_estimates",
        lambda stamp, known: send(stamp - late_ns, known),
    )
    assert careful(walker)
    assert walker.node.status.word == word
    assert "friction_estimator/l_foot/friction_values" in walker.node.status.sentence


@pytest.mark.parametrize("late", [3600.0, -3600.0])
def test_feet_of_another_hour_are_not_seen_though_they_agree_with_each_other(
    robot, late
):
    walker = robot()
    walker.tick = 5_000_000
    off = round(1e9 * late)
    walker.node.present = lambda: ClockRange(
        now_ns=round(1e9 * PERIOD) * walker.tick + off, tolerance=TOLERANCE
    )
    assert careful(walker)
    assert walker.node.status.word == "refusing input"
    assert "l_foot/wrench: its stamp is 3600.0 s" in walker.node.status.sentence
    assert "use_sim_time" in walker.node.status.sentence
    walker.node.present = lambda: ClockRange(now_ns=0, tolerance=math.inf)
    assert not careful(walker)  # stamps of another clock are taken where that is said


@pytest.mark.parametrize(
    ("stamp", "frame", "name"),
    [
        (-3600.0, "base_link", "stale stamp"),
        (-0.6, "base_link", "stale stamp"),
        (3600.0, "base_link", "stale stamp"),
        (0.0, "map", "wrong frame"),
        (0.0, "/odom", "wrong frame"),
        (0.0, "world", "wrong frame"),
    ],
)
def test_a_command_of_another_hour_or_in_a_frame_of_the_world_is_none_and_is_named(
    robot, stamp, frame, name
):
    walker = robot(velocity_timeout=0.2)
    walker.walk(0.5, 0.9, (0.0,))
    sound = walker.command

    def wrong(*twist):
        now = round(1e9 * PERIOD) * walker.tick
        sound(*twist, stamp=now + round(1e9 * stamp), frame=frame)

    walker.tick = 5_000_000
    walker.command = wrong
    walker.got.clear()
    for _ in range(20):  # nothing goes out that could be waited for
        walker.tick += 1
        walker.time += 1.0 / RATE + 1e-9
        walker.command(1.0)
        walker.waiter.wait([walker.node._commands._box], DELIVERY)
        walker.node.step()
        walker.got += list(walker.heard.take())
    assert all(message.twist.linear.x == 0.0 for message in walker.got)
    assert walker.node.status.word == "refusing input"
    assert walker.node.status.problem == name
    assert "cmd_vel_smoothed" in walker.node.status.sentence
    walker.command = sound
    assert walker.walk(1.0, 0.9, (0.5,))[0] == pytest.approx(0.5)
    assert walker.node.status.word == "passing"


@pytest.mark.parametrize("frame", ["", "base_link", "base_footprint"])
def test_a_command_of_now_in_a_frame_of_the_robot_or_in_none_passes(robot, frame):
    """Two of one stamp, too: a planner may be faster than the clock of a simulation."""
    walker = robot()
    sound = walker.command

    def stamped(*twist):
        now = round(1e9 * PERIOD) * (walker.tick // 2)
        sound(*twist, stamp=now, frame=frame)

    walker.command = stamped
    walker.walk(0.5, 0.9, (0.0,))
    assert walker.walk(1.0, 0.9, (0.5,))[0] == pytest.approx(0.5)
    assert walker.node.status.word == "passing"


def test_refused_estimates_and_forces_that_are_no_numbers_are_named_until_sound_ones_come(
    robot, monkeypatch
):
    walker = robot()
    send = walker.partner.send_estimates

    def spoil(messages):
        messages["l_foot/wrench"].wrench.force.z = math.nan

    with monkeypatch.context() as wrong:
        wrong.setattr(
            walker.partner,
            "send_estimates",
            lambda stamp, known: send(stamp, known._replace(state_code=17)),
        )
        assert careful(walker)
        assert walker.node.status.word == "refusing input"
        assert "unknown state: friction: state_code of 17" in (
            walker.node.status.sentence
        )
    sound = walker.partner.send
    with monkeypatch.context() as wrong:
        wrong.setattr(
            walker.partner, "send", lambda readings: sound(readings, inject=spoil)
        )
        walker.walk(0.5, 0.9, (1.0,))
        assert walker.node.status.word == "refusing input"
        assert walker.node.status.problem == "input not finite"
    walker.walk(0.1, 0.9, (1.0,))
    assert walker.node.status.word != "refusing input"


def test_forces_in_a_frame_of_the_world_or_in_alternating_frames_are_named_and_not_seen(
    robot, monkeypatch
):
    walker = robot()
    send, frames = walker.partner.send, iter(["world", "l_sole", "", "r_sole"] * 10_000)

    def inject(messages):
        messages["l_foot/wrench"].header.frame_id = next(frames)

    monkeypatch.setattr(
        walker.partner, "send", lambda readings: send(readings, inject=inject)
    )
    walker.walk(0.5, 0.9, (0.2,))
    assert any(
        sentence.startswith("wrong frame: l_foot/wrench")
        for sentence in walker.node.skipped
    )


@pytest.mark.parametrize("heard", ["cmd_vel", "/cmd_vel"])
def test_a_governor_that_would_hear_its_own_commands_is_refused_by_name(partner, heard):
    """Its last command came back to it at 50 Hz: the robot went on for good."""
    node = make(FrictionGovernorNode, body_weight=WEIGHT, cmd_vel_in_topic=heard)
    said = []
    node.report = lambda sentence, word: said.append(sentence)
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "cmd_vel_out_topic is 'cmd_vel'" in said[0]
    assert "another topic than cmd_vel_in_topic" in said[0]
    node.end()
