# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A computer that can't keep up is told so, and a period is chosen that it keeps up
with."""

import time
from collections import Counter

import numpy as np
import pytest

rclpy = pytest.importorskip("rclpy")

from rclpy.lifecycle import TransitionCallbackReturn  # noqa: E402
from ros.partner import activated, make  # noqa: E402
from std_msgs.msg import Float64  # noqa: E402

from biped_slip.control.tick_time import PERIODS, period_check  # noqa: E402
from biped_slip.ros.nodes import contact_simulator, walking_controller  # noqa: E402
from biped_slip.ros.nodes.contact_simulator import ContactSimulatorNode  # noqa: E402
from biped_slip.ros.nodes.walking_controller import WalkingControllerNode  # noqa: E402
from biped_slip.ros.simulated_robot import SimulatedBiped  # noqa: E402
from biped_slip.simulation.kept_time import KeptTime  # noqa: E402
from biped_slip.simulation.planar.scenario import (  # noqa: E402
    ScenarioConfig,
    chosen_scenario,
)
from biped_slip.walking.guarded import GuardedController  # noqa: E402


@pytest.fixture
def slow(monkeypatch):
    """Make a method take longer by a time [s]."""

    def slowed(kind, name, seconds):
        whole = getattr(kind, name)

        def step(*arguments, **named):
            time.sleep(seconds)
            return whole(*arguments, **named)

        monkeypatch.setattr(kind, name, step)

    return slowed


@pytest.fixture
def checks(monkeypatch):
    """Collect what is found about this computer."""
    found = []
    for module, name in (
        (walking_controller, "rehearsed"),
        (contact_simulator, "period_check"),
    ):
        whole = getattr(module, name)
        monkeypatch.setattr(
            module,
            name,
            lambda *a, whole=whole, **n: found.append(whole(*a, **n)) or found[-1],
        )
    return found


def test_the_shortest_period_is_possible_that_one_tick_in_a_thousand_may_exceed():
    spent = np.full(2000, 0.9e-3)
    assert period_check("a tick", spent).possible == PERIODS[0]
    spent[:2] = 1.0
    assert period_check("a tick", spent).possible == PERIODS[0]
    spent[:4] = 1.9e-3
    assert period_check("a tick", spent).possible == PERIODS[1]
    spent[:] = 5e-3
    assert "no period up to 4 ms is possible" in str(period_check("a tick", spent))


def test_a_controller_measures_its_ticks_and_then_stands_without_memory(ros, checks):
    node = activated(WalkingControllerNode, rehearsal=0.2, embedded_estimator=True)
    assert 1 <= len(checks) <= walking_controller.REHEARSALS, (
        "again only where another program slowed the one before"
    )
    check = checks[-1]
    assert 0.0 < check.usual <= check.spent
    assert not node._input_set.stamps
    assert node.guarded.problem is None
    assert not np.any(node.guarded.torques)
    assert not [
        name
        for name, _ in node.get_topic_names_and_types()
        if "rehearsal" in name and node.count_publishers(name)
    ]
    node.end()


def test_a_controller_that_is_too_slow_for_a_millisecond_chooses_a_longer_period_and_says_it(
    ros, slow, checks
):
    slow(GuardedController, "step", 1.1e-3)
    node = activated(
        WalkingControllerNode, rehearsal=0.1, embedded_estimator=True, period="auto"
    )
    assert len(checks) == walking_controller.REHEARSALS, (
        "it may have been another program"
    )
    check = checks[-1]
    assert not check.allows(1e-3)
    assert check.possible is None or node._robot.period == check.possible
    node.end()


def test_a_controller_rehearses_again_while_others_still_start_up(ros, monkeypatch):
    spent = iter([5.3e-3, 1.9e-3, 0.5e-3, 9e-3])
    monkeypatch.setattr(
        walking_controller,
        "rehearsed",
        lambda *a, **n: period_check("a tick", np.full(2000, next(spent))),
    )
    node = activated(
        WalkingControllerNode, rehearsal=0.1, embedded_estimator=True, period="auto"
    )
    assert node._robot.period == 1e-3
    assert next(spent) == 9e-3
    node.end()


def test_a_simulation_that_is_too_slow_refuses_where_it_must_not_dilate_time(ros, slow):
    slow(SimulatedBiped, "advance", 1.1e-3)
    node = make(ContactSimulatorNode, slow_simulation="refuse")
    assert node.trigger_configure() == TransitionCallbackReturn.SUCCESS
    assert node.trigger_activate() == TransitionCallbackReturn.FAILURE
    assert node.exit_code == 1
    assert (
        "the period is 1 ms, but a tick of the simulation takes up to"
        in node.status.sentence
    )
    node.end()


def test_a_simulation_that_is_too_slow_dilates_time_evenly(ros, slow):
    slow(SimulatedBiped, "advance", 1.1e-3)
    node = activated(ContactSimulatorNode)
    assert node._paced > 1.1e-3
    assert node._period == 1e-3
    assert node._world.plant.ticks == 0
    node.end()


def test_a_simulator_that_may_choose_takes_the_controllers_longer_period(ros):
    node = activated(ContactSimulatorNode, period="auto")
    talker = rclpy.create_node("talker")
    told = talker.create_publisher(
        Float64, "walking_controller/period", contact_simulator.OUTPUTS
    )
    told.publish(Float64(data=4e-3))
    end = time.monotonic() + 10.0
    while node._awaits_period and time.monotonic() < end:
        node.step(0.01)
    assert node._period == 4e-3
    assert node._world.scenario.plant.control_period_ns == 4_000_000
    talker.destroy_node()
    node.end()


def test_more_ticks_are_measured_than_a_short_walk_has():
    scenario = ScenarioConfig.from_mapping(
        {**chosen_scenario("thesis").to_mapping(), "duration": 5e-3}
    )
    robot = SimulatedBiped(scenario, 0, Counter())
    assert np.all(robot.tick_times(20) > 0.0)
    assert robot.world.log.length <= robot.world.log.time.size < 20
    for _ in range(robot.world.log.length, robot.world.log.time.size):
        robot.world.record()
    with pytest.raises(IndexError, match="the log is full"):
        robot.world.record()


@pytest.mark.parametrize(
    ("kept", "slow"),
    [((1000, 5, 0, 5), False), ((1000, 0, 0, 200), True), ((500, 600), True)],
)
def test_a_walk_without_processor_says_so_first(kept, slow):
    said = str(KeptTime(*kept) if len(kept) == 4 else KeptTime(*kept, 0))
    assert said.startswith("this computer was too slow") == slow
