# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What happens to whole processes: a killed and restarted controller, a killed
simulator, a disk without room."""

import os
import signal
import time
from itertools import count

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState  # noqa: E402
from ros.partner import COMMAND, PERIOD, activated, efforts, standing, until  # noqa: E402

from biped_slip.robots.planar_biped import planar_biped  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.ros.processes import NodeProcess  # noqa: E402

LIMITS = planar_biped().effort_limits
CONTROLLER = {
    "mode": "real-time",
    "rehearsal": 0.0,  # of many starts; those of test_processes.py rehearse
    "embedded_estimator": True,
    "age_limit": 1.0,
    "health.unanswered": 100.0,
    "health.disagreement": 1.0,  # its joints say a velocity and stay
    "supervisor.ridden_stall": 0.3,  # a loaded machine may stop a process for a while
    "supervisor.longest_stall": 0.3,
    "supervisor.clock_rate": 100.0,  # its samples come when they can
}
FULL = "/dev/full"  # every write fails: no space left on device


def controller(tmp_path, name):
    return NodeProcess(
        "walking_controller",
        CONTROLLER,
        tmp_path,
        int(os.environ["ROS_DOMAIN_ID"]),
        alias=name,
    )


def walked(partner, stamps, count=1, **changes):
    """As many answers (count, n), each to a sample of its own; what nobody answers is
    followed by the next."""

    def heard():
        partner.send(standing()._replace(stamp_ns=next(stamps)), **changes)
        time.sleep(0.02)
        return list(partner.boxes[COMMAND].take())

    return np.vstack([efforts({COMMAND: until(heard)})[-1] for _ in range(count)])


def test_a_controller_that_is_killed_and_restarted_starts_anew_within_the_limits(
    partner, tmp_path
):
    stamps = count(PERIOD, PERIOD)
    for life in range(2):
        process = controller(tmp_path, f"controller_{life}")
        try:
            sent = walked(partner, stamps, 20)
            assert np.isfinite(sent).all()
            assert np.all(np.abs(sent) <= LIMITS)
            assert np.any(sent[-1])
        finally:
            process.process.kill()
            process.process.wait()


def test_a_controller_that_was_stopped_and_goes_on_damps_and_does_not_resume_its_torques(
    partner, tmp_path
):
    process = controller(tmp_path, "controller")
    stamps = count(PERIOD, PERIOD)
    try:
        assert np.any(walked(partner, stamps, 20)[-1])
        process.process.send_signal(signal.SIGSTOP)
        gone = time.monotonic()
        while time.monotonic() < gone + 0.6:
            partner.send(standing()._replace(stamp_ns=next(stamps)))
            time.sleep(0.001)
        process.process.send_signal(signal.SIGCONT)
        after = walked(partner, stamps, 5)
        assert np.all(after * standing().joint_velocity <= 0.0), (
            "a torque that drives the joints would be the walk's"
        )
    finally:
        process.end()
    assert process.process.returncode == 0
    assert "own stall" in (tmp_path / "controller.log").read_text()


#: Interrupt from a terminal, a closed terminal, quit and stop from a terminal, and what
#: other programs send.
SHORT = ("SIGHUP", "SIGTSTP")  # `python -m studies endings` tries twelve kinds
LONG = (
    "SIGQUIT",
    "SIGUSR1",
    "SIGINT",
    "SIGTERM",
    "SIGUSR2",
    "SIGALRM",
    "SIGABRT",
    "SIGVTALRM",
    "SIGPOLL",
    "SIGRTMIN",
)
SIGNALS = SHORT + LONG if os.environ.get("BIPED_SLIP_LONG") else SHORT


@pytest.mark.parametrize("name", SIGNALS)
def test_whatever_signal_ends_a_controller_its_last_command_is_zero_effort(
    partner, tmp_path, name
):
    process = controller(tmp_path, "controller")
    stamps = count(PERIOD, PERIOD)
    try:
        assert np.any(walked(partner, stamps, 5)[-1])
        process.process.send_signal(getattr(signal, name))
        assert not np.any(last_command(partner, process, stamps))
        assert process.process.returncode == 0
    finally:
        process.end()
    assert "Traceback" not in (tmp_path / "controller.log").read_text()


def last_command(partner, process, stamps):
    """Of a process that is about to end, while sensors come."""
    heard = []
    while process.running:
        partner.send(standing()._replace(stamp_ns=next(stamps)))
        time.sleep(0.001)
        heard += list(partner.boxes[COMMAND].take())
    time.sleep(0.1)
    return efforts({COMMAND: heard + list(partner.boxes[COMMAND].take())})[-1]


@pytest.mark.parametrize(
    "delay", [0.02, 0.2] if os.environ.get("BIPED_SLIP_LONG") else [0.2]
)
def test_a_controller_that_is_ended_while_it_damps_because_of_a_deactivation_sends_zero_effort(
    partner, tmp_path, monkeypatch, delay
):
    monkeypatch.setitem(CONTROLLER, "supervisor.damping_time", 3.0)
    process = controller(tmp_path, "controller")
    stamps = count(PERIOD, PERIOD)
    client = partner.node.create_client(ChangeState, "walking_controller/change_state")
    try:
        assert np.any(walked(partner, stamps, 5)[-1])
        assert client.wait_for_service(10.0)
        request = ChangeState.Request()
        request.transition.id = Transition.TRANSITION_DEACTIVATE
        client.call_async(request)
        asked = time.monotonic()
        while time.monotonic() < asked + delay:
            partner.send(standing()._replace(stamp_ns=next(stamps)))
            time.sleep(0.001)
        process.process.send_signal(signal.SIGTERM)
        assert not np.any(last_command(partner, process, stamps))
        assert process.process.returncode == 0
    finally:
        process.end()
        partner.node.destroy_client(client)
    assert "Traceback" not in (tmp_path / "controller.log").read_text()


def test_a_simulator_whose_controller_is_killed_damps_by_itself(partner):
    node = activated(ContactSimulatorNode, mode="real-time", command_hold=0.02)
    until(lambda: partner.commands.get_subscription_count())
    message = command_of(np.full(4, 5.0))
    end = time.monotonic() + 5.0
    while not node._answered and time.monotonic() < end:
        partner.commands.publish(message)
        node.step()
    assert np.any(node._torques)
    gone = time.monotonic()
    while time.monotonic() < gone + 0.1 and node.active:
        node.step()
    assert not np.any(node._torques)
    assert node.counters()["ticks damped"] > 0
    node.end()


def command_of(values):
    from std_msgs.msg import Float64MultiArray

    return Float64MultiArray(data=[float(value) for value in values])


def test_a_controller_without_room_for_its_log_goes_on_and_still_damps(
    partner, tmp_path
):
    def inject(messages):
        messages["joint_states"].velocity[2] = np.nan

    (tmp_path / "controller.log").symlink_to(FULL)
    process = controller(tmp_path, "controller")
    stamps = count(PERIOD, PERIOD)
    try:
        assert np.any(walked(partner, stamps, 5)[-1])
        # and has a sentence for the log
        assert not np.any(walked(partner, stamps, inject=inject))
        assert np.any(walked(partner, stamps, 3)[-1])
        assert process.running
    finally:
        process.end()
    assert process.process.returncode == 0


def test_a_simulator_without_room_for_its_result_says_so_in_one_sentence(tmp_path):
    short = {
        "mode": "real-time",
        "duration": 0.02,
        "result_file": FULL,
        "log_file": FULL,
    }
    domain = int(os.environ["ROS_DOMAIN_ID"])
    brain = controller(tmp_path, "controller")
    world = NodeProcess("contact_simulator", short, tmp_path, domain)
    try:
        until(lambda: not world.running)
        assert "the result can't be written" in world.failure()
        assert "Traceback" not in (tmp_path / "contact_simulator.log").read_text()
    finally:
        world.end()
        brain.end()
