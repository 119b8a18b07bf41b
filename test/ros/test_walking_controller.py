# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The controller node answers every step with one finite command, and damps the joints
whenever something is wrong."""

import math
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

import rclpy  # noqa: E402
from builtin_interfaces.msg import Time  # noqa: E402
from lifecycle_msgs.msg import Transition  # noqa: E402
from lifecycle_msgs.srv import ChangeState, GetState  # noqa: E402
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from rclpy.parameter import Parameter  # noqa: E402
from rclpy.qos import qos_profile_sensor_data  # noqa: E402
from ros.partner import COMMAND, PERIOD, activated, efforts, make, standing, until  # noqa: E402
from rosgraph_msgs.msg import Clock as ClockMessage  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from biped_slip.estimation.readings import Problem  # noqa: E402
from biped_slip.friction_estimation.types import NO_ESTIMATE  # noqa: E402
from biped_slip.robots.planar_biped import planar_biped  # noqa: E402
from biped_slip.ros.dds import OUTPUTS, PolledSubscription, Waiter  # noqa: E402
from biped_slip.ros.nodes.walking_controller import (  # noqa: E402
    ControllerOutputs,
    WalkingControllerNode,
)
from biped_slip.ros.services import BackgroundExecutor  # noqa: E402

#: A test takes its time between two steps of a node.
PATIENT = {
    "health.disagreement": 1.0,  # the robot of these tests says velocities and stays
    "health.unanswered": 100.0,
    "supervisor.ridden_stall": 10.0,
    "supervisor.longest_stall": 10.0,
    "supervisor.clock_rate": 100.0,
}
SUCCESS = TransitionCallbackReturn.SUCCESS
LIMITS = planar_biped().effort_limits
VELOCITY = standing().joint_velocity


def damped(efforts):
    """Whether every command takes power out of every joint of the standing robot, or
    lets it go."""
    return (
        len(efforts) > 0
        and bool(np.all(efforts * VELOCITY <= 0.0))
        and not np.any(efforts[:, VELOCITY == 0.0])
    )


def controller(partner, **parameters):
    defaults = {
        "mode": "real-time",
        "embedded_estimator": True,
        "age_limit": 0.5,
        **PATIENT,
    }
    node = activated(WalkingControllerNode, **{**defaults, **parameters})
    partner.connect(node, COMMAND)
    partner.received(node, 0.1)  # until it knows that somebody listens
    return node


def answers(partner, node, stamp, count=1, **changes):
    partner.send(standing()._replace(stamp_ns=stamp), **changes)
    return efforts(partner.received(node, 5.0, enough=(COMMAND, count)))


BROKEN = """
from biped_slip.walking.slip_policies import SlipPolicy
from biped_slip.friction_estimation.limits import RatioLimit
from biped_slip.friction_estimation.registry import LANDING_ESTIMATOR, make_estimator
from biped_slip.compile.kernel import kernel


@kernel
def not_there(state, settings, estimate, measurement, dt):
    return None, estimate.no_such_field


class Limit(RatioLimit):
    foresees, settings = True, None

    def __init__(self):
        self.kernel = not_there


def broken(argument, settings):
    return SlipPolicy("broken", make_estimator(LANDING_ESTIMATOR, settings.estimator), Limit())
"""


def test_a_limit_that_does_not_compile_is_refused_with_its_reason(partner, tmp_path):
    file = tmp_path / "limits.py"
    file.write_text(BROKEN, encoding="utf-8")
    node = make(WalkingControllerNode, limit=f"{file}:broken")
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert node.status.word == "refused"
    assert "no_such_field" in node.status.sentence
    node.end()


def test_each_step_has_one_command_within_the_effort_limits(partner):
    node = controller(partner)
    sent = np.concatenate([answers(partner, node, k * PERIOD) for k in range(1, 6)])
    assert sent.shape == (5, 4)
    assert np.all(np.abs(sent) <= LIMITS)
    assert np.any(sent != 0.0)
    assert not len(efforts(partner.received(node, 0.2)))
    node.end()


def test_a_reason_to_walk_worse_is_in_the_log_once_though_samples_are_skipped_between(
    partner, monkeypatch
):
    def spoil(messages):
        messages["joint_states"].position[0] = math.nan

    node = controller(partner)
    told = []
    reason = Problem("dead time", "7 ms pass from a torque to its effect")
    monkeypatch.setattr(
        type(node.guarded.controller), "reserve", property(lambda _: reason)
    )
    monkeypatch.setattr(
        node,
        "get_logger",
        lambda: SimpleNamespace(error=told.append, info=print, warning=print),
    )
    for k in range(1, 9):
        answers(partner, node, k * PERIOD, inject=spoil if k % 3 == 0 else None)
        assert (node.status.problem == "dead time") == (k % 3 != 0)
    assert told.count(str(reason)) == 1
    monkeypatch.setattr(type(node.guarded.controller), "reserve", None)
    answers(partner, node, 9 * PERIOD)
    assert node.status.healthy
    monkeypatch.setattr(
        type(node.guarded.controller), "reserve", property(lambda _: reason)
    )
    answers(partner, node, 10 * PERIOD)
    assert told.count(str(reason)) == 2, "it was over between"
    node.end()


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_input_that_is_not_finite_lets_the_joints_go_and_is_counted(partner, value):
    def inject(messages):
        messages["joint_states"].velocity[2] = value

    node = controller(partner)
    answers(partner, node, PERIOD)
    assert not np.any(answers(partner, node, 2 * PERIOD, inject=inject))
    assert node.skipped["input not finite: a number of joint velocity"] == 1
    assert np.any(answers(partner, node, 3 * PERIOD))
    assert node.status.healthy
    node.end()


def test_a_silent_sensor_means_damping_and_is_named(partner):
    node = controller(partner, age_limit=0.0025)
    assert not damped(answers(partner, node, PERIOD))
    for k in range(2, 6):
        partner.send(standing()._replace(stamp_ns=k * PERIOD), without=("imu/data",))
        sent = efforts(partner.received(node, 5.0, enough=(COMMAND, 1)))[:1]
        assert damped(sent) == (k >= 4)
    assert "stale input: imu/data is more than 0.0025 s off" in node.skipped
    assert (node.status.word, node.status.problem) == ("safe stop", "stale input")
    node.end()


def test_joints_wait_for_the_other_sensors_of_their_instant_where_they_are_told_to(
    partner,
):
    """Over a bridge the five come in any order: what stands still must not be seen
    moving with the joints."""
    node = controller(partner, sync_timeout=1.0)
    assert np.any(answers(partner, node, PERIOD))
    first = {"joint_states"}
    then = {"imu/data", "l_foot/wrench", "r_foot/wrench"}
    for now in (first, then):
        partner.send(
            standing()._replace(stamp_ns=2 * PERIOD),
            without=partner.outputs.keys() - now,
        )
        assert not len(efforts(partner.received(node, 0.2)))
    partner.send(standing()._replace(stamp_ns=2 * PERIOD), without=first | then)
    assert len(efforts(partner.received(node, 5.0, enough=(COMMAND, 1)))) == 1
    node.end()


def test_joints_do_not_wait_for_ever(partner):
    node = controller(partner, sync_timeout=0.05)
    assert np.any(answers(partner, node, PERIOD))
    partner.send(standing()._replace(stamp_ns=2 * PERIOD), without=("odom",))
    assert len(efforts(partner.received(node, 5.0, enough=(COMMAND, 1)))) == 1
    node.end()


def test_when_the_robot_falls_silent_the_watchdog_sends_zero_effort(partner):
    node = controller(partner, age_limit=0.05)
    assert np.any(answers(partner, node, PERIOD))
    sent = efforts(partner.received(node, 0.4))
    assert sent.shape == (3, 4), "once could be lost, more would be noise"
    assert not np.any(sent)
    assert "joint_states has not come for 0.05 s" in node.status.sentence
    node.end()


def activity(**states):
    """What the controller manager says of its controllers."""
    named = [
        SimpleNamespace(name=name, state=SimpleNamespace(label=label))
        for name, label in states.items()
    ]
    return SimpleNamespace(controllers=named)


def test_a_controller_that_ros2_control_has_deactivated_is_named_and_is_a_fault(
    partner,
):
    """From then on commands are lost: to go on walking in the mind would end in a jump
    of torque."""
    node = controller(partner)
    node._activity.take(
        activity(joint_state_broadcaster="active", effort_controller="inactive")
    )
    assert np.any(answers(partner, node, PERIOD))  # not yet active: nothing is lost
    node._activity.take(activity(effort_controller="active"))
    assert np.any(answers(partner, node, 2 * PERIOD))
    node._activity.take(
        activity(joint_state_broadcaster="active", effort_controller="inactive")
    )
    assert damped(answers(partner, node, 3 * PERIOD))
    assert node.status.word == "fault"
    assert node.status.problem == "controller not active"
    assert (
        "effort_controller is inactive: the joints keep their last torque"
        in node.status.sentence
    )
    node._activity.take(activity(effort_controller="active"))
    # a fault stays until somebody recovers
    assert damped(answers(partner, node, 4 * PERIOD))
    node.end()


def test_as_long_as_another_holds_the_joints_no_fault_is_for_good(partner):
    node = controller(partner)
    node._activity.take(activity(effort_controller="inactive"))
    assert np.any(answers(partner, node, PERIOD))
    jump = 2_000_000_000  # [ns]
    assert not np.any(answers(partner, node, jump))
    assert node.status.word == "skipping input"
    assert (
        sum(
            number
            for sentence, number in node.skipped.items()
            if "clock jump" in sentence
        )
        == 1
    )
    assert np.any(answers(partner, node, jump + PERIOD))
    assert node.status.word in ("standing", "walking")
    node._activity.take(activity(effort_controller="active"))
    assert np.any(answers(partner, node, jump + 2 * PERIOD))
    answers(partner, node, 2 * jump)
    assert not np.any(answers(partner, node, 2 * jump + PERIOD))
    assert node.status.word == "fault"
    node.end()


def test_as_long_as_another_holds_the_joints_it_begins_though_nobody_listens(
    partner, monkeypatch
):
    """It has to know how the robot stands when the joints are let go; the controller of
    efforts listens only then."""
    node = activated(
        WalkingControllerNode,
        mode="real-time",
        embedded_estimator=True,
        age_limit=0.5,
        **PATIENT,
    )
    partner.connect(node, COMMAND)
    monkeypatch.setattr(ControllerOutputs, "heard", False)
    assert not len(answers(partner, node, PERIOD)[:1])
    node._activity.take(activity(joint_state_broadcaster="active"))
    partner.received(node, 0.1)
    assert np.any(answers(partner, node, 2 * PERIOD))
    node.end()


def test_no_order_of_start_is_wrong(partner):
    """A source that comes later than the others is waited for, by name; a fault only
    counts once everything came."""
    node = controller(partner, age_limit=0.004)
    for tick in range(1, 200):  # 0.2 s: four times the grace
        partner.send(standing()._replace(stamp_ns=tick * PERIOD), without=("odom",))
        sent = partner.received(node, 0.002)
        assert not sent[COMMAND]
    assert node.status.sentence == "waiting for odom"
    assert not node.status.healthy
    for tick in range(200, 210):
        partner.send(standing()._replace(stamp_ns=tick * PERIOD))
        partner.received(node, 0.5, enough=(COMMAND, 1))
    assert node.status.word in ("standing", "walking")
    assert node.status.healthy
    node.end()


def test_with_simulated_time_a_slow_simulator_is_not_silent_and_a_dead_one_is(partner):
    """A real-time factor of 0.02: 50 ms between readings of 1 ms, where 4 ms of age are
    allowed."""
    node = controller(partner, age_limit=0.004, silence_limit=0.3, use_sim_time=True)
    for tick in range(1, 10):
        partner.send(standing()._replace(stamp_ns=tick * PERIOD))
        (command,) = partner.received(node, 5.0, enough=(COMMAND, 1))[COMMAND]
        assert np.abs(command.data).max() > 0.1
        assert not partner.received(node, 0.05)[COMMAND]
    assert node.status.healthy
    sent = efforts(partner.received(node, 1.0))
    assert node.status.problem == "silent input"
    assert damped(sent)
    node.end()


@pytest.mark.parametrize("goes_on", [False, True])
def test_a_pause_of_the_simulation_is_no_silence_and_joints_that_say_nothing_are(
    partner, goes_on
):
    """Who lets go while time stands still has fallen when it goes on."""
    node = controller(partner, age_limit=0.004, silence_limit=0.2, use_sim_time=True)
    clock = partner.node.create_publisher(ClockMessage, "/clock", 10)
    until(clock.get_subscription_count)
    assert np.any(answers(partner, node, PERIOD))
    said = PERIOD + (500_000_000 if goes_on else 0)
    clock.publish(ClockMessage(clock=Time(sec=said // 10**9, nanosec=said % 10**9)))
    until(
        lambda: (
            rclpy.spin_once(node, timeout_sec=0.01)
            or node.get_clock().now().nanoseconds == said
        )
    )
    sent = efforts(partner.received(node, 1.0))
    assert len(sent) == (3 if goes_on else 0)
    assert not np.any(sent)
    assert "joint_states has not come for 0.2 s" in node.status.sentence
    assert np.any(answers(partner, node, 2 * PERIOD)) != goes_on
    node.end()


def test_repeated_stamps_are_counted_and_are_no_problem(partner):
    """Gazebo repeats a quarter of the stamps of joint_states."""
    node = controller(partner)
    for tick in range(1, 10):
        partner.send(standing()._replace(stamp_ns=tick * PERIOD))
        partner.received(node, 1.0, enough=(COMMAND, 1))
        if tick % 3 == 0:
            partner.send(
                standing()._replace(stamp_ns=tick * PERIOD),
                without=("odom", "imu/data"),
            )
            assert not partner.received(node, 0.001)[COMMAND]
    assert node.skipped["duplicated stamp: joint_states"] == 3
    assert node.status.healthy
    node.end()


@pytest.mark.parametrize("fault", [RuntimeError("boom"), ZeroDivisionError("x")])
def test_an_exception_is_a_fault_that_damps_until_somebody_recovers(
    partner, fault, monkeypatch
):
    node = controller(partner)
    answers(partner, node, PERIOD)
    with monkeypatch.context() as broken:
        broken.setattr(
            node.guarded.controller, "step", lambda *_: (_ for _ in ()).throw(fault)
        )
        assert damped(answers(partner, node, 2 * PERIOD))
    assert node.active
    assert (node.status.word, node.status.problem) == ("fault", "controller failure")
    assert type(fault).__name__ in node.status.sentence
    assert damped(answers(partner, node, 3 * PERIOD))
    assert recover(node).success
    assert not damped(answers(partner, node, 4 * PERIOD))
    assert node.status.healthy
    assert not recover(node).success
    node.end()


def recover(node):
    return node._recover(Trigger.Request(), Trigger.Response())


def test_a_failure_of_the_node_itself_makes_it_inactive_and_activation_recovers(
    partner, monkeypatch
):
    node = controller(partner)
    answers(partner, node, PERIOD)
    with monkeypatch.context() as broken:
        broken.setattr(
            node.guarded, "step", lambda *_: (_ for _ in ()).throw(OSError("boom"))
        )
        assert not np.any(answers(partner, node, 2 * PERIOD))
    assert not node.active
    assert (node.status.word, "OSError" in node.status.sentence) == ("fault", True)
    assert node.trigger_activate() == SUCCESS
    partner.received(node, 0.1)
    assert np.any(answers(partner, node, 3 * PERIOD))
    node.end()


def test_a_jump_of_the_clock_is_a_fault(partner):
    node = controller(partner)
    answers(partner, node, 10_000 * PERIOD)
    assert damped(answers(partner, node, PERIOD))
    assert (node.status.word, node.status.problem) == ("fault", "clock jump")
    assert recover(node).success
    assert not damped(answers(partner, node, 2 * PERIOD))
    node.end()


@pytest.mark.parametrize("topic", ["imu/data", "joint_states"])
def test_one_stamp_that_no_clock_shows_is_counted_and_neither_mutes_nor_stops_the_controller(
    partner, topic
):
    def inject(messages):
        messages[topic].header.stamp.nanosec = 2**32 - 1

    node = controller(partner)
    answers(partner, node, PERIOD)
    partner.send(standing()._replace(stamp_ns=2 * PERIOD), inject=inject)
    partner.received(node, 0.2)
    assert any(
        counter.startswith(f"impossible stamp: {topic}") for counter in node.skipped
    )
    for k in range(3, 6):
        assert np.any(answers(partner, node, k * PERIOD))
    assert node.status.healthy
    node.end()


@pytest.mark.parametrize("seconds", [-2_000_000_000, -1, 2**31 - 1])
@pytest.mark.parametrize("topic", ["imu/data", "joint_states"])
def test_one_stamp_of_another_age_is_a_fault_that_mutes_nothing(
    partner, topic, seconds
):
    def inject(messages):
        messages[topic].header.stamp.sec = seconds

    node = controller(partner)
    answers(partner, node, PERIOD)
    assert damped(answers(partner, node, 2 * PERIOD, inject=inject))
    assert node.status.problem == "clock jump"
    sent = answers(partner, node, 3 * PERIOD)
    assert damped(sent), "a command that nobody can decode would be missing"
    partner.received(node, 0.1)
    assert recover(node).success
    for k in range(4, 7):
        sent = answers(partner, node, k * PERIOD)
        assert sent.shape == (1, 4)
        assert np.any(sent)
    assert node.status.healthy
    node.end()


class Clock:
    """A steady clock that goes on only when it is told to."""

    def __init__(self, node):
        self.now, node.clock = time.monotonic(), lambda: self.now


def one_step(partner, node, clock, k):
    clock.now += 1e-3
    return answers(partner, node, k * PERIOD)


def after_a_stall(partner, node, clock, k, stall):
    """Answers to a sample that a loop finds after a stall [s] in which the robot went
    on."""
    node.wait(node.clock(), 0.0)  # the loop waits for the next one and is stopped
    clock.now += stall
    return answers(partner, node, k * PERIOD + round(1e9 * stall))


STALLS = {
    "supervisor.ridden_stall": 0.02,
    "supervisor.longest_stall": 0.05,
    "age_limit": 0.004,
}


def test_a_short_stall_of_its_own_is_ridden_through_and_counted(partner):
    node = controller(partner, **STALLS)
    clock = Clock(node)
    one_step(partner, node, clock, 1)
    after = after_a_stall(partner, node, clock, 1, 0.018)
    assert not damped(after)
    assert node.status.healthy
    assert node.skipped == {"own stall ridden through": 1}
    node.end()


def test_time_in_which_messages_are_decoded_is_no_stall(partner, monkeypatch):
    node = controller(partner, **STALLS)
    clock = Clock(node)
    one_step(partner, node, clock, 1)
    take = node._input_set.take

    def slowly(*given):
        clock.now += 0.018
        return take(*given)

    for k, how in ((2, slowly), (20, take)):
        clock.now += 1e-3
        partner.send(standing()._replace(stamp_ns=k * PERIOD))
        time.sleep(0.1)
        monkeypatch.setattr(node._input_set, "take", how)
        node.step(0.0)
        assert node._input_set.stamps["joint_states"] == k * PERIOD
    assert node.status.healthy
    assert not node.skipped
    node.end()


@pytest.mark.parametrize(
    ("stall", "word"), [(0.03, "safe stop"), (0.055, "fault"), (0.45, "fault")]
)
def test_a_long_stall_of_its_own_damps_and_is_named(partner, stall, word):
    node = controller(partner, **STALLS)
    clock = Clock(node)
    one_step(partner, node, clock, 1)
    after = after_a_stall(partner, node, clock, 1, stall)
    assert damped(after)
    assert (node.status.word, node.status.problem) == (word, "own stall")
    node.end()


def test_after_a_stall_in_which_nothing_has_arrived_yet_the_loop_waits_before_it_calls_an_input_silent(
    partner,
):
    node = controller(partner, **STALLS)
    clock = Clock(node)
    one_step(partner, node, clock, 1)
    node.wait(node.clock(), 0.0)
    clock.now += 0.018
    assert not len(efforts(partner.received(node, 0.05)))
    assert node.status.healthy
    node.wait(node.clock(), 0.01)
    clock.now += 0.009  # the loop waited and nothing came
    assert not np.any(efforts(partner.received(node, 0.05)))
    assert node.status.problem == "silent input"
    node.end()


def test_stamps_that_run_ahead_of_the_clock_do_not_let_torques_build_up_at_once(
    partner,
):
    node = controller(partner)
    clock = Clock(node)
    before = one_step(partner, node, clock, 1)
    clock.now += 1e-3
    after = answers(partner, node, 400 * PERIOD)
    assert np.all(np.abs(after) - np.abs(before) <= 1.5e-3 * 2.0 / 0.004 * LIMITS)
    node.end()


def test_stamps_that_run_ahead_of_the_clock_are_a_fault(partner):
    node = controller(partner, **{**STALLS, "age_limit": 0.5})
    clock = Clock(node)
    one_step(partner, node, clock, 1)
    clock.now += 1e-3
    assert damped(answers(partner, node, 400 * PERIOD))
    assert (node.status.word, node.status.problem) == ("fault", "stamp gap")
    node.end()


def test_while_sensors_come_a_stop_damps_the_joints_before_it_lets_them_go(partner):
    node = controller(partner, **{"supervisor.damping_time": 0.2, "age_limit": 0.05})
    for k in range(1, 4):
        answers(partner, node, k * PERIOD)
    sender = threading.Thread(target=keep_sending, args=(partner, 4, 40))
    sender.start()
    assert node.trigger_deactivate() == SUCCESS
    sender.join()
    sent = efforts(partner.received(node, 0.2))
    assert damped(sent)
    assert not np.any(sent[-1])
    node.end()


def test_after_a_stall_a_stop_damps_by_the_newest_instant(partner, monkeypatch):
    node = controller(partner, **{"supervisor.damping_time": 2.0})
    answers(partner, node, PERIOD)
    damped_at = []
    honest = node._step

    def step(due, now):
        damped_at.append(due.stamp_ns // PERIOD)
        honest(due, now)

    monkeypatch.setattr(node, "_step", step)
    node.waited = True  # as after a step in time
    for k in range(20, 25):
        partner.send(standing()._replace(stamp_ns=k * PERIOD))
    time.sleep(0.2)
    assert node.trigger_deactivate() == SUCCESS
    assert (damped_at[0], damped_at[-1]) == (1, 24)
    assert len(damped_at) < 6, "one by one"
    node.end()


def keep_sending(partner, first, count):
    for k in range(first, first + count):
        time.sleep(0.005)
        partner.send(standing()._replace(stamp_ns=k * PERIOD))


def test_deactivation_sends_zero_effort_and_the_lifecycle_goes_round_and_round(partner):
    node = controller(partner)
    for k in range(3):
        assert np.any(answers(partner, node, (2 * k + 1) * PERIOD))
        assert node.trigger_deactivate() == SUCCESS
        sent = efforts(partner.received(node, 0.2))
        assert damped(sent)
        assert not np.any(sent[-1])
        partner.send(standing()._replace(stamp_ns=(2 * k + 2) * PERIOD))
        assert not len(efforts(partner.received(node, 0.1)))
        assert (
            node.trigger_cleanup(),
            node.trigger_configure(),
            node.trigger_activate(),
        ) == (SUCCESS,) * 3
        partner.connect(node, COMMAND)
        partner.received(node, 0.3)
    node.end()


def test_shutdown_sends_zero_effort(partner):
    node = controller(partner)
    assert np.any(answers(partner, node, PERIOD))
    assert node.trigger_shutdown() == SUCCESS
    assert not np.any(efforts(partner.received(node, 0.2))[-1])
    assert node.exit_code == 0
    node.end()


def test_in_lockstep_it_waits_for_every_input_estimates_included(partner):
    node = controller(partner, mode="lockstep", embedded_estimator=False, timeout=0.3)
    partner.send(standing()._replace(stamp_ns=PERIOD))
    assert not len(efforts(partner.received(node, 0.5)))
    assert "missing: friction_estimator/l_foot/friction_values" in node.status.sentence
    partner.send_estimates(PERIOD)
    assert efforts(partner.received(node, 0.5)).shape == (1, 4)
    node.end()


def test_an_estimator_that_stops_means_damping(partner):
    node = controller(partner, embedded_estimator=False, estimate_age_limit=0.0015)
    partner.send_estimates(PERIOD)
    time.sleep(0.1)
    assert not damped(answers(partner, node, 2 * PERIOD))
    assert damped(answers(partner, node, 3 * PERIOD))
    assert any("friction_values is more than" in sentence for sentence in node.skipped)
    node.end()


def changed(node, name, value):
    """Whether a change of a parameter was accepted, and why not."""
    (result,) = node.set_parameters([Parameter(name, value=value)])
    assert (node.get_parameter(name).value == value) == result.successful
    return result.successful, result.reason


def test_while_it_is_active_parameters_change_only_towards_caution(partner):
    node = controller(partner)
    answers(partner, node, PERIOD)
    for name, cautious, careless in (
        ("supervisor.grace", 0.02, 0.03),
        ("health.joint_margin", 0.1, 0.2),
        ("health.fall_height", 0.6, 0.5),
        ("age_limit", 0.0025, 0.003),
    ):
        assert changed(node, name, cautious) == (True, "")
        accepted, reason = changed(node, name, careless)
        assert not accepted
        assert "while the node is active" in reason
    for name, value in (
        ("supervisor.damping", 0.5),
        ("limit", "none"),
        ("controller.gait.stride", 0.1),
    ):
        assert not changed(node, name, value)[0]  # read-only
    assert not changed(node, "speed_scale", 1.5)[0]  # out of range
    assert node.trigger_deactivate() == SUCCESS
    assert changed(node, "supervisor.grace", 0.05) == (True, "")
    node.end()


def test_a_changed_age_limit_is_in_force_at_once(partner):
    node = controller(partner)
    answers(partner, node, PERIOD)
    for k in range(2, 6):
        assert changed(node, "age_limit", 0.0025)[0]
        partner.send(standing()._replace(stamp_ns=k * PERIOD), without=("imu/data",))
        assert damped(
            efforts(partner.received(node, 5.0, enough=(COMMAND, 1)))[:1]
        ) == (k >= 4)
    node.end()


def test_a_changed_speed_is_walked_at_once_and_a_changed_grace_ends_a_stop_sooner(
    partner,
):
    node = controller(partner, scenario="traction", age_limit=0.5)
    later = 5_000 * PERIOD  # when the scenario wants to walk
    answers(partner, node, later)
    assert node.guarded.controller.moving
    assert changed(node, "speed_scale", 0.0)[0]
    answers(partner, node, later + PERIOD)
    assert not node.guarded.controller.moving
    assert changed(node, "supervisor.grace", 0.0)[0]

    def inject(messages):
        messages["joint_states"].velocity[2] = math.nan

    answers(partner, node, later + 2 * PERIOD, inject=inject)
    assert node.status.word == "fault"
    node.end()


def rivals(node):
    node.note_rivals()
    return {counter.partition(":")[0] for counter in node.skipped}


def test_another_publisher_of_commands_and_another_node_of_its_name_are_noticed(
    partner,
):
    partner.node.destroy_publisher(partner.commands)
    node = controller(partner)
    before = node._outputs.rivals  # earlier ones leave the graph after a while
    partner.commands = partner.node.create_publisher(
        Float64MultiArray, COMMAND, OUTPUTS
    )
    until(lambda: node._outputs.rivals > before, 60.0)
    assert "second publisher" in rivals(node)
    other = rclpy.create_node("walking_controller")
    until(lambda: "second controller" in rivals(node))
    other.destroy_node()
    node.end()


def test_a_limit_it_does_not_know_is_refused(ros):
    node = make(WalkingControllerNode, limit="guess")
    assert node.trigger_configure() == TransitionCallbackReturn.FAILURE
    assert "constant:RATIO" in node.status.sentence
    node.end()


@pytest.mark.parametrize("code", [17.0, -1.0, 1e300, 2.5, math.nan])
def test_an_estimate_in_a_state_that_there_is_not_is_refused_by_name_and_silences_nothing(
    partner, code
):
    node = controller(partner, embedded_estimator=False)
    for tick in range(1, 4):
        partner.send_estimates(tick * PERIOD, NO_ESTIMATE)
        answers(partner, node, tick * PERIOD)
    assert node.status.healthy
    # one message never fells a robot: it goes on with the next good one
    for tick in range(4, 8):
        partner.send_estimates(
            tick * PERIOD,
            NO_ESTIMATE._replace(state_code=code) if tick == 4 else NO_ESTIMATE,
        )
        answers(partner, node, tick * PERIOD)
    assert node.active
    assert node.status.healthy
    assert any(sentence.startswith("unknown state") for sentence in node.skipped)
    list(node._tell_diagnostics())
    node.end()


def test_numbers_of_ones_own_estimator_silence_no_diagnosis(partner):
    node = controller(partner)
    answers(partner, node, PERIOD)
    for code in (17, 1e300, None, "usable"):
        node._last = (NO_ESTIMATE._replace(state_code=code),) * 2
        list(node._tell_diagnostics())
    node.counters = lambda: 1 / 0
    list(node._tell_diagnostics())
    node.end()


def test_simulated_time_may_not_come_or_go_while_the_node_is_active(partner):
    node = controller(partner)
    (result,) = node.set_parameters([Parameter("use_sim_time", value=True)])
    assert not result.successful
    assert "use_sim_time" in result.reason
    node.trigger_deactivate()
    (result,) = node.set_parameters([Parameter("use_sim_time", value=True)])
    assert result.successful
    node.end()


def test_a_transition_that_is_impossible_and_every_call_of_many_are_answered(partner):
    node = controller(partner)
    background = BackgroundExecutor(node)
    change = partner.node.create_client(ChangeState, "walking_controller/change_state")
    recover = partner.node.create_client(Trigger, "walking_controller/recover")
    executor = SingleThreadedExecutor()
    executor.add_node(partner.node)
    assert change.wait_for_service(10.0)
    assert recover.wait_for_service(10.0)
    request = ChangeState.Request()
    request.transition.id = Transition.TRANSITION_CONFIGURE  # of an active node
    calls = [
        change.call_async(request),
        *(recover.call_async(Trigger.Request()) for _ in range(300)),
    ]
    end = time.monotonic() + 30.0
    while not all(call.done() for call in calls) and time.monotonic() < end:
        background.serve()
        for _ in range(40):  # the client, which keeps ten answers, takes them
            executor.spin_once(timeout_sec=0.0)
    assert all(call.done() for call in calls)
    assert not calls[0].result().success
    assert node.active
    node.end()


def test_a_flood_of_requests_keeps_neither_another_service_nor_the_clock_waiting(
    partner,
):
    node = controller(partner, use_sim_time=True)
    background = BackgroundExecutor(node)
    flooded = partner.node.create_client(Trigger, "walking_controller/recover")
    other = partner.node.create_client(GetState, "walking_controller/get_state")
    clock = partner.node.create_publisher(ClockMessage, "/clock", OUTPUTS)
    executor = SingleThreadedExecutor()
    executor.add_node(partner.node)
    assert flooded.wait_for_service(10.0)
    assert other.wait_for_service(10.0)
    until(clock.get_subscription_count)
    for _ in range(100):
        flooded.call_async(Trigger.Request())
    call = other.call_async(GetState.Request())
    clock.publish(ClockMessage(clock=Time(sec=5)))
    time.sleep(0.5)  # all have arrived
    background.serve()
    assert node.get_clock().now().nanoseconds == 5 * 10**9
    until(lambda: executor.spin_once(timeout_sec=0.01) or call.done())
    partner.node.destroy_publisher(clock)
    node.end()


def test_a_publisher_whose_quality_of_service_does_not_fit_does_not_keep_the_loop_awake(
    partner,
):
    box = PolledSubscription(partner.node, Float64MultiArray, "misfit", OUTPUTS)
    waiter = Waiter(partner.node, 1)
    publisher = partner.node.create_publisher(
        Float64MultiArray, "misfit", qos_profile_sensor_data
    )
    time.sleep(0.5)  # they know each other
    assert publisher.get_subscription_count() == 0
    begin = time.monotonic()
    for _ in range(5):
        waiter.wait([box], 0.02)
    assert time.monotonic() - begin > 0.09
    partner.node.destroy_publisher(publisher)
    box.close()
