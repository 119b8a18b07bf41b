# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations: one definition for Python, YAML, ROS parameters and kernels."""

import math

import pytest

from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.simulation.planar.scenario import ScenarioConfig


@configuration
class Inner(Configuration):
    """Inner part."""

    mass: float = parameter(1.0, unit="kg", above=0.0, doc="of the block")
    names: tuple[str, ...] = parameter(("a",), doc="labels")


@configuration
class Outer(Configuration):
    """Whole."""

    count: int = parameter(3, low=1, high=5, doc="blocks")
    kind: str = parameter("x", choices=("x", "y"), doc="which")
    flag: bool = parameter(False, doc="on")
    inner: Inner = section(Inner)


def test_nested_mappings_make_nested_configurations():
    made = Outer.from_mapping({"count": 2, "inner": {"mass": 3}})
    assert made.inner.mass == 3.0
    assert isinstance(made.inner.mass, float)
    assert Outer.from_mapping(made.to_mapping()) == made


def test_the_packed_twin_has_the_numbers_and_leaves_text_out():
    packed = Outer().packed
    assert packed.count == 3
    assert packed.inner.mass == 1.0
    assert not hasattr(packed, "kind")


def test_the_flat_listing_names_every_leaf_with_its_limits():
    flat = {name: limits for name, _, limits in Outer().flat()}
    assert list(flat) == ["count", "kind", "flag", "inner.mass", "inner.names"]
    assert flat["inner.mass"].unit == "kg"
    assert str(flat["inner.mass"]) == "finite and > 0 [kg]"


@pytest.mark.parametrize(
    ("mapping", "error", "sentence"),
    [
        ({"count": 9}, InvalidParameter, r"Outer.count is 9, but must be .*<= 5"),
        ({"count": 2.5}, InvalidParameter, "whole number"),
        ({"flag": 1}, InvalidParameter, "true or false"),
        ({"kind": "z"}, InvalidParameter, "one of 'x', 'y'"),
        (
            {"inner": {"mass": "3 kg"}},
            InvalidParameter,
            "Inner.mass is '3 kg', but must be a number",
        ),
        ({"inner": {"mass": math.nan}}, InvalidParameter, "finite"),
        ({"inner": {"mas": 1}}, UnknownName, r"inner.mas.*known: inner.mass"),
        ({"inner": [1]}, InvalidParameter, "a mapping"),
    ],
)
def test_wrong_values_are_refused_with_name_value_and_limit(mapping, error, sentence):
    with pytest.raises(error, match=sentence):
        Outer.from_mapping(mapping)


def test_unreadable_files_are_named(tmp_path):
    with pytest.raises(BipedSlipError, match=r"nowhere.yaml: can't be read"):
        read_yaml(tmp_path / "nowhere.yaml")
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [1")
    with pytest.raises(BipedSlipError, match=r"broken.yaml: not valid YAML"):
        read_yaml(broken)
    broken.write_text("- 1")
    with pytest.raises(BipedSlipError, match="mapping"):
        read_yaml(broken)
    broken.write_text("")
    assert read_yaml(broken) == {}


def test_every_parameter_of_a_scenario_says_what_it_means():
    for name, _, limits in ScenarioConfig().flat():
        assert limits.doc, name
        assert limits.source, name


@configuration
class Renamed(Configuration):
    timeout: float = parameter(
        1.0, unit="s", above=0.0, formerly="patience", doc="without an answer"
    )


def test_a_former_name_is_accepted_with_a_warning_that_names_the_new_one():
    with pytest.warns(FutureWarning, match=r"node\.patience is now called timeout"):
        assert Renamed.from_mapping({"patience": 2.0}, "node").timeout == 2.0
    with pytest.raises(BipedSlipError, match=r"unknown parameter .node\.company."):
        Renamed.from_mapping({"company": 2.0}, "node")


@configuration
class Around(Configuration):
    waiting: Renamed = section(Renamed, formerly="company")


def test_a_section_under_its_former_name_is_accepted_and_its_parameters_know_theirs():
    with pytest.warns(FutureWarning, match=r"company is now called waiting"):
        assert Around.from_mapping({"company": {"timeout": 2.0}}).waiting.timeout == 2.0
    ((name, _, limits),) = Around().flat()
    assert (name, limits.formerly) == ("waiting.timeout", "company.patience")
