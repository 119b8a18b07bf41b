# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Closed loop of the planar biped without ROS: world and controller by ticks.

Its log, summary and campaign are here, too.
"""

from __future__ import annotations

import math
import time
from collections import namedtuple
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from biped_slip.compile.array_kernels import copy_vector
from biped_slip.compile.arrays import Array
from biped_slip.compile.cache import sources_hash
from biped_slip.compile.kernel import kernel
from biped_slip.constants import GRAVITY
from biped_slip.contact.ground import Ground, friction_at, height_along_normal
from biped_slip.control.planar.gait import LEFT_SWING, RIGHT_SWING
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.estimation.readings import SensorReadings
from biped_slip.friction_estimation.limits import EstimateLimit
from biped_slip.friction_estimation.types import (
    NAN,
    UNKNOWN,
    EstimateState,
    FootMeasurement,
    FrictionEstimate,
    bare_estimate,
    write_estimate,
)
from biped_slip.robots.model_functions import ModelFunctions, model_functions
from biped_slip.robots.planar_biped import planar_biped
from biped_slip.robots.robot import Robot
from biped_slip.robots.sensor_config import UnmodelledConfig
from biped_slip.simulation import campaign, walk
from biped_slip.simulation.campaign import key_of
from biped_slip.simulation.planar.plant import (
    MotorMemory,
    Motors,
    Plant,
    PlantKernels,
    PlantState,
    SoleForces,
    drawn_unmodelled,
    drive,
    fastest_coordinate,
    with_chosen_step,
)
from biped_slip.simulation.planar.scenario import (
    ScenarioConfig,
    changed,
    perturbed,
    start_state,
)
from biped_slip.simulation.planar.sensors import (
    Sense,
    Sensors,
    SensorSettings,
    SensorState,
    blank_readings,
)
from biped_slip.simulation.walk import (
    FEET,
    Slip,
    Summary,
    extent,
    spans,
    stances,
    steady_part,
)
from biped_slip.walking.planar import (
    LoopSettings,
    LoopState,
    LoopStep,
    PlanarController,
    PlanarOutput,
    PlanarSite,
    planar_output,
    scenario_file,
)
from biped_slip.walking.registry import PLANAR_DEFAULT, planar_controller
from biped_slip.walking.slip_policies import DEFAULT_POLICY, SlipPolicy


def chosen_scenario(
    name: str,
    variant: str | None = None,
    seed: int | None = None,
    contact: str | None = None,
    sensors: str | None = None,
    period: float | None = None,
) -> ScenarioConfig:
    """Load a scenario, perturbed by a seed.

    Variant, contact, sensors or period [s] are others on request.
    """
    asked = {"contact": contact, "period": period}
    changes = {key: value for key, value in asked.items() if value is not None}
    scenario = ScenarioConfig.from_mapping(
        {**scenario_file(name, variant, sensors), **changes}
    )
    return (
        scenario if seed is None else perturbed(scenario, np.random.default_rng(seed))
    )


ORACLE = "oracle"
LEAST_LOAD = 1.0  # [N] (A.2): below it the foot is in flight for the oracle
NO_CONTACT = int(EstimateState.NO_CONTACT)
USABLE = int(EstimateState.USABLE)


def planar_policy(name: str, scenario: ScenarioConfig) -> SlipPolicy:
    """Look up a policy by its name on the command line.

    The oracle has the scenario's floor as its map.

    Args:
        name: none, constant:RATIO, oracle, thesis, interval, or one from outside.
        scenario: settings of all of them.
    """
    walking = scenario.walking
    if name == ORACLE:
        return oracle(scenario)
    return walking.policy(name, planar_biped(scenario.variant).mass * GRAVITY)


def oracle(scenario: ScenarioConfig) -> SlipPolicy:
    """Make the policy of the true friction under each foot.

    Nine tenths of the friction are used.
    """
    if scenario.motion.source == "both_feet":
        raise InvalidParameter(
            "motion.source",
            "both_feet",
            "another one",
            "the oracle needs to know where the feet are on its map",
        )
    return SlipPolicy(
        ORACLE, OracleEstimator(scenario.ground.ground()), EstimateLimit()
    )


class OracleEstimator:
    """Oracle estimator that reads mu from the simulated floor."""

    def __init__(self, ground: Ground) -> None:
        self.kernel = oracle_step
        self.settings = ground

    def initial_state(self) -> None:
        """Return the empty state."""

    def step(
        self, state: None, measurement: FootMeasurement, dt: float
    ) -> tuple[None, FrictionEstimate]:
        """Return the floor's true mu while the foot is loaded."""
        return oracle_step(state, self.settings, measurement, dt)


@kernel
def oracle_step(
    state: None, ground: Ground, measurement: FootMeasurement, dt: float
) -> tuple[None, FrictionEstimate]:
    """Return the floor's true mu while the foot is loaded."""
    if not measurement.force_normal > LEAST_LOAD:
        return None, bare_estimate(NAN, NO_CONTACT)
    mu = friction_at(ground, measurement.displacement_x * math.cos(ground.slope))
    ratio = abs(measurement.force_x) / measurement.force_normal
    return None, FrictionEstimate(
        mu=mu,
        mu_low=mu,
        mu_q05=mu,
        mu_median=mu,
        mu_high=mu,
        usable=True,
        flag=True,
        mu_demonstrated=NAN,
        s_p=NAN,
        test_load=NAN,
        test_speed=NAN,
        test_travel=NAN,
        known_after=NAN,
        force_ratio=ratio,
        slipping=False,
        state_code=USABLE,
    )


# What a walk leaves behind: one row per control tick, preallocated.

#: The arrays of a log, for kernels; shapes as in :class:`WalkLog`.
LogRows = namedtuple(
    "LogRows",
    "time q v foot_x foot_z foot_vx normal tangential mu_true wanted_ratio limit "
    "estimates torques phase",
)


@kernel
def write_truth(
    rows: LogRows,
    i: int,
    time: float,
    state: PlantState,
    contact: SoleForces,
    motion: Any,
    slope: float,
) -> None:
    """Write the truth of an instant into row ``i``.

    The motion is positions (2, 3) and velocities (2, 6) of the soles.
    """
    position, velocity = motion
    c = math.cos(slope)
    s = math.sin(slope)
    rows.time[i] = time
    copy_vector(state.q, rows.q[i], 0)
    copy_vector(state.v, rows.v[i], 0)
    for foot in range(2):
        rows.foot_x[i, foot], rows.foot_z[i, foot] = (
            position[foot, 0],
            position[foot, 2],
        )
        rows.foot_vx[i, foot] = velocity[foot, 0]
        rows.normal[i, foot], rows.mu_true[i, foot] = (
            contact.normal[foot],
            contact.mu[foot],
        )
        rows.tangential[i, foot] = (
            c * contact.force[foot, 0] + s * contact.force[foot, 1]
        )


@kernel
def write_control(rows: LogRows, i: int, record: PlanarOutput) -> None:
    """Write a controller's output at an instant into row ``i``."""
    rows.phase[i] = record.phase
    copy_vector(record.torques, rows.torques[i], 0)
    for foot in range(2):
        rows.wanted_ratio[i, foot], rows.limit[i, foot] = (
            record.wanted_ratio[foot],
            record.limits[foot],
        )
        write_estimate(rows.estimates[i, foot], record.estimates[foot])


class WalkLog(walk.Log):
    """Arrays over ticks; feet left, right on the second axis.

    Only the first ``length`` rows are filled.

    Attributes:
        time: (ticks,) [s]
        q, v: (ticks, nv)
        foot_x, foot_z, foot_vx: (ticks, 2) [m], [m/s], world
        normal, tangential: (ticks, 2) true contact force in the floor frame [N]
        mu_true: (ticks, 2) of the patch under each foot
        wanted_ratio: (ticks, 2) ratio wanted before any limit; NaN in swing
        limit: (ticks, 2), inf: none
        estimates: (ticks, 2, fields of FrictionEstimate)
        torques: (ticks, n) [N m]
        phase: (ticks,) gait phase
    """

    def __init__(self, robot: Robot, ticks: int) -> None:
        nv = robot.model.nv
        n = len(robot.joints)
        self.weight = robot.mass * GRAVITY
        self.joints = walk.Joints(
            robot.joints, robot.effort_limits, robot.position_limits
        )
        self.time = np.zeros(ticks)
        self.q = np.zeros((ticks, nv))
        self.v = np.zeros((ticks, nv))
        self.foot_x, self.foot_z, self.foot_vx = (
            np.zeros((ticks, 2)) for _ in range(3)
        )
        self.normal, self.tangential, self.mu_true = (
            np.zeros((ticks, 2)) for _ in range(3)
        )
        self.wanted_ratio = np.full((ticks, 2), np.nan)
        self.limit = np.full((ticks, 2), np.inf)
        self.estimates = np.full((ticks, 2, len(FrictionEstimate._fields)), np.nan)
        self.torques = np.zeros((ticks, n))
        self.phase = np.zeros(ticks, dtype=int)

    def record_world(self, plant: Plant) -> None:
        """Append the truth of this instant."""
        state = plant.state
        time = 1e-9 * plant.stamp_ns
        motion = plant.motion(state.q, state.v)
        if self.length == self.time.size:  # compiled code would write past the end
            raise IndexError("the log is full")
        write_truth(
            self.rows,
            self.length,
            time,
            state,
            plant.contact(),
            motion,
            plant.ground.slope,
        )
        self.length += 1

    def record_control(self, i: int, record: PlanarOutput) -> None:
        """Record the controller's output of instant ``i``.

        Its numbers may also come from a message.
        """
        self.wanted_ratio[i] = record.wanted_ratio
        self.limit[i] = record.limits
        self.torques[i] = record.torques
        self.phase[i] = record.phase
        self.estimates[i] = record.estimates

    @property
    def rows(self) -> LogRows:
        """Return the log's arrays for the kernels."""
        return LogRows(*(getattr(self, name) for name in LogRows._fields))

    @property
    def ratio(self) -> Array:
        """Return tangential over normal contact force [-] (ticks, 2).

        It is NaN without contact.
        """
        loaded = self.normal > 0.0
        return np.where(
            loaded, np.abs(self.tangential) / np.where(loaded, self.normal, 1.0), np.nan
        )

    @property
    def sole_speed(self) -> Array:
        """Return the speed of the feet along x [m/s] (ticks, 2)."""
        return np.abs(self.foot_vx)

    @property
    def height(self) -> Array:
        """Return the height of the hip over the lower foot [m] (ticks,)."""
        return np.asarray(self.q[:, 1] - self.foot_z.min(axis=1))

    @property
    def yaw(self) -> Array:
        """Return the yaw of the feet: none in a plane (ticks, 2)."""
        return np.zeros_like(self.foot_x)

    @property
    def solved(self) -> NDArray[np.bool_]:
        """Return whether each tick had a solution (ticks,): always, in closed form."""
        return np.ones(self.time.size, dtype=bool)

    @classmethod
    def load(cls, path: str | Path, robot: Robot) -> WalkLog:
        """Load a log from the file of :meth:`save`."""
        return cls(robot, 0).read(path)


# What surrounds the controller in a simulated walk: the robot on its floor, its
# sensors, its start and its end.

FALLEN_HEIGHT = 0.45  # [m] of the hip over the floor


class World(walk.World):
    """World of a planar biped on the floor of a scenario.

    The seed draws the sensor noise.
    """

    def __init__(self, scenario: ScenarioConfig, seed: int = 0) -> None:
        self.robot = planar_biped(scenario.variant)
        plant = Plant(
            self.robot, scenario.ground, with_chosen_step(self.robot, scenario.plant)
        )
        plant.place(*start_state(scenario, self.robot))
        super().__init__(scenario, plant, FALLEN_HEIGHT)
        self.log = WalkLog(self.robot, self.ticks)
        rng = np.random.default_rng(seed)
        self.sensors = Sensors(plant, scenario.sensors, rng)
        if scenario.unmodelled != UnmodelledConfig():
            limits = self.robot.effort_limits, self.robot.velocity_limits
            plant.differ(
                drawn_unmodelled(scenario.unmodelled, *limits, rng.spawn(1)[0])
            )

    def measure(self) -> SensorReadings:
        """Measure the truth of this instant, without logging it."""
        return self.sensors.read()

    def record(self) -> None:
        """Log the truth of this instant, once per control period."""
        self.log.record_world(self.plant)

    def height(self) -> float:
        """Compute the height of the hip over the floor [m]."""
        q = self.plant.state.q
        return height_along_normal(self.plant.ground, float(q[0]), float(q[1]))


# Many control periods in one compiled call: read, control, log and advance, by the
# kernels of each.


class WorldState(NamedTuple):
    """Robot, floor and controller between two control periods."""

    plant: PlantState
    tau: Array  # (nv,) of the last period
    tick: int
    logged: int  # rows of the log that are filled
    fell: bool
    loop: LoopState


class Physics(NamedTuple):
    """Kernels of the plant."""

    ground: Ground
    law: Any
    steps: int  # in a control period
    step: float  # [s]
    speed_limit: float  # beyond which a coordinate has diverged
    fallen_height: float  # [m] of the hip over the floor
    motors: Motors


class WalkSettings(NamedTuple):
    """Constant settings of a walk."""

    physics: Physics
    sensors: SensorSettings
    loop: LoopSettings


class Orders(NamedTuple):
    """Speed commands, pushes and noise of a number of control periods."""

    speed: Array  # (ticks,) commanded [m/s]
    push: Array  # (ticks,) on the base along x [N]
    noise: Array  # (ticks, count) normal deviates for the sensors


#: (world, sensed, driven, orders, settings, rows) -> the world after it
WalkOn = Callable[
    [WorldState, SensorState, MotorMemory, Orders, WalkSettings, LogRows], WorldState
]


def walk_on_with(
    functions: ModelFunctions, kernels: PlantKernels, sense: Sense, control: LoopStep
) -> WalkOn:
    """Simulate control periods until the inputs end or the robot falls."""
    sole_motion = functions.sole_motion
    contact_forces = kernels.forces
    acceleration = kernels.acceleration
    advance = kernels.advance

    @kernel
    def walk_on(
        world: WorldState,
        sensed: SensorState,
        driven: MotorMemory,
        orders: Orders,
        settings: WalkSettings,
        rows: LogRows,
    ) -> WorldState:
        physics = settings.physics
        sensors = settings.sensors
        ground = physics.ground
        law = physics.law
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
            readings = sense(
                plant,
                tick,
                motion,
                contact.force,
                now,
                sensed,
                orders.noise[k],
                sensors,
                room,
            )
            write_truth(
                rows,
                logged,
                1e-9 * readings.stamp_ns,
                plant,
                contact,
                motion,
                ground.slope,
            )
            loop, output = control(
                loop, settings.loop, (readings, UNKNOWN, False, orders.speed[k])
            )
            write_control(rows, logged, output)
            logged += 1
            wanted = drive(
                sensors.root,
                output.torques,
                plant.v,
                orders.push[k],
                physics.motors,
                driven,
            )
            moved = advance(plant, wanted, ground, law, physics.steps, physics.step)
            fell = not fastest_coordinate(moved.v) <= physics.speed_limit
            if not fell:
                plant = moved
                tau = wanted
                tick = tick + 1
                fell = (
                    height_along_normal(ground, plant.q[0], plant.q[1])
                    < physics.fallen_height
                )
        return WorldState(
            plant=plant, tau=tau, tick=tick, logged=logged, fell=fell, loop=loop
        )

    return walk_on


AT_ONCE = 1000  # control periods in one compiled call


class Walk(World):
    """Walk of a scenario, tick by tick or to its end or a fall.

    The seed draws the sensor noise.
    """

    def __init__(
        self,
        scenario: ScenarioConfig,
        policy: SlipPolicy,
        seed: int = 0,
        controller: str = PLANAR_DEFAULT,
    ) -> None:
        super().__init__(scenario, seed)
        period = 1e-9 * scenario.plant.control_period_ns
        site = PlanarSite(self.robot, FloorConfig(scenario.ground.slope), period)
        self.controller = planar_controller(scenario.walking, policy, site, controller)

    def tick(self) -> None:
        """Advance one control period: read, control, log, advance."""
        output = self.controller.step(self.read())
        self.log.record_control(self.log.length - 1, planar_output(output))
        self.advance(output.torques)

    def run(self, progress: Callable[[float], None] | None = None) -> WalkLog:
        """Run the walk to its end, a fall or divergence.

        ``progress`` is called with the share done.
        """
        while not self.ended:
            if self.plant.kernels.compiled and isinstance(
                self.controller, PlanarController
            ):
                self.walk_on(min(AT_ONCE, self.ticks - self.plant.ticks))
            else:
                self.tick()
            if progress is not None and (self.ended or self.plant.ticks % AT_ONCE == 0):
                progress(self.plant.ticks / self.ticks)
        return self.log.trim()

    @cached_property
    def _kernel(self) -> WalkOn:
        control = cast(PlanarController, self.controller).kernel
        return walk_on_with(
            model_functions(self.robot),
            self.plant.kernels,
            self.sensors.kernel,
            control,
        )

    def walk_on(self, ticks: int) -> None:
        """Run a number of ticks in one compiled call.

        Its kernels are those of :meth:`tick`.
        """
        plant = self.plant
        controller = cast(PlanarController, self.controller)
        scenario = self.scenario
        times: Any = 1e-9 * (
            np.arange(plant.ticks, plant.ticks + ticks) * plant.config.control_period_ns
        )
        orders = Orders(
            scenario.speed.over(times),
            scenario.pushes.over(times),
            self.sensors.noise(ticks),
        )
        physics = Physics(
            ground=plant.ground,
            law=plant.kernels.settings,
            steps=plant.steps,
            step=plant.step,
            speed_limit=plant.config.speed_limit,
            fallen_height=FALLEN_HEIGHT,
            motors=plant.motors,
        )
        settings = WalkSettings(physics, self.sensors.settings, controller.settings)
        before = WorldState(
            plant=plant.state,
            tau=plant.tau,
            tick=plant.ticks,
            logged=self.log.length,
            fell=self.fell,
            loop=controller.loop.held.value,
        )
        after = self._kernel(
            before,
            self.sensors.memory,
            plant.motor_memory,
            orders,
            settings,
            self.log.rows,
        )
        plant.state, plant.tau, plant.ticks, self.log.length, self.fell, loop = after
        controller.loop.restart(loop)


# What a walk amounts to: fell, how far, how far a stance foot slid, what was known of
# the floor and when.

SLIDING_SPEED = 0.02  # [m/s] a foot that is faster is sliding
SHORTEST_SLIDE = 0.002  # [m]: twice the presliding distance of the thesis' floor
DEMAND_SHARE = 0.9  # of the true mu


@dataclass(frozen=True)
class Contact:
    """Stance with the estimate of its floor; None where unknown or not reached."""

    foot: str
    start: float  # [s]
    end: float  # [s]
    mu_true: float
    mu_hat: float | None  # last estimate in force
    demand_time: (
        float | None
    )  # [s] wanted ratio of the rear foot first passes 0.9 mu_true
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
    """Result of one walk; ``slips`` are the times at which a stance foot moved."""

    contacts: tuple[Contact, ...]
    wall_time: float  # [s]

    def passes(self, required_distance: float) -> bool:
        """Return whether upright, far enough, and no stance foot slid by 1 cm."""
        return self.upright_without_slip() and self.distance >= required_distance

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> WalkSummary:
        """Build the summary from :meth:`to_mapping`, also after JSON."""
        return super().from_mapping(
            {**mapping, "contacts": tuple(Contact(**c) for c in mapping["contacts"])}
        )


def summarise(log: WalkLog, fell: bool, wall_time: float) -> WalkSummary:
    """Summarise the trimmed log of a walk."""
    slips: list[Slip] = []
    contacts: list[Contact] = []
    largest = 0.0
    for foot in (0, 1):
        for stance in stances(log.time, log.normal[:, foot]):
            steady = steady_part(stance, log.time)
            largest = max(largest, extent(log.foot_x[steady, foot]))
            slips.extend(_slides(log, foot, steady))
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


def _contact(log: WalkLog, foot: int, stance: slice) -> Contact:
    time = log.time[stance]
    mu_true = log.mu_true[stance, foot]
    mu, median, quantile, low, flag, usable = (
        log.estimate(name)[stance, foot]
        for name in ("mu", "mu_median", "mu_q05", "mu_low", "flag", "usable")
    )
    in_force = _hold(
        np.where(
            np.isfinite(mu) & (flag > 0.0), mu, np.where(usable > 0.0, median, np.nan)
        )
    )
    wanted = log.wanted_ratio[stance]
    limit = log.limit[stance, foot]
    rear = (log.foot_x[stance, foot] <= log.foot_x[stance, 1 - foot]) | np.isnan(
        wanted[:, 1 - foot]
    )
    demand = _first(rear & (np.abs(wanted[:, foot]) > DEMAND_SHARE * mu_true))
    alone = _first(log.phase[stance] == (RIGHT_SWING if foot == 0 else LEFT_SWING))
    released = _first(
        np.isfinite(mu) & ((flag > 0.0) | np.isfinite(quantile)) & np.isfinite(limit)
    )
    return Contact(
        foot=FEET[foot],
        start=float(time[0]),
        end=float(time[-1]),
        mu_true=float(np.median(mu_true)),
        mu_hat=_known(in_force, -1),
        demand_time=_known(time, demand),
        mu_at_demand=_known(in_force, demand),
        usable_from=_known(time, _first(usable > 0.0)),
        alone_from=_known(time, alone),
        released_from=_known(time, released),
        limit_at_release=_known(limit, released),
        mean_limit=_over(np.mean, limit),
        largest_limit=None if released is None else _over(np.max, limit[released:]),
        largest_low=_over(np.max, low),
    )


def _first(condition: NDArray[np.bool_]) -> int | None:
    hits = np.flatnonzero(condition)
    return int(hits[0]) if hits.size else None


def _known(values: Array, tick: int | None) -> float | None:
    return (
        float(values[tick])
        if tick is not None and math.isfinite(values[tick])
        else None
    )


def _hold(values: Array) -> Array:
    """Replace each NaN by the last number before it."""
    index = np.where(np.isfinite(values), np.arange(values.size), 0)
    held: Array = values[np.maximum.accumulate(index)]
    return held


def _over(function: Callable[[Array], Any], values: Array) -> float | None:
    finite = values[np.isfinite(values)]
    return float(function(finite)) if finite.size else None


def _slides(log: WalkLog, foot: int, steady: slice) -> Iterator[Slip]:
    for begin, end in (
        spans(np.abs(log.foot_vx[steady, foot]) > SLIDING_SPEED) + steady.start
    ):
        distance = extent(log.foot_x[begin:end, foot])
        if distance > SHORTEST_SLIDE:
            yield Slip(
                FEET[foot], float(log.time[begin]), float(log.time[end - 1]), distance
            )


class WalkResult(NamedTuple):
    """Log and summary of one walk.

    Write ``log, summary = bs.run_walk(scenario)`` or ``walk.log.to_pandas()``.
    """

    log: WalkLog
    summary: WalkSummary

    def __repr__(self) -> str:
        """Show a screen of it."""
        return f"WalkResult: {self.summary}\n{self.log!r}"


def run_walk(
    scenario: ScenarioConfig,
    limit: str = DEFAULT_POLICY,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    controller: str = PLANAR_DEFAULT,
) -> WalkResult:
    """Run the walk of a scenario to its end or a fall.

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


# Walks in a campaign.


@dataclass(frozen=True)
class Job:
    """Planar walk of a campaign.

    ``changes`` are those of the scenario, as (dotted name, value).
    """

    scenario: str
    limit: str
    seed: int
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.scenario

    def nominal(self) -> ScenarioConfig:
        """Return the scenario before the seed perturbs it."""
        return changed(chosen_scenario(self.scenario), dict(self.changes))

    def perturbed(self) -> ScenarioConfig:
        """Draw the scenario of the walk.

        The seed draws the start and the patch edges.
        """
        return perturbed(self.nominal(), np.random.default_rng(self.seed))

    def key(self) -> str:
        """Hash limit, seed, scenario parameters and code."""
        return key_of(
            sources_hash(__name__), self.nominal().to_mapping(), self.limit, self.seed
        )

    def run(self) -> Outcome:
        """Run the walk of the perturbed scenario.

        The seed also draws the sensor noise.
        """
        scenario = self.perturbed()
        summary = run_walk(scenario, self.limit, self.seed).summary
        return Outcome(
            self,
            summary,
            summary.passes(scenario.required_distance),
            scenario.ground.mu,
        )

    def warm_up(self) -> None:
        """Compile the walk's kernels by a short walk."""
        run_walk(changed(chosen_scenario(self.scenario), {"duration": 0.1}), self.limit)

    def found(self, entry: Mapping[str, Any]) -> Outcome:
        """Read the outcome of the walk from a file of campaigns."""
        summary = WalkSummary.from_mapping(entry["summary"])
        return Outcome(self, summary, bool(entry["passed"]), tuple(entry["floors"]))


Outcome = campaign.Outcome[Job, WalkSummary]
