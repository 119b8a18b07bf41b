# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""gazebo.launch.py in the real Gazebo: the planar biped walks onto the slippery patch,
and what its estimator says.

Skipped with the reason where Gazebo is not installed; ``pytest -m gazebo`` runs these
alone, some minutes each.
"""

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.gazebo, pytest.mark.slow]

from gazebo.real_gazebo import (  # noqa: E402
    Watcher,
    base_of,
    during,
    estimates_of,
    gazebo,
    recorded,
    replayed_stances,
    start_of,
    walk_of,
)
from ros.ros2_control import let_go  # noqa: E402

from biped_slip.friction_estimation.types import EstimateState  # noqa: E402
from biped_slip.ros.processes import free_domain  # noqa: E402

# [m], [-] of the shipped world
EDGE = 2.25
SLIPPERY = 0.4
SECONDS = 8.0  # of a walk: it reaches the patch after five
HEAVY = 0.7  # of mu: what presliding tells by then


def on_patch(walk):
    found = [stance for stance in walk.stances if stance.place > EDGE + 0.01]
    assert len(found) >= 2, walk
    return found


@pytest.mark.parametrize("seed", [None, *range(10)])
def test_with_its_estimate_it_walks_onto_the_patch_and_does_not_slip(tmp_path, seed):
    arguments, _ = start_of(seed)
    walk = walk_of(recorded(tmp_path, SECONDS, **arguments))
    print(
        f"seed {seed}: {walk.distance:.2f} m in {walk.seconds:.1f} s, lowest base "
        f"{walk.lowest:.3f} m, largest slip "
        f"{1e3 * max(one.slip for one in walk.stances):.1f} mm, on the patch p99 of "
        "|Ft|/Fn "
        f"{max(one.ratio for one in on_patch(walk)):.3f}"
    )
    assert walk.lowest > 0.6
    assert max(stance.slip for stance in walk.stances) < 0.01


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_without_a_limit_it_slips(tmp_path, seed):
    arguments, _ = start_of(seed)
    walk = walk_of(recorded(tmp_path, SECONDS, limit="none", **arguments))
    print(
        f"seed {seed}: largest slip "
        f"{1e3 * max(one.slip for one in on_patch(walk)):.1f} mm"
    )
    assert max(stance.slip for stance in on_patch(walk)) >= 0.05


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.5, 1.0])
def test_a_slow_simulation_is_as_good_as_a_fast_one(tmp_path, rate):
    """Data age by the simulated clock."""
    walk = walk_of(recorded(tmp_path, 6.0, rate))
    print(
        f"factor {rate}: {walk.distance:.2f} m in {walk.seconds:.1f} s, lowest base "
        f"{walk.lowest:.3f} m, largest "
        f"slip {1e3 * max(one.slip for one in walk.stances):.1f} mm"
    )
    assert walk.lowest > 0.6
    assert walk.distance > 1.0


def test_of_a_contact_without_presliding_hardly_anything_is_certified(tmp_path):
    """It creeps, which is taken for presliding; and it drops out, with ratios above mu
    for a moment."""
    bag = recorded(tmp_path, SECONDS)
    walk = walk_of(bag)
    estimates = estimates_of(bag)
    states = [
        one.state_code for stance in walk.stances for one in during(estimates, stance)
    ]
    assert np.mean([state == EstimateState.NOT_IDENTIFIABLE for state in states]) > 0.5
    wrong = [
        one.mu_low > (SLIPPERY if stance.place > EDGE else 1.0)
        for stance in walk.stances
        for one in during(estimates, stance)
    ]
    assert np.mean(wrong) < 0.01


def test_a_bag_recorded_there_replays_to_the_same_estimates(tmp_path):
    """Stance by stance; a foot's first one apart, in which node and recorder have not
    begun at the same instant."""
    found = replayed_stances(recorded(tmp_path, 6.0))
    for stance, live, replayed, ratios, estimates in found:
        print(
            f"{'lr'[stance.foot]} {stance.begin:.2f} to {stance.end:.2f} s: {live} "
            f"instants live, {replayed} again; "
            f"the same: force ratio {100 * ratios:.2f} %, estimate "
            f"{100 * estimates:.2f} %"
        )
    later = [
        one
        for foot in (0, 1)
        for one in [each for each in found if each.stance.foot == foot][1:]
    ]
    assert len(later) >= 3
    assert all(abs(one.live - one.replayed) <= 1 for one in later)
    assert min(one.ratios for one in later) > 0.99
    assert min(one.estimates for one in later) > 0.99


@pytest.mark.parametrize(
    ("robot", "seconds", "low", "far"),
    [("talos", 25.0, 0.85, 5.0), ("g1", 10.0, 0.6, 1.0)],
)
def test_a_humanoid_stands_steps_and_walks(tmp_path, robot, seconds, low, far):
    topics = ("odom", "l_ankle/wrench", "r_ankle/wrench")
    time, x, _, height = base_of(
        recorded(tmp_path, seconds, topics=topics, robot=robot)
    ).T
    print(
        f"{robot}: {x[-1] - x[0]:.2f} m in {time[-1] - time[0]:.1f} s, base between "
        f"{height.min():.3f} and "
        f"{height.max():.3f} m"
    )
    assert height.min() > low
    assert x[-1] - x[0] > far


def test_two_robots_in_one_gazebo_walk_side_by_side(tmp_path):
    domain = free_domain()
    watchers = {name: Watcher(domain, name) for name in ("one", "two")}
    folders = {name: tmp_path / name for name in watchers}
    for folder in folders.values():
        folder.mkdir()
    try:
        with (
            gazebo(folders["one"], domain, namespace="one", y="-0.5") as (first, log),
            gazebo(
                folders["two"], domain, namespace="two", y="0.5", server="false"
            ) as (second, other),
        ):
            for watcher, process, said in (
                (watchers["one"], first, log),
                (watchers["two"], second, other),
            ):
                watcher.until(lambda said=said: let_go(said), process, said)
                watcher.until(
                    lambda watcher=watcher: (watcher.place or 0.0) > 0.5,
                    process,
                    said,
                    300.0,
                )
                assert watcher.height > 0.6
    finally:
        for watcher in watchers.values():
            watcher.close()


@pytest.mark.parametrize("limit", ["none", "interval"])
def test_on_this_packages_contact_law_what_is_certified_is_true(tmp_path, limit):
    """Without a limit loads come near the friction's, and the interval is usable; with
    it they stay away from it."""
    loads = []
    usable = []
    wrong = []
    slips = []
    for seed in (None, 0, 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        bag = recorded(folder, SECONDS, contact="own", limit=limit, **start_of(seed)[0])
        walk = walk_of(bag)
        estimates = estimates_of(bag)
        for stance in walk.stances[1:]:
            if found := during(estimates, stance):
                mu = SLIPPERY if stance.place > EDGE else 1.0
                loads.append(stance.ratio / mu)
                usable.append(any(one.usable for one in found))
                wrong.append(any(one.mu_low > mu for one in found))
                slips.append(stance.slip)
    heavy = np.array(loads) > HEAVY
    print(
        f"limit {limit}: {heavy.sum()} of {len(loads)} stances bore more than {HEAVY} "
        "of mu (median "
        f"{np.median(loads):.2f}), usable in {np.sum(usable)} "
        f"({np.sum(np.array(usable)[heavy])} of these), mu_low "
        f"above mu in {np.sum(wrong)}, largest slip {1e3 * max(slips):.1f} mm"
    )
    assert np.mean(wrong) <= 0.05
    if limit == "none":
        assert np.mean(np.array(usable)[heavy]) >= 0.5
    else:
        assert max(slips) < 0.01
