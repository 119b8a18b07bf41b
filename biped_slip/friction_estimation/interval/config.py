# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Settings of the interval estimator: sensors, sole, floor and gates (study 7)."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.errors import InvalidParameter

MOTION_KINDS = ("position", "velocity", "imu")


@configuration
class MotionNoise(Configuration):
    """Noise of the source of the foot's displacement (study 2, study 7.2).

    It is as the source itself describes it.
    """

    kind: str = parameter(
        "position",
        choices=MOTION_KINDS,
        source="study 7.2",
        doc="position: white on the displacement; velocity: the displacement sums a "
        "velocity with white noise; "
        "imu: it integrates an acceleration twice",
    )
    sigma: float = parameter(
        20e-6,
        unit="m or m/s",
        low=0.0,
        high=0.1,
        source="study 2",
        doc="rms noise of a sample (position: m, velocity: m/s, imu: m, of encoders "
        "between it and the foot)",
    )
    quantisation: float = parameter(
        0.0, unit="m", low=0.0, high=1e-3, source="study 2", doc="step of the encoder"
    )
    noise_density: float = parameter(
        1e-3,
        unit="m/s^2/sqrt(Hz)",
        low=0.0,
        high=1.0,
        source="study 2: I1",
        doc="of the accelerometer (imu)",
    )
    bias: float = parameter(
        0.02,
        unit="m/s^2",
        low=0.0,
        high=1.0,
        source="study 2: I1",
        doc="sd of its bias (imu)",
    )
    latency: float = parameter(
        1e-3,
        unit="s",
        low=0.0,
        high=0.02,
        source="study 7.2",
        doc="bound on how far force and motion are apart in time; taken as 1 ms at "
        "least",
    )
    start_speed: float = parameter(
        0.0,
        unit="m/s",
        low=0.0,
        high=1.0,
        doc="sd of its speed as a contact begins, beside what the bias gives (imu)",
    )
    shared: bool = parameter(
        False,
        doc="the motion is the sum of both feet's: the stronger one looks weaker, the "
        "interval's upper end is no bound",
    )


@configuration
class ForceNoise(Configuration):
    """Noise of the force sensor (study 2)."""

    sigma: float = parameter(
        1.0,
        unit="N",
        low=0.0,
        high=1e3,
        source="study 2",
        doc="rms noise of a sample and axis",
    )
    offset: float = parameter(
        1.0,
        unit="N",
        low=0.0,
        high=1e3,
        source="study 2",
        doc="bound on the constant error after zeroing in swing",
    )
    cross_talk: float = parameter(
        0.0,
        low=0.0,
        high=0.2,
        doc="bound on the share of the normal force that is read as tangential; no "
        "data show it",
    )


@configuration
class SoleModel(Configuration):
    """Model of the sole: result of a calibration, or bounds without one (study 6)."""

    calibrated: bool = parameter(
        False,
        source="study 6",
        doc="false: any shape between 0.3 and 2.2 is possible, and there is no "
        "foresight",
    )
    shape: float = parameter(
        1.0,
        low=0.3,
        high=2.2,
        source="study 2",
        doc="exponent alpha of the presliding curve",
    )
    shape_scatter: float = parameter(
        0.0,
        low=0.0,
        high=1.0,
        source="study 6",
        doc="half width of ln alpha; above 0.05 five shapes are carried",
    )
    least_shape: float = parameter(
        0.4,
        low=0.0,
        high=2.2,
        doc="alpha carried beside a calibrated shape that is larger: contacts that "
        "bend late (elasto-plastic, second "
        "order) look like it; 0: the shape is beyond doubt (choice)",
    )
    masing: float = parameter(
        0.5,
        low=0.0,
        high=1.0,
        doc="belief that the sole remembers every reversal (Masing) rather than none "
        "(Dahl); 0 or 1: only one rule is "
        "carried",
    )
    s_p: float = parameter(
        0.8e-3,
        unit="m",
        above=2e-5,
        high=0.05,
        source="study 7.5",
        doc="median displacement at 95 % of the limit",
    )
    s_p_spread: float = parameter(
        1.0,
        low=0.5,
        high=2.0,
        source="study 7.5",
        doc="sd of ln s_p; below 0.5 a wrong sole breaks the bound",
    )
    compliance: float = parameter(
        0.0,
        unit="m/N",
        low=0.0,
        high=1e-3,
        source="study 7.2",
        doc="of leg and sole in series with the contact",
    )
    compliance_spread: float = parameter(
        -1.0,
        unit="m/N",
        low=-1.0,
        high=1e-3,
        source="study 7.2",
        doc="its sd; negative: 1 mm per 0.3 body weights; 0: no such state",
    )
    lag_spread: float = parameter(
        5e-3,
        unit="s",
        low=0.0,
        high=0.05,
        doc="sd of the time by which motion lags force, as it does on a sole that "
        "damps; 0: no such state (choice)",
    )

    def check(self) -> None:
        """Check signs; a compliance with unknown spread is negative on purpose."""
        if -1.0 < self.compliance_spread < 0.0:
            accepted = "-1 (from body weight), 0 (none) or positive [m/N]"
            raise InvalidParameter(
                "SoleModel.compliance_spread", self.compliance_spread, accepted
            )


@configuration
class FloorPrior(Configuration):
    """Prior of mu stated by the user.

    There is none by default, since each step may meet a new floor.
    """

    mu: float = parameter(0.5, low=0.05, high=1.6, doc="median of mu")
    spread: float = parameter(
        0.0, low=0.0, high=3.0, doc="sd of ln mu; 0: no belief, uniform in ln mu"
    )


@configuration
class GateConfig(Configuration):
    """Gate of a foot's samples: contact, settling, rolling, gaps (study 7.8)."""

    contact_load: float = parameter(
        0.2,
        low=0.0,
        high=1.0,
        source="study 7.8",
        doc="normal load of a contact, as a share of body weight",
    )
    settling_time: float = parameter(
        0.06,
        unit="s",
        low=0.0,
        high=0.5,
        source="study 7.8",
        doc="from touchdown until its ringing has decayed",
    )
    rolling_rate: float = parameter(
        0.5,
        unit="rad/s",
        above=0.0,
        high=50.0,
        doc="angular rate of the sole beyond which it rolls over an edge (choice)",
    )
    sole_half_length: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=0.5,
        doc="centre of pressure beyond 0.95 of it: heel or toe roll; 0: not judged",
    )
    longest_gap: float = parameter(
        0.02,
        unit="s",
        above=0.0,
        high=1.0,
        doc="time between samples after which the path is taken up anew (choice)",
    )
    carry_sole: bool = parameter(
        True,
        source="study 7.8",
        doc="carry the belief in the sole from step to step, with inflation",
    )


@configuration
class SlipConfig(Configuration):
    """Conditions under which motion counts as slip (choice).

    The study names the rule, not its numbers.
    """

    sigmas: float = parameter(
        6.0,
        above=0.0,
        high=50.0,
        doc="motion needed, in sd of the displacement over the window",
    )
    share_of_s_p: float = parameter(
        0.3,
        above=0.0,
        high=5.0,
        doc="motion needed over the window, in s_p: beyond 0.965 of the limit the "
        "curve is flat",
    )
    flatness: float = parameter(
        0.03,
        low=0.0,
        high=0.5,
        doc="relative rise of the force ratio that still counts as flat",
    )
    smallest_ratio: float = parameter(
        0.02, low=0.0, high=1.0, doc="force ratio below which a foot is not judged"
    )
    end_share: float = parameter(
        0.5,
        above=0.0,
        below=1.0,
        doc="motion at which slip ends, as a share of what starts it",
    )
    moment_arm: float = parameter(
        0.0,
        unit="m",
        low=0.0,
        high=1.0,
        doc="largest moment of the sole over mu times normal force; 0: a point foot, "
        "or moments are not looked at",
    )
    reversals: bool = parameter(
        True,
        doc="whether a load that turns round within the window may be a slip: without "
        "it no sole that is bent back counts as one, but limits pass mu three times as "
        "often where soles remember reversals; for robots that right a torso",
    )


@configuration
class IntervalConfig(Configuration):
    """Rao-Blackwellised grid with a confidence sequence (study 7)."""

    motion: MotionNoise = section(MotionNoise)
    force: ForceNoise = section(ForceNoise)
    sole: SoleModel = section(SoleModel)
    floor: FloorPrior = section(FloorPrior)
    gate: GateConfig = section(GateConfig)
    slip: SlipConfig = section(SlipConfig)

    axes: int = parameter(
        2,
        choices=(1, 2),
        source="study 7",
        doc="tangential directions in use; 1 for a straight rig",
    )
    nodes: int = parameter(
        60, low=20, high=400, source="study 7", doc="grid points on ln mu"
    )
    mu_min: float = parameter(
        0.05, above=0.0, high=0.5, source="study 7", doc="lowest mu considered"
    )
    mu_max: float = parameter(
        1.6, low=0.6, high=5.0, source="study 7", doc="highest mu considered"
    )
    block_time: float = parameter(
        5e-3,
        unit="s",
        low=1e-3,
        high=0.02,
        source="study 7",
        doc="samples averaged into one",
    )
    level: float = parameter(
        0.05,
        above=0.0,
        high=0.5,
        source="study 7.5",
        doc="chance that the interval misses mu at any time in a contact",
    )
    release_share: float = parameter(
        0.35,
        low=0.0,
        high=1.0,
        source="study 7.6",
        doc="load needed before release, as a share of the median",
    )
    release_sigmas: float = parameter(
        8.0,
        low=0.0,
        high=100.0,
        source="study 7.6",
        doc="load needed before release, in sd of the force ratio",
    )
    usable_ratio: float = parameter(
        1.6,
        above=1.0,
        high=10.0,
        source="study 7.6",
        doc="largest high/low that is usable",
    )

    def check(self) -> None:
        """Check that the grid of mu ascends."""
        if self.mu_max <= 2.0 * self.mu_min:
            raise InvalidParameter(
                "IntervalConfig.mu_max",
                self.mu_max,
                f"above twice mu_min = {self.mu_min:g}",
            )
