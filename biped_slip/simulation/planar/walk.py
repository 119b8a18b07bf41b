# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The closed loop without ROS: world and walker, one control tick after the other, and what came out."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Iterator, Mapping, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import kernel
from biped_slip.config import Configuration, configuration, parameter
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import Ground, friction_at, height_along_normal
from biped_slip.control.friction_limits import EstimateLimit
from biped_slip.control.planar.gait import LEFT_SWING, RIGHT_SWING
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.friction_estimation.types import NAN, EstimateState, FootMeasurement, FrictionEstimate
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.simulation.planar.plant import PlantKernels, PlantState, fastest_coordinate, generalized_forces
from biped_slip.simulation.planar.scenario import ScenarioConfig, perturbed
from biped_slip.simulation.planar.sensors import Sense, SensorSettings, SensorState, blank_readings
from biped_slip.simulation.planar.world import FALLEN_HEIGHT, LogRows, WalkLog, World, write_control, write_truth
from biped_slip.simulation.summary import FEET, SLIP_LIMIT, Slip, Summary, extent, stances, steady_part
from biped_slip.walking.controller import DEFAULT_POLICY, SlipPolicy
from biped_slip.walking.planar import (
    DEFAULT,
    LoopSettings,
    LoopState,
    LoopStep,
    PlanarController,
    PlanarSite,
    planar_controller,
    planar_output,
    scenario_file,
)

# Policies for slip in a simulated walk: those of every walk, and the oracle, which only a simulation has.

ORACLE = "oracle"
NO_CONTACT, USABLE = int(EstimateState.NO_CONTACT), int(EstimateState.USABLE)


@configuration
class OracleConfig(Configuration):
    """The oracle's own threshold of contact."""

    minimum_normal_force: float = parameter(
        1.0, unit="N", above=0.0, source="A.2", doc="below it the foot is in flight"
    )


class OracleSettings(NamedTuple):
    """What the oracle knows."""

    ground: Ground
    minimum_normal_force: float  # [N]


@kernel
def oracle_step(
    state: None, settings: OracleSettings, measurement: FootMeasurement, dt: float
) -> tuple[None, FrictionEstimate]:
    """The map's mu while the foot is loaded."""
    if not measurement.force_normal > settings.minimum_normal_force:
        return None, FrictionEstimate(NAN, NAN, NAN, NAN, NAN, False, False, NAN, NAN, NAN, False, NO_CONTACT)
    mu = friction_at(settings.ground, measurement.displacement_x * math.cos(settings.ground.slope))
    ratio = abs(measurement.force_x) / measurement.force_normal
    return None, FrictionEstimate(mu, mu, mu, mu, mu, True, True, NAN, NAN, ratio, False, USABLE)


class OracleEstimator:
    """Reads mu from a map of the floor at the foot's place; only a simulation has that map."""

    kernel = staticmethod(oracle_step)

    def __init__(self, ground: Ground, config: OracleConfig | None = None) -> None:
        self.settings = OracleSettings(ground, (config or OracleConfig()).minimum_normal_force)

    def initial_state(self) -> None:
        """Nothing to remember."""

    def step(self, state: None, measurement: FootMeasurement, dt: float) -> tuple[None, FrictionEstimate]:
        """The map's mu while the foot is loaded."""
        return oracle_step(state, self.settings, measurement, dt)


def planar_policy(
    name: str, scenario: ScenarioConfig, robot: Robot | None = None, body_weight: float = 0.0
) -> SlipPolicy:
    """A policy by its name on the command line; the oracle has the scenario's floor as its map.

    Args:
        name: none, constant:RATIO, oracle, thesis, interval, or one from outside.
        scenario: settings of all of them.
        robot: gives the body weight; without one it is the scenario's.
        body_weight: [N] 0: the robot's.
    """
    walking = scenario.walking
    if name == ORACLE:
        return walking.within_sole_moment(oracle(scenario))
    weight = body_weight or (robot or planar_biped(scenario.variant)).mass * GRAVITY
    return walking.policy(name, weight)


def oracle(scenario: ScenarioConfig) -> SlipPolicy:
    """The true friction under each foot, of which nine tenths are used."""
    if scenario.motion.source == "both_feet":
        raise InvalidParameter(
            "motion.source", "both_feet", "another one", "the oracle needs to know where the feet are on its map"
        )
    return SlipPolicy(ORACLE, OracleEstimator(scenario.ground.ground()), EstimateLimit())


# Many control periods in one compiled call: read, control, log and advance, by the kernels of each.


class WorldState(NamedTuple):
    """Robot, floor and controller between two control periods."""

    plant: PlantState
    tau: Array  # (nv,) of the last period
    tick: int
    logged: int  # rows of the log that are filled
    fell: bool
    loop: LoopState


class Physics(NamedTuple):
    """What the plant's kernels are given."""

    ground: Ground
    law: Any
    steps: int  # in a control period
    step: float  # [s]
    speed_limit: float  # beyond which a coordinate has diverged
    fallen_height: float  # [m] of the hip over the floor


class WalkSettings(NamedTuple):
    """Everything that stays as it is."""

    physics: Physics
    sensors: SensorSettings
    loop: LoopSettings


class Orders(NamedTuple):
    """What comes from outside in each of a number of control periods."""

    speed: Array  # (ticks,) commanded [m/s]
    push: Array  # (ticks,) on the base along x [N]
    noise: Array  # (ticks, count) normal deviates for the sensors


#: (world, sensed, orders, settings, rows) -> the world after it
WalkOn = Callable[[WorldState, SensorState, Orders, WalkSettings, LogRows], WorldState]


def walk_on_with(functions: ModelFunctions, kernels: PlantKernels, sense: Sense, control: LoopStep) -> WalkOn:
    """One control period after the other until the orders end or the robot falls."""
    sole_motion = functions.sole_motion
    contact_forces, acceleration, advance = kernels.forces, kernels.acceleration, kernels.advance

    @kernel
    def walk_on(
        world: WorldState, sensed: SensorState, orders: Orders, settings: WalkSettings, rows: LogRows
    ) -> WorldState:
        physics, sensors = settings.physics, settings.sensors
        ground, law = physics.ground, physics.law
        plant, tau, tick, logged, fell, loop = world
        room = blank_readings(plant.q.shape[0] - sensors.root)
        for k in range(orders.speed.shape[0]):
            if fell:
                break
            contact = contact_forces(plant, tau, ground, law, physics.step)
            now = plant.v
            if sensed.counts[0] < 0:
                now = acceleration(plant, tau, ground, law, physics.step)
            motion = sole_motion(plant.q, plant.v)
            readings = sense(plant, tick, motion, contact.force, now, sensed, orders.noise[k], sensors, room)
            write_truth(rows, logged, 1e-9 * readings.stamp_ns, plant, contact, motion, ground.slope)
            loop, output = control(loop, readings, orders.speed[k], settings.loop)
            write_control(rows, logged, output)
            logged += 1
            wanted = generalized_forces(sensors.root, output.torques, orders.push[k], 0.0)
            moved = advance(plant, wanted, ground, law, physics.steps, physics.step)
            fell = not fastest_coordinate(moved.v) <= physics.speed_limit
            if not fell:
                plant, tau, tick = moved, wanted, tick + 1
                fell = height_along_normal(ground, plant.q[0], plant.q[1]) < physics.fallen_height
        return WorldState(plant, tau, tick, logged, fell, loop)

    return walk_on


# The closed loop without ROS: world and walker, one control tick after the other.

AT_ONCE = 1000  # control periods in one compiled call


class Walk(World):
    """One walk: a world that is walked through, from a scenario to its end or to a fall.

    Args:
        scenario: what to walk.
        policy: estimator and limit.
        seed: of the sensor noise.
        controller: by its name.
    """

    def __init__(self, scenario: ScenarioConfig, policy: SlipPolicy, seed: int = 0, controller: str = DEFAULT) -> None:
        super().__init__(scenario, seed)
        period = 1e-9 * scenario.plant.control_period_ns
        site = PlanarSite(self.robot, FloorConfig(scenario.ground.slope), period)
        self.controller = planar_controller(scenario.walking, policy, site, controller)

    def tick(self) -> None:
        """One control period: read, control, log, advance."""
        output = self.controller.step(self.read())
        self.log.record_control(self.log.length - 1, planar_output(output))
        self.advance(output.torques)

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Walk until the end, a fall or divergence; ``progress`` is called with the share done."""
        while not self.ended:
            if self.plant.kernels.compiled and isinstance(self.controller, PlanarController):
                self.walk_on(min(AT_ONCE, self.ticks - self.plant.ticks))
            else:
                self.tick()
            if progress is not None and (self.ended or self.plant.ticks % AT_ONCE == 0):
                progress(self.plant.ticks / self.ticks)
        return self.log.trim()

    @cached_property
    def _kernel(self) -> WalkOn:
        control = cast(PlanarController, self.controller).kernel
        return walk_on_with(model_functions(self.robot), self.plant.kernels, self.sensors.kernel, control)

    def walk_on(self, ticks: int) -> None:
        """So many ticks, if no fall ends them, in one call of the kernels that :meth:`tick` calls one by one."""
        plant, controller, scenario = self.plant, cast(PlanarController, self.controller), self.scenario
        times: Any = 1e-9 * (np.arange(plant.ticks, plant.ticks + ticks) * plant.config.control_period_ns)
        orders = Orders(scenario.speed.over(times), scenario.pushes.over(times), self.sensors.noise(ticks))
        physics = Physics(
            plant.ground, plant.kernels.settings, plant.steps, plant.step, plant.config.speed_limit, FALLEN_HEIGHT
        )
        settings = WalkSettings(physics, self.sensors.settings, controller.settings)
        before = WorldState(plant.state, plant.tau, plant.ticks, self.log.length, self.fell, controller.state)
        after = self._kernel(before, self.sensors.memory, orders, settings, self.log.rows)
        plant.state, plant.tau, plant.ticks = after.plant, after.tau, after.tick
        self.log.length, self.fell, controller.state = after.logged, after.fell, after.loop


# What a walk amounts to: fell, how far, how far a stance foot slid, what was known of the floor and when.

SLIDING_SPEED = 0.02  # [m/s] a foot that is faster is sliding
SHORTEST_SLIDE = 0.002  # [m]: twice the presliding distance of the thesis' floor
DEMAND_SHARE = 0.9  # of the true mu


@dataclass(frozen=True)
class Contact:
    """One stance, and what was known of its floor; None where not known or not reached."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    mu_true: float
    mu_hat: float | None  # last estimate in force
    demand_time: float | None  # [s] wanted ratio of the rear foot first passes 0.9 mu_true
    mu_at_demand: float | None  # estimate in force then
    usable_from: float | None  # [s]
    alone_from: float | None = None  # [s] the other foot lifts: this one carries all
    released_from: float | None = None  # [s] the limit follows an estimate
    limit_at_release: float | None = None
    mean_limit: float | None = None  # over the stance, where there is a limit
    largest_limit: float | None = None  # after release
    largest_low: float | None = None  # of the certificate mu_low


@dataclass(frozen=True)
class WalkSummary(Summary):
    """The result of one walk; ``slips`` are the times at which a stance foot moved."""

    contacts: tuple[Contact, ...]
    wall_time: float  # [s]

    def passes(self, required_distance: float, slip_limit: float = SLIP_LIMIT) -> bool:
        """Upright, far enough, and no stance foot slid by the limit [m]."""
        return self.upright_without_slip(slip_limit) and self.distance >= required_distance

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> WalkSummary:
        """What :meth:`to_mapping` gave, also after a detour through JSON."""
        slips = tuple(Slip(**slip) for slip in mapping["slips"])
        return cls(**{**mapping, "slips": slips, "contacts": tuple(Contact(**c) for c in mapping["contacts"])})


def _slides(log: WalkLog, foot: int, stance: slice) -> Iterator[Slip]:
    part = steady_part(stance, log.time)
    fast = np.abs(log.foot_vx[part, foot]) > SLIDING_SPEED
    edges = np.flatnonzero(np.diff(np.concatenate(([0], fast.view(np.int8), [0])))).reshape(-1, 2)
    for begin, end in edges:
        distance = extent(log.foot_x[part.start + begin : part.start + end, foot])
        if distance > SHORTEST_SLIDE:
            times = log.time[part.start + begin], log.time[part.start + end - 1]
            yield Slip(FEET[foot], float(times[0]), float(times[1]), distance)


def _first(condition: NDArray[np.bool_]) -> int | None:
    hits = np.flatnonzero(condition)
    return int(hits[0]) if hits.size else None


def _contact(log: WalkLog, foot: int, stance: slice) -> Contact:
    time, mu_true = log.time[stance], log.mu_true[stance, foot]
    mu, flag = log.estimate("mu")[stance, foot], log.estimate("flag")[stance, foot] > 0.0
    median = log.estimate("mu_median")[stance, foot]
    usable = log.estimate("usable")[stance, foot] > 0.0
    acted_upon = np.where(np.isfinite(mu) & flag, mu, np.where(usable, median, np.nan))
    in_force = _hold(acted_upon)
    rear = (log.foot_x[stance, foot] <= log.foot_x[stance, 1 - foot]) | np.isnan(log.wanted_ratio[stance, 1 - foot])
    demanded = rear & (np.abs(log.wanted_ratio[stance, foot]) > DEMAND_SHARE * mu_true)
    demand, first_usable = _first(demanded), _first(usable)
    alone = _first(log.phase[stance] == (RIGHT_SWING if foot == 0 else LEFT_SWING))
    limit, low = log.limit[stance, foot], log.estimate("mu_low")[stance, foot]
    released = _first(np.isfinite(mu) & (flag | np.isfinite(log.estimate("mu_q05")[stance, foot])) & np.isfinite(limit))
    return Contact(
        FEET[foot],
        float(time[0]),
        float(time[-1]),
        float(np.median(mu_true)),
        _known(in_force[-1]),
        None if demand is None else float(time[demand]),
        None if demand is None else _known(in_force[demand]),
        None if first_usable is None else float(time[first_usable]),
        None if alone is None else float(time[alone]),
        None if released is None else float(time[released]),
        None if released is None else float(limit[released]),
        _over(np.mean, limit),
        None if released is None else _over(np.max, limit[released:]),
        _over(np.max, low),
    )


def _hold(values: Array) -> Array:
    """Each NaN replaced by the last number before it."""
    index = np.where(np.isfinite(values), np.arange(values.size), 0)
    held: Array = values[np.maximum.accumulate(index)]
    return held


def _over(function: Callable[[Array], Any], values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(function(finite)) if finite.size else None


def _known(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def summarise(log: WalkLog, fell: bool, wall_time: float) -> WalkSummary:
    """Summary of a trimmed log."""
    slips: list[Slip] = []
    contacts: list[Contact] = []
    largest = 0.0
    for foot in (0, 1):
        for stance in stances(log.time, log.normal[:, foot]):
            largest = max(largest, extent(log.foot_x[steady_part(stance, log.time), foot]))
            slips.extend(_slides(log, foot, stance))
            contacts.append(_contact(log, foot, stance))
    return WalkSummary(
        fell,
        float(log.time[-1]) if log.length else 0.0,
        float(log.q[-1, 0]) if log.length else 0.0,
        largest,
        tuple(sorted(slips, key=lambda slip: slip.start)),
        tuple(sorted(contacts, key=lambda contact: contact.start)),
        wall_time,
    )


# One call from a scenario to its result; scenario files by name.


class WalkResult(NamedTuple):
    """Log and summary of one walk."""

    log: WalkLog
    summary: WalkSummary


def run_walk(
    scenario: ScenarioConfig,
    limit: str = DEFAULT_POLICY,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    controller: str = DEFAULT,
) -> WalkResult:
    """Walk a scenario to its end or to a fall.

    Args:
        scenario: what to walk.
        limit: policy for slip, named as on the command line.
        seed: of the sensor noise.
        progress: called with the share done.
        controller: by its name.
    """
    walk = Walk(scenario, planar_policy(limit, scenario), seed, controller)
    begin = time.perf_counter()
    log = walk.run(progress)
    return WalkResult(log, summarise(log, walk.fell, time.perf_counter() - begin))


def chosen_scenario(
    name: str, variant: str | None = None, seed: int | None = None, contact: str | None = None
) -> ScenarioConfig:
    """A named scenario, on another variant of the robot or another contact if asked, perturbed by a seed if given."""
    said = scenario_file(name, variant)
    scenario = ScenarioConfig.from_mapping(said if contact is None else {**said, "contact": contact})
    return scenario if seed is None else perturbed(scenario, np.random.default_rng(seed))


def named_scenario(name: str) -> ScenarioConfig:
    """A scenario by file path, or by the name of one that comes with the package."""
    return ScenarioConfig.from_mapping(scenario_file(name))
