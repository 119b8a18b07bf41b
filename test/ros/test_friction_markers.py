# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Markers say what the estimates say: forces, cones of the right slope, colours of the
margin, footsteps."""

import json
import math
import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import numpy as np
import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from geometry_msgs.msg import Quaternion  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from ros.partner import PERIOD, activated, standing  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Header  # noqa: E402
from visualization_msgs.msg import Marker, MarkerArray  # noqa: E402

from biped_slip.errors import UnknownName  # noqa: E402
from biped_slip.friction_estimation.types import NO_ESTIMATE  # noqa: E402
from biped_slip.robots.planar_biped import planar_biped  # noqa: E402
from biped_slip.robots.robot import SOLES  # noqa: E402
from biped_slip.robots.stick_figures import SolePlaces  # noqa: E402
from biped_slip.ros import whole_body_message  # noqa: E402
from biped_slip.ros.dds import RECORDS, PolledSubscription  # noqa: E402
from biped_slip.ros.messages import ESTIMATE_NAMES, FOOT_NAMES, SENSOR_TOPICS  # noqa: E402
from biped_slip.ros.nodes.friction_markers import (  # noqa: E402
    Footstep,
    FootstepTrail,
    FootView,
    FrictionMarkersNode,
    MarkerConfig,
    colour,
    cone_triangles,
    margin,
    marker_array,
)
from biped_slip.ros.whole_body_message import (  # noqa: E402
    CONTACT_TYPE,
    JOINT_TYPE,
    WHOLE_BODY_TYPE,
    whole_body_state,
)
from biped_slip.shared_files import shared_file  # noqa: E402

KNOWN = NO_ESTIMATE._replace(mu=0.5, mu_low=0.4, usable=True)
# the sole's z axis is the world's x axis
TURN = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


def foot(force=(20.0, 0.0, 100.0), estimate=KNOWN, name="l_foot", rotation=None, x=1.0):
    return FootView(
        name=name,
        position=np.array([x, 0.0, 0.2]),
        rotation=np.eye(3) if rotation is None else rotation,
        force=np.array(force),
        estimate=estimate,
    )


def by_name(feet, steps=()):
    return {
        marker.ns: marker
        for marker in marker_array(feet, steps, (3, 4), MarkerConfig()).markers
    }


def test_the_margin_is_what_the_lower_bound_leaves():
    assert margin(KNOWN, np.array([20.0, 0.0, 100.0])) == pytest.approx(0.5)
    assert margin(KNOWN, np.array([0.0, -40.0, 100.0])) == pytest.approx(0.0)
    assert margin(
        KNOWN._replace(usable=False), np.array([25.0, 0.0, 100.0])
    ) == pytest.approx(0.5)
    assert math.isnan(margin(NO_ESTIMATE, np.array([20.0, 0.0, 100.0])))
    assert math.isnan(margin(KNOWN, np.zeros(3)))


def test_colours_go_from_green_over_yellow_to_red_and_are_grey_where_nobody_knows():
    assert [round(getattr(colour(1.0), c), 3) for c in "rg"] == [0.0, 1.0]
    assert [round(getattr(colour(0.5), c), 3) for c in "rg"] == [1.0, 1.0]
    assert [round(getattr(colour(-3.0), c), 3) for c in "rg"] == [1.0, 0.0]
    grey = colour(math.nan)
    assert grey.r == grey.g == grey.b


def test_a_force_is_an_arrow_from_the_sole_in_the_direction_of_the_force():
    arrow = by_name([foot(rotation=TURN)])["l_foot/force"]
    start, tip = (np.array([p.x, p.y, p.z]) for p in arrow.points)
    np.testing.assert_allclose(start, [1.0, 0.0, 0.2])
    np.testing.assert_allclose(
        (tip - start) / MarkerConfig().force_scale, TURN @ [20.0, 0.0, 100.0]
    )


def test_a_cone_has_the_slope_of_mu_about_the_soles_normal():
    corners = cone_triangles(np.ones(3), TURN, 0.4, 0.15).reshape(-1, 3, 3)
    rim = (corners[:, 1:] - 1.0) @ TURN  # back in the sole's axes
    np.testing.assert_allclose(rim[..., 2], 0.15)
    np.testing.assert_allclose(np.hypot(rim[..., 0], rim[..., 1]), 0.4 * 0.15)
    np.testing.assert_allclose(corners[:, 0], 1.0)


def test_without_load_or_estimate_nothing_is_invented():
    air = by_name([foot(force=(0.0, 0.0, 0.0))])
    assert air["l_foot/force"].action == air["l_foot/cone"].action == Marker.DELETE
    assert by_name([foot(estimate=NO_ESTIMATE)])["l_foot/cone"].action == Marker.DELETE
    assert by_name([foot()])["l_foot/cone"].action == Marker.ADD


def test_an_answer_stands_over_its_foot_and_the_slide_that_gave_it_is_drawn_ten_times_as_long():
    known = KNOWN._replace(mu_high=0.6, test_travel=4e-3)
    told = by_name([foot(estimate=known)])
    assert told["l_foot/answer"].text == "0.50 (0.40 to 0.60)"
    begin, end = told["l_foot/slide"].points
    assert begin.x - end.x == pytest.approx(0.04)
    without = by_name([foot(estimate=NO_ESTIMATE)])
    assert (
        without["l_foot/answer"].action
        == without["l_foot/slide"].action
        == Marker.DELETE
    )


def test_all_markers_are_stamped_in_one_frame():
    for marker in by_name(
        [foot(), foot(name="r_foot")], [Footstep(np.zeros(3), 0.5)]
    ).values():
        assert (
            marker.header.frame_id,
            marker.header.stamp.sec,
            marker.header.stamp.nanosec,
        ) == ("odom", 3, 4)


def test_a_footstep_is_where_a_foot_was_put_down_with_its_smallest_margin():
    trail = FootstepTrail(2)
    for force in (10.0, 30.0, 20.0):
        trail.add([foot(force=(force, 0.0, 100.0))])
    assert [step.margin for step in trail.steps] == [pytest.approx(0.25)]
    for x in (2.0, 3.0):
        trail.add([foot(force=(0.0, 0.0, 0.0), x=x)])
        trail.add([foot(x=x), foot(name="r_foot", force=(0.0, 0.0, 0.0))])
        trail.add([foot(x=x, force=(40.0, 0.0, 100.0))])
    assert [step.position[0] for step in trail.steps] == [2.0, 3.0]
    assert [step.margin for step in trail.steps] == [
        pytest.approx(0.0),
        pytest.approx(0.0),
    ]


def test_soles_are_where_the_planar_model_has_them():
    readings = standing()
    robot = planar_biped()
    places = SolePlaces(robot.urdf, SOLES).places(
        readings.position_base_in_odom,
        readings.orientation_base_in_world,
        dict(zip(robot.joints, readings.joint_position, strict=True))
        | {"stranger": 1.0},
    )
    for (position, rotation), x in zip(places, (0.5, -0.5), strict=True):
        assert position == pytest.approx([x, 0.0, 0.0], abs=2e-3)
        assert rotation @ rotation.T == pytest.approx(np.eye(3))
    with pytest.raises(UnknownName, match="l_toe"):
        SolePlaces(robot.urdf, ("l_toe",))


def test_the_node_draws_what_it_hears(partner):
    node = activated(FrictionMarkersNode, rate=100.0)
    box = PolledSubscription(
        partner.node, MarkerArray, "friction_markers/markers", RECORDS
    )
    got = []
    for tick in range(1, 400):
        partner.send(standing()._replace(stamp_ns=tick * PERIOD))
        partner.send_estimates(tick * PERIOD, KNOWN)
        node.step()
        got += list(box.take())
        if got and any(
            marker.ns == "r_foot/cone" and marker.action == Marker.ADD
            for marker in got[-1].markers
        ):
            break
    names = {marker.ns for marker in got[-1].markers}
    parts = ("foot", "force", "cone", "answer", "slide")
    assert names == {f"{foot}/{part}" for foot in FOOT_NAMES for part in parts} | {
        "footsteps"
    }
    assert node.status.healthy
    box.close()
    node.end()


def test_a_robot_that_is_no_robot_is_refused(ros):
    from ros.partner import make

    node = make(FrictionMarkersNode, robot_description="<robot")
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "not a valid URDF" in node.status.sentence
    node.end()


def test_the_layouts_show_topics_and_quantities_that_exist():
    topics = {f"/{name}" for name in SENSOR_TOPICS} | {
        f"/friction_estimator/{foot}/friction_values" for foot in FOOT_NAMES
    }
    curves = [
        curve.get("name")
        for curve in ElementTree.parse(
            shared_file("config/visual/plotjuggler.xml")
        ).iter("curve")
    ]
    for name in curves:
        topic = next(topic for topic in topics if name.startswith(topic + "/"))
        rest = name.removeprefix(topic + "/")
        assert rest.removesuffix("/position") in ESTIMATE_NAMES or re.fullmatch(
            "wrench/force/[xyz]", rest
        )
    foxglove = json.loads(shared_file("config/visual/foxglove.json").read_text())[
        "configById"
    ]
    for path in (path for plot in foxglove.values() for path in plot.get("paths", ())):
        topic, _, field = path["value"].partition(".")
        if topic.endswith("/friction_estimate"):  # by name: its position may change
            assert f"{topic.removesuffix('_estimate')}_values" in topics
            assert field in ESTIMATE_NAMES
            assert field == path["label"]
        else:
            assert topic in topics
            assert re.fullmatch(r"wrench\.force\.[xyz]", field)
    rviz = yaml.safe_load(shared_file("config/visual/biped_slip.rviz").read_text())[
        "Visualization Manager"
    ]
    shown = {display["Name"]: display for display in rviz["Displays"]}
    assert shown["Friction"]["Topic"]["Value"] == "/friction_markers/markers"
    assert rviz["Global Options"]["Fixed Frame"] == MarkerConfig().frame


def bare(**fields):
    """A message type without its package, of fields that are made anew."""
    return lambda: SimpleNamespace(**{name: make() for name, make in fields.items()})


def place():
    return SimpleNamespace(x=0.0, y=0.0, z=0.0)


@pytest.fixture
def whole_body_types(monkeypatch):
    """whole_body_state_msgs as its files have it, which is no wheel."""
    kinds = {
        WHOLE_BODY_TYPE: bare(
            header=Header,
            time=float,
            centroidal=bare(
                com_position=place, com_velocity=place, base_orientation=Quaternion
            ),
            joints=list,
            contacts=list,
        ),
        JOINT_TYPE: bare(),
        CONTACT_TYPE: bare(
            pose=bare(position=place), wrench=bare(force=place), surface_normal=place
        ),
    }
    monkeypatch.setattr(whole_body_message, "message_class", kinds.get)


def vector(point):
    return [point.x, point.y, point.z]


def test_feet_become_contacts_of_a_whole_body_in_the_frame_of_their_places(
    whole_body_types,
):
    joints = JointState(name=["knee", "hip"], position=[1.0, 2.0], velocity=[3.0, 4.0])
    joints.header.stamp.sec = 5
    turned = foot(force=(0.0, 0.0, 100.0), rotation=TURN)
    flying = foot(force=(0.0, 0.0, 0.0), estimate=NO_ESTIMATE, name="r_foot")
    base = Quaternion(w=1.0)
    state = whole_body_state("odom", joints, base, [turned, flying])
    assert state.header.frame_id == "odom"
    assert state.time == 5.0
    assert [one.name for one in state.joints] == ["knee", "hip"]
    assert state.joints[1].velocity == 4.0
    assert math.isnan(state.joints[1].effort)
    assert math.isnan(state.centroidal.com_position.x)
    standing_foot, other = state.contacts
    assert vector(standing_foot.wrench.force) == [100.0, 0.0, 0.0]
    assert vector(standing_foot.surface_normal) == [1.0, 0.0, 0.0]
    assert vector(standing_foot.pose.position) == [1.0, 0.0, 0.2]
    assert standing_foot.friction_coefficient == KNOWN.mu
    assert (standing_foot.contact_state, other.contact_state) == (0, 1)
    assert other.friction_coefficient == 0.0, "for which the plug-in draws no cone"
    slides = foot(estimate=KNOWN._replace(slipping=True))
    assert (
        whole_body_state("odom", joints, base, [slides]).contacts[0].contact_state == 2
    )
