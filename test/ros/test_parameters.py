# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations become ROS parameters with meaning, unit and range, and refuse what is
out of range."""

import importlib
import pkgutil

import pytest
import scenario_page

rclpy = pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from rclpy.parameter import Parameter  # noqa: E402

import biped_slip.ros  # noqa: E402
from biped_slip.config import Configuration, configuration, parameter, section  # noqa: E402
from biped_slip.errors import BipedSlipError, InvalidParameter  # noqa: E402
from biped_slip.ros.controlled_robot import ControllerNodeConfig  # noqa: E402
from biped_slip.ros.nodes.friction_governor import (  # noqa: E402
    FrictionGovernorNode,
    GovernorNodeConfig,
)
from biped_slip.ros.nodes.friction_markers import MarkersNodeConfig  # noqa: E402
from biped_slip.ros.parameters import declare_configuration  # noqa: E402
from biped_slip.simulation.humanoid.scenario import CourseConfig  # noqa: E402
from biped_slip.simulation.planar.scenario import chosen_scenario  # noqa: E402


@configuration
class Inner(Configuration):
    gain: float = parameter(
        2.0, unit="N/m", above=0.0, high=10.0, source="A.1", doc="a gain"
    )
    count: int = parameter(3, low=1, doc="how many")
    places: tuple[float, ...] = parameter((), unit="m", doc="where")


@configuration
class Outer(Configuration):
    inner: Inner = section(Inner)
    name: str = parameter("a", choices=("a", "b"))
    on: bool = parameter(False)


def declare(overrides=(), config=None):
    node = rclpy.create_node(
        "parameters", parameter_overrides=[Parameter(n, value=v) for n, v in overrides]
    )
    try:
        declared = declare_configuration(node, config or Outer(), "x.")
        return declared, {
            n: node.describe_parameter(n)
            for n in node.get_parameters_by_prefix("")
            if n.startswith("x.")
        }
    finally:
        node.destroy_node()


def test_without_overrides_every_shipped_scenario_stays_as_it_is(ros):
    for name in ("thesis", "traction_sensors"):
        scenario = chosen_scenario(name)
        assert declare(config=scenario)[0] == scenario


def test_overrides_reach_the_configuration(ros):
    changes = [
        ("x.inner.gain", 5.0),
        ("x.inner.count", 7),
        ("x.inner.places", [1.0, 2.0]),
        ("x.name", "b"),
        ("x.on", True),
    ]
    assert declare(changes)[0] == Outer(Inner(5.0, 7, (1.0, 2.0)), "b", True)


def test_a_table_is_no_parameter_and_stays_as_it_is(ros):
    """A walk over topics on a course of patches ended in "unexpected StopIteration"."""
    course = CourseConfig.from_mapping({"patches": [[1.0, 2.0, -3.0, 3.0, 0.25]]})
    declared, described = declare(config=course)
    assert declared == course
    assert "x.patches" not in described
    assert "x.profile" in described


def test_descriptors_say_what_the_configuration_says(ros):
    _, descriptors = declare()
    gain = descriptors["x.inner.gain"]
    assert gain.description == "a gain (finite and > 0 and <= 10 [N/m])"
    assert "A.1" in gain.additional_constraints
    assert (
        gain.floating_point_range[0].from_value,
        gain.floating_point_range[0].to_value,
    ) == (0.0, 10.0)
    assert gain.read_only
    assert descriptors["x.inner.count"].integer_range[0].from_value == 1


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("x.inner.gain", 11.0, "gain"),
        ("x.inner.gain", 0.0, "gain"),
        ("x.inner.gain", "5", "gain"),
        ("x.inner.gain", 5, "gain .* write numbers with a decimal point"),
        ("x.inner.count", 1.5, "count"),
        ("x.name", "c", "'a', 'b'"),
    ],
)
def test_what_is_out_of_range_or_of_another_type_is_refused_by_name(
    ros, name, value, words
):
    with pytest.raises(BipedSlipError, match=words):
        declare([(name, value)])


@pytest.mark.parametrize(
    "topics", [(), ("l",), ("l", "r", "x"), ("foot", "foot"), ("foot", "/foot")]
)
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (GovernorNodeConfig, "friction_topics"),
        (GovernorNodeConfig, "wrench_topics"),
        (MarkersNodeConfig, "friction_topics"),
        (ControllerNodeConfig, "friction_topics"),
    ],
)
def test_what_is_no_topic_per_foot_is_refused_by_name(kind, name, topics):
    """One or three made a traceback at each tick, twice the same left a foot silent."""
    with pytest.raises(InvalidParameter, match=f"{name} is .* left and right"):
        kind(**{name: topics})
    assert kind(**{name: ("l", "r")})


def test_a_parameter_is_also_set_by_its_former_name(ros):
    node = FrictionGovernorNode(parameter_overrides=[Parameter("patience", value=7.0)])
    try:
        assert node.get_parameter("timeout").value == 7.0
        assert not node.has_parameter("patience")
    finally:
        node.end()


def declared_by_nodes():
    """Every configuration that a module of the nodes defines."""
    for module in pkgutil.walk_packages(biped_slip.ros.__path__, "biped_slip.ros."):
        if "bringup" in module.name or module.name.endswith("__main__"):  # no nodes
            continue
        for thing in vars(importlib.import_module(module.name)).values():
            if (
                isinstance(thing, type)
                and issubclass(thing, Configuration)
                and thing.__module__ == module.name
            ):
                yield thing


def test_the_page_of_parameters_has_what_every_node_declares_for_itself():
    shown = {
        part
        for configs in scenario_page.node_tables().values()
        for config in configs
        for part in (type(config), *(type(value) for value in vars(config).values()))
    }
    declared = set(declared_by_nodes())
    assert len(declared) > 10
    assert {kind.__name__ for kind in declared - shown} == set()
