# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What robots know of their floors in walks in which no sensor sees the soles: encoders, ankle sensors, IMUs."""

from __future__ import annotations

import math
from typing import Callable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.constants import GRAVITY
from biped_slip.estimation.motion.config import MotionConfig
from biped_slip.estimation.motion.stance import CONTACT_SHARE, LEAVE_SHARE, StanceLoads, stance_age
from biped_slip.friction_estimation.types import FrictionEstimate
from biped_slip.lab.studies.chain_bound import SHORTEST, Meeting, Seen, bound, pushed
from biped_slip.lab.studies.sensor_sets import POSSIBLE
from biped_slip.simulation.humanoid.campaign import Job
from biped_slip.simulation.humanoid.ladder import Rung, config_of
from biped_slip.simulation.humanoid.walk import HumanoidWalk
from biped_slip.simulation.humanoid.walk_config import LEG_LEVER, LEG_STIFFNESS, HumanoidWalkConfig
from biped_slip.simulation.planar.policy import planar_policy
from biped_slip.simulation.planar.run import named_scenario
from biped_slip.simulation.planar.scenario import ScenarioConfig, perturbed
from biped_slip.simulation.planar.walk import Walk
from biped_slip.simulation.stances import stances
from biped_slip.walking.humanoid import HumanoidOutput

Flags = NDArray[np.bool_]

DEMAND, PUSHED = 0.9, 0.9  # of mu
NOT_YET, NO_MORE = 0.06, 0.02  # [s] of a stance that are not judged: touchdown, lift-off
JOINT = 2.0 * math.pi / 2**18 / math.sqrt(12.0)  # [rad] of an encoder of 18 bits
LEG = 0.7  # [m] of the planar biped
ACCELEROMETER, BIAS = 1e-3 / math.sqrt(2e-3), 0.02  # [m/s^2] of the planar biped (study 2: I1)
STANDING = 3.0  # [s] of a humanoid's walk, in which its sensors are checked
LONG = 0.4  # [s] of double support, in which feet could push against each other
FIELDS = {name: k for k, name in enumerate(FrictionEstimate._fields)}


class Followed(NamedTuple):
    """The truth of a walk and what was said of it; feet left, right on the second axis."""

    time: Array  # (ticks,) [s]
    ratio: Array  # (ticks, 2, 2) with the sign of the motion that it drives
    normal: Array  # (ticks, 2) [N]
    mu: Array  # (ticks, 2)
    said: Array  # (ticks, 2, fields)
    limit: Array  # (ticks, 2)
    moved: Array  # (ticks, 2, 2) place of each sole along the floor [m]
    weight: float  # [N]
    seen: Seen


class StanceFound(NamedTuple):
    """One stance."""

    mu: float
    demanded: bool  # the load reached 0.9 mu
    in_time: bool  # usable before that, or before the end
    over: float  # largest mu_low over mu before a slip was told
    held: float  # largest force ratio that was witnessed, over mu
    bound: float  # sd of ln mu, Cramer-Rao: joints alone
    pushed_bound: float  # the same if the feet pushed against each other
    force: float  # [N] that this would take
    limit: float  # largest limit over mu
    slid: float  # [m]


class Known(NamedTuple):
    """One robot, source and floor; shares of stances."""

    robot: str
    source: str
    limit: str
    mu: str
    stances: int
    demanded: int
    in_time: float  # of the demanded ones
    usable: float  # of all
    possible: float  # joints alone, of all
    possible_pushed: float
    force: float  # median [N]
    wrong: float
    worst: float
    held: float  # median
    limit_wrong: float
    slid: float  # largest [m]


def planar_with_encoders(name: str) -> ScenarioConfig:
    """A shipped scenario with encoders of 18 bits, legs that give way, and no sensor that sees the soles."""
    mapping = named_scenario(name).to_mapping()
    mapping["sensors"].update(
        joint_position_noise=JOINT, joint_velocity_noise=5e-3, leg_stiffness=LEG_STIFFNESS,
        accelerometer_noise=ACCELEROMETER, accelerometer_bias=BIAS,
    )  # fmt: skip
    mapping["motion"].update(source="both_feet", encoder_noise=LEG * JOINT, leg_stiffness=LEG_STIFFNESS)
    mapping["interval"]["sole"]["compliance_spread"] = 0.0
    return ScenarioConfig.from_mapping(mapping)


def planar_walk(scenario: ScenarioConfig, limit: str, seed: int) -> Followed:
    """Walk once."""
    scenario = perturbed(scenario, np.random.default_rng(seed))
    walk = Walk(scenario, planar_policy(limit, scenario), seed)
    log = walk.run()
    ratio = np.zeros((*log.normal.shape, 2))
    ratio[..., 0] = -log.tangential / np.maximum(log.normal, 1.0)
    moved = np.stack([log.foot_x, np.zeros_like(log.foot_x)], axis=-1)
    seen = Seen(math.sqrt(2.0) * LEG * JOINT, scenario.sensors.force_noise)
    return Followed(log.time, ratio, log.normal, log.mu_true, log.estimates, log.limit, moved,
                    walk.robot.mass * GRAVITY, seen)  # fmt: skip


def humanoid_walk(config: HumanoidWalkConfig, limit: str, seed: int) -> Followed:
    """Walk once."""
    walk = HumanoidWalk(config, limit, seed, checked=True)
    walk.check_sensors()
    rows: list[tuple[int, HumanoidOutput]] = []
    while not walk.ended:
        output = walk.tick()
        if isinstance(output, HumanoidOutput):
            rows.append((walk.world.log.length - 1, output._replace(torques=np.zeros(0))))
    log = walk.world.log.trim()
    said, limits = np.full((log.length, 2, len(FIELDS)), np.nan), np.full((log.length, 2), np.nan)
    for row, output in rows:
        said[row] = np.array(output.estimates, dtype=float)
        limits[row] = np.nan if output.answer is None else output.answer.limits
    sensors = config.sensors
    seen = Seen(math.sqrt(2.0) * LEG_LEVER * sensors.encoders.position_noise,
                sensors.force_torque.force_noise * walk.humanoid.weight)  # fmt: skip
    ratio = -log.wrench[:, :, :2] / np.maximum(log.wrench[:, :, 2:3], 1.0)
    return Followed(log.time, ratio, log.normal, log.mu, said, limits, log.sole_position[..., :2],
                    walk.humanoid.weight, seen)  # fmt: skip


def judged(walk: Followed, start: float) -> Iterator[StanceFound]:
    """Every stance that begins after ``start`` [s]."""
    period = float(walk.time[1] - walk.time[0])
    together = np.minimum(*_ages(walk, period)) > MotionConfig().settling_time
    skip, drop = round(NOT_YET / period), round(NO_MORE / period)
    for foot in (0, 1):
        for stance in stances(walk.time, walk.normal[:, foot]):
            part = slice(stance.start + skip, stance.stop - drop)
            loaded = walk.normal[part, foot] > LEAVE_SHARE * walk.weight
            if walk.time[stance.start] < start or not loaded.any():
                continue
            yield _judged(walk, foot, part, loaded, _meetings(walk, foot, stance, together))


def _judged(walk: Followed, foot: int, part: slice, loaded: Flags, meetings: list[Meeting]) -> StanceFound:
    mu, said = float(walk.mu[part, foot].min()), walk.said[part, foot]
    share = np.where(loaded, np.linalg.norm(walk.ratio[part, foot], axis=1) / mu, 0.0)
    tick = np.arange(share.size)
    reached = _first(share >= DEMAND)
    told = tick < _first(loaded & (said[:, FIELDS["slipping"]] > 0.0))
    usable = _first(loaded & (said[:, FIELDS["usable"]] > 0.0))
    low = np.where(loaded & told, np.nan_to_num(said[:, FIELDS["mu_low"]]), 0.0)
    probed = [pushed(one, mu, PUSHED) for one in meetings]
    limit = np.where(loaded & np.isfinite(walk.limit[part, foot]), walk.limit[part, foot], 0.0)
    return StanceFound(
        mu, reached < share.size, usable < min(reached, share.size), float(low.max() / mu),
        float(np.nan_to_num(said[:, FIELDS["witnessed"]])[loaded].max() / mu),
        bound(meetings, mu, walk.seen), bound([one for one, _ in probed], mu, walk.seen),
        max((force for _, force in probed), default=0.0), float(limit.max() / mu),
        float(np.linalg.norm(np.ptp(walk.moved[part, foot][loaded], axis=0))),
    )  # fmt: skip


def _first(condition: Flags) -> int:
    return int(np.argmax(condition)) if condition.any() else condition.size


def _ages(walk: Followed, period: float) -> tuple[Array, Array]:
    loads = StanceLoads(CONTACT_SHARE * walk.weight, LEAVE_SHARE * walk.weight)
    ages = np.empty(walk.normal.shape)
    for foot in (0, 1):
        age = -1.0
        for tick, normal in enumerate(walk.normal[:, foot]):
            age = ages[tick, foot] = stance_age(age, normal, period, loads)
    return ages[:, 0], ages[:, 1]


def _meetings(walk: Followed, foot: int, stance: slice, together: Flags) -> list[Meeting]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], together[stance].astype(int), [0])))) + stance.start
    return [
        Meeting(walk.ratio[a:b, foot], walk.normal[a:b, foot], walk.ratio[a:b, 1 - foot], walk.normal[a:b, 1 - foot],
                float(walk.mu[a, 1 - foot]))
        for a, b in edges.reshape(-1, 2) if b - a >= SHORTEST
    ]  # fmt: skip


def plan(robots: Sequence[str]) -> Iterator[tuple[str, str, str, float]]:
    """Robot, source, limit and double support [s] (0: the walk's own) of each kind of walk."""
    for robot in robots:
        if robot == "planar":
            yield from (("planar", "both_feet", limit, 0.0) for limit in ("none", "interval"))
        else:
            yield from ((robot, source, "interval", 0.0) for source in ("both_feet", "foot_imu"))
            yield robot, "both_feet", "interval", LONG


def rows(
    robot: str, source: str, limit: str, seeds: range, mu: float = 0.25, double_support: float = 0.0,
    progress: Callable[[], None] | None = None,
) -> list[Known]:  # fmt: skip
    """One robot's walks, a row for each kind of floor.

    Args:
        robot: planar (``thesis_sensors``, whose patch the seed draws), or a humanoid.
        source: of the soles' motion.
        limit: slip prevention.
        seeds: one walk each.
        mu: of a humanoid's patch.
        double_support: of a humanoid's steps [s]; 0: as its walk has it.
        progress: called after each walk.
    """
    found: list[StanceFound] = []
    for seed in seeds:
        if robot == "planar":
            found += judged(planar_walk(planar_with_encoders("thesis_sensors"), limit, seed), 0.0)
        else:
            found += judged(humanoid_walk(_humanoid(robot, source, limit, mu, double_support), limit, seed), STANDING)
        if progress is not None:
            progress()
    floors = (("first floor", True), ("patch" if robot == "planar" else f"patch of {mu:g}", False))
    first = 1.0 if robot == "planar" else 0.8
    parts = [[one for one in found if (one.mu == first) == on] for _, on in floors]
    label = f"{source}, {double_support:g} s" if double_support > 0.0 else source
    return [_known((robot, label, limit, name), part) for (name, _), part in zip(floors, parts, strict=True) if part]


def _humanoid(robot: str, source: str, limit: str, mu: float, double_support: float) -> HumanoidWalkConfig:
    config = Job(config_of(Rung(robot, mu, limit, 0.0, True, source)), limit, 0).config
    if double_support == 0.0:
        return config
    mapping = config.to_mapping()
    mapping["controller"]["steps"]["double_support"] = double_support
    return HumanoidWalkConfig.from_mapping(mapping)


def _known(names: tuple[str, str, str, str], found: list[StanceFound]) -> Known:
    demanded = [one for one in found if one.demanded]
    return Known(
        *names, len(found), len(demanded),
        float(np.mean([one.in_time for one in demanded])) if demanded else math.nan,
        float(np.mean([one.in_time for one in found])),
        float(np.mean([one.bound <= POSSIBLE for one in found])),
        float(np.mean([one.pushed_bound <= POSSIBLE for one in found])),
        float(np.median([one.force for one in found])),
        float(np.mean([one.over > 1.0 for one in found])), max(one.over for one in found),
        float(np.median([one.held for one in found])),
        float(np.mean([one.limit > 1.0 for one in found])), max(one.slid for one in found),
    )  # fmt: skip


def cells(known: Known) -> tuple[str, ...]:
    """A row as text."""
    shares = (known.in_time, known.usable, known.possible, known.possible_pushed)
    return (
        known.robot, known.source, known.limit, known.mu, f"{known.demanded}/{known.stances}",
        *("-" if math.isnan(one) else f"{one:.2f}" for one in shares), f"{known.force:.0f}",
        f"{known.wrong:.3f}", f"{known.worst:.2f}", f"{known.held:.2f}", f"{known.limit_wrong:.2f}",
        f"{1e3 * known.slid:.1f}",
    )  # fmt: skip
