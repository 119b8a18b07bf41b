# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the friction estimators and of the slip detectors inside them.

They are read by commands, nodes and scenarios for every estimator, whichever of them
runs, so they stand apart from the kernels: whoever loads them loads no compiler. Those
of the interval estimator, which are as many again, are in ``interval/config.py``.
"""

from __future__ import annotations

from dataclasses import replace

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.errors import InvalidParameter
from biped_slip.friction_estimation.interval.config import IntervalConfig


@configuration
class SlidingConfig(Configuration):
    """Conditions under which a moving foot slides."""

    speed_threshold: float = parameter(
        0.02,
        unit="m/s",
        above=0.0,
        high=10.0,
        doc="above it the foot moves; well above the velocity noise",
    )
    release_share: float = parameter(
        0.5, above=0.0, high=1.0, doc="share of the threshold at which sliding ends"
    )
    opposition: float = parameter(
        0.9, low=0.0, high=1.0, doc="least cosine between velocity and resisting force"
    )
    minimum_travel: float = parameter(
        1e-3, unit="m", above=0.0, high=1.0, doc="travel before sliding is considered"
    )
    growth_limit: float = parameter(
        0.25, above=0.0, below=1.0, source="A.2", doc="largest d ln u/d ln x of sliding"
    )
    growth_step: float = parameter(
        1.25, above=1.0, high=10.0, doc="travel ratio over which the growth is taken"
    )


@configuration
class PlateauConfig(Configuration):
    """Conditions under which a constant force ratio counts as the friction limit."""

    block_time: float = parameter(
        0.01,
        unit="s",
        above=0.0,
        high=1.0,
        doc="samples are averaged over blocks of this length",
    )
    force_noise: float = parameter(
        0.0,
        unit="N",
        low=0.0,
        high=1e4,
        doc="standard deviation of each force axis at one sample",
    )
    tolerance: float = parameter(
        0.006,
        above=0.0,
        below=0.2,
        doc="relative spread of the ratio at the limit, without noise",
    )
    noise_factor: float = parameter(
        3.0, above=0.0, high=10.0, doc="standard deviations of noise that are tolerated"
    )
    minimum_time: float = parameter(
        0.03, unit="s", above=0.0, high=10.0, doc="shortest plateau"
    )
    minimum_blocks: int = parameter(4, low=3, high=64, doc="fewest blocks of a plateau")
    load_variation: float = parameter(
        5.0,
        above=0.0,
        high=100.0,
        doc="least relative change of the load, in tolerances of the ratio",
    )
    band: float = parameter(
        8.0, above=1.0, high=100.0, doc="width of the band of approach, in tolerances"
    )
    sharpness: float = parameter(
        4.0,
        above=2.0,
        high=100.0,
        doc="least time at the plateau over time of approach",
    )
    turn: float = parameter(
        0.1,
        unit="rad",
        low=0.0,
        high=3.2,
        doc="by which the force has turned on the plateau, or else it has dropped",
    )
    drop: float = parameter(
        0.03,
        above=0.0,
        high=1.0,
        doc="share of the limit by which the ratio was higher just before, beside "
        "tolerance",
    )
    drop_time: float = parameter(
        0.05, unit="s", above=0.0, high=1.0, doc="how long before the onset that may be"
    )
    held_share: float = parameter(
        0.7,
        low=0.0,
        high=1.0,
        doc="a plateau below this share of a ratio held before in this contact isn't "
        "it",
    )
    held_time: float = parameter(
        0.05,
        unit="s",
        above=0.0,
        high=10.0,
        doc="how long a ratio must last to be held",
    )


@configuration
class SlipBasedConfig(Configuration):
    """Settings of the slip-based estimator (A.3)."""

    contact_on: float = parameter(
        20.0, unit="N", above=0.0, high=1e6, doc="normal force that begins a contact"
    )
    contact_off: float = parameter(
        10.0, unit="N", above=0.0, high=1e6, doc="normal force that ends it"
    )
    settle_time: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=10.0,
        doc="after touchdown, while the foot still rolls and rings",
    )
    minimum_load: float = parameter(
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
        doc="normal force below which slip isn't judged: the foot rolls on or off",
    )
    motion: SlidingConfig = section(SlidingConfig)
    force: PlateauConfig = section(PlateauConfig)

    def check(self) -> None:
        """Check that the hysteresis is not inverted."""
        if self.contact_off > self.contact_on:
            raise InvalidParameter(
                "SlipBasedConfig.contact_off",
                self.contact_off,
                f"at most contact_on, {self.contact_on:g} N",
            )


@configuration
class RlsConfig(Configuration):
    """Settings of the thesis' estimator (A.4, A.9)."""

    forgetting: float = parameter(
        0.99,
        above=0.0,
        high=1.0,
        source="A.9",
        doc="forgetting factor lambda of a millisecond",
    )
    residual_limit: float = parameter(
        230.0, unit="1/s", above=0.0, source="A.9", doc="eps of the convergence test"
    )
    residual_time: float = parameter(
        0.02,
        unit="s",
        above=0.0,
        high=100.0,
        source="A.9: N = 20 at 1 kHz",
        doc="below eps that raises the flag",
    )
    initial_covariance: float = parameter(
        1e6, above=0.0, source="A.4", doc="diagonal of P_0 (choice there)"
    )
    minimum_normal_force: float = parameter(
        1.0, unit="N", above=0.0, source="A.2", doc="below it the foot is in flight"
    )


@configuration
class TouchdownConfig(Configuration):
    """Thresholds of a sliding touchdown, and noise of the sensors."""

    contact_share: float = parameter(
        0.035, above=0.0, high=0.5, doc="load that begins a contact, in body weights"
    )
    leave_share: float = parameter(
        0.02,
        above=0.0,
        high=0.5,
        source="choice",
        doc="load that ends it, in body weights",
    )
    lifted_speed: float = parameter(
        0.0,
        unit="m/s",
        low=0.0,
        high=0.5,
        doc="along the floor, below which a foot without load stays in its contact: "
        "it still is where it was put down; 0: load alone ends a contact",
    )
    window: float = parameter(
        0.1,
        unit="s",
        above=0.0,
        high=1.0,
        doc="after touchdown in which a slide is a landing",
    )
    slide_speed: float = parameter(
        0.06,
        unit="m/s",
        above=0.0,
        high=2.0,
        doc="along the floor, from which a foot slides",
    )
    driven_share: float = parameter(
        0.4,
        above=0.0,
        below=1.0,
        doc="of its fastest, below which a foot is being stopped",
    )
    exact_enough: float = parameter(
        0.012,
        above=0.0,
        high=0.2,
        doc="standard deviation of mu from which it is answered",
    )
    exact_share: float = parameter(
        0.05,
        above=0.0,
        high=0.5,
        doc="the same as a share of mu; the larger one counts",
    )
    force_delay: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="by which forces are older than speeds: the foot must have slid then",
    )
    force_age: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="share of that delay before anything of a force is read: each force is "
        "paired with the speed of then, the sample before at the oldest",
    )
    force_low_pass: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=0.1,
        doc="time constant of a low pass that the forces have come through: friction "
        "is sought along the motion of when they acted; 0: along the motion of now",
    )
    force_sigma: float = parameter(
        2.7, unit="N", above=0.0, high=1e3, doc="noise of a force sample"
    )
    residual_offset: float = parameter(
        0.5,
        unit="N",
        low=0.0,
        high=1e3,
        doc="of a component, after its zero in the swing",
    )
    offset_left: float = parameter(
        0.1,
        low=0.0,
        high=1.0,
        doc="share of the sensor's offset that its zero in the swing leaves",
        source="choice",
    )
    unknown_mass: float = parameter(
        0.0,
        unit="kg",
        low=0.0,
        high=10.0,
        doc="error of the mass below the sensor, whose change of speed in a slide "
        "is taken for friction, before swings have shown it",
    )
    lagging_mass: float = parameter(
        0.0,
        unit="kg",
        low=0.0,
        high=10.0,
        doc="mass below the sensor, times the share of a change of load by which "
        "hysteresis makes a reading lag: it still shows so much of its swing's inertia",
    )
    moment_leak: float = parameter(
        0.0,
        unit="1/m",
        low=0.0,
        high=10.0,
        doc="bound of tangential force that is read for a moment at the sensor",
    )
    cross_talk: float = parameter(
        0.01,
        low=0.0,
        high=0.1,
        doc="bound of normal force read as tangential, as a share",
    )
    alignment: float = parameter(
        0.004,
        unit="rad",
        low=0.0,
        high=0.1,
        doc="bound of the angle between sensor and sole",
    )
    gain: float = parameter(
        0.0,
        low=0.0,
        high=0.1,
        doc="bound of the error of each force's scale, and what all but the normal "
        "one leak into it",
    )
    load_factor: float = parameter(
        0.8,
        above=0.0,
        high=1.0,
        doc="friction under full load as a share of that under the load of the test, "
        "which "
        "``calibrate-sole`` measures; rubber that was not calibrated (choice); 1: "
        "rigid soles",
    )
    zero_time: float = parameter(
        1.0,
        unit="s",
        above=0.0,
        high=2.0,
        doc="time constant of the zero in the swing; the mean, in a shorter one",
    )
    zero_delay: float = parameter(
        0.03,
        unit="s",
        low=0.0,
        high=0.5,
        doc="of the swing's end that is left out of the zero",
    )
    moment_arm: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=1.0,
        doc="of the sole's friction about the normal; 0: a point",
    )
    reach: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.5,
        doc="of the centre of pressure from the sole's origin to heel and toe, as "
        "far as a stance uses them; 0: a point",
    )


def with_force_noise(
    config: TouchdownConfig, sigma: float, offset: float
) -> TouchdownConfig:
    """Set the noise and offset [N] of the force sensor.

    The zero taken in the swing leaves a share of the offset.
    """
    return replace(
        config, force_sigma=sigma, residual_offset=config.offset_left * offset
    )


@configuration
class EstimatorSettings(Configuration):
    """Settings of the estimators of one foot."""

    body_weight: float = parameter(
        700.0, unit="N", above=0.0, high=1e6, doc="usual load of the foot"
    )
    slip: SlipBasedConfig = section(SlipBasedConfig)
    interval: IntervalConfig = section(IntervalConfig)
    rls: RlsConfig = section(RlsConfig)
    touchdown: TouchdownConfig = section(TouchdownConfig)
    slip_counts: bool = parameter(
        False, doc="where the interval can't know, a sliding foot's ratio is the answer"
    )
