# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction-aware walking: estimate the floor's friction before slip, and walk accordingly.

::

    import biped_slip as bs

    table = bs.estimate_friction({"time": t, "force_x": fx, "force_normal": fn, "displacement_x": x})
    result = bs.run_walk(bs.chosen_scenario("thesis"), "interval")

Every name of ``__all__`` is loaded when it is first asked for: laws, estimators and recordings need neither Pinocchio
nor CasADi, MuJoCo or ROS. What each is: docs/api.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biped_slip.compile.kernel import kernel
    from biped_slip.config import Configuration, configuration, parameter, section
    from biped_slip.contact.laws import contact_law
    from biped_slip.contact.normal_law import NormalLaw
    from biped_slip.contact.normal_laws import normal_law, normal_law_names
    from biped_slip.contact.point_law import ContactLaw
    from biped_slip.control.ratio_limit import RatioLimit
    from biped_slip.errors import BipedSlipError
    from biped_slip.estimation.foot_measurement import FloorConfig
    from biped_slip.estimation.raw_readings import HumanoidReadings, RawReadings
    from biped_slip.estimation.readings import SensorReadings
    from biped_slip.friction_estimation.registry import EstimatorSettings, estimator_names, make_estimator
    from biped_slip.friction_estimation.types import (
        NO_ESTIMATE,
        EstimateState,
        FootMeasurement,
        FrictionEstimate,
        FrictionEstimator,
    )
    from biped_slip.friction_laws.law import FrictionLaw, FrictionMemory
    from biped_slip.friction_laws.registry import friction_law, friction_law_names
    from biped_slip.recordings.answers import Answer, summary
    from biped_slip.recordings.figures import replay_figure
    from biped_slip.recordings.foot_arrays import EstimateTable, estimate_friction, foot_series
    from biped_slip.recordings.formats import Recording, RecordingFormat
    from biped_slip.recordings.gait import Overrides
    from biped_slip.recordings.layout import Processing
    from biped_slip.recordings.read import read_recording
    from biped_slip.recordings.registry import format_names
    from biped_slip.recordings.replay import Replay, replay
    from biped_slip.recordings.replay_file import replay_file
    from biped_slip.recordings.report import write_report
    from biped_slip.recordings.series import TimeSeries
    from biped_slip.reports.figures import save_figure
    from biped_slip.reports.humanoid.report import write_humanoid_report
    from biped_slip.reports.planar.report import write_walk_report
    from biped_slip.robots.humanoid import Humanoid, load_humanoid
    from biped_slip.robots.planar_biped import planar_biped
    from biped_slip.robots.robot import Robot
    from biped_slip.simulation.humanoid.summary import HumanoidSummary, summarise_humanoid
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from biped_slip.simulation.humanoid.walk_config import HumanoidWalkConfig, chosen_walk
    from biped_slip.simulation.planar.run import WalkResult, chosen_scenario, run_walk
    from biped_slip.simulation.planar.scenario import ScenarioConfig
    from biped_slip.simulation.planar.summary import WalkSummary
    from biped_slip.walking.config import PlanarWalkingConfig
    from biped_slip.walking.controller import Controller, ControlOutput
    from biped_slip.walking.humanoid import HumanoidOutput
    from biped_slip.walking.humanoid_config import HumanoidWalkingConfig, chosen_walking
    from biped_slip.walking.humanoid_registry import humanoid_controller, humanoid_controller_names
    from biped_slip.walking.planar import PlanarController, PlanarOutput
    from biped_slip.walking.planar_registry import PlanarSite, planar_controller, planar_controller_names
    from biped_slip.walking.slip_policy import PolicySettings, SlipPolicy, slip_policy, slip_policy_names

__version__ = "0.1.0"

#: Where each name is; the block above says the same to editors and type checkers.
_MODULES = {
    "compile.kernel": ("kernel",),
    "config": ("Configuration", "configuration", "parameter", "section"),
    "contact.laws": ("contact_law",),
    "contact.normal_law": ("NormalLaw",),
    "contact.normal_laws": ("normal_law", "normal_law_names"),
    "contact.point_law": ("ContactLaw",),
    "control.ratio_limit": ("RatioLimit",),
    "errors": ("BipedSlipError",),
    "estimation.foot_measurement": ("FloorConfig",),
    "estimation.raw_readings": ("HumanoidReadings", "RawReadings"),
    "estimation.readings": ("SensorReadings",),
    "friction_estimation.registry": ("EstimatorSettings", "estimator_names", "make_estimator"),
    "friction_estimation.types": (
        *("NO_ESTIMATE", "EstimateState", "FootMeasurement", "FrictionEstimate", "FrictionEstimator"),
    ),
    "friction_laws.law": ("FrictionLaw", "FrictionMemory"),
    "friction_laws.registry": ("friction_law", "friction_law_names"),
    "recordings.answers": ("Answer", "summary"),
    "recordings.figures": ("replay_figure",),
    "recordings.foot_arrays": ("EstimateTable", "estimate_friction", "foot_series"),
    "recordings.formats": ("Recording", "RecordingFormat"),
    "recordings.gait": ("Overrides",),
    "recordings.layout": ("Processing",),
    "recordings.read": ("read_recording",),
    "recordings.registry": ("format_names",),
    "recordings.replay": ("Replay", "replay"),
    "recordings.replay_file": ("replay_file",),
    "recordings.report": ("write_report",),
    "recordings.series": ("TimeSeries",),
    "reports.figures": ("save_figure",),
    "reports.humanoid.report": ("write_humanoid_report",),
    "reports.planar.report": ("write_walk_report",),
    "robots.humanoid": ("Humanoid", "load_humanoid"),
    "robots.planar_biped": ("planar_biped",),
    "robots.robot": ("Robot",),
    "simulation.humanoid.summary": ("HumanoidSummary", "summarise_humanoid"),
    "simulation.humanoid.walk": ("HumanoidWalk",),
    "simulation.humanoid.walk_config": ("HumanoidWalkConfig", "chosen_walk"),
    "simulation.planar.run": ("WalkResult", "chosen_scenario", "run_walk"),
    "simulation.planar.scenario": ("ScenarioConfig",),
    "simulation.planar.summary": ("WalkSummary",),
    "walking.config": ("PlanarWalkingConfig",),
    "walking.controller": ("ControlOutput", "Controller"),
    "walking.humanoid": ("HumanoidOutput",),
    "walking.humanoid_config": ("HumanoidWalkingConfig", "chosen_walking"),
    "walking.planar": ("PlanarController", "PlanarOutput"),
    "walking.humanoid_registry": ("humanoid_controller", "humanoid_controller_names"),
    "walking.planar_registry": ("PlanarSite", "planar_controller", "planar_controller_names"),
    "walking.slip_policy": ("PolicySettings", "SlipPolicy", "slip_policy_names", "slip_policy"),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [  # noqa: RUF022 - written out for type checkers; a test compares it with the table
    "Answer", "BipedSlipError", "Configuration", "ContactLaw", "ControlOutput", "Controller", "EstimateState",
    "EstimateTable", "EstimatorSettings", "FloorConfig", "FootMeasurement", "FrictionEstimate", "FrictionEstimator",
    "FrictionLaw", "FrictionMemory", "Humanoid", "HumanoidOutput", "HumanoidReadings", "HumanoidSummary",
    "HumanoidWalk", "HumanoidWalkConfig", "HumanoidWalkingConfig", "NO_ESTIMATE", "NormalLaw", "Overrides",
    "PlanarController", "PlanarOutput", "PlanarSite", "PlanarWalkingConfig", "PolicySettings", "Processing",
    "RatioLimit", "RawReadings", "Recording", "RecordingFormat", "Replay", "Robot", "ScenarioConfig",
    "SensorReadings", "SlipPolicy", "TimeSeries", "WalkResult", "WalkSummary", "chosen_scenario", "chosen_walk",
    "chosen_walking", "configuration", "contact_law", "estimate_friction", "estimator_names", "foot_series",
    "format_names", "friction_law", "friction_law_names", "humanoid_controller", "humanoid_controller_names",
    "kernel", "load_humanoid", "make_estimator", "normal_law", "normal_law_names", "parameter", "planar_biped",
    "planar_controller", "planar_controller_names", "read_recording", "replay", "replay_figure", "replay_file",
    "run_walk", "save_figure", "section", "slip_policy", "slip_policy_names", "summarise_humanoid", "summary",
    "write_humanoid_report", "write_report", "write_walk_report",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)
    except ModuleNotFoundError as error:
        from biped_slip.errors import missing_extra

        raise missing_extra(f"{__name__}.{name}", error) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
