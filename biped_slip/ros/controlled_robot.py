# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of robots behind the walking controller's node, and its parameters.

The node knows one of them by this interface alone: ``planar_robot.py`` or
``humanoid_robot.py``, of which it loads the one that it walks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Sequence

from biped_slip.config import Configuration, configuration, parameter
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.ros.messages import FOOT_NAMES, check_topic_per_foot
from biped_slip.ros.rehearsal import (
    PERIOD_CHOICES,
    PERIOD_WORDS,
    Rehearsal,
)
from biped_slip.ros.sensor_inputs import (
    SensorInputs,
)
from biped_slip.ros.stamps import CLOCK_TOLERANCE
from biped_slip.walking.guarded import GuardedController
from biped_slip.walking.slip_policies import DEFAULT_POLICY
from biped_slip.walking.steering import SILENCE

if TYPE_CHECKING:
    from biped_slip.ros.humanoid_robot import HumanoidInputs

_LIMIT: dict[str, Any] = {"unit": "s", "above": 0.0, "safe_direction": "lower"}


@configuration
class ControllerNodeConfig(Configuration):
    """Parameters of this node alone."""

    humanoid_walk: str = parameter(
        "", doc="a humanoid's walk, shipped or a .yaml file; empty: the planar biped"
    )
    limit: str = parameter(
        DEFAULT_POLICY,
        doc="policy for slip: none, constant:RATIO, thesis, interval, touchdown, "
        "oracle:WALK:SEED (simulation only) or "
        "FILE.py:NAME",
    )
    controller: str = parameter(
        "",
        doc="FILE.py:NAME or an entry point's name; empty: virtual_model (planar) or "
        "whole_body (humanoids)",
    )
    embedded_estimator: bool = parameter(
        False, doc="estimate inside this process instead of listening to estimates"
    )
    friction_topics: tuple[str, ...] = parameter(
        tuple(f"friction_estimator/{foot}/friction_values" for foot in FOOT_NAMES),
        doc="estimates of the left and right foot",
    )
    command_topic: str = parameter("effort_controller/commands", doc="joint efforts")
    period: str = parameter("walk", choices=PERIOD_CHOICES, doc=PERIOD_WORDS)
    rehearsal: float = parameter(
        1.0,
        unit="s",
        low=0.0,
        high=60.0,
        doc="of ticks that are measured before the node is active; lockstep: none",
    )
    age_limit: float = parameter(
        0.004,
        **_LIMIT,
        high=1.0,
        source="choice: 5 control ticks",
        doc="older sensors are a problem, by the stamps (real time); longer with "
        "longer periods",
    )
    estimate_age_limit: float = parameter(
        0.05,
        **_LIMIT,
        high=10.0,
        doc="older estimates are a problem, by the stamps (real time)",
    )
    silence_limit: float = parameter(
        1.0,
        **_LIMIT,
        high=60.0,
        source="choice: a simulator may be ten times slower than time, and stop for a "
        "moment",
        doc="with use_sim_time joint_states may be silent for so long on the steady "
        "clock; otherwise age_limit",
    )
    sync_timeout: float = parameter(
        0.0,
        unit="s",
        low=0.0,
        high=1.0,
        formerly="company",
        doc="for which joint_states wait for the other sensors of their instant, by "
        "the steady clock; 0: for none",
    )
    speed_scale: float = parameter(
        1.0,
        low=0.0,
        high=1.0,
        doc="of the scenario's speed command; 0: stand when the step is over",
        read_only=False,
    )
    cmd_vel_topic: str = parameter(
        "cmd_vel",
        doc="velocity commands, Twist or TwistStamped: from the first on it obeys them",
    )
    steered: bool = parameter(
        False, doc="stand until the first of them; otherwise walk at the walk's speed"
    )
    velocity_timeout: float = parameter(
        SILENCE,
        unit="s",
        above=0.0,
        high=60.0,
        doc="without a command: it stands, by the sensors' stamps",
    )
    clock_tolerance: float = parameter(
        CLOCK_TOLERANCE,
        unit="s",
        low=0.0,
        high=3600.0,
        doc="by which stamps of cmd_vel may differ from the node's clock; 0: they are "
        "of another clock, and any is taken",
    )
    raw_messages: bool = parameter(
        True,
        doc="decode sensors from their bytes; otherwise always through typed messages",
    )

    def check(self) -> None:
        """Check for one topic of estimates per foot."""
        check_topic_per_foot("friction_topics", self.friction_topics)


class RobotInterface(Protocol):
    """Interface of robots.

    Parameters are declared when it is made; the rest is there after ``build``.
    """

    # whether it makes friction estimates even where the node does not ask for it
    estimates_itself: bool
    guarded: GuardedController[Any]
    sensors: SensorInputs | HumanoidInputs
    joints: Sequence[str]
    soles: Sequence[str]
    record_names: Sequence[str]
    period: float  # of control [s]

    def build(
        self,
        config: ControllerNodeConfig,
        supervision: SupervisorConfig,
        health: HealthConfig,
        period: float | None = None,
    ) -> None:
        """Build controller and sensors by the node's parameters.

        Without a period [s] of control it is that of the walk.

        Raises:
            BipedSlipError: refused.
        """
        ...

    def rehearsal(self) -> Rehearsal:
        """Return the readings of a standing robot for the rehearsal."""
        ...

    def record_values(self, output: Any) -> Sequence[float]:
        """List the controller's outputs in the order of the names."""
        ...
