# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of simulated sensors, and differences between a robot and its model.

All zero is ideal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Mapping

from biped_slip.config import (
    Configuration,
    configuration,
    parameter,
    read_yaml,
    section,
)
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.shared_files import shared_file, shared_names

SENSORS_FOLDER = "config/sensors"
# body weights of change over which a force sensor's hysteresis forgets (choice)
FORGETS = 0.25
# of the cross-talk of normal into tangential force, all other channels (choice)
OTHER_CHANNELS = 0.25


def filled(chosen: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """Fill a nested mapping with defaults."""
    result = {**default, **chosen}
    for key, value in default.items():
        if isinstance(value, Mapping) and isinstance(chosen.get(key), Mapping):
            result[key] = filled(chosen[key], value)
    return result


def with_sensor_set(
    mapping: Mapping[str, Any], kind: str, robot: str = ""
) -> dict[str, Any]:
    """Replace ``sensors: NAME`` in a mapping by the content of that set.

    The mapping is a walk's or a scenario's.

    A set is a YAML file of sensors, of what the robot's model does not know, and of the
    estimators' settings for both. Its values override the walk's, those of a single
    robot the others.

    Args:
        mapping: of the walk; without a name under ``sensors`` it is returned as it is.
        kind: ``planar`` or ``humanoid``.
        robot: name of the humanoid.
    """
    name = mapping.get("sensors")
    if not isinstance(name, str):
        return dict(mapping)
    if Path(name).suffix not in (".yaml", ".yml"):
        if name not in shared_names(SENSORS_FOLDER):
            raise UnknownName(
                "set of sensors",
                name,
                [*shared_names(SENSORS_FOLDER), "or a .yaml file"],
            )
        name = str(shared_file(f"{SENSORS_FOLDER}/{name}.yaml"))
    sets = read_yaml(name)
    unknown = sorted(set(sets) - {"planar", "humanoid", "robots"})
    if unknown:
        raise UnknownName(
            "part of a set of sensors", unknown[0], ["planar", "humanoid", "robots"]
        )
    chosen = filled((sets.get("robots") or {}).get(robot) or {}, sets.get(kind) or {})
    return filled(
        chosen, {key: value for key, value in mapping.items() if key != "sensors"}
    )


@configuration
class DeliveryConfig(Configuration):
    """Delivery of a sensor's samples: rate and latency."""

    latency: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="age of a sample, rounded up to control periods",
    )
    sample_period: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=1.0,
        doc="between two samples, rounded up to control periods and held between; "
        "0: one every control period",
    )


@configuration
class EncoderConfig(Configuration):
    """Errors of the encoders: joint positions and velocities."""

    position_noise: float = parameter(
        0.0, unit="rad", low=0.0, high=0.1, doc="standard deviation"
    )
    position_bias: float = parameter(
        0.0, unit="rad", low=0.0, high=0.1, doc="per joint and run, uniform within this"
    )
    position_resolution: float = parameter(
        0.0, unit="rad", low=0.0, high=0.1, doc="one count; 0: endlessly fine"
    )
    velocity_noise: float = parameter(
        0.0, unit="rad/s", low=0.0, high=10.0, doc="standard deviation"
    )
    gear_stiffness: float = parameter(
        0.0,
        unit="N m/rad",
        low=0.0,
        high=1e9,
        doc="of the gear between motor and joint, where encoders sit before it "
        "and show the joint plus torque over this; 0: they sit behind it",
    )
    backlash: float = parameter(
        0.0,
        unit="rad",
        low=0.0,
        high=0.1,
        doc="play of the gear between motor and joint, at the joint, where encoders "
        "sit before it and show the flank on which the motor's torque lies",
    )
    leg_stiffness: float = parameter(
        0.0,
        unit="N/m",
        low=0.0,
        high=1e9,
        doc="of each leg along the floor between encoders and sole, which see "
        "nothing of how it gives way; 0: rigid",
    )
    leg_spread: float = parameter(
        0.2,
        low=0.0,
        high=0.5,
        doc="sd of its compliance per leg and run, as a share of it",
    )
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class ImuConfig(Configuration):
    """Errors of an IMU: angular velocity and specific force."""

    gyro_noise: float = parameter(
        0.0, unit="rad/s", low=0.0, high=1.0, doc="standard deviation of each axis"
    )
    gyro_bias: float = parameter(
        0.0,
        unit="rad/s",
        low=0.0,
        high=1.0,
        doc="per axis and run, uniform within this",
    )
    accelerometer_noise: float = parameter(
        0.0, unit="m/s^2", low=0.0, high=10.0, doc="standard deviation of each axis"
    )
    accelerometer_bias: float = parameter(
        0.0,
        unit="m/s^2",
        low=0.0,
        high=10.0,
        doc="per axis and run, uniform within this",
    )
    present: bool = parameter(True, doc="whether there is one; feet may have none")
    alignment: float = parameter(
        0.0,
        unit="rad",
        low=0.0,
        high=0.1,
        doc="of the mounting about each axis, per run, uniform within this",
    )
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class ForceErrorConfig(Configuration):
    """Errors of a force/torque sensor, drawn for each sensor and run.

    For moments they are multiplied by ``arm``.

    Forces in parts of the robot's weight.
    """

    cross_talk: float = parameter(
        0.0,
        low=0.0,
        high=0.2,
        doc="largest share of the normal force that each tangential one shows, at "
        "least half "
        "of it, of either sign; of any other channel at most a quarter",
    )
    gain: float = parameter(0.0, low=0.0, high=0.2, doc="per axis, uniform within this")
    alignment: float = parameter(
        0.0,
        unit="rad",
        low=0.0,
        high=0.1,
        doc="of the mounting about each axis, uniform within this",
    )
    hysteresis: float = parameter(
        0.0,
        low=0.0,
        high=0.1,
        doc="by which a reading lags behind once the load has changed by far more "
        "than a "
        "quarter of the weight, up or down alike",
    )
    drift: float = parameter(
        0.0,
        unit="1/s",
        low=0.0,
        high=0.01,
        doc="of the offset, per axis, uniform within this",
    )
    bandwidth: float = parameter(
        0.0, unit="Hz", low=0.0, high=1e4, doc="of a low pass of first order; 0: none"
    )
    range: float = parameter(
        0.0,
        low=0.0,
        high=100.0,
        doc="largest tangential force that is shown, of the normal one twice as much; "
        "0: any",
    )
    resolution: float = parameter(
        0.0, low=0.0, high=0.1, doc="one count; 0: endlessly fine"
    )
    arm: float = parameter(
        0.043,
        unit="m",
        above=0.0,
        high=1.0,
        doc="range of moments over that of tangential forces: 120 N m over "
        "2800 N of ATI's Mini58 SI-2800-120, in THORMANG3's ankles",
    )


@configuration
class ForceTorqueConfig(Configuration):
    """Errors of six-axis force/torque sensors, in shares of the weight.

    Those of moments are in shares of weight times one metre.
    """

    present: bool = parameter(
        True, doc="whether there are any; without them forces come from motor currents"
    )
    errors: ForceErrorConfig = section(ForceErrorConfig)
    force_noise: float = parameter(
        0.0, low=0.0, high=0.1, doc="standard deviation of each force axis"
    )
    moment_noise: float = parameter(
        0.0, unit="m", low=0.0, high=0.1, doc="standard deviation of each moment axis"
    )
    force_bias: float = parameter(
        0.0, low=0.0, high=0.1, doc="per axis and run, uniform within this"
    )
    moment_bias: float = parameter(
        0.0, unit="m", low=0.0, high=0.1, doc="per axis and run, uniform within this"
    )
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class MotorTorqueConfig(Configuration):
    """Torques at the joints as the motors' currents say them.

    A reading is the motor's torque, friction of its gear included, times an error of
    the torque constant, with ripple over the joint's angle and noise, in counts.
    """

    present: bool = parameter(
        False, doc="whether the motors say their currents; otherwise they read NaN"
    )
    constant: float = parameter(
        0.0,
        low=0.0,
        high=0.5,
        doc="error of each motor's torque constant, per run, uniform within this share",
    )
    ripple: float = parameter(
        0.0,
        low=0.0,
        high=0.1,
        doc="amplitude over the joint's angle, in torque limits",
    )
    ripple_angle: float = parameter(
        0.02,
        unit="rad",
        above=0.0,
        high=1.0,
        doc="of the joint in one period of the ripple, from a fifth of this to all",
    )
    noise: float = parameter(
        0.0,
        low=0.0,
        high=0.1,
        doc="standard deviation of each sample, in torque limits",
    )
    resolution: float = parameter(
        0.0, unit="N m", low=0.0, high=10.0, doc="one count; 0: endlessly fine"
    )
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class FootPositionConfig(Configuration):
    """Errors of the soles' measured positions, external or by a sensor in the sole."""

    noise: float = parameter(
        0.0, unit="m", low=0.0, high=0.1, doc="standard deviation of each axis"
    )
    delivery: DeliveryConfig = section(DeliveryConfig)


@configuration
class FloatingSensorConfig(Configuration):
    """All sensors of a humanoid."""

    encoders: EncoderConfig = section(EncoderConfig)
    imu: ImuConfig = section(ImuConfig)
    foot_imu: ImuConfig = section(ImuConfig)
    force_torque: ForceTorqueConfig = section(ForceTorqueConfig)
    foot_position: FootPositionConfig = section(FootPositionConfig)
    motor_torques: MotorTorqueConfig = section(MotorTorqueConfig)

    def check(self) -> None:
        """Check that there is an IMU in the body."""
        if not self.imu.present:
            raise InvalidParameter(
                "sensors.imu.present",
                False,
                "true",
                "without an IMU in its body no humanoid knows its attitude",
            )


@configuration
class UnmodelledConfig(Configuration):
    """Differences between a robot and its model, drawn for each run; all zero: none."""

    mass: float = parameter(
        0.0, low=0.0, high=0.5, doc="of all masses alike, uniform within this share"
    )
    centre: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.2,
        doc="of the whole robot's centre of mass along each axis of its base, "
        "uniform within this; its weight acts there, its inertia does not; humanoids",
    )
    motor_lag: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="time constant with which torques follow their commands",
    )
    dead_time: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="before a command begins to act, rounded up to control periods",
    )
    coulomb: float = parameter(
        0.0,
        low=0.0,
        high=0.5,
        doc="friction of each joint beside its description's, in torque limits, from "
        "half of "
        "this to all of it",
    )
    viscous: float = parameter(
        0.0,
        low=0.0,
        high=0.5,
        doc="the same that grows with the speed, at the joint's largest one",
    )
    gear_friction: float = parameter(
        0.0,
        low=0.0,
        high=10.0,
        source="[Unitree2025]: 1 is the vendor's",
        doc="Coulomb and viscous friction of each joint besides, in those of the "
        "robot's gears; humanoids",
    )
    gear_spread: float = parameter(
        0.0,
        low=0.0,
        below=1.0,
        doc="of either of them, per joint, uniform within this share of it",
    )
    load: float = parameter(
        0.0,
        low=0.0,
        high=0.5,
        source="[Duclusaud2024]: 0.063 behind a harmonic drive",
        doc="share of each motor's torque by which its joint rubs more, from a fifth "
        "of this to all of it; humanoids",
    )
    static: float = parameter(
        1.0,
        low=1.0,
        high=5.0,
        doc="peak of each joint's friction at rest over its Coulomb friction, from 1 "
        "to this; humanoids",
    )
    static_rate: float = parameter(
        0.1,
        unit="rad/s",
        above=0.0,
        high=10.0,
        doc="over which the peak fades, from a fifth of this to all of it",
    )
    bristle: float = parameter(
        0.0,
        unit="rad",
        low=0.0,
        high=0.1,
        doc="by which each joint's friction bends before it slides, from a tenth of "
        "this to all of it; 0: the plant's; humanoids",
    )
    link_mass: float = parameter(
        0.0,
        low=0.0,
        high=0.5,
        doc="of each body by itself, uniform within this share; force/torque sensors "
        "feel the model's feet; humanoids",
    )
    link_centre: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.05,
        doc="of each body's centre of mass along each axis, uniform within this; "
        "humanoids",
    )

    def check(self) -> None:
        """Check that there is a Coulomb friction for what grows with it."""
        grows = {"load": self.load > 0.0, "static": self.static > 1.0}
        if self.coulomb == 0.0 and self.gear_friction == 0.0 and any(grows.values()):
            name = next(key for key, value in grows.items() if value)
            raise InvalidParameter(
                f"unmodelled.{name}",
                getattr(self, name),
                "0 without Coulomb friction, which it raises (static: 1)",
                "give 'gear_friction' or 'coulomb' as well",
            )
