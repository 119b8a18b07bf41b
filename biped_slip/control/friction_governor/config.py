# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a friction governor can be told."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter, section


@configuration
class DemandConfig(Configuration):
    """What force ratio a command asks for, as long as nothing has been seen: stand + per_speed |v| + per_turn |w|."""

    stand: float = parameter(0.15, low=0.0, high=1.0, doc="ratio asked for by stepping or standing in place")
    per_speed: float = parameter(0.35, unit="s/m", low=0.0, high=5.0, doc="ratio per speed")
    per_turn: float = parameter(0.05, unit="s/rad", low=0.0, high=5.0, doc="ratio per rate of turning")
    weight: float = parameter(3.0, above=0.0, high=1e3, doc="how many stances these numbers are worth")
    memory: float = parameter(200.0, low=1.0, high=1e6, doc="stances after which one counts a third")


@configuration
class FrictionGovernorConfig(Configuration):
    """Floor, command and reaction of a friction governor."""

    demand: DemandConfig = section(DemandConfig)
    unknown: float = parameter(0.3, above=0.0, high=2.0, doc="ratio that a floor is taken to hold while nobody knows")
    rise: float = parameter(
        1.2, low=1.0, high=3.0, doc="a ratio that was held lets the next step ask for this times as much"
    )
    tolerance: float = parameter(
        1.0, low=0.5, high=3.0, doc="what a command may ask over what the floor holds; above 1 for who bears sliding"
    )
    keep: float = parameter(
        0.0, unit="m/s", low=0.0, high=5.0,
        doc="is always let through: for a controller that falls more easily slower than this; 0 stops on ice",
    )  # fmt: skip
    deceleration: float = parameter(
        1.5, unit="m/s^2", above=0.0, high=20.0, doc="with which speed is taken away; turning in place: rad/s^2"
    )
    acceleration: float = parameter(0.5, unit="m/s^2", above=0.0, high=20.0, doc="with which it is given back")
    forget: float = parameter(
        1.0, unit="s", above=0.0, high=60.0, doc="without a loaded foot and an estimate, the floor is unknown again"
    )
    loaded: float = parameter(0.3, above=0.0, high=1.0, doc="share of the weight from which a foot's ratio counts")
    settled: float = parameter(0.02, unit="s", low=0.0, high=1.0, doc="so long an estimate must be usable to count")
    quantile: float = parameter(0.9, above=0.0, high=1.0, doc="of a stance's force ratios: what it asked for")
