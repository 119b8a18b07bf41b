# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One walk of a comparison: alone, or behind the friction governor.

Each tick: sensors are read; who listens to them says what is known of the floor; the
governor passes a part of the command; the walker obeys it. Listeners know nothing of
the walk but its sensors. ``truth`` is given mu of the floor under each foot that
touches it, and the true forces; ``ankles`` has force/torque sensors and IMUs in the
feet; ``currents`` has the torques of the motors, and neither.

A network sees the true motion of its base, as it was measured by its authors; its robot
starts in the posture of its layout, the base moving as the seed draws it.
"""

from __future__ import annotations

import math
from typing import Callable, NamedTuple

import numpy as np

from biped_slip.comparison.columns import WalkColumns, columns_of
from biped_slip.comparison.plan import (
    ALONE,
    BY_ANKLES,
    COMPARED_CONTACTS,
    GOOD_MU,
    TRUTH,
    ComparedWalker,
    ComparisonConfig,
    WalkedFloor,
)
from biped_slip.compile.arrays import Array
from biped_slip.control.friction_governor import FootLoad, FrictionGovernor, Twist
from biped_slip.estimation.readings import RawReadings
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    FootMeasurement,
    FrictionEstimate,
)
from biped_slip.simulation.humanoid.oracle import humanoid_policy, true_estimate
from biped_slip.simulation.humanoid.pilot import steering
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.walking.governed_humanoid import Turns
from biped_slip.walking.humanoid import CURRENTS as CURRENTS_SET
from biped_slip.walking.humanoid import HumanoidSenses
from biped_slip.walking.humanoid_friction import HumanoidFriction, walking_by_currents
from biped_slip.walking.learned_policy import LearnedPolicy
from biped_slip.walking.registry import HUMANOID_DEFAULT

STARTING_SPEED = 0.05  # [m/s] sd of the base's at the start, forward and sideways
FASTEST = 3.0  # times the command: no walker goes so far
OVER = 0.5  # cosine of the base's tilt below which a walk is a fall
TOUCHING = 0.01  # of the weight
NEAR_LIMIT = 0.99  # of a joint's torque
PUSH_SECONDS = 0.2

Listener = Callable[[RawReadings], tuple[FootLoad, FootLoad]]


class WalkEnd(NamedTuple):
    """How a walk ended, and what it is judged by."""

    fell: bool
    time: float  # [s]
    problem: str  # of the guard, or how the simulation diverged; empty: none
    commanded: float  # [m/s]
    passed: float  # [m/s] mean of what the governor let through
    distance: float  # [m]
    at_limit: float  # largest share of time in which a joint is at its torque limit
    joint_at_limit: str
    columns: WalkColumns


def walk_config(
    walker: ComparedWalker, contact: str, floor: WalkedFloor, plan: ComparisonConfig
) -> HumanoidWalkConfig:
    """Build the walk of a walker over a floor."""
    speed = walker.config.speed
    whole = not (floor.patch or floor.push)
    base = chosen_walk(walker.robot, plan.sensors).to_mapping()
    # every robot of a comparison can say its torques
    currents = chosen_walk(walker.robot, CURRENTS_SET).to_mapping()
    base["sensors"]["motor_torques"] = currents["sensors"]["motor_torques"]
    begin, end = plan.patch_begin
    said = {
        **base,
        "speed": speed,
        "start": 0.0 if walker.network is not None else base["start"],
        "distance": max(FASTEST * speed * plan.seconds, 1.0),
        "mu": GOOD_MU if floor.patch else floor.mu,
        "patch": {
            "length": plan.patch_length if floor.patch else 0.0,
            "mu": floor.mu,
            "earliest": base["patch"]["earliest"] if whole else begin,
            "latest": base["patch"]["latest"] if whole else end,
        },
        "push": {"force": floor.push, "duration": PUSH_SECONDS},
        "contact": COMPARED_CONTACTS[contact],
    }
    return HumanoidWalkConfig.from_mapping(said)


def controller_of(walker: ComparedWalker) -> str:
    """Return the name of a walker's controller."""
    return HUMANOID_DEFAULT if walker.network is None else f"onnx:{walker.network}"


def prepared(
    walker: ComparedWalker,
    contact: str,
    floor: WalkedFloor,
    plan: ComparisonConfig,
    seed: int,
) -> HumanoidWalk:
    """Build a walk, the robot in place and its base moving as the seed draws it."""
    walk = HumanoidWalk(
        walk_config(walker, contact, floor, plan),
        "none" if walker.network is not None else walker.config.limit,
        seed,
        true_base=walker.network is not None,
        controller=controller_of(walker),
    )
    plant = walk.world.plant
    velocity = np.zeros(walk.humanoid.model.nv)
    velocity[:2] = np.random.default_rng(seed).normal(0.0, STARTING_SPEED, 2)
    if isinstance(walk.sequencer, LearnedPolicy):
        walk.sequencer.robot.listen_no_more()
        drives = walk.sequencer.robot.drives
        posture = walk.humanoid.posture.copy()
        posture[drives.joints] = drives.rest
        plant.place(walk.humanoid.standing(posture=posture), velocity)
    return walk


def listener_of(kind: str, walk: HumanoidWalk, walker: ComparedWalker) -> Listener:
    """Make what tells the governor of the floor."""
    if kind == TRUTH:
        return _Truth(walk)
    if kind == BY_ANKLES:
        return _Ankles(walk)
    return _Currents(walk, walker)


class _Truth:
    """Mu of the floor under each foot that touches it, and the true forces."""

    def __init__(self, walk: HumanoidWalk) -> None:
        self._log = walk.world.log
        self._weight = walk.humanoid.weight

    def __call__(self, raw: RawReadings) -> tuple[FootLoad, FootLoad]:
        left, right = (self._foot(foot) for foot in (0, 1))
        return left, right

    def _foot(self, foot: int) -> FootLoad:
        now = self._log.length - 1
        force = self._log.wrench[now, foot, :3]
        share = float(force[2]) / self._weight
        if share <= TOUCHING:
            return FootLoad(math.nan, share, NO_ESTIMATE)
        ratio = math.hypot(float(force[0]), float(force[1])) / float(force[2])
        known = true_estimate(float(self._log.mu[now, foot]))
        return FootLoad(
            force_ratio=ratio,
            load_share=share,
            estimate=known._replace(force_ratio=ratio),
        )


class _Ankles:
    """Force/torque sensors in the ankles, IMUs in the feet and the base."""

    def __init__(self, walk: HumanoidWalk) -> None:
        self._weight = walk.humanoid.weight
        walking = walk.config.walking
        policy = humanoid_policy("touchdown", walk.config, walk.humanoid, 0)
        self._senses = HumanoidSenses(
            walk.humanoid,
            policy.estimator,
            walking.base,
            walking.motion,
            walking.touchdown,
        )

    def __call__(self, raw: RawReadings) -> tuple[FootLoad, FootLoad]:
        seen = self._senses.step(raw)
        left, right = (
            felt_load(one, estimate, self._weight)
            for one, estimate in zip(seen.measurements, seen.estimates, strict=True)
        )
        return left, right


class _Currents:
    """Torques of the motors, encoders, and one IMU in the base."""

    def __init__(self, walk: HumanoidWalk, walker: ComparedWalker) -> None:
        self._weight = walk.humanoid.weight
        self._felt = HumanoidFriction(
            walking_by_currents(walker.robot), period=walk.config.period
        )

    def __call__(self, raw: RawReadings) -> tuple[FootLoad, FootLoad]:
        felt = self._felt.step(raw)
        left, right = (
            felt_load(one, estimate, self._weight)
            for one, estimate in zip(felt.measurements, felt.estimates, strict=True)
        )
        return left, right


def felt_load(
    measured: FootMeasurement, estimate: FrictionEstimate, weight: float
) -> FootLoad:
    """Return what a governor takes of a foot as it was measured."""
    normal = measured.force_normal
    ratio = math.nan
    if normal > 0.0:
        ratio = math.hypot(measured.force_x, measured.force_y) / normal
    return FootLoad(force_ratio=ratio, load_share=normal / weight, estimate=estimate)


def has_tipped(q: Array) -> bool:
    """Return whether the base of coordinates (nq,) is tilted by more than 60 deg."""
    return bool(1.0 - 2.0 * (q[3] ** 2 + q[4] ** 2) < OVER)


def walked(
    walker: ComparedWalker,
    contact: str,
    kind: str,
    floor: WalkedFloor,
    plan: ComparisonConfig,
    seed: int,
    scale: float = 1.0,
) -> WalkEnd:
    """Walk once, to a fall or to the end of the time.

    Args:
        walker: who walks.
        contact: a name of COMPARED_CONTACTS.
        kind: one of GOVERNED.
        floor: which it walks on.
        plan: seconds, sensors and governor.
        seed: of all draws.
        scale: of the commanded speed.
    """
    walk = prepared(walker, contact, floor, plan, seed)
    world = walk.world
    speed = walker.config.speed
    commanded = scale * speed
    listener = None if kind == ALONE else listener_of(kind, walk, walker)
    governor = FrictionGovernor(plan.governor)
    turns = walk.sequencer if isinstance(walk.sequencer, Turns) else None
    passed = 0.0
    tipped = False
    period = walk.config.period
    while 1e-9 * world.plant.stamp_ns < plan.seconds and not (walk.ended or tipped):
        raw = world.sense()
        twist = Twist(commanded, 0.0, steering(world.plant.state.q))
        if listener is not None:
            twist = governor.step(twist, listener(raw), period).twist
        walk.sequencer.speed_scale = twist.forward / speed
        if turns is not None:
            turns.turn = twist.turn
        passed += twist.forward
        world.advance(walk.control(raw).torques)
        tipped = has_tipped(world.plant.state.q)
    log = world.log.trim()
    share, joint = _at_limit(walk)
    return WalkEnd(
        fell=world.fell or tipped,
        time=float(log.time[-1]),
        problem=str(walk.guarded.problem or "") or world.diverged,
        commanded=commanded,
        passed=passed / max(log.length, 1),
        distance=float(log.q[-1, 0]),
        at_limit=share,
        joint_at_limit=joint,
        columns=columns_of(log),
    )


def _at_limit(walk: HumanoidWalk) -> tuple[float, str]:
    """Find the joint that is longest at its torque limit, and the share of time."""
    limits = walk.humanoid.efforts.copy()
    if isinstance(walk.sequencer, LearnedPolicy):
        drives = walk.sequencer.robot.drives
        limits[drives.joints] = drives.effort
    share = np.mean(np.abs(walk.world.log.torques) >= NEAR_LIMIT * limits, axis=0)
    worst = int(np.argmax(share))
    return float(share[worst]), walk.humanoid.robot.joints[worst]
