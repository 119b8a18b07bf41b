# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoid's loop from sensors to torques.

It is made of observer, friction, whole-body control, sequencer and guard.
"""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path
from typing import Any, Iterator, Mapping, NamedTuple

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.compile.kernel import OfOneType
from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.constants import GRAVITY
from biped_slip.control.actuation import MotorLead, delay
from biped_slip.control.friction_governor import Twist
from biped_slip.control.supervisor import (
    Supervisor,
    SupervisorConfig,
    TorqueLimits,
    power_limit,
)
from biped_slip.control.whole_body.balance import balances
from biped_slip.control.whole_body.body import Body, body_of
from biped_slip.control.whole_body.controller import (
    WholeBodyConfig,
    WholeBodyController,
    WholeBodyOutput,
)
from biped_slip.control.whole_body.footsteps import Command, Phase
from biped_slip.control.whole_body.joint_hold import JointHold, holding_torques
from biped_slip.control.whole_body.standing import StandingFallback
from biped_slip.control.whole_body.tasks import predicted
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.cross_talk import CrossTalkFilter
from biped_slip.estimation.floating_base import FloatingBaseConfig, contiguous
from biped_slip.estimation.friction_of_feet import (
    NO_COVARIANCE,
    NOT_IN_AIR,
    FeetKnown,
    FrictionOfFeet,
)
from biped_slip.estimation.gear_friction import LegGears
from biped_slip.estimation.health import HealthConfig, judge_of
from biped_slip.estimation.humanoid_health import HumanoidWatch
from biped_slip.estimation.humanoid_observer import HumanoidObserver, body_frames
from biped_slip.estimation.joint_torque_wrench import LOW_PASS, JointTorqueWrenches
from biped_slip.estimation.loaded_soles import LoadedSoles
from biped_slip.estimation.motion_config import MotionConfig
from biped_slip.estimation.readings import (
    BaseMotion,
    HumanoidReadings,
    Problem,
    RawReadings,
    RobotState,
    SensorReadings,
)
from biped_slip.friction_estimation.interval.config import IntervalConfig
from biped_slip.friction_estimation.limits import LimitRuleConfig
from biped_slip.friction_estimation.settings import (
    EstimatorSettings,
    TouchdownConfig,
    with_force_noise,
)
from biped_slip.friction_estimation.touchdown import footing_settings
from biped_slip.friction_estimation.types import (
    NO_ESTIMATE,
    FootMeasurement,
    ForceSource,
    FrictionEstimate,
    FrictionEstimator,
    takes_raw_forces,
)
from biped_slip.robots.humanoid import (
    FOOT_IMUS,
    FORCE_SENSORS,
    IMU,
    Humanoid,
    check_legs,
    load_humanoid,
    moment_arm,
)
from biped_slip.robots.model_functions import floating_functions, leg_joints
from biped_slip.robots.robot import SOLES
from biped_slip.robots.sensor_config import (
    FORGETS,
    OTHER_CHANNELS,
    FloatingSensorConfig,
    ForceErrorConfig,
    filled,
    with_sensor_set,
)
from biped_slip.shared_files import shared_file, shared_names
from biped_slip.walking.controller import (
    PERIOD,
    PERIOD_LIMITS,
    Controller,
    FootEstimates,
)
from biped_slip.walking.guarded import GuardedController, Unwatched
from biped_slip.walking.registry import HUMANOID_DEFAULT, humanoid_controller
from biped_slip.walking.scaling import scaled_gait
from biped_slip.walking.sensor_sway import (
    Background,
    ChecksSensors,
    SensorSway,
    at_once,
)
from biped_slip.walking.slip_policies import PolicySettings, SlipPolicy, slip_policy
from biped_slip.walking.steering import TwistLimits


class HumanoidObservation(NamedTuple):
    """Interpreted sensors of one instant; pairs are left, right."""

    readings: SensorReadings  # with the base as estimated
    known: SensorReadings  # with the base as it is best known
    state: RobotState | None  # None: the base's estimate has broken down
    measurements: tuple[FootMeasurement, FootMeasurement]
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    ready: bool  # the base's motion is estimated; before, the robot must stand
    dt: float  # since the sample before [s]; 0 for the first
    rise: Array  # (2, 2) of the floor under each foot, along x and y


class HumanoidSenses:
    """Observer of the base, motion of the soles, and one friction estimator under each.

    Args:
        humanoid: whose sensors they are.
        estimator: of friction.
        base: noise of IMU, legs and contacts, as the estimate of the base takes them.
        motion: what tells how the soles move; else a sensor that sees them.
        landing: bounds of the ankles' force sensors, and loads of a contact.
        currents: forces by the torques of motors; None: by the ankles' sensors.
        feet_felt: whether there are IMUs in the feet.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        estimator: FrictionEstimator[Any],
        base: FloatingBaseConfig | None = None,
        motion: MotionConfig | None = None,
        landing: TouchdownConfig | None = None,
        currents: JointTorqueWrenches | None = None,
        feet_felt: bool = True,
    ) -> None:
        robot = humanoid.robot
        frames = body_frames(humanoid.model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU)
        self._observer = HumanoidObserver(robot, frames, base, currents, feet_felt)
        self._currents = currents
        self._cross_talk = (
            None
            if takes_raw_forces(estimator) or currents is not None
            else cross_talk_filter(landing or TouchdownConfig(), humanoid.weight)
        )
        self._soles = LoadedSoles(humanoid, motion, self._cross_talk)
        self.friction = FrictionOfFeet(
            estimator, self._soles.floor, self._soles.motion.soles
        )
        self.reset()

    @property
    def faults(self) -> tuple[str, ...]:
        """Return what is wrong with the torques that forces come from, and the IMU."""
        return () if self._currents is None else self._currents.check.faults

    def reset(self) -> None:
        """Reset to the state before the first sample."""
        self._observer.reset()
        self._soles.reset()
        self.friction.forget()
        self._stamp_ns: int | None = None

    def step(
        self, raw: RawReadings, base: BaseMotion | None = None
    ) -> HumanoidObservation:
        """Estimate base, soles and friction from one sample.

        ``base`` is an external motion of the base.
        """
        friction = self.friction
        readings = self._observer.step(raw, friction.estimates)
        known = readings
        if base is not None:
            known = readings._replace(
                **BaseMotion._make(map(contiguous, base))._asdict()
            )
        dt = 0.0 if self._stamp_ns is None else 1e-9 * (raw.stamp_ns - self._stamp_ns)
        sample = self._soles.step(known, base is not None, dt)
        if not sample.finite:
            return HumanoidObservation(
                readings=readings,
                known=known,
                state=None,
                measurements=sample.measured,
                estimates=(NO_ESTIMATE, NO_ESTIMATE),
                ready=False,
                dt=0.0,
                rise=self._soles.floor.rise,
            )
        self._stamp_ns = raw.stamp_ns
        if self._cross_talk is not None:
            known = known._replace(wrench_ground_on_foot_in_sole=sample.wrenches)
        if self._currents is not None and not (
            self._currents.trusted and not self._currents.contradicted
        ):
            # not judged yet, or wrong; a gantry, a chair, a hand: what the feet bear is
            # not known
            friction.forget()
        estimates = friction.step(
            sample.measured, self._feet_known(base is not None), dt
        )
        return HumanoidObservation(
            readings=readings,
            known=known,
            state=sample.state,
            measurements=sample.measured,
            estimates=estimates,
            ready=self._observer.ready,
            dt=dt,
            rise=self._soles.floor.rise,
        )

    def _feet_known(self, base_measured: bool) -> FeetKnown:
        """Find what the estimators are told beside the feet's measurements.

        What a force sensor errs by is in the estimator's settings.

        Args:
            base_measured: whether the base's motion comes from outside.
        """
        left, right = self.friction.estimates
        medians = left.mu_median, right.mu_median
        if self._currents is not None:
            turn = self._soles.motion.soles.rotation
            found = self._currents.found
            outside = np.matmul(np.matmul(turn, found.covariance), turn.mT)
            return FeetKnown(
                cross_talk=(math.nan, math.nan),
                medians=medians,
                covariance=np.ascontiguousarray(outside),
                source=int(ForceSource.JOINT_TORQUES),
                in_air=found.in_air,
            )
        cross_talk = (math.nan, math.nan)
        if self._cross_talk is not None:
            tilt = 0.0 if base_measured else self._observer.tilt_sd
            one, two = self._cross_talk.state.sigma.tolist()
            cross_talk = math.hypot(one, tilt), math.hypot(two, tilt)
        return FeetKnown(
            cross_talk=cross_talk,
            medians=medians,
            covariance=NO_COVARIANCE,
            source=int(ForceSource.FORCE_SENSOR),
            in_air=NOT_IN_AIR,
        )


def cross_talk_filter(
    landing: TouchdownConfig, weight: float
) -> CrossTalkFilter | None:
    """Make the filter of the force sensors' cross-talk; None where they have none.

    Args:
        landing: bounds of the sensors, loads of a contact.
        weight: of the robot [N].
    """
    bound = math.hypot(landing.cross_talk, landing.alignment)
    if bound == 0.0:
        return None
    footing = footing_settings(landing, weight)
    return CrossTalkFilter(weight / GRAVITY, bound, footing)


class HumanoidOutput(NamedTuple):
    """Output of a controller at one instant.

    Attributes:
        readings: of the sensors, with the base as estimated.
        estimates: of left and right foot, in use.
        torques: (n,) of the joints [N m].
        answer: of the whole-body program: forces [N], accelerations; None as long as
            the base is not known and the joints hold the robot.
        fallback: the program has no answer, virtual model control stands in.
    """

    readings: SensorReadings
    estimates: tuple[FrictionEstimate, FrictionEstimate]
    torques: Array
    answer: WholeBodyOutput | None
    fallback: bool = False


def humanoid_body(humanoid: Humanoid) -> Body:
    """Build the body of the whole-body controller."""
    corners = np.array(
        [[(x, y, 0.0) for x, y in humanoid.polygon(foot)] for foot in (0, 1)]
    )
    return body_of(humanoid.robot, corners, humanoid.standing(), humanoid.efforts)


class FeetSensing(NamedTuple):
    """What tells the forces of a humanoid's feet, and how they move."""

    by_currents: bool  # forces by the currents of motors, else by the ankles' sensors
    imus: bool  # whether there are IMUs in the feet


SENSED_FEET = FeetSensing(by_currents=False, imus=True)


class HumanoidController:
    """Walking controller of a humanoid at a commanded velocity.

    It works from the readings of the humanoid's own sensors.

    Args:
        humanoid: to be walked.
        config: of the whole-body controller.
        policy: estimator and limit.
        base: noise of IMU, legs and contacts, as the estimate of the base takes them.
        motion: what tells how the soles move; else a sensor that sees them.
        period: of control [s].
        landing: bounds of the ankles' force sensors, and loads of a contact.
        feet: what tells their forces, and how they move.
    """

    def __init__(
        self,
        humanoid: Humanoid,
        config: WholeBodyConfig,
        policy: SlipPolicy,
        base: FloatingBaseConfig | None = None,
        motion: MotionConfig | None = None,
        period: float = PERIOD,
        landing: TouchdownConfig | None = None,
        feet: FeetSensing = SENSED_FEET,
    ) -> None:
        self._senses = HumanoidSenses(
            humanoid,
            policy.estimator,
            base,
            motion,
            landing,
            JointTorqueWrenches(humanoid, leg_gears(humanoid), period)
            if feet.by_currents
            else None,
            feet.imus,
        )
        body = humanoid_body(humanoid)
        self.whole_body = WholeBodyController(body, config, policy.limit)
        self._fallback = StandingFallback(self.whole_body.body)
        self._actuation = config.actuation
        self._predicted = OfOneType(predicted)
        self._motors = MotorLead(config.actuation, humanoid.efforts)
        self._hold = JointHold(
            humanoid.model,
            body.soles,
            body.posture,
            humanoid.efforts,
            self._delay(period),
        )
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self._senses.reset()
        self.whole_body.reset()
        self._fallback.reset()
        self._motors.reset()

    @property
    def faults(self) -> tuple[str, ...]:
        """Return faults of sensors that were found while walking."""
        return self._senses.faults

    def step(
        self, raw: RawReadings, command: Command, base: BaseMotion | None = None
    ) -> HumanoidOutput:
        """Compute torques for one sample of all sensors.

        ``base`` is an external motion of the base.
        """
        observed = self._senses.step(raw, base)
        output = self._answer(observed, command)
        return HumanoidOutput(
            readings=output.readings,
            estimates=output.estimates,
            torques=self._motors.command(output.torques, observed.dt),
            answer=output.answer,
            fallback=output.fallback,
        )

    def _delay(self, dt: float) -> float:
        known = self._actuation
        return delay(known.lag, known.dead_time, known.sensor_age, dt)

    def _answer(
        self, observed: HumanoidObservation, command: Command
    ) -> HumanoidOutput:
        if (
            observed.state is None
            # the base's estimate has broken down: reset, the joints hold the robot
            # meanwhile
        ):
            self.reset()
            return HumanoidOutput(
                observed.readings,
                observed.estimates,
                self._hold.torques(observed.readings),
                None,
            )
        if not observed.ready:
            return HumanoidOutput(
                observed.readings,
                observed.estimates,
                self._hold.torques(observed.known),
                None,
            )
        late = self._delay(observed.dt)
        state = observed.state
        if late > 0.0:  # where it will be when the torques act
            state = RobotState(q=self._predicted(state.q, state.v, late), v=state.v)
        answer = self.whole_body.step(
            state,
            observed.measurements,
            observed.estimates,
            self._fallback.allowed(command),
            observed.dt,
            observed.rise,
            wrenches=observed.known.wrench_ground_on_foot_in_sole,
            acting=self._motors.acting,
        )
        torques = self._fallback.step(answer, state, observed.dt)
        if torques is None:
            return HumanoidOutput(
                observed.readings, observed.estimates, answer.torques, answer
            )
        return HumanoidOutput(
            readings=observed.readings,
            estimates=observed.estimates,
            torques=torques,
            answer=answer,
            fallback=True,
        )


SENSORS = "realistic"  # set of sensors of a walk that names none
MASS_ERROR = 0.05  # of what lies below a foot's sensor, as a share (choice: of URDFs)
PUSHES = {
    "mu_default": 0.3,
    "untried": 0.3,
}  # limits of a robot that cannot wait for the floor: it falls (choice)
DERIVED_DIGITS = 4  # that derived settings are rounded to


#: What differs where the feet's forces come from the currents of motors: they have no
#: cross-talk and no mass below a sensor; their errors come with them, sample by sample.
CURRENT_WALK: dict[str, Any] = {
    "base": {"force_age": 0.0, "force_lag": 0.0},
    "interval": {"force": {"sigma": 2.5, "offset": 1.5}},
    "motion": {"lighter_moves": True},
    "touchdown": {
        "contact_share": 0.07,  # 0.05: noise of 10 N in the swing hinders its end
        "leave_share": 0.06,
        "lifted_speed": 0.06,  # that of a slide
        "force_delay": LOW_PASS,
        "force_low_pass": LOW_PASS,
        "force_age": 0.0,  # the low pass of the torques reads some of a force at once
        "exact_enough": 0.05,  # a wide interval beats none: the walk uses its low end
        "exact_share": 0.2,
        "offset_left": 0.0,
        "cross_talk": 0.0,
        "gain": 0.08,  # torque constants of two joints, and what impacts add
        "alignment": 0.005,
        "unknown_mass": 0.0,
        "lagging_mass": 0.0,
        "moment_leak": 0.0,
        "moment_arm": 0.0,  # the moment about the normal errs by 8 N over that arm
    },
}
#: And of its landings: pressed as hard as drag allows, for longer.
CURRENT_GAIT: dict[str, Any] = {
    "controller": {
        "stepping": {
            "landing_force": 0.06,
            "touchdown": {"drag": 0.08, "time": 0.04, "lead": 0.06},
        }
    }
}


# [m/sqrt(s)] by which a loaded sole that rolls over heel and toe moves: under eight
# gaits a tenth of it tilted the base by 0.02 to 0.03 rad, ten times as much by 0.004
# (measured)
ROLLING = 0.01


# of its fastest, below which a landing foot is being stopped: under eleven gaits 0.4
# left a quarter of the landings without an answer, and what it cut off was driven
# (measured)
DRIVEN_SHARE = 0.2


def first_walk(
    humanoid: Humanoid, sensors: FloatingSensorConfig, by_currents: bool = False
) -> dict[str, Any]:
    """Derive a walk from a robot's size, legs and sensors.

    The result is the defaults of a walk's file, as nested mappings.

    Args:
        humanoid: the robot.
        sensors: that it has.
        by_currents: whether the feet's forces come from the currents of motors.
    """
    body = humanoid_body(humanoid)
    stands = bool(balances(body.half_size))
    arm = moment_arm(body.program.corners[0, :, :2]) if stands else 0.0
    age = sensors.force_torque.delivery.latency - sensors.foot_imu.delivery.latency
    errors = sensors.force_torque.errors
    lag = 1.0 / (math.tau * errors.bandwidth) if errors.bandwidth > 0.0 else 0.0
    feet = body_frames(humanoid.model, SOLES, FORCE_SENSORS, FOOT_IMUS, IMU).feet
    base = {
        "force_age": round(max(age, 0.0), 6),
        "force_lag": round(lag, 6),
        "contact": {"creep": ROLLING},
    }
    walk = {
        "base": base if stands else {**base, "start_time": 0.02},
        "interval": {
            "force": {
                "sigma": sensors.force_torque.force_noise * humanoid.weight,
                "offset": sensors.force_torque.force_bias * humanoid.weight,
            },
            "gate": {
                "carry_sole": False
            },  # rolling and twisting teach nonsense about the sole
            "slip": {"moment_arm": arm},
        },
        "touchdown": {
            "moment_arm": arm,
            "reach": round(float(body.half_size[0]), 3),
            "driven_share": DRIVEN_SHARE,
            "force_delay": round(max(age, 0.0) + lag, 6),
            "force_age": round(max(age, 0.0), 6),
            **_below_the_sensor(errors, feet[0].mass),
        },
        "limit": {
            "lower_when_usable": True,
            "lower_when_sliding": True,
            "rise_rate": 1.0,
        }
        | ({} if stands else PUSHES),
    }
    if by_currents:
        walk = filled(CURRENT_WALK, walk)
    gait = scaled_gait(body, humanoid.efforts, humanoid.weight)
    return filled({**walk, **_rounded(gait)}, CURRENT_GAIT if by_currents else {})


def _below_the_sensor(errors: ForceErrorConfig, mass: float) -> dict[str, float]:
    """Derive what a landing takes for friction, from a force sensor and a mass [kg]."""
    return {
        "unknown_mass": round(MASS_ERROR * mass, 4),
        "lagging_mass": round(errors.hysteresis / FORGETS * mass, 4),
        "moment_leak": round(OTHER_CHANNELS * errors.cross_talk / errors.arm, 4),
    }


def _rounded(values: Any) -> Any:
    """Round derived numbers to digits that a reader can check."""
    if isinstance(values, Mapping):
        return {key: _rounded(value) for key, value in values.items()}
    return (
        float(f"{values:.{DERIVED_DIGITS}g}") if isinstance(values, float) else values
    )


FOLDER = "config/humanoid_walks"

#: Parts of a walk's file that describe the world around the robot; its controller does
#: not look at them.
WORLD_PARTS = (
    "contact",
    "distance",
    "patience",
    "mu",
    "patch",
    "push",
    "course",
    "unmodelled",
)


def walking_sensors() -> FloatingSensorConfig:
    """Return the sensors of the estimator study (study 2).

    Soles: 20 um; forces: 0.3 % of weight, 1 ms late.

    Encoders of 18 bits; a MEMS IMU of 0.01 deg/s/sqrt(Hz) and 1e-3 m/s^2/sqrt(Hz) at 1
    kHz with its biases (choice).
    """
    inertial = {
        "gyro_noise": 5e-3,
        "gyro_bias": 5e-3,
        "accelerometer_noise": 0.03,
        "accelerometer_bias": 0.03,
    }
    return FloatingSensorConfig.from_mapping(
        {
            "encoders": {"position_noise": 1.5e-5, "velocity_noise": 5e-3},
            "imu": inertial,
            "foot_imu": inertial,
            "force_torque": {
                "force_noise": 3e-3,
                "moment_noise": 3e-4,
                "force_bias": 3e-3,
                "moment_bias": 1e-4,
                "delivery": {"latency": 1e-3},
            },
            "foot_position": {"noise": 20e-6},
        }
    )


CURRENTS = "currents"
FORCE_SOURCES = ("auto", "sensors", CURRENTS)


def leg_gears(humanoid: Humanoid) -> LegGears:
    """Return what is known of the gears in both legs before they have moved.

    Friction of joints that the description says rubs beside that of the gears: the
    damping of an MJCF for learners may be fifty times theirs.
    """
    legs = np.array(leg_joints(humanoid.robot))
    gears = humanoid.gears
    model = humanoid.model
    return LegGears(
        coulomb=gears.coulomb[legs] + model.friction[6:][legs],
        viscous=gears.viscous[legs] + model.damping[6:][legs],
        load=gears.load[legs],
        limit=humanoid.efforts[legs],
    )


@configuration
class HumanoidWalkingConfig(Configuration):
    """Configuration of a humanoid's controller: robot, speed, sensors, gains."""

    robot: str = parameter("talos", doc="name of a shipped robot, or a .yaml file")
    period: float = parameter(PERIOD, **PERIOD_LIMITS)
    speed: float = parameter(
        0.3, unit="m/s", low=-2.0, high=2.0, doc="commanded, forward"
    )
    start: float = parameter(
        0.5, unit="s", low=0.0, high=60.0, doc="stands before the command comes"
    )
    sensors: FloatingSensorConfig = section(walking_sensors)  # type: ignore[arg-type]
    forces: str = parameter(
        "auto",
        choices=FORCE_SOURCES,
        doc="source of the feet's forces: the ankles' force/torque sensors, the "
        "currents of the legs' motors, or the sensors where there are any",
    )
    base: FloatingBaseConfig = section(FloatingBaseConfig)
    motion: MotionConfig = section(MotionConfig)
    controller: WholeBodyConfig = section(WholeBodyConfig)
    interval: IntervalConfig = section(IntervalConfig)
    touchdown: TouchdownConfig = section(TouchdownConfig)
    limit: LimitRuleConfig = section(LimitRuleConfig)

    def check(self) -> None:
        """Check that forces have a source.

        Raises:
            InvalidParameter: forces are asked of sensors that the robot has not.
        """
        if self.forces == "sensors" and not self.sensors.force_torque.present:
            raise InvalidParameter(
                "HumanoidWalkingConfig.forces",
                self.forces,
                "auto or currents where sensors.force_torque.present is false",
            )

    @property
    def by_currents(self) -> bool:
        """Return whether the feet's forces come from the currents of motors."""
        absent = not self.sensors.force_torque.present
        return self.forces == CURRENTS or (self.forces == "auto" and absent)

    @property
    def absent_sensors(self) -> frozenset[str]:
        """Return the fields of ``RawReadings`` that the robot has no sensors for."""
        present = {
            "foot_imus": self.sensors.foot_imu.present,
            "force_torque": self.sensors.force_torque.present,
        }
        return frozenset(name for name, there in present.items() if not there)

    @property
    def force_error(self) -> float:
        """Return the error [N] that the force of no foot exceeds: its offset."""
        return self.interval.force.offset

    def policy_settings(self, body_weight: float) -> PolicySettings:
        """Build the settings of slip policies.

        Args:
            body_weight: of the robot [N].
        """
        interval = self.motion.assumed(self.interval)
        touchdown = with_force_noise(
            self.touchdown, interval.force.sigma, interval.force.offset
        )
        estimator = EstimatorSettings(
            body_weight=body_weight, interval=interval, touchdown=touchdown
        )
        return PolicySettings(estimator, self.limit)


def humanoid_walks() -> list[str]:
    """List the names of the shipped walks, each that of its robot."""
    return shared_names(FOLDER)


def walk_file(name: str) -> tuple[dict[str, Any], Path]:
    """Read a walk's file and its folder.

    The walk is a shipped one by its robot, or a .yaml file; that of a robot, by its
    file or name, is a walk that says nothing else.
    """
    if Path(name).suffix in (".yaml", ".yml"):
        mapping = read_yaml(name)
        alone = "description" in mapping
        return {"robot": Path(name).name} if alone else mapping, Path(name).parent
    if name in humanoid_walks():
        return read_yaml(shared_file(f"{FOLDER}/{name}.yaml")), Path()
    return {"robot": name}, Path()


BOUNDLESS = 1e5  # [N m] a torque limit from which no gait can be derived (choice)


def check_leg_torques(humanoid: Humanoid) -> None:
    """Check that the torque limits of the legs are some.

    The gait follows from them.

    Raises:
        InvalidParameter: with the joints.
    """
    robot = humanoid.robot
    legs = sorted({joint for leg in leg_joints(robot) for joint in leg})
    found = [joint for joint in legs if humanoid.efforts[joint] >= BOUNDLESS]
    if found:
        names = ", ".join(robot.joints[joint] for joint in found)
        raise InvalidParameter(
            f"torque limit of joint {names}",
            float(humanoid.efforts[found[0]]),
            f"< {BOUNDLESS:g} N m",
            "such a number stands for none: give real ones under 'efforts'",
        )


#: What a set of sensors has beside of a robot that lacks those of its feet.
LACKED_PARTS = {
    "force_torque": {
        "force_torque": {"present": False},
        "motor_torques": {"present": True},
    },
    "foot_imus": {"foot_imu": {"present": False}},
}


def completed(mapping: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Complete a walk's mapping by defaults from the robot: see :mod:`.first_walk`.

    Sensors that the robot has not are none of the walk's, unless its file says so.
    """
    name = str(mapping.get("robot", HumanoidWalkingConfig().robot))
    beside = folder / name
    robot = str(beside.resolve()) if beside.is_file() else name
    humanoid = load_humanoid(robot)
    check_leg_torques(humanoid)
    absent = humanoid.config.absent
    usual = CURRENTS if "force_torque" in absent else SENSORS
    # what a set says of a shipped robot is of that name, not of a file called like it
    mapping = with_sensor_set({"sensors": usual, **mapping}, "humanoid", name)
    for sensor in absent:
        sensors = filled(mapping.get("sensors") or {}, LACKED_PARTS[sensor])
        mapping = {**mapping, "sensors": sensors}
    config = walking_part(mapping)
    return {
        **filled(mapping, first_walk(humanoid, config.sensors, config.by_currents)),
        "robot": robot,
    }


def walking_part(mapping: Mapping[str, Any]) -> HumanoidWalkingConfig:
    """Build the controller's part of a walk, without the world's."""
    return HumanoidWalkingConfig.from_mapping(
        {name: value for name, value in mapping.items() if name not in WORLD_PARTS}
    )


def chosen_walking(name: str) -> HumanoidWalkingConfig:
    """Load the controller's part of a walk.

    Args:
        name: of the robot of a shipped walk, or a .yaml file.

    Raises:
        UnknownName: no such walk.
        InvalidParameter: a value of the file that can't be used.
    """
    return walking_part(completed(*walk_file(name)))


# of the speed forward; of the steps aside and turns that feet may take (choice)
BACKWARDS = 0.5
STEERED = 0.5


NO_STEP = Command()[:3]


class HumanoidSequencer:
    """Sequencer of a humanoid's phases, from start over self-test to walking.

    Args:
        config: robot, command, controller.
        policy: for slip: estimator and limit.

    Attributes:
        speed_scale: of the commanded speed; may change at any time.
        twist: commanded from outside, may change at any time; None: the walk's speed.
    """

    def __init__(self, config: HumanoidWalkingConfig, policy: SlipPolicy) -> None:
        self._humanoid = load_humanoid(config.robot)
        self.config = config
        self.speed_scale = 1.0
        self.twist: Twist | None = None
        self.controller = HumanoidController(
            self._humanoid,
            config.controller,
            policy,
            base=config.base,
            motion=config.motion,
            period=config.period,
            landing=config.touchdown,
            feet=FeetSensing(
                by_currents=config.by_currents, imus=config.sensors.foot_imu.present
            ),
        )
        self.sway: SensorSway | None = None
        self.reset()

    def check_sensors_first(self, background: Background = at_once) -> None:
        """Enable the sensor self-test before the first step.

        A robot on points does without it.
        """
        body = self.controller.whole_body.body
        stands = bool(balances(body.half_size))
        self.sway = (
            SensorSway(self._humanoid.model, body.counterweights, background)
            if stands
            else None
        )

    def reset(self) -> None:
        """Reset to the state before the first reading."""
        self.controller.reset()
        if self.sway is not None:
            self.sway.reset()
        self._first_ns: int | None = None
        self._command = Command()
        self._phase = int(Phase.STAND)
        self._held_by_floor = False
        # found while walking; a new estimate of the base does not mend them
        self._unsound: tuple[str, ...] = ()

    def wait_for_joints(self) -> None:
        """Wait for the joints, with time standing still.

        Meanwhile the base's tilt is estimated.
        """
        self._first_ns = None
        if self.sway is not None:
            self.sway.reset()

    @property
    def moving(self) -> bool:
        """Return whether the robot is commanded to move, or in a step."""
        return self._walks or self._phase != Phase.STAND

    @property
    def _walks(self) -> bool:
        """Return whether a step is commanded."""
        return self._command[:3] != NO_STEP

    @property
    def twist_limits(self) -> TwistLimits:
        """Return the fastest commands that it follows [m/s, rad/s].

        The speed is the walk's own, which its robot is known to walk.
        """
        steps = self.config.controller.steps
        time = steps.single_support + steps.double_support
        fastest = abs(self.config.speed)
        return TwistLimits(
            forward=fastest,
            backward=BACKWARDS * fastest,
            aside=min(STEERED * 0.5 * (steps.outward + steps.inward) / time, fastest),
            turn=STEERED * steps.turn / time,
        )

    @property
    def faults(self) -> tuple[str, ...] | None:
        """Return faults of the sensors; None while the self-test runs.

        Those of torques may come later, with the first steps.
        """
        found = () if self.sway is None else self.sway.faults
        if not self._unsound:
            return found
        return (*(found or ()), *self._unsound)

    @property
    def reserve(self) -> Problem | None:
        """Return the reason for standing instead of walking, or for walking worse.

        Return None if there is none.
        """
        if self.faults:
            return Problem("sensor check", "; ".join(self.faults))
        if self._held_by_floor:
            return Problem("floor", "it holds too little for the sway of a step")
        known = self.config.controller.actuation
        late = None if self.sway is None else self.sway.late
        age = known.sensor_age
        if late is None or abs(late - known.dead_time - age) <= self.config.period:
            return None
        what = f"{1e3 * late:.0f} ms pass from a torque to its effect in the sensors"
        return Problem(
            "dead time",
            f"{what}: set controller.actuation.dead_time to "
            f"{max(late - age, 0.0):.3f} s",
        )

    def step(
        self, readings: HumanoidReadings, estimates: FootEstimates | None = None
    ) -> HumanoidOutput:
        """Compute torques for one reading.

        External estimates are ignored; they are made here.
        """
        raw = readings.raw
        self._first_ns = raw.stamp_ns if self._first_ns is None else self._first_ns
        time = 1e-9 * (raw.stamp_ns - self._first_ns)
        self._command = self._commanded(time)
        record = self.controller.step(raw, self._command, readings.base)
        self._unsound = self._unsound or self.controller.faults
        if record.answer is not None:
            self._phase = record.answer.phase
            stands = self._phase == Phase.STAND and record.answer.gait.still
            self._held_by_floor = stands and self._walks
        if self.sway is not None:
            self.sway.add(time, raw, record.readings, record.torques)
        return record

    def _commanded(self, time: float) -> Command:
        if self.sway is not None and self.faults is None:
            return self.sway.command(time)
        if time < self.config.start or self.faults:
            return Command()
        asked = self.twist or Twist(self.config.speed, 0.0, 0.0)
        return Command(
            forward=self.speed_scale * asked.forward,
            left=self.speed_scale * asked.left,
            turn=self.speed_scale * asked.turn,
        )


def whole_body(
    config: HumanoidWalkingConfig, policy: SlipPolicy
) -> Controller[HumanoidReadings]:
    """Make the whole-body program of a humanoid, its forces inside the limits.

    Raises:
        BipedSlipError: legs that can't put a flat sole anywhere.
    """
    check_legs(load_humanoid(config.robot))
    return HumanoidSequencer(config, policy)


TRIALS = 3  # answers of the whole controller, after which nothing is left to compile
TRIAL_TICKS = 2000  # at most


def guarded_humanoid(
    config: HumanoidWalkingConfig,
    limit: str,
    supervision: SupervisorConfig,
    health: HealthConfig,
    *,
    checked: bool = True,
    external_base: bool = False,
    background: Background = at_once,
    name: str = HUMANOID_DEFAULT,
) -> GuardedController[HumanoidReadings]:
    """Make a humanoid's controller behind watch and supervisor, compiled.

    It is for a node or plain Python.

    Args:
        config: robot, command, gains, estimator.
        limit: name of the policy for slip.
        supervision: of the supervisor.
        health: of the watch.
        checked: whether the sensors are checked before the first step.
        external_base: whether the readings will hold the base's motion.
        background: where the sensors are judged.
        name: of the controller.
    """
    humanoid = load_humanoid(config.robot)
    policy = slip_policy(limit, config.policy_settings(humanoid.weight))
    controller = humanoid_controller(config, policy, name)
    if checked and isinstance(controller, ChecksSensors):
        controller.check_sensors_first(background)
    guarded = guard_humanoid(
        controller,
        humanoid,
        supervision,
        health,
        config.force_error,
        config.period,
        config.absent_sensors,
        config.by_currents,
    )
    guarded.start()
    answers = 0
    standing = standing_readings(
        humanoid, external_base, config.period, config.absent_sensors
    )
    for readings in islice(standing, TRIAL_TICKS):
        output = guarded.step(readings).output
        answers += output is not None and getattr(output, "answer", output) is not None
        if answers == TRIALS:
            break
    return guarded


def guard_humanoid(
    controller: Controller[HumanoidReadings],
    humanoid: Humanoid,
    supervision: SupervisorConfig,
    health: HealthConfig | None,
    offset: float = 0.0,
    period: float = PERIOD,
    absent: frozenset[str] = frozenset(),
    by_currents: bool = False,
) -> GuardedController[HumanoidReadings]:
    """Put any controller of a humanoid behind supervisor and watch.

    Args:
        controller: of the humanoid.
        humanoid: the robot.
        supervision: of the supervisor.
        health: of the watch; None: sensors are not watched.
        offset: of a force [N].
        period: of control [s].
        absent: fields of sensors that the robot has not; they are not watched.
        by_currents: whether the feet's forces come from the currents of motors, which
            are needed then.
    """
    robot = humanoid.robot
    needed = np.ravel(leg_joints(robot)).tolist() if by_currents else []
    power = humanoid.config.power or power_limit(
        humanoid.weight, float(humanoid.standing()[2])
    )
    supervisor = Supervisor(
        TorqueLimits(robot.joints, humanoid.efforts, power), supervision
    )
    watch = (
        Unwatched(len(robot.joints))
        if health is None
        else HumanoidWatch(humanoid, health, offset, absent)
    )
    return GuardedController(
        controller,
        judge_of(robot, health, absent, needed),
        watch,
        supervisor,
        robot.velocity_limits,
        period,
    )


def standing_sample(humanoid: Humanoid, absent: frozenset[str]) -> RawReadings:
    """Compute what the sensors of a humanoid read that stands on both feet.

    Args:
        humanoid: at rest in its standing posture, half of its weight on each foot, its
            joints held by their motors without friction.
        absent: fields of sensors that the robot has not; they are NaN.
    """
    robot = humanoid.robot
    functions = floating_functions(robot)
    q = humanoid.standing()
    still = np.zeros(robot.model.nv)
    wrenches = np.zeros((2, 6))
    wrenches[:, 2] = 0.5 * humanoid.weight
    imu = np.zeros(6)
    foot_imus = np.zeros((2, 6))
    force_torque = np.zeros((2, 6))
    functions.sensor_readings(
        functions.generated, q, still, still, wrenches, imu, foot_imus, force_torque
    )
    position = np.zeros((2, 3))
    functions.sole_kinematics(
        functions.generated, q, still, position, np.zeros((2, 3, 3)), np.zeros((2, 6))
    )
    nothing = np.full((2, 6), math.nan)
    soles = (robot.model.getFrameId(SOLES[0]), robot.model.getFrameId(SOLES[1]))
    return RawReadings(
        stamp_ns=0,
        joint_position=q[7:].copy(),
        joint_velocity=np.zeros(len(robot.joints)),
        imu=imu,
        foot_imus=nothing if "foot_imus" in absent else foot_imus,
        force_torque=nothing if "force_torque" in absent else force_torque,
        foot_position=position,
        joint_torque=holding_torques(robot.model, soles, q[7:]),
    )


def standing_readings(
    humanoid: Humanoid,
    external_base: bool = False,
    period: float = PERIOD,
    absent: frozenset[str] = frozenset(),
) -> Iterator[HumanoidReadings]:
    """Yield ideal readings of a humanoid that stands on both feet, without end.

    Args:
        humanoid: that stands, as of ``standing_sample``.
        external_base: whether the base's motion is part of the readings.
        period: between samples [s].
        absent: fields of sensors that the robot has not; they are NaN.
    """
    raw = standing_sample(humanoid, absent)
    place = humanoid.standing()[:3]
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    tick = 0
    while True:
        base = BaseMotion(upright, np.zeros(3), place.copy(), np.zeros(3))
        yield HumanoidReadings(
            raw._replace(stamp_ns=round(1e9 * tick * period)),
            base if external_base else None,
        )
        tick += 1
