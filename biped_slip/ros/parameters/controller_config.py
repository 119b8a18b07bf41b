# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of the controller node alone."""

from __future__ import annotations

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.ros.topics.foot_sensors import FEET


@configuration
class ControllerNodeConfig(Configuration):
    """Parameters of this node alone."""

    humanoid_walk: str = parameter("", doc="a humanoid's walk, shipped or a .yaml file; empty: the planar biped")
    limit: str = parameter(
        "interval",
        doc="policy for slip: none, constant:RATIO, thesis, interval, oracle:WALK:SEED (simulation only), FILE.py:NAME",
    )
    controller: str = parameter(
        "", doc="FILE.py:NAME or an entry point's name; empty: virtual_model (planar) or whole_body (humanoids)"
    )
    embedded_estimator: bool = parameter(False, doc="estimate inside this process instead of listening to estimates")
    friction_topics: tuple[str, ...] = parameter(
        tuple(f"friction_estimator/{foot}/friction" for foot in FEET), doc="estimates of the left and right foot"
    )
    command_topic: str = parameter("effort_controller/commands", doc="joint efforts")
    age_limit: float = parameter(
        0.004,
        unit="s",
        above=0.0,
        high=1.0,
        source="choice: 5 control ticks",
        doc="older sensors are a problem, by the stamps (real time)",
        safe_direction="lower",
    )
    estimate_age_limit: float = parameter(
        0.05,
        unit="s",
        above=0.0,
        high=10.0,
        source="choice",
        doc="older estimates are a problem, by the stamps (real time)",
        safe_direction="lower",
    )
    silence_limit: float = parameter(
        1.0,
        unit="s",
        above=0.0,
        high=60.0,
        source="choice: a simulator may be ten times slower than time, and stop for a moment",
        doc="with use_sim_time joint_states may be silent for so long on the steady clock; otherwise age_limit",
        safe_direction="lower",
    )
    company: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=1.0,
        source="choice",
        doc="for which joint_states wait for the other sensors of their instant, by the steady clock; 0: for none",
    )
    speed_scale: float = parameter(
        1.0, low=0.0, high=1.0, doc="of the scenario's speed command; 0: stand when the step is over", read_only=False
    )
    raw_messages: bool = parameter(True, doc="decode sensors from their bytes; otherwise always through typed messages")
