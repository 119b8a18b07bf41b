# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Planar biped's loop from sensors to torques: state, feet, friction, limits, gait."""

from __future__ import annotations

import math
from bisect import bisect_right
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, cast

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.causes import cause
from biped_slip.compile.kernel import Held, OfOneType, Recursion, hold, kernel, put
from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.constants import GRAVITY
from biped_slip.control.actuation import MotorState
from biped_slip.control.friction_governor import Twist
from biped_slip.control.planar.foot_forces import (
    distribute_through_hip,
    distribute_with_moment,
    driven_rate,
    pendulum_rate,
)
from biped_slip.control.planar.gait import DOUBLE_SUPPORT, GaitState
from biped_slip.control.planar.standing import stand_with_pitch, stand_without_pitch
from biped_slip.control.planar.walking_step import (
    PlanarBody,
    Torso,
    WalkingConfig,
    WalkingInputs,
    WalkingState,
    WalkingStep,
    walking_step,
)
from biped_slip.control.supervisor import (
    Mode,
    Supervisor,
    SupervisorConfig,
    TickInput,
    TorqueLimits,
    answer_to,
    joint_motion,
    power_limit,
    torque_change,
)
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName
from biped_slip.estimation.health import (
    WELL,
    HealthConfig,
    health_problem,
    judge_of,
)
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.estimation.planar_feet import (
    FeetMeasurements,
    FloorConfig,
    MeasureFeet,
    SagittalMotion,
    motion_source,
)
from biped_slip.estimation.planar_health import HealthCheck, HealthWatch
from biped_slip.estimation.readings import (
    NONE_WRONG,
    OwnReadings,
    Problem,
    ReadingsJudge,
    RobotState,
    SensorReadings,
    first_wrong,
    own,
    robot_state,
    trial_readings,
)
from biped_slip.friction_estimation.former import class_name, taking_context
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.limits import LimitRuleConfig, LimitStep
from biped_slip.friction_estimation.settings import (
    EstimatorSettings,
    RlsConfig,
    TouchdownConfig,
    with_force_noise,
)
from biped_slip.friction_estimation.types import (
    NAN,
    NO_ESTIMATE,
    UNKNOWN,
    CompiledRule,
    Estimates,
    EstimatorStep,
    FootContext,
    FrictionEstimate,
    FrictionEstimator,
    floor_context,
)
from biped_slip.robots.model_functions import model_functions
from biped_slip.robots.planar_biped import ROOTS, leg_lengths
from biped_slip.robots.robot import Robot, Root
from biped_slip.robots.sensor_config import with_sensor_set
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.walking.controller import (
    PERIOD,
    PERIOD_LIMITS,
    Controller,
    ControlOutput,
    FootEstimates,
)
from biped_slip.walking.guarded import ANSWERED, GuardedController
from biped_slip.walking.registry import PLANAR_DEFAULT, planar_controller
from biped_slip.walking.slip_policies import PolicySettings, SlipPolicy, slip_policy
from biped_slip.walking.steering import TwistLimits

#: Parts of a scenario's file that describe the world around the robot; its controller
#: does not look at them.
WORLD_PARTS_OF_SCENARIO = (
    "duration",
    "required_distance",
    "ground",
    "start",
    "pushes",
    "sensors",
    "spread",
    "plant",
    "contact",
    "unmodelled",
)


@configuration
class SpeedConfig(Configuration):
    """Commanded speed along the floor.

    It is ``value[i]`` from ``time[i]`` on, ``value[0]`` before.
    """

    time: tuple[float, ...] = parameter(
        (0.0,), unit="s", low=0.0, doc="when each value begins"
    )
    value: tuple[float, ...] = parameter(
        (0.5,), unit="m/s", low=-2.0, high=2.0, source="A.8", doc="command"
    )

    def check(self) -> None:
        """Check for one value per time, times ascending."""
        if len(self.time) != len(self.value) or not self.time:
            raise InvalidParameter(
                "SpeedConfig.time", self.time, "as long as value and not empty"
            )
        if any(b <= a for a, b in zip(self.time, self.time[1:], strict=False)):
            raise InvalidParameter("SpeedConfig.time", self.time, "rising")

    def at(self, time: float) -> float:
        """Return the command [m/s] at a time [s]."""
        return self.value[max(bisect_right(self.time, time) - 1, 0)]

    def over(self, times: Array) -> Array:
        """Return the command [m/s] at each of many times [s]."""
        held = np.full(times.shape, self.value[0])
        for start, value in zip(self.time, self.value, strict=True):
            held[times >= start] = value
        return held


@configuration
class PlanarWalkingConfig(Configuration):
    """Configuration of the planar biped's controller.

    The slip policy is chosen beside it.
    """

    variant: str = parameter(
        "thesis", choices=tuple(ROOTS), source="A.6", doc="torso without or with pitch"
    )
    period: float = parameter(PERIOD, source="A.9: 1 kHz", **PERIOD_LIMITS)
    speed: SpeedConfig = section(SpeedConfig)
    controller: WalkingConfig = section(WalkingConfig)
    rls: RlsConfig = section(RlsConfig)
    motion: MotionConfig = section(MotionConfig)
    interval: IntervalConfig = section(IntervalConfig)
    touchdown: TouchdownConfig = section(TouchdownConfig)
    interval_limit: LimitRuleConfig = section(LimitRuleConfig)

    def policy_settings(self, body_weight: float) -> PolicySettings:
        """Build the settings of policies, with the noise of the chosen motion source.

        Args:
            body_weight: of the robot [N].
        """
        interval = self.motion.assumed(self.interval)
        touchdown = with_force_noise(
            self.touchdown, interval.force.sigma, interval.force.offset
        )
        estimator = EstimatorSettings(
            body_weight=body_weight,
            interval=interval,
            rls=self.rls,
            touchdown=touchdown,
        )
        return PolicySettings(estimator, self.interval_limit)

    def policy(self, name: str, body_weight: float) -> SlipPolicy:
        """Look up a slip policy.

        Args:
            name: as on the command line.
            body_weight: of the robot [N].

        Raises:
            InvalidParameter: no such policy, or an argument that it can't have.
        """
        return slip_policy(name, self.policy_settings(body_weight))


def scenario_file(
    name: str, variant: str | None = None, sensors: str | None = None
) -> dict[str, Any]:
    """Read a scenario's file: a path, or the name of a shipped one.

    Args:
        name: of the scenario.
        variant: of the robot, in place of the file's; a pitching torso on the thesis'
            floor needs its own gait.
        sensors: name or file of a set of sensors, in place of the file's.
    """
    if Path(name).suffix in (".yaml", ".yml"):
        mapping = read_yaml(name)
    else:
        known = shared_names("config/scenarios")
        if name not in known:
            raise UnknownName("scenario", name, [*known, "or a .yaml file"])
        mapping = read_yaml(shared_file(f"config/scenarios/{name}.yaml"))
    if sensors is not None:
        mapping = {**mapping, "sensors": sensors}
    if variant is None or variant == mapping.get(
        "variant", PlanarWalkingConfig().variant
    ):
        return with_sensor_set(mapping, "planar")
    if name == "thesis" and variant == "torso":
        return scenario_file("torso", sensors=sensors)
    return with_sensor_set({**mapping, "variant": variant}, "planar")


def walking_part(mapping: Mapping[str, Any]) -> PlanarWalkingConfig:
    """Build the controller's part of a scenario's mapping, without the world's.

    Raises:
        BipedSlipError: a parameter is unknown or refused.
    """
    known = (*PlanarWalkingConfig().to_mapping(), *WORLD_PARTS_OF_SCENARIO)
    for name in mapping:
        if name not in known:
            raise UnknownName("parameter", name, list(known))
    return PlanarWalkingConfig.from_mapping(
        {
            name: value
            for name, value in mapping.items()
            if name not in WORLD_PARTS_OF_SCENARIO
        }
    )


class PlanarObservation(NamedTuple):
    """Robot state, foot measurements and estimates of one tick."""

    state: RobotState
    measurements: FeetMeasurements
    estimates: Estimates


class ObserverState(NamedTuple):
    """State of the observer between two readings."""

    motion: Any  # of the source of motion
    left: Any  # of the estimator
    right: Any


class ObserverSettings(NamedTuple):
    """Settings of the observer for the kernels."""

    root: int  # coordinates of the base
    slope: float  # of the floor [rad]
    motion: Any
    estimator: Any
    context: FootContext  # what is known of either foot from the start


Observe = Callable[..., tuple[ObserverState, PlanarObservation]]
"""(state, settings, (readings, external estimates, whether they are given, dt)) ->
(state, observation)."""


def observer(measure: MeasureFeet, estimate: EstimatorStep) -> Observe:
    """Make the kernel from sensors to estimates.

    It has a source of motion and an estimator.
    """

    @kernel(inline="text")
    def observe(
        state: ObserverState,
        settings: ObserverSettings,
        inputs: tuple[SensorReadings, Estimates, bool, float],
    ) -> tuple[ObserverState, PlanarObservation]:
        """Observe one reading dt [s] after the last; 0 at the first.

        Estimators may overwrite buffers.
        """
        readings, external, given, dt = inputs
        body = robot_state(readings, settings.root)
        motion, feet = measure(
            state.motion, readings, body.q, body.v, settings.motion, settings.slope, dt
        )
        left = state.left
        first = external.left
        right = state.right
        second = external.right
        if not given:
            known = settings.context
            left, first = estimate(state.left, settings.estimator, feet.left, dt, known)
            right, second = estimate(
                state.right, settings.estimator, feet.right, dt, known
            )
        return ObserverState(motion, left, right), PlanarObservation(
            body, feet, Estimates(first, second)
        )

    return observe


class FrictionObserver:
    """Friction estimators under both feet, with their states.

    The stamp of the last reading is kept, too.
    """

    def __init__(
        self, robot: Robot, estimator: FrictionEstimator[Any], motion: SagittalMotion
    ) -> None:
        if not hasattr(estimator, "kernel"):
            limit = (
                "compiled, with kernel and settings, as the planar loop is "
                "compiled as a whole"
            )
            raise InvalidParameter("estimator", class_name(estimator), limit)
        compiled = cast(CompiledRule[Any], taking_context(estimator))
        self._estimator = compiled
        self._motion = motion
        self.settings = ObserverSettings(
            root=robot.root_size,
            slope=motion.slope,
            motion=motion.settings,
            estimator=compiled.settings,
            context=floor_context(motion.slope),
        )
        self.kernel = observer(motion.kernel, compiled.kernel)
        self._observe = Recursion(self.kernel, self.settings)
        self.reset()

    def try_out(self, joints: int) -> None:
        """Compile the observer's kernels on trial readings."""
        for readings in trial_readings(joints):
            self.step(readings)
        self.faults()
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._observe.restart(self.fresh())
        self._stamp_ns: int | None = None

    def fresh(self) -> ObserverState:
        """Return the state before the first reading."""
        return ObserverState(
            self._motion.fresh,
            self._estimator.initial_state(),
            self._estimator.initial_state(),
        )

    def faults(self) -> tuple[str, str]:
        """Explain why the last sample of each foot was invalid.

        Where the estimator can't explain it, the text is empty.
        """
        fault: Callable[[Any], str] | None = getattr(self._estimator, "fault", None)
        state = self._observe.held.value
        return ("", "") if fault is None else (fault(state.left), fault(state.right))

    def step(self, readings: SensorReadings) -> PlanarObservation:
        """Estimate friction from one reading.

        The time step is the difference of stamps, 0 at the first.
        """
        dt = (
            0.0
            if self._stamp_ns is None
            else 1e-9 * (readings.stamp_ns - self._stamp_ns)
        )
        self._stamp_ns = readings.stamp_ns
        return cast(
            PlanarObservation, self._observe((own(readings), UNKNOWN, False, dt))
        )


NO_STAMP = -1  # [ns]
TORSOS = {
    Root.SAGITTAL: Torso(distribute_through_hip, stand_without_pitch, driven_rate),
    Root.SAGITTAL_PITCH: Torso(distribute_with_moment, stand_with_pitch, pendulum_rate),
}


class PlanarOutput(NamedTuple):
    """Output of the controller at one instant; pairs are left, right.

    Attributes:
        estimates: of left and right foot.
        wanted_ratio: force ratio that the posture asks of each foot [-]; NaN: the
            controller has none.
        limits: force ratio that each foot is kept to [-]; infinite: none.
        torques: (n,) of the joints [N m].
        phase: of the gait, a number of walking.gait.
    """

    estimates: tuple[FrictionEstimate, FrictionEstimate]
    wanted_ratio: tuple[float, float]
    limits: tuple[float, float]
    torques: Array
    phase: int


def planar_output(output: ControlOutput) -> PlanarOutput:
    """Convert any controller's output at an instant.

    Where it has no such quantity, the number is NaN.
    """
    if isinstance(output, PlanarOutput):
        return output
    return PlanarOutput(
        estimates=output.estimates,
        wanted_ratio=(NAN, NAN),
        limits=(NAN, NAN),
        torques=output.torques,
        phase=DOUBLE_SUPPORT,
    )


class LoopState(NamedTuple):
    """State of the planar biped's loop between two readings."""

    stamp_ns: int  # of the last reading; NO_STAMP before the first
    observer: ObserverState
    left: Any  # of the limit
    right: Any
    walking: WalkingState


class LoopSettings(NamedTuple):
    """Settings of the planar biped's loop for the kernels."""

    period: float  # of control [s], the time step of the first reading
    slope: float  # of the floor [rad]
    observer: ObserverSettings
    limit: Any
    walking: WalkingConfig
    body: PlanarBody


LoopStep = Callable[..., tuple[LoopState, PlanarOutput]]
"""(state, settings, (readings, external estimates, whether they are given, speed
[m/s])) -> (state, output)."""


@kernel
def time_step(before_ns: int, stamp_ns: int, first: float) -> float:
    """Compute the difference of two stamps [s]; ``first`` when there is none before."""
    return first if before_ns == NO_STAMP else 1e-9 * (stamp_ns - before_ns)


def planar_loop(observe: Observe, limit: LimitStep, walk: WalkingStep) -> LoopStep:
    """Make the kernel of the whole loop.

    It makes estimates, limits from them, and a tick of walking inside these.
    """

    @kernel(inline="text")
    def step(
        state: LoopState,
        settings: LoopSettings,
        inputs: tuple[SensorReadings, Estimates, bool, float],
    ) -> tuple[LoopState, PlanarOutput]:
        """Compute torques for one reading and a commanded speed [m/s]."""
        readings, external, given, speed = inputs
        since = time_step(state.stamp_ns, readings.stamp_ns, 0.0)
        observer, observation = observe(
            state.observer, settings.observer, (readings, external, given, since)
        )
        body, feet, estimates = observation
        dt = time_step(state.stamp_ns, readings.stamp_ns, settings.period)
        left, limit_left = limit(
            state.left, settings.limit, estimates.left, feet.left, dt
        )
        right, limit_right = limit(
            state.right, settings.limit, estimates.right, feet.right, dt
        )
        limits = (float(limit_left), float(limit_right))
        loads = (feet.left.force_normal, feet.right.force_normal)
        wanted = WalkingInputs(
            q=body.q,
            v=body.v,
            foot_normal=loads,
            limits=limits,
            speed=speed,
            slope=settings.slope,
        )
        walking, walked = walk(
            state.walking, wanted, settings.walking, settings.body, dt
        )
        output = PlanarOutput(
            estimates=(estimates.left, estimates.right),
            wanted_ratio=walked.forces.wanted_ratio,
            limits=limits,
            torques=walked.torques,
            phase=walking.gait.phase,
        )
        return LoopState(
            stamp_ns=readings.stamp_ns,
            observer=observer,
            left=left,
            right=right,
            walking=walking,
        ), output

    return step


class PlanarController:
    """Walking controller of the planar biped.

    Args:
        robot: to be walked.
        config: gains and the speed command over time.
        policy: estimator and limit.
        motion: where the motion of the feet comes from.
        slope: of the floor, as far as known [rad].
        period: of control [s], the time step of the first reading.
    """

    reserve: Problem | None = None  # it walks or it stops

    def __init__(
        self,
        robot: Robot,
        config: PlanarWalkingConfig,
        policy: SlipPolicy,
        motion: SagittalMotion,
        slope: float,
        period: float = PERIOD,
    ) -> None:
        self._config = config
        self._limit = policy.limit
        self.speed_scale = 1.0  # of the commanded speed; may change at any time
        # commanded from outside, may change at any time; None: the walk's speed
        self.twist: Twist | None = None
        self._observer = FrictionObserver(robot, policy.estimator, motion)
        body = PlanarBody(robot.mass, leg_lengths(robot), robot.effort_limits)
        self.settings = LoopSettings(
            period=period,
            slope=slope,
            observer=self._observer.settings,
            limit=policy.limit.settings,
            walking=config.controller.packed,
            body=body,
        )
        walk = walking_step(model_functions(robot), TORSOS[robot.root])
        self.kernel = planar_loop(self._observer.kernel, policy.limit.kernel, walk)
        self.loop = Recursion(self.kernel, self.settings)
        self.reset()

    def reset(self) -> None:
        """Reset to standing, as before the first reading."""
        walking = WalkingState(
            GaitState(
                phase=DOUBLE_SUPPORT,
                time=0.0,
                lift_s=0.0,
                lift_n=0.0,
                target_s=0.0,
                swing_time=0.0,
            ),
            MotorState(np.zeros(4), np.zeros(4)),
        )
        left = self._limit.initial_state()
        right = self._limit.initial_state()
        self.loop.restart(
            LoopState(
                stamp_ns=NO_STAMP,
                observer=self._observer.fresh(),
                left=left,
                right=right,
                walking=walking,
            )
        )
        self.moving = False  # commanded to move, or in a step

    def step(
        self, readings: SensorReadings, estimates: FootEstimates | None = None
    ) -> PlanarOutput:
        """Compute joint torques for one reading.

        The time step is the difference of the stamps, at the first reading the control
        period.

        Args:
            readings: of the sensors at one instant.
            estimates: friction of left and right foot; None: the controller's own.

        Returns:
            Torques (n,) [N m] and the estimates in use.
        """
        speed = self.speed_at(readings.stamp_ns)
        known = UNKNOWN if estimates is None else Estimates(*estimates)
        output: PlanarOutput = self.loop(
            (own(readings), known, estimates is not None, speed)
        )
        self.note(speed, output)
        return output

    def speed_at(self, stamp_ns: int) -> float:
        """Return the commanded speed [m/s] at an instant.

        Args:
            stamp_ns: the instant [ns].
        """
        if self.twist is not None:
            return self.speed_scale * self.twist.forward
        return self.speed_scale * self._config.speed.at(1e-9 * stamp_ns)

    @property
    def twist_limits(self) -> TwistLimits:
        """Return the fastest command that it follows [m/s]: forward alone."""
        fastest = max(self._config.speed.value)
        return TwistLimits(forward=fastest, backward=0.0, aside=0.0, turn=0.0)

    def note(self, speed: float, output: PlanarOutput) -> None:
        """Record whether the robot moves, as its newest output says.

        Args:
            speed: commanded [m/s].
            output: of the controller.
        """
        self.moving = (
            speed > self._config.controller.gait.walking_speed
            or output.phase != DOUBLE_SUPPORT
        )


PLAIN_STEP = PlanarController.step  # neither wrapped nor replaced


class PlanarSite(NamedTuple):
    """Robot, floor and control period of a planar controller.

    Attributes:
        robot: model of the biped.
        floor: slope of the floor [rad].
        period: of control [s].
    """

    robot: Robot
    floor: FloorConfig = FloorConfig()
    period: float = PERIOD


def virtual_model(
    config: PlanarWalkingConfig, policy: SlipPolicy, site: PlanarSite
) -> PlanarController:
    """Make the virtual model control of the thesis (A.8).

    Its forces are inside the limits of the policy.
    """
    motion = motion_source(site.robot, config.motion, site.floor)
    return PlanarController(
        site.robot, config, policy, motion, site.floor.slope, site.period
    )


def guarded_planar(
    robot: Robot,
    config: PlanarWalkingConfig,
    limit: str,
    floor: FloorConfig,
    supervision: SupervisorConfig,
    health: HealthConfig,
    body_weight: float = 0.0,
    name: str = PLANAR_DEFAULT,
) -> GuardedController[SensorReadings]:
    """Make the planar biped's controller behind watch and supervisor, compiled.

    It is for a node or plain Python.

    Args:
        robot: to be walked.
        config: gains, estimators, speed command.
        limit: name of the policy for slip.
        floor: its slope.
        supervision: of the supervisor.
        health: of the watch.
        body_weight: [N]; 0: the robot's.
        name: of the controller.

    Raises:
        BipedSlipError: controller or limit fail, those of a plug-in.
    """
    policy = config.policy(limit, body_weight or robot.mass * GRAVITY)
    controller = planar_controller(
        config, policy, PlanarSite(robot, floor, config.period), name
    )
    force = config.interval.force.offset
    guarded = guard_planar(
        controller, robot, floor.slope, supervision, health, force, config.period
    )
    guarded.start()
    try:
        for readings in trial_readings(len(robot.joints)):
            # which compiles its controller whether it is asked or not
            if not isinstance(guarded, GuardedPlanar):
                controller.step(readings)
            guarded.step(readings)
            if isinstance(guarded, GuardedPlanar) and guarded.failure is not None:
                raise guarded.failure
    except Exception as error:  # of a plug-in
        raise BipedSlipError(
            f"controller {name}, limit {limit}: {type(error).__name__}: {cause(error)}"
        ) from error
    return guarded


def guard_planar(
    controller: Controller[SensorReadings],
    robot: Robot,
    slope: float,
    supervision: SupervisorConfig,
    health: HealthConfig,
    offset: float = 0.0,
    period: float = PERIOD,
) -> GuardedController[SensorReadings]:
    """Put any planar controller behind supervisor and watch.

    The slope is in [rad], ``offset`` is that of a force [N], the period is in [s].
    """
    height = sum(leg_lengths(robot))
    limits = TorqueLimits(
        robot.joints, robot.effort_limits, power_limit(robot.mass * GRAVITY, height)
    )
    supervisor = Supervisor(limits, supervision)
    watch = HealthWatch(robot, health, height, slope, offset)
    parts: Any = (
        controller,
        judge_of(robot, health),
        watch,
        supervisor,
        robot.velocity_limits,
        period,
    )
    shipped = type(
        controller
    ) is PlanarController and controller.step == PLAIN_STEP.__get__(controller)
    compiled = shipped and hasattr(
        cast(PlanarController, controller).loop.kernel, "get_compile_result"
    )
    return GuardedPlanar(*parts) if compiled else GuardedController(*parts)


def whole_tick(
    check: HealthCheck, ask: Callable[..., PlanarOutput]
) -> Callable[..., Any]:
    """Make the kernel of a guarded tick.

    Its parts are judge, watch, motion of the joints, controller, and the supervisor's
    answer.
    """

    @kernel
    def tick(
        watch: Held,
        walk: Held,
        settings: Held,
        fixed: Held,
        external: Held,
        given: bool,
        readings: SensorReadings,
        speed: float,
        well: bool,
        asked: bool,
        acts: bool,
        known: bool,
        energy: Array,
        torques: Array,
        step: float,
        unseen: float,
        dt: float,
    ) -> Any:
        """Return what a guarded tick gives.

        It is what is wrong, what is found, whether the controller answers, velocities,
        its output, the answer.
        """
        ranges, past, limits, output = fixed.value
        speeds, efforts, unknown, doubted = limits
        age, positions = past
        wrong = first_wrong(readings[1:], *ranges)
        found = (WELL, 0)
        if well and wrong == NONE_WRONG:
            found = check(watch, readings, torques if acts else unknown, unseen)
        turned, velocity = joint_motion(
            age,
            positions,
            readings.joint_position,
            readings.joint_velocity,
            speeds,
            doubted,
            known,
            dt,
        )
        answers = well and asked and wrong == NONE_WRONG and found[0] == WELL
        if answers:
            output = ask(walk, settings, (readings, external.value, given, speed))
        if wrong != NONE_WRONG or math.isnan(turned[0, 0]):
            turned = np.zeros((2, 0))
        wanted = output.torques if answers else efforts
        return (
            wrong,
            found,
            answers,
            velocity,
            output,
            answer_to(energy, torques, turned, wanted, efforts, step, dt),
        )

    return tick


NO_OUTPUT = PlanarOutput(
    estimates=(NO_ESTIMATE, NO_ESTIMATE),
    wanted_ratio=(NAN, NAN),
    limits=(NAN, NAN),
    torques=np.zeros(4),
    phase=DOUBLE_SUPPORT,
)


class GuardedPlanar(GuardedController[SensorReadings]):
    """Guarded controller whose tick is one kernel.

    From Python, each of its stages costs as much as all it computes.
    """

    controller: PlanarController
    _watch: HealthWatch

    def __init__(
        self,
        controller: PlanarController,
        judge: ReadingsJudge,
        watch: HealthWatch,
        *rest: Any,
    ) -> None:
        super().__init__(controller, judge, watch, *rest)
        self._asked = controller.step
        self._kernel = OfOneType(whole_tick(watch.kernel, controller.loop.kernel))
        self._external = hold(UNKNOWN)
        self._put = OfOneType(put)
        self._put(self._external, UNKNOWN)  # compiled now
        self._hold()

    def retune(self, supervision: SupervisorConfig, health: HealthConfig) -> None:
        """Set the thresholds of the health checks, without a restart."""
        super().retune(supervision, health)
        self._hold()

    def start(self) -> None:
        """Start in standing with reset controller and checks, also after a fault."""
        super().start()
        self._hold()

    def _hold(self) -> None:
        """Hold what stays the same from tick to tick."""
        self._ranges = self._judge.judge_of(OwnReadings)
        limits = (
            self._speed_limits,
            self._supervisor.limits.torques,
            self._watch.unknown,
            self._watch.doubted,
        )
        self._fixed = hold((self._ranges.limits, self._past, limits, NO_OUTPUT))

    def _tick(
        self,
        readings: SensorReadings,
        problem: Problem | None,
        estimates: FootEstimates | None,
        known_velocity: bool,
        dt: float,
        build_up: float,
    ) -> tuple[Array, ControlOutput | None]:
        record = own(readings)
        controller = self.controller
        supervisor = self._supervisor
        fits = type(record) is OwnReadings and len(record.joint_position) == len(
            self._speed_limits
        )
        # who replaces the controller is asked
        if not fits or controller.step != self._asked:
            return super()._tick(
                record, problem, estimates, known_velocity, dt, build_up
            )
        state = supervisor.state
        try:
            speed = controller.speed_at(record.stamp_ns)
            if estimates is not None:
                self._put(self._external, Estimates(*estimates))
            wrong, found, answers, velocity, output, answer = self._kernel(
                self._watch.held,
                controller.loop.held,
                controller.loop.settings,
                self._fixed,
                self._external,
                estimates is not None,
                record,
                speed,
                problem is None,
                state.mode in ANSWERED,
                state.mode != Mode.IDLE,
                known_velocity,
                state.energy,
                state.torques,
                torque_change(build_up, supervisor.config),
                self._unseen,
                dt,
            )
        except Exception as error:
            return super()._tick(
                record,
                problem or self._failed(error),
                None,
                known_velocity,
                dt,
                build_up,
            )
        if problem is None and wrong == NONE_WRONG:
            self._unseen = 0.0
        velocity = None if math.isnan(velocity[0]) else velocity
        if answers:
            controller.note(speed, output)
            inputs = TickInput(output.torques, velocity, controller.moving, None)
        else:
            problem = (
                problem
                or self._ranges.described(record, wrong)
                or health_problem(found, self._watch.joints)
            )
            inputs = TickInput(None, velocity, False, problem)
            output = None
        return supervisor.step(inputs, dt, build_up, answer), output
