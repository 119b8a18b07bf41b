# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""docs/parameters.md from the configurations; ``python test/scenario_page.py`` writes
it."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from biped_slip.comparison.plan import ComparisonConfig, WalkerConfig
from biped_slip.config import Configuration
from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.floating_base import FloatingBaseConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.estimation.planar_feet import FloorConfig
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.walking.policy_layout import LearnedPolicyConfig

PAGE = Path(__file__).parents[1] / "docs/parameters.md"
HEAD = """# Which parameters are there, and what do they mean?

Keys of YAML files, nested at the dots, and names of ROS parameters; what is left out keeps its default. Written by
`python test/scenario_page.py` from the configurations; a test compares. A running node describes its own:
`ros2 param describe /NODE NAME`.
"""
NODES_HEAD = """
## Nodes

What a node has for itself, beside the tables above: topics, periods, ages. `config/walk.yaml`, `config/estimator.yaml`,
`config/governor.yaml` and `config/replay.yaml` hold the defaults.
"""
NODE_PREFIXES: dict[type[Configuration], str] = {
    FloorConfig: "floor.",
    FloatingBaseConfig: "noise.",
}
MEASURED = "\n## What half and double do\n"  # from there on the page is measured
TABLES: tuple[tuple[str, str, Configuration, str], ...] = (
    (
        "Scenarios of the planar biped",
        "`config/scenarios/NAME.yaml`, `--scenario FILE`, parameters of the nodes.",
        ScenarioConfig(),
        "",
    ),
    (
        "Walks of humanoids",
        "`config/humanoid_walks/NAME.yaml`, `--robot FILE`. Keys that end as one "
        "above mean the same: left out.",
        HumanoidWalkConfig(),
        "",
    ),
    (
        "Supervisor",
        "Between controller and joints, `walking_controller`.",
        SupervisorConfig(),
        "supervisor.",
    ),
    ("Health of the sensors", "`walking_controller`.", HealthConfig(), "health."),
    (
        "Friction governor",
        "`friction_governor`.",
        FrictionGovernorConfig(),
        "governor.",
    ),
    (
        "Plans of comparisons",
        "`config/comparisons/NAME.yaml`, `compare PLAN`; a walker's keys stand under "
        "its name in `walkers`.",
        ComparisonConfig(),
        "",
    ),
    ("A walker of a plan", "`walkers.NAME`.", WalkerConfig(robot=""), "walkers.NAME."),
    (
        "Layouts of learned policies",
        "`NAME.yaml` beside `NAME.onnx`, `walk --controller onnx:NAME.onnx`; values by "
        "name are mappings.",
        LearnedPolicyConfig(),
        "",
    ),
)


COLUMNS = "| Key | Default | Accepted | Meaning |\n|---|---|---|---|"


def text() -> str:
    """All keys with their defaults, each once; then what nodes have for themselves."""
    parts = [HEAD]
    known = set[tuple[str, str]]()
    for title, where, config, prefix in TABLES:
        parts += [f"\n## {title}\n\n{where}\n", COLUMNS]
        for name, value, limits in config.flat(prefix):
            key = (".".join(name.split(".")[-2:]), limits.doc)
            if key not in known:
                known.add(key)
                parts.append(row(name, value, limits))
    return "\n".join(parts) + "\n" + nodes_part() + measured_part()


def row(name: str, value: Any, limits: Any) -> str:
    """One line of a table."""
    shown = list(value) if isinstance(value, tuple) else value
    accepted = "true or false" if isinstance(value, bool) else str(limits)
    if isinstance(value, str) or (shown and isinstance(value, tuple)):
        words = [value] if isinstance(value, str) else shown
        if all(isinstance(word, str) for word in words):
            accepted = accepted.replace("finite", "text")
    default = f"`{shown}`" if shown != "" else "empty"
    cells = (f"`{name}`", default, accepted, limits.doc)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def node_tables() -> dict[str, tuple[Configuration, ...]]:
    """Return what each node declares for itself; needs ROS 2's client library."""
    from biped_slip.robots.unitree.arming import ArmingConfig
    from biped_slip.ros.controlled_robot import ControllerNodeConfig
    from biped_slip.ros.humanoid_robot import HumanoidRobotConfig
    from biped_slip.ros.nodes import (
        base_estimator,
        contact_simulator,
        foot_estimator,
        friction_estimator,
        friction_governor,
        friction_markers,
        odom_transform,
        recording_player,
        topic_recorder,
        unitree_bridge,
        viewer,
        wait_for_active,
    )
    from biped_slip.ros.planar_parameters import RobotConfig, WalkingChoice
    from biped_slip.ros.robot_node import NodeConfig

    return {
        "Every node": (NodeConfig(),),
        "Nodes of the planar biped": (WalkingChoice(), RobotConfig(), FloorConfig()),
        "`walking_controller`": (ControllerNodeConfig(), HumanoidRobotConfig()),
        "`friction_estimator`": (friction_estimator.EstimatorNodeConfig(),),
        "`friction_governor`": (friction_governor.GovernorNodeConfig(),),
        "`foot_estimator`": (foot_estimator.FootEstimatorConfig(),),
        "`contact_simulator`": (
            contact_simulator.ScenarioChoice(),
            contact_simulator.SimulatorNodeConfig(),
        ),
        "`base_estimator`": (
            base_estimator.BaseEstimatorConfig(),
            FloatingBaseConfig(),
        ),
        "`odom_transform`": (odom_transform.OdomTransformConfig(),),
        "`recording_player`": (recording_player.PlayerConfig(),),
        "`topic_recorder`": (topic_recorder.RecorderConfig(),),
        "`unitree_bridge`": (unitree_bridge.BridgeConfig(), ArmingConfig()),
        "`friction_markers`": (
            friction_markers.MarkersNodeConfig(),
            friction_markers.MarkerConfig(),
        ),
        "`viewer`": (viewer.ViewerConfig(),),
        "`wait_for_active`": (wait_for_active.WaitConfig(),),
    }


def nodes_part() -> str:
    """Return the tables of the nodes; without ROS as they stand in the page."""
    if find_spec("rclpy") is None:
        _, _, after = PAGE.read_text(encoding="utf-8").partition(NODES_HEAD)
        return NODES_HEAD + after.partition(MEASURED)[0]
    parts = [NODES_HEAD]
    for title, configs in node_tables().items():
        parts += [f"### {title}\n", COLUMNS]
        parts += [
            row(*leaf)
            for config in configs
            for leaf in config.flat(NODE_PREFIXES.get(type(config), ""))
        ]
        parts.append("")
    return "\n".join(parts)


def measured_part() -> str:
    """Return the part of the page that a study has measured, as it stands."""
    _, heading, measured = PAGE.read_text(encoding="utf-8").partition(MEASURED)
    return heading + measured


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
