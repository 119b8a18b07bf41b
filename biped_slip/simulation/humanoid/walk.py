# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Closed loop of a humanoid without ROS: world and controller by ticks.

Its log, summary and campaign are here, too.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.cache import sources_hash
from biped_slip.compile.kernel import kernel, without_dispatch
from biped_slip.contact.ground import Terrain, ground_under
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.control.whole_body.controller import WholeBodyOutput
from biped_slip.control.whole_body.footsteps import Foothold, Gait
from biped_slip.estimation.readings import (
    HumanoidReadings,
    RawReadings,
    SensorReadings,
    base_motion,
)
from biped_slip.friction_estimation.limits import EstimateLimit
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    EstimateState,
    FootMeasurement,
    FrictionEstimate,
)
from biped_slip.robots.humanoid import Humanoid, load_humanoid
from biped_slip.robots.robot import Robot
from biped_slip.robots.sensor_config import UnmodelledConfig
from biped_slip.simulation import campaign, walk
from biped_slip.simulation.campaign import key_of
from biped_slip.simulation.humanoid.plant import FloatingPlant, Truth, choose_step
from biped_slip.simulation.humanoid.scenario import (
    FloatingScenarioConfig,
    HumanoidWalkConfig,
    drawn,
    track_scenario,
    with_motion,
)
from biped_slip.simulation.humanoid.sensors import FloatingSensors, ideal_readings
from biped_slip.simulation.planar.plant import drawn_unmodelled
from biped_slip.simulation.walk import (
    FEET,
    LATE,
    SLIP_LIMIT,
    OffPatch,
    Slip,
    Summary,
    extent,
    stances,
    steady_part,
)
from biped_slip.walking.controller import ControlOutput
from biped_slip.walking.guarded import Guarded
from biped_slip.walking.humanoid import HumanoidOutput, guard_humanoid, humanoid_body
from biped_slip.walking.registry import HUMANOID_DEFAULT, humanoid_controller
from biped_slip.walking.sensor_sway import ChecksSensors, at_once
from biped_slip.walking.slip_policies import SlipPolicy, slip_policy

# the map of the way ahead; of the floor under loaded soles alone
ORACLE = "oracle"
UNDERFOOT = "underfoot"
LEAST_LOAD = 0.01  # body weights; a foot with less is in flight for the oracle
AHEAD = np.array(
    [0.0, 0.3, 0.6, 0.9, 1.2]
)  # [m] from a foot in flight where the oracle looks: a few steps (choice)
HERE = np.zeros(1)
# points in half a sole at which its floor is looked at: a grid of 2 cm
ALONG = 5
ACROSS = 6


def half_soles(humanoid: Humanoid) -> Array:
    """Spread points (2, n, 2) [m] evenly over both halves of the left sole.

    The halves are the rear and the front one; the points are in the frame of the sole.
    """
    corners = np.array(humanoid.polygon(0), dtype=float)
    low = corners.min(axis=0)
    size = np.ptp(corners, axis=0)
    along = (np.arange(2 * ALONG) + 0.5) / (2 * ALONG)
    across = (np.arange(ACROSS) + 0.5) / ACROSS
    grid = np.stack(np.meshgrid(along, across, indexing="ij"), axis=-1)
    return np.ascontiguousarray((low + size * grid).reshape(2, ALONG * ACROSS, 2))


@kernel
def held_on(terrain: Terrain, x: float, y: float, ways: Array, halves: Array) -> float:
    """Find the lowest friction of a sole at any of ``ways`` (k,) ahead of (x, y) [m].

    A sole holds what its floor is on the average over its pressure, which goes from the
    heel to the toe while it carries: the lower mean of its two ``halves`` (2, n, 2).
    One slippery spot smaller than that is no slippery floor.
    """
    lowest = math.inf
    for way in ways:
        for half in halves:
            first = ground_under(terrain, x + way + half[0, 0], y + half[0, 1]).mu
            # than the first, so that the mean of equal ones is they to the last digit
            more = 0.0
            for point in half:
                more += (
                    ground_under(terrain, x + way + point[0], y + point[1]).mu - first
                )
            lowest = min(lowest, first + more / half.shape[0])
    return lowest


class TerrainOracle:
    """Oracle estimator that reads mu from the simulated floor.

    Of a loaded foot it is what the sole holds, of a foot in the air the lowest on the
    way that lies ahead of it. Soles are taken to lie along x.

    Args:
        terrain: the map.
        weight: of the robot [N].
        halves: (2, n, 2) points of the rear and the front half of a sole [m].
        direction: of the walk along x, 1 or -1.
        ahead: whether it sees further than the loaded soles.
    """

    def __init__(
        self,
        terrain: Terrain,
        weight: float,
        halves: Array,
        direction: float = 1.0,
        ahead: bool = True,
    ) -> None:
        self._terrain = terrain
        self._load = LEAST_LOAD * weight
        self._halves = halves
        self._ahead = ahead
        self._ways = direction * AHEAD

    def initial_state(self) -> None:
        """Return the empty state."""

    def step(
        self, state: None, measurement: FootMeasurement, dt: float
    ) -> tuple[None, FrictionEstimate]:
        """Return the floor's true mu."""
        x = measurement.displacement_x
        y = measurement.displacement_y
        loaded = measurement.force_normal > self._load
        if not (math.isfinite(x) and math.isfinite(y) and (loaded or self._ahead)):
            return None, NO_ESTIMATE
        mu = float(
            held_on(self._terrain, x, y, HERE if loaded else self._ways, self._halves)
        )
        return None, NO_ESTIMATE._replace(
            mu=mu,
            mu_low=mu,
            mu_q05=mu,
            mu_median=mu,
            mu_high=mu,
            usable=True,
            flag=True,
            state_code=int(EstimateState.USABLE),
        )


def humanoid_policy(
    name: str, config: HumanoidWalkConfig, humanoid: Humanoid, seed: int
) -> SlipPolicy:
    """Look up a policy by its name on the command line.

    The seed draws the floor of the oracle's map.
    """
    if name in (ORACLE, UNDERFOOT):
        terrain = track_scenario(config, drawn(config, seed)).terrain.terrain()
        direction = math.copysign(1.0, config.speed)
        oracle = TerrainOracle(
            terrain, humanoid.weight, half_soles(humanoid), direction, name == ORACLE
        )
        return SlipPolicy(name, oracle, EstimateLimit())
    return slip_policy(name, config.walking.policy_settings(humanoid.weight))


class FloatingLog(walk.Log):
    """Arrays over ticks; feet left, right on the second axis.

    Only the first ``length`` rows are filled.

    Attributes:
        time: (ticks,) [s]
        q: (ticks, nq); v: (ticks, nv)
        sole_position: (ticks, 2, 3) [m], sole_rotation: (ticks, 2, 3, 3),
            sole_velocity: (ticks, 2, 6), world
        wrench: (ticks, 2, 6) of the ground on each sole, world axes [N, N m]
        normal: (ticks, 2) [N]
        mu: (ticks, 2) of the floor under each sole's origin
        torques: (ticks, n) of the motors [N m]
        limit: (ticks, 2) of the controller on the force ratio; NaN as long as it does
            not know its base
        estimates: (ticks, 2, fields of FrictionEstimate) as it used them
        solved: (ticks,) whether its program had an answer
    """

    def __init__(self, plant: FloatingPlant, ticks: int) -> None:
        model = plant.humanoid.model
        robot = plant.humanoid.robot
        self.weight = plant.humanoid.weight
        self.joints = walk.Joints(
            robot.joints, plant.humanoid.efforts, _ranges_of_legs(plant.humanoid)
        )
        self.time = np.zeros(ticks)
        self.q = np.zeros((ticks, model.nq))
        self.v = np.zeros((ticks, model.nv))
        self.sole_position = np.zeros((ticks, 2, 3))
        self.sole_velocity = np.zeros((ticks, 2, 6))
        self.sole_rotation = np.zeros((ticks, 2, 3, 3))
        self.wrench = np.zeros((ticks, 2, 6))
        self.normal = np.zeros((ticks, 2))
        self.mu = np.zeros((ticks, 2))
        self.torques = np.zeros((ticks, model.nv - 6))
        self.limit = np.full((ticks, 2), np.nan)
        self.solved = np.ones(ticks, dtype=bool)
        self.estimates = np.full((ticks, 2, len(FrictionEstimate._fields)), np.nan)

    def record(self, plant: FloatingPlant, truth: Truth) -> None:
        """Append the truth of this instant."""
        i = self.length
        state = plant.state
        soles = truth.soles
        self.time[i] = 1e-9 * plant.stamp_ns
        self.q[i] = state.q
        self.v[i] = state.v
        self.torques[i] = state.torque
        self.mu[i] = truth.mu
        self.sole_position[i] = soles.position
        self.sole_rotation[i] = soles.rotation
        self.sole_velocity[i] = soles.velocity
        self.wrench[i] = soles.wrench
        self.normal[i] = soles.normal
        self.length += 1

    def record_control(self, output: ControlOutput) -> None:
        """Record a controller's output of the last instant."""
        i = self.length - 1
        answer = getattr(output, "answer", None)
        self.estimates[i] = output.estimates
        if answer is not None:
            self.limit[i] = answer.limits
            self.solved[i] = answer.solved

    @property
    def mu_true(self) -> Array:
        """Return the friction of the floor under each sole's origin (ticks, 2)."""
        return self.mu

    @property
    def wanted_ratio(self) -> Array:
        """Return the wanted force ratio (ticks, 2), which is NaN.

        There is none, for the limits are inside the whole body's program.
        """
        return np.full_like(self.mu, np.nan)

    @property
    def height(self) -> Array:
        """Return the height of the base over the lower sole [m] (ticks,)."""
        return np.asarray(self.q[:, 2] - self.sole_position[:, :, 2].min(axis=1))

    @property
    def yaw(self) -> Array:
        """Return the yaw of the soles [rad] (ticks, 2)."""
        return np.asarray(
            np.arctan2(self.sole_rotation[:, :, 1, 0], self.sole_rotation[:, :, 0, 0])
        )

    @property
    def sole_speed(self) -> Array:
        """Return the horizontal speed of the soles' origins [m/s] (ticks, 2)."""
        return np.asarray(np.linalg.norm(self.sole_velocity[:, :, :2], axis=2))

    @property
    def ratio(self) -> Array:
        """Return horizontal over vertical force of each sole (ticks, 2).

        It is NaN without load.
        """
        horizontal = np.linalg.norm(self.wrench[:, :, :2], axis=2)
        vertical = self.wrench[:, :, 2]
        return np.where(vertical > 1.0, horizontal / np.maximum(vertical, 1.0), np.nan)


def _ranges_of_legs(humanoid: Humanoid) -> Array:
    """Find the ends (2, n) [rad] of what the controller moves, where knees stay bent.

    They are infinite for other joints.
    """
    body = humanoid_body(humanoid)
    ranges = np.full((2, len(humanoid.robot.joints)), np.inf)
    moved = body.program.moved - 6
    ranges[0] *= -1.0
    ranges[:, moved] = body.lowest, body.highest
    return ranges


class FloatingWorld(walk.World):
    """World of a humanoid until the time is over or it has fallen.

    Args:
        humanoid: the robot.
        scenario: floor, start, pushes (force and moment (6,) on the base, world axes),
            sensors, physics.
        seed: of the sensor noise.
        compiled: false runs plain Python with CasADi.
        plant: what moves it.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        scenario: FloatingScenarioConfig,
        seed: int = 0,
        compiled: bool = True,
        plant: type[FloatingPlant] = FloatingPlant,
    ) -> None:
        config = scenario.plant
        if config.error_target > 0.0:
            chosen = choose_step(
                humanoid, scenario.terrain, config, config.error_target
            )
            config = dataclasses.replace(config, step_ns=chosen.step_ns)
        self.humanoid = humanoid
        placed = plant(humanoid, scenario.terrain, config, compiled)
        placed.place(_start(scenario, placed))
        self._height: Any = without_dispatch(
            height_over, placed.around.terrain, placed.state.q
        )
        super().__init__(scenario, placed, 0.0)
        self.lowest = scenario.fallen * self.height()
        self.log = FloatingLog(placed, self.ticks)
        rng = np.random.default_rng(seed)
        self._sensors = FloatingSensors(placed, scenario.sensors, rng)
        if scenario.unmodelled != UnmodelledConfig():
            speeds = np.array(humanoid.model.velocityLimit[6:])
            placed.differ(
                drawn_unmodelled(
                    scenario.unmodelled, humanoid.efforts, speeds, rng.spawn(1)[0]
                )
            )

    @property
    def robot(self) -> Robot:
        """Return the model with its names of joints and soles."""
        return self.humanoid.robot

    def measure(self) -> SensorReadings:
        """Measure the truth of this instant, not logged yet."""
        return ideal_readings(self.plant, self.plant.observe())

    def record(self) -> Truth:
        """Record the truth of this instant and return it, once per control period."""
        truth: Truth = self.plant.observe()
        self.log.record(self.plant, truth)
        return truth

    def sense(self) -> RawReadings:
        """Read real sensors at this instant, whose truth is logged.

        Call this or :meth:`read` once per period.
        """
        return self._sensors.read(self.record())

    def height(self) -> float:
        """Compute the height of the base over the floor below it [m]."""
        return float(self._height(self.plant.around.terrain, self.plant.state.q))


def _start(scenario: FloatingScenarioConfig, plant: FloatingPlant) -> Array:
    """Stand at the commanded place.

    Each foot is as deep in the floor as half the weight wants.
    """
    start = scenario.start
    humanoid = plant.humanoid
    points = plant.around.points.shape[1]
    depth = (
        plant.law.normal.steady_penetration(0.5 * humanoid.weight / points)
        if start.height == 0.0
        else 0.0
    )
    floor = ground_under(plant.around.terrain, start.x, start.y).height
    return humanoid.standing(start.x, start.y, start.yaw, floor + start.height - depth)


@kernel
def height_over(terrain: Terrain, q: Array) -> float:
    """Compute the base's height over the floor below it [m], for coordinates (nq,)."""
    return q[2] - ground_under(terrain, q[0], q[1]).height


class HumanoidTrack(FloatingWorld):
    """World of a humanoid on the way of its walk.

    It ends when the robot has arrived, the time is over, or the robot has fallen.

    Args:
        config: robot, floor, patch, push, noise.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python with CasADi.

    Attributes:
        patch: from, to [m] along x.
        shift: of the course along x [m].
    """

    def __init__(
        self, config: HumanoidWalkConfig, seed: int = 0, compiled: bool = True
    ) -> None:
        self.config = config
        self._draw = drawn(config, seed)
        self.patch = self._draw.patch
        self.shift = self._draw.shift
        plant = FloatingPlant
        if config.contact.law == "mujoco":
            from biped_slip.simulation.mujoco_plants import (
                MujocoPlant,
            )  # takes a while to load

            plant = MujocoPlant
        super().__init__(
            load_humanoid(config.robot),
            track_scenario(config, self._draw),
            seed,
            compiled,
            plant,
        )
        self._push_left = (
            round(config.push.duration / config.period)
            if config.push.force > 0.0
            else 0
        )

    @property
    def world(self) -> HumanoidTrack:
        """Return the track itself, for reports and scenes of a track alone."""
        return self

    @property
    def ended(self) -> bool:
        """Return whether the robot arrived, fell or ran out of time."""
        return super().ended or float(self.plant.state.q[0]) >= self.config.distance

    def read(self) -> HumanoidReadings:
        """Read the sensors at this instant, and the true motion of the base.

        The instant is logged.
        """
        return HumanoidReadings(self.sense(), base_motion(self.measure()))

    def advance(self, torques: Array, push: Any = 0.0) -> None:
        """Advance one control period under joint torques (n,).

        The walk's own push on the way acts, too.
        """
        if self._push_left > 0 and float(self.plant.state.q[0]) >= self._draw.push_at:
            self._push_left -= 1
            force = self._draw.side * self.config.push.force * self.humanoid.weight
            push = push + np.array([0.0, force, 0.0, 0.0, 0.0, 0.0])
        super().advance(torques, push)


class WalkTick(NamedTuple):
    """Output of the controller at one tick; pairs are left, right."""

    time: float  # [s]
    limits: tuple[float, float]  # on the force ratio
    phase: int  # a Phase
    solved: bool
    swing: int  # foot in the air, or the one to lift next
    target: Foothold  # of that foot
    gait: Gait  # of the steps to come


class HumanoidWalk:
    """Walk of a humanoid, tick by tick or to its end.

    Args:
        config: robot, command, floor, noise, controller.
        kind: of policy for slip.
        seed: draws the patch's place, the push and the noise.
        compiled: false runs the plant in plain Python with CasADi.
        true_base: whether the controller sees the base as it truly moves; else as IMU,
            joints and contacts tell it.
        checked: whether the sensors are checked before the first step.
        controller: by its name.

    Attributes:
        sequencer: the controller.
        guarded: the same behind the supervisor, as a node runs it; sensors are not
            watched, they are as described.
        ticks: what the whole-body controller made of each tick on which it knew the
            base; empty for any other.
    """

    def __init__(
        self,
        config: HumanoidWalkConfig,
        kind: str,
        seed: int = 0,
        compiled: bool = True,
        true_base: bool = False,
        checked: bool = False,
        controller: str = HUMANOID_DEFAULT,
    ) -> None:
        if kind in (
            ORACLE,
            UNDERFOOT,
        ):  # who reads a map must know the places of the soles
            config = with_motion(config, "odometry")
        self.config = config
        self._true_base = true_base
        self.world = HumanoidTrack(config, seed, compiled)
        self.humanoid = self.world.humanoid
        policy = humanoid_policy(kind, config, self.humanoid, seed)
        self.sequencer = humanoid_controller(config.walking, policy, controller)
        self.guarded = guard_humanoid(
            self.sequencer, self.humanoid, SupervisorConfig(), None
        )
        self.guarded.start()
        self._checks = (
            self.sequencer
            if checked and isinstance(self.sequencer, ChecksSensors)
            else None
        )
        if self._checks is not None:
            self._checks.check_sensors_first(at_once)
        self.ticks: list[WalkTick] = []

    @property
    def ended(self) -> bool:
        """Return whether the robot arrived, fell or ran out of time."""
        return self.world.ended

    def check_sensors(self) -> tuple[str, ...]:
        """List faults of the sensors, found before the first step.

        They are found by shifting the weight and swaying.
        """
        while (
            self._checks is not None and self._checks.faults is None and not self.ended
        ):
            self.tick()
            if (
                self.guarded.problem is not None
            ):  # a wrong sensor may make a joint run before it is found
                return (str(self.guarded.problem),)
        return () if self._checks is None else self._checks.faults or ()

    def tick(self) -> ControlOutput | None:
        """Advance one control period: read, control, advance.

        Return None while the guard has the joints.
        """
        answer = self.control(self.world.sense())
        self.world.advance(answer.torques)
        output = answer.output
        if output is not None:
            self.world.log.record_control(output)
        if isinstance(output, HumanoidOutput) and output.answer is not None:
            self.ticks.append(_tick(output, output.answer))
        return output

    def control(self, raw: RawReadings) -> Guarded:
        """Pass one sample of the sensors to the guarded controller."""
        base = base_motion(self.world.measure()) if self._true_base else None
        answer = self.guarded.step(HumanoidReadings(raw, base))
        if self.guarded.failure is not None:  # a robot stops; a program wants to know
            raise self.guarded.failure
        return answer

    def run(self, progress: Callable[[float], None] | None = None) -> None:
        """Walk to the end; ``progress`` is called with the share done."""
        while not self.ended:
            self.tick()
            if progress is not None and self.world.plant.ticks % 100 == 0:
                progress(
                    min(
                        max(
                            float(self.world.plant.state.q[0]) / self.config.distance,
                            0.0,
                        ),
                        1.0,
                    )
                )
        self.world.log.trim()


def _tick(output: HumanoidOutput, answer: WholeBodyOutput) -> WalkTick:
    return WalkTick(
        time=1e-9 * output.readings.stamp_ns,
        limits=answer.limits,
        phase=answer.phase,
        solved=answer.solved,
        swing=answer.stepping.swing,
        target=answer.stepping.target,
        gait=answer.gait,
    )


# What a humanoid's walk amounts to: fell, arrived, slips under load, the ratio it
# needed, its speed off the patch.

LOADED = 0.2  # body weights; the ratio of a foot with less says little (choice)
# [m] of the way are left out of the mean speed: the walk starts from standing (choice)
UP_TO_SPEED = 1.5
# [m] around the patch belong to it: the feet are ahead of and behind the base (choice)
BESIDE = 0.3


@dataclass(frozen=True)
class HumanoidSummary(Summary):
    """Result of one walk.

    ``slips`` are the stances in which a sole's middle slid by 1 cm or more.
    """

    arrived: bool
    peak_ratio: (
        float  # median over the stances off the patch of their largest force ratio
    )
    speed_off_patch: float  # [m/s] mean; NaN where the walk never got there
    unsolved: int  # ticks whose program had no answer
    patch_from: float  # [m]
    faults: str = ""  # of the sensors, found before the first step

    @property
    def refused(self) -> bool:
        """Return whether the sensors were found wrong before the first step."""
        return self.faults != ""

    @property
    def end(self) -> str:
        """Describe the end of the walk in a few words."""
        return super().end if self.fell else "arrived" if self.arrived else LATE

    @property
    def off_patch(self) -> OffPatch:
        """Explain how the robot passed beside the slippery patch."""
        return OffPatch(self.peak_ratio, self.speed_off_patch)

    def passes(self) -> bool:
        """Return whether it arrived upright with no slip over 1 cm.

        Its sensors must be sound, too.
        """
        return self.upright_without_slip() and self.arrived and not self.refused


def summarise_humanoid(walked: HumanoidWalk | HumanoidTrack) -> HumanoidSummary:
    """Summarise a walk that has ended, of any loop."""
    walk = walked.world
    log = walk.log.trim()
    weight = walk.humanoid.weight
    slides = []
    peaks = []
    for foot in (0, 1):
        for part in loaded_stances(walk, foot):
            place = log.sole_position[part, foot, :2]
            time = log.time[part]
            slides.append(
                Slip(FEET[foot], float(time[0]), float(time[-1]), extent(place))
            )
            loaded = log.normal[part, foot] > LOADED * weight
            off = np.all(log.mu[part, foot] == walk.config.mu)
            if off and loaded.any() and place[0, 0] > UP_TO_SPEED:
                peaks.append(float(log.ratio[part, foot][loaded].max()))
    return HumanoidSummary(
        walk.fell,
        float(log.time[-1]),
        float(log.q[-1, 0]),
        max((slide.distance for slide in slides), default=0.0),
        tuple(
            sorted(
                (s for s in slides if s.distance >= SLIP_LIMIT),
                key=lambda slide: slide.start,
            )
        ),
        bool(log.q[-1, 0] >= walk.config.distance - 0.01),
        float(np.median(peaks)) if peaks else float("nan"),
        speed_off_patch(walk),
        int(np.count_nonzero(~log.solved)),
        walk.patch[0],
    )


def loaded_stances(walk: HumanoidTrack, foot: int) -> Iterator[slice]:
    """Find the ticks of each stance of a foot without landing and lift-off."""
    log = walk.log
    for stance in stances(
        log.time, log.normal[:, foot] - LOADED * walk.humanoid.weight
    ):
        part = steady_part(stance, log.time)
        if part.stop > part.start:
            yield part


def speed_off_patch(walk: HumanoidTrack) -> float:
    """Compute the mean speed [m/s] once walking and away from the patch."""
    log = walk.log
    x: Array = log.q[:, 0]
    away = (x[1:] > UP_TO_SPEED) & (
        (x[1:] < walk.patch[0] - BESIDE) | (x[1:] > walk.patch[1] + BESIDE)
    )
    time = float(np.diff(log.time)[away].sum())
    return float(np.diff(x)[away].sum()) / time if time > 0.5 else float("nan")


@dataclass(frozen=True)
class Job:
    """Humanoid walk of a campaign."""

    config: HumanoidWalkConfig
    limit: str
    seed: int
    true_base: bool = False  # the controller gets the base's true motion
    controller: str = HUMANOID_DEFAULT

    @property
    def name(self) -> str:
        """Name of the robot."""
        return Path(self.config.robot).stem

    def key(self) -> str:
        """Hash limit, seed, parameters of walk and robot, and code."""
        robot = load_humanoid(self.config.robot).config.to_mapping()
        walk = (
            self.config.to_mapping(),
            self.limit,
            self.seed,
            self.true_base,
            self.controller,
        )
        return key_of(sources_hash(__name__), robot, *walk)

    def run(self) -> Outcome:
        """Run the walk after the sensor self-test."""
        return self.outcome(self.walked()[1])

    def walked(self) -> tuple[HumanoidWalk, HumanoidSummary]:
        """Return the walk that has ended, and its summary."""
        walk = self._walk(checked=True)
        faults = walk.check_sensors()
        if not faults:
            walk.run()
        return walk, dataclasses.replace(
            summarise_humanoid(walk), faults="; ".join(faults)
        )

    def warm_up(self) -> None:
        """Compile the walk's kernels by its first ticks with an estimated base."""
        walk = self._walk(checked=False)
        while not walk.ticks and not walk.ended and self.controller == HUMANOID_DEFAULT:
            walk.tick()

    def _walk(self, checked: bool) -> HumanoidWalk:
        return HumanoidWalk(
            self.config,
            self.limit,
            self.seed,
            true_base=self.true_base,
            checked=checked,
            controller=self.controller,
        )

    def found(self, entry: Mapping[str, Any]) -> Outcome:
        """Read the outcome of the walk from a file of campaigns."""
        return self.outcome(HumanoidSummary.from_mapping(entry["summary"]))

    def outcome(self, summary: HumanoidSummary) -> Outcome:
        """Build the outcome from a summary of the walk."""
        patch = self.config.patch
        return Outcome(
            self,
            summary,
            summary.passes(),
            (self.config.mu, *([patch.mu] if patch.length > 0.0 else [])),
        )


Outcome = campaign.Outcome[Job, HumanoidSummary]
