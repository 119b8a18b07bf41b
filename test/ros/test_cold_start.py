# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A controller on an empty code cache: what it needs is compiled before it says that it
is active."""

import os
import subprocess
import sys

import pytest
import yaml

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from biped_slip.ros.processes import free_domain, running_nodes  # noqa: E402

#: The node, which writes down what it takes from the code cache or puts there, and when
#: it is active.
NODE = """
import sys
notes = open(sys.argv.pop(1), "w", buffering=1)
from biped_slip.compile import cache
for name in ("kept", "keep"):
    def noted(path, *content, does=getattr(cache, name)):
        answer = does(path, *content)
        if answer:
            print(path, file=notes)
        return answer
    setattr(cache, name, noted)
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode
from biped_slip.ros.robot_node import serve
class Noted(WalkingControllerNode):
    def begin(self):
        super().begin()
        print("active", file=notes)
    def make_safe(self):
        super().make_safe()
        print("ends", self.guarded.mode.name, self._outputs.rivals, file=notes)
raise SystemExit(serve(Noted))
"""


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["", "talos"])
def test_a_node_compiles_nothing_after_it_is_active(tmp_path, robot):
    shared = {"mode": "real-time", "scenario": "thesis", "humanoid_walk": robot}
    notes = tmp_path / "notes"
    parameters = tmp_path / "node.yaml"
    domain = free_domain()
    said = {**shared, "embedded_estimator": True, "limit": "touchdown"}
    parameters.write_text(
        yaml.safe_dump({"/**": {"ros__parameters": said}}), encoding="utf-8"
    )
    place = {
        **os.environ,
        "BIPED_SLIP_CACHE": str(tmp_path / "cache"),
        "ROS_DOMAIN_ID": str(domain),
    }
    words = [
        sys.executable,
        "-c",
        NODE,
        str(notes),
        "--ros-args",
        "--params-file",
        str(parameters),
    ]
    simulator = {
        **shared,
        "duration": 4.0,
        "startup_timeout": 600.0,
        "slow_simulation": "dilate",
    }
    with running_nodes({"contact_simulator": simulator}, domain) as nodes:
        node = subprocess.Popen(
            words, env={**place, "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
        )
        try:
            nodes["contact_simulator"].process.wait(900.0)
        finally:
            node.terminate()
            node.wait(60.0)
    before, _, after = notes.read_text(encoding="utf-8").partition("active\n")
    assert len(before.splitlines()) > 20
    assert after.splitlines()[-1].startswith("ends")
    assert after.splitlines()[:-1] == []
