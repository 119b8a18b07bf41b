# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""docs/api.md from the docstrings of what `import biped_slip` offers; ``python
test/api_page.py`` writes it."""

import inspect
import re
from enum import Enum
from pathlib import Path

import biped_slip as bs

PAGE = Path(__file__).parents[1] / "docs/api.md"
REFERENCE = Path(__file__).parents[1] / "docs/reference.md"
REFERENCE_HEAD = """# What does each public name take and return?

Every public name with its docstring: types, shapes, units, errors, source. On one page: [what there is](api.md);
programs that use them: `examples/` and the [tutorials](tutorials/walk.md).
"""
HEAD = """# What does `import biped_slip as bs` offer?

Written by `python test/api_page.py` from the docstrings; a test compares them. Names load at first
use: *Friction laws*, *Estimators* and *Recordings* need NumPy, SciPy and numba (pictures Matplotlib), *Robots*, *Walks*
and *Controllers* Pinocchio and CasADi as well, and nothing here needs ROS.

Forces are those of the ground on the foot, motion is that of the foot relative to the ground, x forward along the foot,
y to its left, z up: a foot that is dragged forward feels a negative `force_x`. SI units; feet in the order left, right.
"""
VALUES = {"NO_CONTEXT", "NO_ESTIMATE", "NO_MEASUREMENT"}
SECTIONS = {
    "Estimators": (
        *(
            "estimate_friction",
            "EstimateTable",
            "make_estimator",
            "estimator_names",
            "EstimatorSettings",
        ),
        *(
            "FrictionEstimator",
            "FootMeasurement",
            "FootContext",
            "NO_CONTEXT",
            "FrictionEstimate",
            "NO_ESTIMATE",
            "NO_MEASUREMENT",
            "EstimateState",
        ),
    ),
    "Recordings": (
        *(
            "replay_file",
            "Answer",
            "summary",
            "write_report",
            "read_recording",
            "Recording",
            "replay",
            "Replay",
        ),
        *(
            "foot_series",
            "TimeSeries",
            "Processing",
            "Overrides",
            "RecordingFormat",
            "Plate",
            "Markers",
            "plates_recording",
            "format_names",
        ),
        *("replay_figure", "save_figure"),
    ),
    "Gait laboratory": (
        "gait_trial",
        "TrialSteps",
        "gait_study",
        "StudySteps",
        "GaitSettings",
    ),
    "Friction laws": (
        *(
            "contact_law",
            "ContactLaw",
            "friction_law",
            "friction_law_names",
            "FrictionLaw",
            "DamperLaw",
            "FrictionMemory",
        ),
        *("normal_law", "normal_law_names", "NormalLaw"),
    ),
    "Walks": (
        *(
            "run_walk",
            "chosen_scenario",
            "ScenarioConfig",
            "WalkResult",
            "WalkSummary",
            "write_walk_report",
        ),
        *(
            "HumanoidWalk",
            "chosen_walk",
            "HumanoidWalkConfig",
            "summarise_humanoid",
            "HumanoidSummary",
        ),
        "write_humanoid_report",
    ),
    "Robots": ("load_humanoid", "Humanoid", "planar_biped", "Robot"),
    "Policies for slip": (
        "slip_policy",
        "slip_policy_names",
        "SlipPolicy",
        "PolicySettings",
        "LimitRuleConfig",
        "RatioLimit",
    ),
    "Controllers": (
        *(
            "Controller",
            "ControlOutput",
            "planar_controller",
            "planar_controller_names",
            "PlanarController",
        ),
        *(
            "PlanarOutput",
            "PlanarSite",
            "FloorConfig",
            "PlanarWalkingConfig",
            "SensorReadings",
        ),
        *(
            "humanoid_controller",
            "humanoid_controller_names",
            "HumanoidOutput",
            "HumanoidWalkingConfig",
        ),
        *("chosen_walking", "HumanoidReadings", "RawReadings"),
    ),
    "Configurations, kernels, errors": (
        *(
            "configuration",
            "parameter",
            "section",
            "Configuration",
            "kernel",
            "BipedSlipError",
        ),
    ),
}


def text() -> str:
    """The whole page."""
    parts = [HEAD]
    for heading, names in SECTIONS.items():
        parts += [f"\n## {heading}\n", *map(entry, names)]
    return "\n".join(parts) + "\n"


def reference() -> str:
    """The page of which the site makes all docstrings."""
    parts = [REFERENCE_HEAD]
    for heading, names in SECTIONS.items():
        parts += [f"\n## {heading}\n\n```{{eval-rst}}", *map(directive, names), "```"]
    return "\n".join(parts) + "\n"


def directive(name: str) -> str:
    """Directive of the site's builder; values have the docstring of their class."""
    value = getattr(bs, name)
    if inspect.isclass(value):
        plain = (
            issubclass(value, (tuple, Enum, bs.Configuration))
            and value is not bs.Configuration
        )
        return f".. autoclass:: biped_slip.{name}" + ("" if plain else "\n   :members:")
    if name in VALUES:
        return f".. py:data:: biped_slip.{name}"
    return f".. autofunction:: biped_slip.{name}"


def entry(name: str) -> str:
    """One name: how it is called, what it is, where it is."""
    value = getattr(bs, name)
    words = re.sub(
        r":\w+:`([^`]+)`",
        r"`\1`",
        " ".join(inspect.getdoc(value).split("\n\n")[0].splitlines()),
    )
    return f"- **`{name}{called(value)}`** {words} (`{bs._PLACES[name]}`)"


def called(value: object) -> str:
    """Names of a function's parameters, those with a default marked so."""
    if not inspect.isfunction(inspect.unwrap(value)):
        return ""
    parameters = inspect.signature(value).parameters.values()
    return f"({', '.join(one.name + ('=…' if one.default is not one.empty else '') for one in parameters)})"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
    REFERENCE.write_text(reference(), encoding="utf-8")
