# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction under a humanoid that others walk, from joint states and one IMU.

They are the senses of the walking controller (:class:`.HumanoidSenses`) with forces by
the currents of motors, and nothing behind them: no command, no guard. Before the first
answer stands what only such a listener needs: whether there are efforts at all, how
fast samples come, and velocities where none are sent.
"""

from __future__ import annotations

import math

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import InvalidParameter
from biped_slip.estimation.health import FrozenInputs, judge_of
from biped_slip.estimation.joint_rates import JointRates
from biped_slip.estimation.joint_torque_wrench import JointTorqueWrenches
from biped_slip.estimation.readings import (
    NO_FOOT_SENSOR,
    HumanoidReadings,
    Problem,
    RawReadings,
    missing_efforts,
    no_effort,
)
from biped_slip.friction_estimation.registry import LANDING_ESTIMATOR, make_estimator
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.walking.felt_friction import FeltFriction, nothing_felt
from biped_slip.walking.humanoid import (
    CURRENTS,
    HumanoidSenses,
    HumanoidWalkingConfig,
    completed,
    leg_gears,
    standing_readings,
    walk_file,
    walking_part,
)

#: Sensors that are not listened to, as fields of ``RawReadings``.
UNHEARD = frozenset({"foot_imus", "force_torque"})
NO_FOOT_READING: Array = np.full((2, 6), np.nan)
COUNTED_SAMPLES = 50  # from which the period is found (choice)
LONGEST_PERIOD = 5e-3  # [s] a landing slides for 10 to 40 ms
JITTER_SHARE = 1.1  # of LONGEST_PERIOD, that a median may reach (choice)
COUNTED_TIME = 0.5  # [s] over which the share of lost samples is taken (choice)
# of samples that may be lost: with a third sound torques are believed and the floor is
# known, with two thirds they seem late or turned (simulated G1, 500 Hz)
LOST_SHARE = 0.4
LONGEST_GAP = 0.1  # [s] without a sample, after which everything starts anew (choice)
TRIAL_SAMPLES = 600  # of a standing robot, until everything is compiled


def walking_by_currents(name: str) -> HumanoidWalkingConfig:
    """Load the settings of a humanoid whose motors tell the forces on its feet.

    Args:
        name: of a shipped walk, or a .yaml file of a walk or a robot. What the walk
            says of other sensors gives way to the set ``currents``.
    """
    mapping, folder = walk_file(name)
    config = walking_part(completed(mapping, folder))
    if config.by_currents:
        return config
    return walking_part(completed({**mapping, "sensors": CURRENTS}, folder))


class SampleClock:
    """Period of samples, found from their stamps, and how many of them come.

    Args:
        period: known beforehand [s]; None: the median of the first COUNTED_SAMPLES.

    Attributes:
        period: between two samples of which none is missing [s]; None: not known yet.
    """

    def __init__(self, period: float | None = None) -> None:
        self._known = period
        self.reset()

    def reset(self) -> None:
        """Forget all stamps."""
        self.period = self._known
        self._stamps: list[int] = []
        self._last_ns: int | None = None
        self._come = 1.0  # share of the samples that came lately

    def step(self, stamp_ns: int) -> float | None:
        """Take a stamp [ns]; return the period [s] once it is known."""
        if self.period is None:
            self._stamps.append(stamp_ns)
            if len(self._stamps) > COUNTED_SAMPLES:
                self.period = 1e-9 * float(np.median(np.diff(self._stamps)))
        if self.period is not None and self._last_ns is not None:
            self._count(1e-9 * (stamp_ns - self._last_ns), self.period)
        self._last_ns = stamp_ns
        return self.period

    def lost(self) -> Problem | None:
        """Name that too many samples are missing; what lies between them is unseen."""
        if self._come >= 1.0 - LOST_SHARE:
            return None
        what = f"more than {LOST_SHARE:.0%} of the joint states are lost on the way"
        remedy = "give this computer less to do, or send them over a better network"
        return Problem("lost input", f"{what}: {remedy}", severe=True)

    def _count(self, dt: float, period: float) -> None:
        """Renew the share that came by a sample ``dt`` after the one before."""
        share = math.exp(-dt / COUNTED_TIME)
        self._come = share * self._come + (1.0 - share) * period / dt


def slow(period: float) -> Problem | None:
    """Refuse samples that come too slowly to see a landing; ``period`` in [s]."""
    if period <= JITTER_SHARE * LONGEST_PERIOD:
        return None
    return Problem(
        "slow input",
        f"joint states come at {1.0 / period:.0f} Hz, but a landing foot is seen from "
        f"{1.0 / LONGEST_PERIOD:.0f} Hz on: publish them faster",
        severe=True,
    )


def effort_problem(torque: Array, joints: tuple[str, ...]) -> Problem | None:
    """Name what is wrong with the torques of the legs' motors.

    Args:
        torque: (n,) of the legs [N m].
        joints: their names.
    """
    what = missing_efforts(torque, joints)
    if not what and not torque.any():
        what = "all efforts of the legs are zero: publish the motors' torques [N m]"
    return no_effort(what)._replace(severe=True) if what else None


def silent(before_ns: int | None, now_ns: int) -> bool:
    """Return whether too much time has passed between two samples [ns]."""
    return before_ns is not None and now_ns - before_ns > 1e9 * LONGEST_GAP


class HumanoidFriction:
    """Friction under both feet of a humanoid that others walk.

    Args:
        config: of the robot, with forces by currents.
        estimator: name of the friction estimator.
        period: between samples [s]; None: found from their stamps.

    Attributes:
        differentiated: velocities of the last sample are differences of positions.

    Raises:
        InvalidParameter: the period is too long to see a landing.
    """

    def __init__(
        self,
        config: HumanoidWalkingConfig,
        estimator: str = LANDING_ESTIMATOR,
        period: float | None = None,
    ) -> None:
        if period is not None and slow(period):
            raise InvalidParameter(
                "period", period, f"<= {LONGEST_PERIOD:g} s", "publish faster"
            )
        self.humanoid = load_humanoid(config.robot)
        settings = config.policy_settings(self.humanoid.weight).estimator
        self._currents = JointTorqueWrenches(
            self.humanoid, leg_gears(self.humanoid), period or config.period
        )
        self._senses = HumanoidSenses(
            self.humanoid,
            make_estimator(estimator, settings),
            config.base,
            config.motion,
            config.touchdown,
            self._currents,
        )
        legs = self._currents.legs.ravel()
        self._legs = legs
        self._leg_names = tuple(self.humanoid.robot.joints[leg] for leg in legs)
        self._clock = SampleClock(period)
        self._judge = judge_of(self.humanoid.robot, absent=UNHEARD)
        self._frozen = FrozenInputs()
        self.reset()

    def reset(self) -> None:
        """Reset to the state before the first sample; what was learnt is forgotten."""
        self._senses.reset()
        self._clock.reset()
        self._frozen.reset()
        self._rates: JointRates | None = None
        self._heard_ns: int | None = None
        self._used_ns: int | None = None
        self.differentiated = False

    @property
    def trusted(self) -> bool:
        """Return whether the torques have been judged by a swing of each leg."""
        return self._currents.trusted

    @property
    def period(self) -> float | None:
        """Return the period between samples [s]; None until it is found."""
        return self._clock.period

    def try_out(self) -> None:
        """Compile everything on readings of a standing robot."""
        rng = np.random.default_rng(0)
        standing = standing_readings(self.humanoid, period=LONGEST_PERIOD)
        for _, readings in zip(range(TRIAL_SAMPLES), standing, strict=False):
            torque = rng.normal(size=len(self.humanoid.robot.joints))
            self.step(heard(readings.raw, torque))
        self.reset()

    def step(self, raw: RawReadings) -> FeltFriction:
        """Estimate friction from one sample.

        Args:
            raw: joints, their torques and the IMU; velocities that are all NaN are
                replaced by central differences of positions, a little later; all
                other sensors are left aside.
        """
        if silent(self._heard_ns, raw.stamp_ns):
            self.reset()
        if silent(self._used_ns, raw.stamp_ns):
            self._senses.reset()
            self._rates = None
            self._used_ns = None
        self.differentiated = bool(np.isnan(raw.joint_velocity).all())
        if self.differentiated:
            raw = raw._replace(joint_velocity=np.zeros(len(raw.joint_velocity)))
        problem = self._doubt(heard(raw, raw.joint_torque))
        self._heard_ns = raw.stamp_ns
        if problem is not None:
            return nothing_felt(problem)
        self._used_ns = raw.stamp_ns
        sample = self._with_velocity(heard(raw, raw.joint_torque))
        return nothing_felt() if sample is None else self._sensed(sample)

    def _sensed(self, sample: RawReadings) -> FeltFriction:
        """Let the senses of the walk take a sample."""
        observed = self._senses.step(sample)
        if observed.state is None:
            self._senses.reset()
            what = "its estimate has broken down, and starts anew"
            return nothing_felt(Problem("lost base", what))
        if faults := self._senses.faults:
            return nothing_felt(Problem("sensor check", "; ".join(faults), severe=True))
        return FeltFriction(
            estimates=observed.estimates,
            measurements=observed.measurements,
            problem=self._contradiction(),
        )

    def _with_velocity(self, raw: RawReadings) -> RawReadings | None:
        """Give a sample velocities where none are sent.

        Return None before the period is known, and until there are differences.
        """
        if self.period is None:
            return None
        if not self.differentiated:
            return raw
        if self._rates is None:
            self._rates = JointRates(self.period)
        return self._rates.step(raw)

    def _doubt(self, raw: RawReadings) -> Problem | None:
        """Name what is wrong with a sample, and find the period meanwhile."""
        before = self._heard_ns
        dt = 0.0 if before is None else 1e-9 * (raw.stamp_ns - before)
        numbers = np.concatenate((raw.joint_position, raw.joint_torque, raw.imu))
        judged = self._judge.judge(HumanoidReadings(raw))
        if isinstance(judged, Problem):
            return judged
        torque = raw.joint_torque[self._legs]
        if problem := effort_problem(torque, self._leg_names):
            return problem
        if problem := self._frozen.look(numbers, dt, "joints and IMU"):
            return problem
        known = self.period is not None
        period = self._clock.step(raw.stamp_ns)
        if period is not None and not known:
            self._currents.retime(period)
        return None if period is None else slow(period) or self._clock.lost()

    def _contradiction(self) -> Problem | None:
        """Name what carries the robot beside its feet."""
        if not self._currents.contradicted:
            return None
        what = "base and legs contradict each other: something else than feet carries"
        return Problem("contradicted forces", what)


def heard(raw: RawReadings, torque: Array) -> RawReadings:
    """Return the readings of a robot that has nothing but joints and one IMU.

    Args:
        raw: of all sensors.
        torque: of the motors (n,) [N m].
    """
    return raw._replace(
        foot_imus=NO_FOOT_READING,
        force_torque=NO_FOOT_READING,
        foot_position=NO_FOOT_SENSOR,
        joint_torque=torque,
    )
