# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A network from a file: its memory, and files that contradict their layout."""

import numpy as np
import pytest

pytest.importorskip("onnx", reason="the test extra is not installed")
pytest.importorskip("onnxruntime", reason="the policies extra is not installed")

from walking.learned_policy.tiny_network import write_counting, write_linear

from biped_slip.errors import BipedSlipError
from biped_slip.walking.learned_policy import opened
from biped_slip.walking.policy_layout import HistoryConfig, LearnedPolicyConfig
from biped_slip.walking.policy_network import Network

COUNT = {"remembers": ("count",), "remembered": ("count_next",), "size": 2}


def refusal(path, *sizes, **memory):
    """The sentence with which a network is refused."""
    with pytest.raises(BipedSlipError) as refused:
        Network(path, *sizes, **memory)
    return str(refused.value).removeprefix(f"{path}: ")


def test_an_answer_is_that_of_the_file(tmp_path):
    matrix = np.arange(6.0).reshape(2, 3)
    network = Network(write_linear(tmp_path / "n.onnx", matrix, [1.0, 2.0]), 3, 2)
    row = np.array([0.5, -1.0, 2.0])
    answer, memory = network(row)
    np.testing.assert_allclose(answer, matrix @ row + [1.0, 2.0])
    assert memory == ()


def test_a_memory_is_zero_at_first_and_goes_from_answer_to_answer(tmp_path):
    network = Network(write_counting(tmp_path / "n.onnx", 3, 2, 2), 3, 2, **COUNT)
    memory = network.blank()
    for asked_before in range(4):
        answer, memory = network(np.ones(3), memory)
        assert answer.tolist() == [asked_before, asked_before]
    assert network(np.ones(3), network.blank())[0].tolist() == [0.0, 0.0]


def test_a_row_of_another_size_is_refused(tmp_path):
    path = write_linear(tmp_path / "n.onnx", np.zeros((2, 3)))
    assert refusal(path, 4, 2) == (
        "shape of its input 'seen' is [1, 3], but must be [1, 4], as the layout says; "
        "correct its observation, joints, phases or history"
    )


def test_a_row_of_another_size_is_answered_with_the_numbers_of_each_term(tmp_path):
    path = write_linear(tmp_path / "n.onnx", np.zeros((2, 4)))
    layout = LearnedPolicyConfig(
        observation=("command", "sine_of_phases", "last_action"),
        phases=(0.0,),
        history=HistoryConfig(frames=2),
    )
    with pytest.raises(BipedSlipError) as error:
        opened(path, layout, 2)
    assert str(error.value).endswith(
        ": 2 x (3 command + 1 sine_of_phases + 2 last_action)"
    )


def test_an_answer_of_another_size_is_refused(tmp_path):
    path = write_linear(tmp_path / "n.onnx", np.zeros((2, 3)))
    assert refusal(path, 3, 5) == (
        "size of its answer is 2, but must be 5, the number of joints in the layout; "
        "correct joints"
    )


def test_a_memory_that_the_layout_does_not_name_is_refused(tmp_path):
    path = write_counting(tmp_path / "n.onnx", 3, 2)
    assert refusal(path, 3, 2) == (
        "inputs of the network is ['seen', 'count'], but must be one, and those that "
        "recurrent.inputs names; name its memory under 'recurrent'"
    )


def test_a_memory_that_the_network_lacks_is_refused(tmp_path):
    path = write_linear(tmp_path / "n.onnx", np.zeros((2, 3)))
    assert refusal(path, 3, 2, **COUNT) == (
        "recurrent.inputs is ['count'], but must be among the network's inputs "
        "['seen']; correct the layout"
    )


def test_a_memory_of_another_length_is_refused(tmp_path):
    path = write_counting(tmp_path / "n.onnx", 3, 2, 7)
    assert refusal(path, 3, 2, **COUNT) == (
        "shape of its input 'count' is [1, 1, 7], but must be [1, 1, 2], as the layout "
        "says; correct recurrent.size"
    )


def test_a_file_that_is_no_network_is_refused(tmp_path):
    path = tmp_path / "n.onnx"
    path.write_bytes(b"no network")
    assert refusal(path, 3, 2).startswith("no network that can be read")
