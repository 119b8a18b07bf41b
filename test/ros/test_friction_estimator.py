# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The estimator node answers every good sample, skips and counts every bad one, and
refuses what it can't serve."""

import math
import re
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from ros.partner import FRICTION, PERIOD, activated, make, standing, until  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from biped_slip.friction_estimation.contact_state import ContactState  # noqa: E402
from biped_slip.friction_estimation.recent_floor import RecentFloor  # noqa: E402
from biped_slip.friction_estimation.types import EstimateState, ForceSource  # noqa: E402
from biped_slip.ros.dds import (  # noqa: E402
    OUTPUTS,
    PolledSubscription,
    message_class,
)
from biped_slip.ros.friction_messages import ESTIMATE_TYPE  # noqa: E402
from biped_slip.ros.messages import ESTIMATE_NAMES, estimate_from  # noqa: E402
from biped_slip.ros.nodes.friction_estimator import FrictionEstimatorNode  # noqa: E402


@pytest.fixture(params=["real-time", "lockstep"])
def estimator(ros, partner, request):
    node = activated(FrictionEstimatorNode, mode=request.param, age_limit=1.0)
    partner.connect(node, FRICTION[0])
    yield node
    node.end()


def walk_on(partner, estimator, stamps, **changes):
    """Send one sample after the other; estimates of the left foot that came back."""
    got = []
    for stamp in stamps:
        partner.send(standing()._replace(stamp_ns=stamp), **changes)
        got += partner.received(estimator, 5.0, enough=(FRICTION[1], 1))[FRICTION[0]]
    return got


def test_every_sample_is_answered_with_its_stamp_in_the_frame_of_the_sole(
    partner, estimator
):
    got = walk_on(partner, estimator, [7 * PERIOD, 8 * PERIOD])
    assert [message.header.frame_id for message in got] == ["l_sole"] * 2
    assert [message.header.stamp.nanosec for message in got] == [7 * PERIOD, 8 * PERIOD]
    assert estimate_from(got[1]).force_ratio > 0.0
    assert estimator.counters()["l_foot"].startswith("settling")
    assert estimator.status.healthy


def spread(messages):
    """Stamps of one cycle as broadcasters give them that read the clock one after the
    other."""
    for late, message in enumerate(messages.values()):
        message.header.stamp.nanosec += 7_000 * (late - 2)


def test_stamps_of_one_cycle_that_differ_by_microseconds_are_one_instant(
    partner, estimator
):
    equal = walk_on(partner, estimator, [tick * PERIOD for tick in range(1, 6)])
    estimator.begin()
    got = walk_on(
        partner, estimator, [tick * PERIOD for tick in range(1, 6)], inject=spread
    )
    stamps = [tick * PERIOD + 14_000 for tick in range(1, 6)]
    assert [
        message.header.stamp.nanosec for message in got
    ] == stamps  # those of joint_states
    np.testing.assert_allclose(
        [m.position for m in got], [m.position for m in equal], rtol=1e-6
    )
    assert estimator.status.healthy
    assert not estimator.skipped


def test_messages_of_one_instant_are_taken_at_once_though_their_stamps_differ(
    partner, estimator
):
    walk_on(partner, estimator, [PERIOD], inject=spread)
    partner.send(standing()._replace(stamp_ns=2 * PERIOD), inject=spread)
    time.sleep(0.2)  # all are there
    assert estimator._input_set.take(estimator.clock()) is None
    assert estimator._input_set.even == 2 * PERIOD + 14_000


def test_a_sample_that_is_not_finite_is_skipped_counted_and_forgotten(
    partner, estimator
):
    def inject(messages):
        messages["l_foot/wrench"].wrench.force.z = math.nan

    walk_on(partner, estimator, [1 * PERIOD])
    (bad,) = walk_on(partner, estimator, [2 * PERIOD], inject=inject)
    assert estimate_from(bad).state_code == EstimateState.INVALID_INPUT
    assert (
        estimator.skipped["input not finite: a number of wrench ground on foot in sole"]
        == 1
    )
    assert not estimator.status.healthy
    (good,) = walk_on(partner, estimator, [3 * PERIOD])
    assert estimate_from(good).state_code != EstimateState.INVALID_INPUT
    assert estimator.status.healthy


def test_stamps_that_do_not_rise_are_skipped_and_counted(partner, estimator):
    walk_on(partner, estimator, [5 * PERIOD])
    for stamp in (5 * PERIOD, 4 * PERIOD):
        partner.send(standing()._replace(stamp_ns=stamp))
    assert not partner.received(estimator, 0.3)[FRICTION[0]]
    assert estimator.skipped["duplicated stamp: joint_states"] == 1
    assert estimator.skipped["reordered stamp: joint_states"] == 1
    assert len(walk_on(partner, estimator, [6 * PERIOD])) == 1


def test_after_a_jump_of_the_clock_it_starts_anew(partner, estimator):
    walk_on(partner, estimator, [100_000 * PERIOD, 100_001 * PERIOD])
    (first,) = walk_on(partner, estimator, [3 * PERIOD])
    # no time step yet
    assert estimate_from(first).state_code == EstimateState.INVALID_INPUT
    _, third = walk_on(partner, estimator, [4 * PERIOD, 5 * PERIOD])
    assert estimate_from(third).state_code != EstimateState.INVALID_INPUT


def test_a_foot_without_normal_force_is_in_flight_and_counted(partner, estimator):
    def inject(messages):
        for foot in ("l_foot", "r_foot"):
            force = messages[f"{foot}/wrench"].wrench.force
            force.x = force.y = force.z = 0.0

    got = walk_on(partner, estimator, [PERIOD, 2 * PERIOD], inject=inject)
    assert estimate_from(got[1]).state_code == EstimateState.NO_CONTACT
    assert math.isnan(estimate_from(got[1]).mu)
    assert estimator.counters()["samples without normal force"] >= 2


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"joints": ["l_hip", "l_knee", "r_hip", "elbow"]},
            "unknown joint 'elbow'; known: l_hip",
        ),
        ({"soles": ["l_sole", "r_toe"]}, "unknown frame 'r_toe'; known: .*l_sole"),
        ({"robot_description": "<robot"}, "not a valid URDF"),
        ({"estimator": "guess"}, "unknown estimator 'guess'"),
    ],
)
def test_what_it_can_not_serve_is_refused_at_configuration_with_one_sentence(
    ros, parameters, sentence
):
    from biped_slip.robots.planar_biped import planar_biped

    node = make(
        FrictionEstimatorNode,
        **{"robot_description": planar_biped().urdf, **parameters},
    )
    try:
        assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
        assert node.status.word == "refused"
        assert re.search(sentence, node.status.sentence)
    finally:
        node.end()


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"joints": ["l_hip", "l_knee", "r_hip", "elbow"]},
            "joints .*elbow.*the planar biped's.*robot_description",
        ),
        ({"soles": ["l_toe", "r_toe"]}, "soles .*l_toe.*robot_description"),
    ],
)
def test_joints_of_another_robot_without_its_description_are_refused_at_configuration(
    ros, parameters, sentence
):
    node = make(FrictionEstimatorNode, **parameters)
    try:
        assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
        assert re.search(sentence, node.status.sentence)
    finally:
        node.end()


@pytest.mark.parametrize("place", ["l_foot", "r_foot", "floor"])
def test_named_values_have_their_former_name_for_one_release(partner, estimator, place):
    boxes = [
        PolledSubscription(
            partner.node, JointState, f"friction_estimator/{place}/{name}", OUTPUTS
        )
        for name in ("friction_values", "friction")
    ]
    for box in boxes:
        until(box.senders)
    time.sleep(0.2)
    walk_on(partner, estimator, [PERIOD])
    now, formerly = (until(lambda box=box: list(box.take())) for box in boxes)
    assert [str(one) for one in now] == [str(one) for one in formerly]
    for box in boxes:
        box.close()


def test_where_the_message_package_is_installed_estimates_have_a_type_of_their_own(
    partner, estimator
):
    kind = message_class(ESTIMATE_TYPE)
    if kind is None:
        pytest.skip(
            f"{ESTIMATE_TYPE} is not installed: colcon builds it from biped_slip_msgs"
        )
    box = PolledSubscription(
        partner.node, kind, "friction_estimator/l_foot/friction_estimate", OUTPUTS
    )
    until(box.senders)
    time.sleep(0.2)
    (plain,) = walk_on(partner, estimator, [PERIOD])
    (typed,) = until(lambda: list(box.take()))
    assert typed.header == plain.header
    fields = {name: getattr(typed, name) for name in ESTIMATE_NAMES}
    np.testing.assert_array_equal(
        [float(value) for value in fields.values()],
        plain.position[: len(ESTIMATE_NAMES)],
    )
    box.close()


def declared(name):
    """Fields of a message of this package, with their comments, and its constants."""
    folder = Path(__file__).parents[2] / "biped_slip_msgs" / "msg"
    fields = {}
    constants = {}
    for line in (folder / f"{name}.msg").read_text().splitlines():
        words, _, comment = line.partition("#")
        kind, _, rest = words.strip().partition(" ")
        if "=" in rest:
            constant, value = rest.split("=")
            constants[constant.strip()] = int(value)
        elif rest:
            fields[rest.strip()] = (kind, comment)
    return fields, constants


def test_the_message_package_says_the_fields_of_an_estimate_with_their_units():
    fields, constants = declared("FrictionEstimate")
    contact = ["contact_state", "touchdown", "force_source", "normal_force_newtons"]
    assert sorted(fields) == sorted(["header", *ESTIMATE_NAMES, *contact])
    numbers = [words for kind, words in fields.values() if kind == "float64"]
    assert all("[" in words and "NaN: " in words for words in numbers)
    states = {one.name: int(one) for one in EstimateState}
    contacts = {f"CONTACT_{one.name}": int(one) for one in ContactState}
    sources = {
        "FORCE_UNKNOWN": int(ForceSource.UNKNOWN),
        "FORCE_SENSOR": int(ForceSource.FORCE_SENSOR),
        "FORCE_JOINT_TORQUES": int(ForceSource.JOINT_TORQUES),
    }
    assert constants == states | contacts | sources


def test_the_floors_message_has_what_a_floor_is():
    fields, _ = declared("FloorFriction")
    same = [name.removesuffix("_ns") for name in RecentFloor._fields]
    assert sorted(fields) == sorted(["header", *same])


def test_numbers_that_never_change_are_no_evidence(partner, estimator):
    """Mock hardware says the same for ever, and would be a robot that stands on a floor
    of any ratio."""
    still = standing()._replace(joint_velocity=np.zeros(4))
    codes = []
    for tick in range(1, 400):
        partner.send(still._replace(stamp_ns=tick * PERIOD))
        got = partner.received(estimator, 5.0, enough=(FRICTION[1], 1))[FRICTION[1]]
        codes += [estimate_from(message).state_code for message in got]
    assert set(codes[110:]) == {EstimateState.INVALID_INPUT}
    assert estimator.status.problem == "frozen input"
    assert "invalid input" in estimator.counters()["l_foot"]
    moved = still._replace(stamp_ns=400 * PERIOD, joint_velocity=np.full(4, 1e-9))
    partner.send(moved)
    (after,) = partner.received(estimator, 5.0, enough=(FRICTION[1], 1))[FRICTION[1]]
    assert estimate_from(after).state_code != EstimateState.INVALID_INPUT


def test_incomplete_input_is_an_error_that_names_what_is_missing(partner):
    node = activated(FrictionEstimatorNode, mode="lockstep", timeout=0.2)
    partner.connect(node, FRICTION[0])
    partner.send(standing()._replace(stamp_ns=PERIOD), without=("odom",))
    assert not partner.received(node, 0.5)[FRICTION[0]]
    assert "missing: odom" in node.status.sentence
    partner.send(standing()._replace(stamp_ns=2 * PERIOD))
    assert len(partner.received(node, 5.0, enough=(FRICTION[1], 1))[FRICTION[0]]) == 1
    node.end()


def test_numbers_of_any_size_never_stop_the_node(partner, estimator):
    rng = np.random.default_rng(0)
    for tick in range(1, 40):
        scale = 10.0 ** rng.uniform(-300, 300)

        def inject(messages, scale=scale):
            messages["r_foot/wrench"].wrench.force.x *= scale
            messages["odom"].twist.twist.linear.x = scale

        partner.send(standing()._replace(stamp_ns=tick * PERIOD), inject=inject)
        assert (
            len(partner.received(estimator, 5.0, enough=(FRICTION[1], 1))[FRICTION[1]])
            == 1
        )
    assert estimator.active
