# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What is typed wrong at a node is one sentence and exit code 2, before ROS is started."""

import subprocess
import sys

import pytest

from biped_slip.ros.__main__ import node_names, run


def ros(*words):
    return subprocess.run(
        [sys.executable, "-m", "biped_slip.ros", *words],
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "NAME is one of base_estimator, contact_simulator, foot_estimator"),
        (["nobody"], "no node 'nobody'; there are base_estimator, contact_simulator"),
        (
            ["foot_estimator", "--ros-args", "--params-file", "/nowhere.yaml"],
            "/nowhere.yaml: there is no such file",
        ),
    ],
)
def test_a_wrong_word_is_one_sentence(words, sentence):
    ended = ros(*words)
    assert ended.returncode == 2
    said = ended.stderr + ended.stdout
    assert sentence in said
    assert said.count("\n") == 1


MISSING = """
import sys
sys.modules[{library!r}] = None  # as it were not installed
sys.argv = {words!r}
from biped_slip.ros.__main__ import run
raise SystemExit(run(sys.argv[0]))
"""
SIMULATES_G1 = "contact_simulator --ros-args -p humanoid:=g1"


@pytest.mark.ros
@pytest.mark.parametrize(
    ("command", "library", "extra"),
    [
        ("contact_simulator", "pinocchio", "walk"),
        # which the planar biped does without
        (SIMULATES_G1, "daqp", "humanoids"),
        ("foot_estimator", "rclpy", "ros"),
        # loaded once the node is made
        ("friction_estimator", "pinocchio", "walk"),
    ],
)
def test_a_missing_library_is_one_sentence_that_names_its_extra(
    command, library, extra
):
    pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            MISSING.format(words=command.split(), library=library),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode in (1, 2)
    said = ended.stderr + ended.stdout
    assert f"`pip install '.[{extra}]'`" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("name", node_names())
def test_help_of_a_node_says_what_it_does_and_ends(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    assert run(name) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()[0]) > 20
    assert "--ros-args" in said


@pytest.mark.ros
@pytest.mark.parametrize("words", [["--params-file", "FILE"], ["-p", "nonsense"]])
def test_words_that_ros_refuses_are_one_sentence(words, tmp_path):
    pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
    (tmp_path / "bad.yaml").write_text("a: [1, 2\n")
    ended = ros(
        "friction_markers",
        "--ros-args",
        *(str(tmp_path / "bad.yaml") if word == "FILE" else word for word in words),
    )
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


@pytest.mark.ros
def test_a_player_without_a_recording_asks_for_one(monkeypatch):
    pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
    ended = ros("recording_player")
    assert ended.returncode == 1
    assert "recording:=FILE" in ended.stderr
