# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Each example runs as it stands, shortened where it takes an argument for that."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(folder, name, *arguments):
    """What an example prints, run in a folder of its own."""
    command = [sys.executable, str(ROOT / "examples" / name), *arguments]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_estimator_on_a_csv_finds_the_friction_of_its_pull(tmp_path):
    out = run(tmp_path, "estimator_on_csv.py")
    low, high = (float(part) for part in out.split("[")[1].split("]")[0].split(","))
    assert low < 0.4 < high < 1.05 * low
    assert (tmp_path / "replay.png").read_bytes().startswith(b"\x89PNG")


def test_the_estimator_on_arrays_knows_more_the_closer_the_foot_comes_to_sliding(
    tmp_path,
):
    lines = run(tmp_path, "estimator_on_arrays.py").splitlines()
    low = [float(line.split("[")[1].split(",")[0]) for line in lines]
    assert low == sorted(low)
    assert low[-1] < 0.4 < float(lines[-1].split(", ")[-1].rstrip("]"))


@pytest.mark.slow
def test_one_walk_prints_its_slip_and_draws_its_pictures(tmp_path):
    out = run(tmp_path, "one_walk.py", "0.6")
    assert "touchdown: " in out
    assert (tmp_path / "walk-report/index.html").exists()


@pytest.mark.slow
def test_a_walk_on_an_own_friction_law_gets_somewhere(tmp_path):
    assert float(run(tmp_path, "own_friction_law.py")) > 0.0


@pytest.mark.slow
def test_a_humanoid_with_an_own_urdf_stands(tmp_path):
    assert "the robot ran out of time" in run(
        tmp_path, "own_humanoid.py", "romeo.yaml", "0"
    )


@pytest.mark.ros
def test_an_own_node_publishes_the_lower_bound_of_friction(tmp_path):
    pytest.importorskip("rclpy")
    script = """
import runpy, threading, time
import rclpy
from geometry_msgs.msg import WrenchStamped
from std_msgs.msg import Float64
rclpy.init()
node = runpy.run_path(EXAMPLE)["FootFriction"]()
found = []
node.create_subscription(Float64, "/foot_friction/mu_low", lambda message: found.append(message.data), 10)
wrenches = node.create_publisher(WrenchStamped, "foot/wrench", 10)
message = WrenchStamped()
message.wrench.force.x, message.wrench.force.z = -70.0, 700.0
tick = 0
while len(found) < 20:
    tick += 1
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(tick * 10**6, 10**9)
    wrenches.publish(message)
    rclpy.spin_once(node, timeout_sec=0.05)
print(found[-1])
"""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n" + script.replace(
        "EXAMPLE", repr(str(ROOT / "examples/own_node.py"))
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) <= 0.1 or done.stdout.strip() == "nan"


@pytest.mark.ros
def test_a_steering_program_says_its_command_until_it_is_interrupted(tmp_path):
    rclpy = pytest.importorskip("rclpy")
    from geometry_msgs.msg import Twist
    from rclpy.context import Context
    from rclpy.executors import SingleThreadedExecutor

    program = [sys.executable, str(ROOT / "examples/steer.py")]
    command = [*program, "0.2", "0.0", "-0.1", "--ros-args", "-r", "cmd_vel:=planned"]
    context = Context()  # other tests have the process's own
    rclpy.init(context=context)
    node = rclpy.create_node("steered", context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    heard = []
    node.create_subscription(Twist, "planned", heard.append, 10)
    running = subprocess.Popen(command, cwd=tmp_path)
    try:
        while len(heard) < 3 and running.poll() is None:
            executor.spin_once(timeout_sec=0.1)
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 0
    finally:
        running.kill()
        executor.shutdown()
        node.destroy_node()
        context.shutdown()
    last = heard[-1]
    assert (last.linear.x, last.linear.y, last.angular.z) == (0.2, 0.0, -0.1)
