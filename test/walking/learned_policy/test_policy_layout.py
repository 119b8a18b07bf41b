# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Layouts as YAML gives them, what contradicts itself, and twelve open networks."""

import pytest

pytest.importorskip("onnxruntime", reason="the policies extra is not installed")

from biped_slip.errors import BipedSlipError
from biped_slip.walking.learned_policy import opened
from biped_slip.walking.policy_layout import LearnedPolicyConfig, layout_of

OPEN_POLICIES = 12


def test_values_by_name_may_be_mappings():
    layout = LearnedPolicyConfig.from_mapping(
        {
            "observation": ["command", "joint_velocity"],
            "scales": {"command": [2.0, 2.0, 0.25], "joint_velocity": 0.05},
            "action_scales": {"knee": 0.35},
            "held_joints": {"head": 0.1},
            "efforts": {"knee": 60},
            "history": {"frames": 5, "by": "frame"},
            "gait_frequency_per_speed": {"slope": 0.5, "up_to": 1.5},
            "recurrent": {"size": 64, "inputs": ["h"], "outputs": ["h_next"]},
        }
    )
    assert dict(layout.scales) == {
        "command": (2.0, 2.0, 0.25),
        "joint_velocity": (0.05,),
    }
    assert dict(layout.action_scales) == {"knee": 0.35}
    assert dict(layout.held_joints) == {"head": 0.1}
    assert dict(layout.efforts) == {"knee": 60.0}
    assert (layout.history.frames, layout.history.by) == (5, "frame")
    assert layout.gait_frequency_per_speed.up_to == 1.5
    assert layout.recurrent.outputs == ("h_next",)


@pytest.mark.parametrize(
    ("mapping", "sentence"),
    [
        (
            {"history": {"frames": 0}},
            "HistoryConfig.frames is 0, but must be finite and >= 1 and <= 1000; "
            "instants; 1: the present alone",
        ),
        (
            {"recurrent": {"size": 4, "inputs": ["h", "c"], "outputs": ["h_next"]}},
            "recurrent.outputs is ['h_next'], but must be one for each of the 2 "
            "inputs; name both sides",
        ),
        (
            {"recurrent": {"inputs": ["h"], "outputs": ["h_next"]}},
            "recurrent.size is 0, but must be above 0 with inputs, and 0 without; give "
            "the length of the memory's inputs",
        ),
        (
            {"joints": ["knee"], "held_joints": {"knee": 0.1}},
            "held_joints is 'knee', but must be a joint that the network does not "
            "drive; take it out of joints, or out of held_joints",
        ),
        (
            {"action_scales": {"knee": -0.5}},
            "LearnedPolicyConfig.action_scales is (('knee', -0.5),), but must be finite "
            "and > 0 and <= 10 [rad]; by joint",
        ),
        (
            {"observation": ["command"], "scales": {"comand": 2.0}},
            "unknown term under scales 'comand'; known: command; did you mean "
            "'command'?",
        ),
        (
            {"observation": ["smell"]},
            "unknown term of an observation 'smell'; known: angular_velocity_in_imu, "
            "command, command_linear, command_turn, cosine_of_phases, friction, "
            "gravity_in_imu, joint_position, joint_velocity, last_action, linear_velocity_in_imu, "
            "roll_pitch_yaw, sine_of_phases",
        ),
    ],
)
def test_a_layout_that_contradicts_itself_is_refused_in_one_sentence(mapping, sentence):
    with pytest.raises(BipedSlipError) as refused:
        LearnedPolicyConfig.from_mapping(mapping)
    assert str(refused.value) == sentence


def test_a_kind_of_history_that_is_not_known_is_refused():
    with pytest.raises(BipedSlipError, match=r"history\.by|HistoryConfig\.by"):
        LearnedPolicyConfig.from_mapping({"history": {"by": "row"}})


def test_every_open_network_has_the_shape_that_its_layout_says(recordings):
    networks = sorted((recordings / "policies").glob("*.onnx"))
    if not networks:
        pytest.skip(f"no networks are at {recordings / 'policies'}")
    assert len(networks) >= OPEN_POLICIES
    for path in networks:
        layout = layout_of(path)
        how, network = opened(path, layout, len(layout.joints))
        assert how.frames * sum(how.sizes) == how.size
        assert len(network.blank()) == len(layout.recurrent.inputs)
