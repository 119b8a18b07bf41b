# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Parameter files below config/, from the configurations: ``python -m biped_slip.ros.parameter_files``."""

from __future__ import annotations

from typing import Any

import yaml

from biped_slip.config import Configuration, Limits
from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.ros.nodes.base_estimator import BaseEstimatorConfig
from biped_slip.ros.nodes.contact_simulator import ScenarioChoice, SimulatorNodeConfig
from biped_slip.ros.nodes.foot_estimator import FootEstimatorConfig
from biped_slip.ros.nodes.friction_estimator import EstimatorNodeConfig
from biped_slip.ros.nodes.friction_governor import GovernorNodeConfig
from biped_slip.ros.nodes.recording_player import PlayerConfig
from biped_slip.ros.nodes.walking_controller import ControllerNodeConfig
from biped_slip.ros.parameters import RobotConfig, WalkingChoice, meaning
from biped_slip.ros.robot_node import NodeConfig
from biped_slip.shared_files import shared_folder

_ESTIMATOR = (NodeConfig(), WalkingChoice(), RobotConfig(), EstimatorNodeConfig())
FILES: dict[str, dict[str, tuple[Configuration, ...]]] = {
    "walk": {
        "contact_simulator": (NodeConfig(), ScenarioChoice(), SimulatorNodeConfig()),
        "base_estimator": (NodeConfig(), RobotConfig(), BaseEstimatorConfig()),
        "friction_estimator": _ESTIMATOR,
        "walking_controller": (
            *(NodeConfig(), WalkingChoice(), RobotConfig(), ControllerNodeConfig()),
            *(SupervisorConfig(), HealthConfig()),
        ),
    },
    "estimator": {"friction_estimator": _ESTIMATOR},
    "governor": {"friction_governor": (NodeConfig(), GovernorNodeConfig(), FrictionGovernorConfig())},
    "replay": {
        "recording_player": (NodeConfig(), PlayerConfig()),
        "foot_estimator": (NodeConfig(), FootEstimatorConfig()),
        "friction_estimator": (
            NodeConfig(mode="lockstep"),
            WalkingChoice(),
            RobotConfig(),
            EstimatorNodeConfig(judge_sensors=False),
        ),
    },
}
PREFIXES: dict[type[Configuration], str] = {
    SupervisorConfig: "supervisor.",
    HealthConfig: "health.",
    FrictionGovernorConfig: "governor.",
}
_HEAD = """# Generated from the configurations in biped_slip/ros; most values are the defaults.
# Every value of a scenario (gains, floor, noise ...) is a parameter, too: `ros2 param list` names them.
"""


def text(name: str) -> str:
    """Content of one file."""
    parts = [_HEAD]
    for node, configs in FILES[name].items():
        parts.append(f"/**/{node}:\n  ros__parameters:\n")
        parts += [_line(*leaf) for config in configs for leaf in config.flat(PREFIXES.get(type(config), ""))]
    return "".join(parts)


def _line(name: str, value: Any, limits: Limits) -> str:
    plain = list(value) if isinstance(value, tuple) else value
    written = yaml.safe_dump(plain, default_flow_style=True, width=1000).removesuffix("...\n").strip()
    return f"    # {meaning(limits)}\n    {name}: {written}\n"


if __name__ == "__main__":
    for each in FILES:
        (shared_folder() / "config" / f"{each}.yaml").write_text(text(each), encoding="utf-8")
