# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""docs/parameters.md from the configurations; ``python test/scenario_page.py`` writes
it."""

from pathlib import Path

from biped_slip.comparison.plan import ComparisonConfig, WalkerConfig
from biped_slip.config import Configuration
from biped_slip.control.friction_governor import FrictionGovernorConfig
from biped_slip.control.supervisor import SupervisorConfig
from biped_slip.estimation.health import HealthConfig
from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig
from biped_slip.simulation.planar.scenario import ScenarioConfig
from biped_slip.walking.policy_layout import LearnedPolicyConfig

PAGE = Path(__file__).parents[1] / "docs/parameters.md"
HEAD = """# Which parameters are there, and what do they mean?

Keys of YAML files, nested at the dots, and names of ROS parameters; what is left out keeps its default. Written by
`python test/scenario_page.py` from the configurations; a test compares. Parameters of a node alone (period, topics,
frames): `ros2 param describe /NODE NAME`, or `config/walk.yaml`.
"""
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


def text() -> str:
    """All keys with their defaults, each once."""
    parts = [HEAD]
    known = set[tuple[str, str]]()
    for title, where, config, prefix in TABLES:
        parts += [
            f"\n## {title}\n\n{where}\n",
            "| Key | Default | Accepted | Meaning |\n|---|---|---|---|",
        ]
        for name, value, limits in config.flat(prefix):
            key = (".".join(name.split(".")[-2:]), limits.doc)
            if key not in known:
                known.add(key)
                shown = list(value) if isinstance(value, tuple) else value
                accepted = "true or false" if isinstance(value, bool) else str(limits)
                if isinstance(value, str):
                    accepted = accepted.replace("finite", "text")
                cells = (f"`{name}`", f"`{shown}`", accepted, limits.doc)
                parts.append(
                    "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
                )
    return "\n".join(parts) + "\n" + measured_part()


def measured_part() -> str:
    """Return the part of the page that a study has measured, as it stands."""
    _, heading, measured = PAGE.read_text(encoding="utf-8").partition(MEASURED)
    return heading + measured


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
