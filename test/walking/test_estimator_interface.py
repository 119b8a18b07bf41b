# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An estimator from outside is told all that the package's own one is told."""

import math
import warnings

import numpy as np
import pytest

import biped_slip as bs
from biped_slip.friction_estimation.former import FormerEstimator, taking_context
from biped_slip.friction_estimation.limits import FloorLimit, NoLimit
from biped_slip.friction_estimation.rls import rls_start, rls_step
from biped_slip.friction_estimation.settings import RlsConfig
from biped_slip.friction_estimation.types import CompiledRule

SECONDS = 4.0


class Wrapped:
    """The touchdown estimator behind the documented interface, and nothing else."""

    def __init__(self, settings):
        self._own = bs.make_estimator("touchdown", settings)

    def initial_state(self):
        return self._own.initial_state()

    def step(self, state, measurement, dt, context):
        return self._own.step(state, measurement, dt, context)


def wrapped(argument, settings):
    """The policy ``touchdown`` with the wrapped estimator."""
    limit = FloorLimit(settings.limit_rule)
    return bs.SlipPolicy("wrapped", Wrapped(settings.estimator), limit)


def walked(limit):
    """Limits, torques and estimates of a walk of TALOS with real sensors."""
    walk = bs.HumanoidWalk(bs.chosen_walk("talos"), limit, seed=3, checked=False)
    rows = []
    while 1e-9 * walk.world.plant.stamp_ns < SECONDS:
        output = walk.tick()
        rows.append([*output.torques, *output.estimates[0], *output.estimates[1]])
    return np.array(rows, dtype=float), walk


@pytest.mark.slow
def test_the_own_estimator_as_a_plug_in_gives_its_own_answers_to_the_last_bit():
    own, walk = walked("touchdown")
    outside, _ = walked(f"{__file__}:wrapped")
    np.testing.assert_array_equal(outside, own)
    first = len(walk.humanoid.robot.joints)
    mu = own[:, [first, first + len(bs.FrictionEstimate._fields)]]
    assert np.isfinite(mu).any(axis=0).all(), "otherwise nothing has been compared"


class Ratio:
    """An estimator of the former interface: the force ratio."""

    def __init__(self, settings=None):
        pass

    def initial_state(self):
        return 0

    def fault(self, state):
        return f"{state} samples"

    def step(self, state, measurement, dt):
        ratio = math.hypot(measurement.force_x, measurement.force_y)
        return state + 1, bs.NO_ESTIMATE._replace(
            mu_demonstrated=ratio / measurement.force_normal
        )


class FormerThesis(CompiledRule):
    """A compiled estimator of the former interface."""

    kernel = staticmethod(rls_step)
    Config = RlsConfig

    def initial_state(self):
        return rls_start(self.settings)


FOOT = {
    "time": np.arange(0.0, 0.1, 1e-3),
    "force_x": np.linspace(0.0, -50.0, 100),
    "force_normal": np.full(100, 200.0),
}


def test_an_estimator_of_the_former_interface_still_works_with_one_warning():
    with pytest.warns(FutureWarning, match="Ratio: its step takes no context") as told:
        table = bs.estimate_friction(FOOT, f"{__file__}:Ratio")
    assert len(told) == 1
    assert table["mu_demonstrated"][-1] == pytest.approx(0.25)
    with pytest.warns(FutureWarning):
        adapted = taking_context(Ratio())
    assert adapted.fault(3) == "3 samples"
    assert taking_context(adapted) is adapted


def test_an_estimator_of_the_present_interface_is_taken_as_it_is():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("touchdown", "interval", "slip", "thesis"):
            made = bs.make_estimator(name, bs.EstimatorSettings())
            assert not isinstance(made, FormerEstimator)
            assert taking_context(made) is made


def test_a_compiled_estimator_of_the_former_interface_walks_the_planar_biped():
    scenario = bs.chosen_scenario("thesis")
    robot = bs.planar_biped("thesis")
    site = bs.PlanarSite(robot)
    readings = standing(robot)
    found = []
    for estimator in (
        FormerThesis(),
        bs.make_estimator("thesis", settings_of(scenario)),
    ):
        policy = bs.SlipPolicy("thesis", estimator, NoLimit())
        controller = bs.planar_controller(scenario.walking, policy, site)
        found.append([controller.step(one).estimates for one in readings])
    np.testing.assert_array_equal(np.array(found[0], float), np.array(found[1], float))


def settings_of(scenario):
    return bs.EstimatorSettings(rls=scenario.rls)


def standing(robot):
    """Readings of a robot that stands."""
    from biped_slip.estimation.readings import trial_readings

    return list(trial_readings(len(robot.joints)))
