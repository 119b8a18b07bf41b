# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction-aware walking: estimate the floor's friction before slip, walk accordingly.

::

    import biped_slip as bs

    columns = {"time": t, "force_x": fx, "force_normal": fn, "displacement_x": x}
    table = bs.estimate_friction(columns)
    result = bs.run_walk(bs.chosen_scenario("thesis"), "touchdown")

Every name of ``__all__`` is loaded at its first use: laws, estimators and recordings
need neither Pinocchio nor CasADi, MuJoCo or ROS. What each is: docs/api.md.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biped_slip.compile.kernel import kernel
    from biped_slip.config import Configuration, configuration, parameter, section
    from biped_slip.contact.normal_laws import NormalLaw, normal_law, normal_law_names
    from biped_slip.contact.point_contact import ContactLaw, contact_law
    from biped_slip.errors import BipedSlipError
    from biped_slip.estimation.planar_feet import FloorConfig
    from biped_slip.estimation.readings import (
        HumanoidReadings,
        RawReadings,
        SensorReadings,
    )
    from biped_slip.friction_estimation.limits import LimitRuleConfig, RatioLimit
    from biped_slip.friction_estimation.registry import estimator_names, make_estimator
    from biped_slip.friction_estimation.settings import EstimatorSettings
    from biped_slip.friction_estimation.types import (
        NO_CONTEXT,
        NO_ESTIMATE,
        NO_MEASUREMENT,
        EstimateState,
        FootContext,
        FootMeasurement,
        FrictionEstimate,
        FrictionEstimator,
    )
    from biped_slip.friction_laws.law import DamperLaw, FrictionLaw, FrictionMemory
    from biped_slip.friction_laws.registry import friction_law, friction_law_names
    from biped_slip.gait_laboratory.from_python import (
        StudySteps,
        gait_study,
        gait_trial,
    )
    from biped_slip.gait_laboratory.trial import GaitSettings, TrialSteps
    from biped_slip.recordings.answer import Answer, Replay, summary
    from biped_slip.recordings.foot_arrays import (
        EstimateTable,
        estimate_friction,
        foot_series,
    )
    from biped_slip.recordings.gait import Overrides, Recording, RecordingFormat
    from biped_slip.recordings.layout import Processing
    from biped_slip.recordings.markers import Markers
    from biped_slip.recordings.plate_series import plates_recording
    from biped_slip.recordings.plates import Plate
    from biped_slip.recordings.registry import format_names, read_recording
    from biped_slip.recordings.replay import replay, replay_file
    from biped_slip.recordings.report import replay_figure, write_report
    from biped_slip.recordings.series import TimeSeries
    from biped_slip.reports.figures import save_figure
    from biped_slip.reports.walks import write_humanoid_report, write_walk_report
    from biped_slip.robots.humanoid import Humanoid, load_humanoid
    from biped_slip.robots.planar_biped import planar_biped
    from biped_slip.robots.robot import Robot
    from biped_slip.simulation.humanoid.scenario import HumanoidWalkConfig, chosen_walk
    from biped_slip.simulation.humanoid.summary import (
        HumanoidSummary,
        summarise_humanoid,
    )
    from biped_slip.simulation.humanoid.walk import HumanoidWalk
    from biped_slip.simulation.planar.scenario import ScenarioConfig, chosen_scenario
    from biped_slip.simulation.planar.summary import WalkSummary
    from biped_slip.simulation.planar.walk import WalkResult, run_walk
    from biped_slip.walking.controller import Controller, ControlOutput
    from biped_slip.walking.humanoid import (
        HumanoidOutput,
        HumanoidWalkingConfig,
        chosen_walking,
    )
    from biped_slip.walking.planar import (
        PlanarController,
        PlanarOutput,
        PlanarSite,
        PlanarWalkingConfig,
    )
    from biped_slip.walking.registry import (
        humanoid_controller,
        humanoid_controller_names,
        planar_controller,
        planar_controller_names,
    )
    from biped_slip.walking.slip_policies import (
        PolicySettings,
        SlipPolicy,
        slip_policy,
        slip_policy_names,
    )

__version__ = "0.1.0"

#: Module of each name; the block above is the same for editors and type checkers.
_MODULES = {
    "compile.kernel": "kernel",
    "config": "configuration Configuration parameter section",
    "contact.normal_laws": "normal_law normal_law_names NormalLaw",
    "contact.point_contact": "contact_law ContactLaw",
    "friction_estimation.limits": "LimitRuleConfig RatioLimit",
    "errors": "BipedSlipError",
    "estimation.planar_feet": "FloorConfig",
    "estimation.readings": "HumanoidReadings RawReadings SensorReadings",
    "friction_estimation.registry": "estimator_names make_estimator",
    "friction_estimation.settings": "EstimatorSettings",
    "friction_estimation.types": "EstimateState FootContext FootMeasurement "
    "FrictionEstimate FrictionEstimator NO_CONTEXT NO_ESTIMATE NO_MEASUREMENT",
    "friction_laws.law": "DamperLaw FrictionLaw FrictionMemory",
    "friction_laws.registry": "friction_law friction_law_names",
    "gait_laboratory.from_python": "gait_study gait_trial StudySteps",
    "gait_laboratory.trial": "GaitSettings TrialSteps",
    "recordings.foot_arrays": "estimate_friction EstimateTable foot_series",
    "recordings.gait": "Overrides Recording RecordingFormat",
    "recordings.layout": "Processing",
    "recordings.markers": "Markers",
    "recordings.plate_series": "plates_recording",
    "recordings.plates": "Plate",
    "recordings.registry": "format_names read_recording",
    "recordings.answer": "Answer Replay summary",
    "recordings.replay": "replay replay_file",
    "recordings.report": "replay_figure write_report",
    "recordings.series": "TimeSeries",
    "reports.figures": "save_figure",
    "reports.walks": "write_humanoid_report write_walk_report",
    "robots.humanoid": "Humanoid load_humanoid",
    "robots.planar_biped": "planar_biped",
    "robots.robot": "Robot",
    "simulation.humanoid.scenario": "chosen_walk HumanoidWalkConfig",
    "simulation.humanoid.summary": "HumanoidSummary summarise_humanoid",
    "simulation.humanoid.walk": "HumanoidWalk",
    "simulation.planar.scenario": "chosen_scenario ScenarioConfig",
    "simulation.planar.summary": "WalkSummary",
    "simulation.planar.walk": "run_walk WalkResult",
    "walking.controller": "Controller ControlOutput",
    "walking.humanoid": "chosen_walking HumanoidOutput HumanoidWalkingConfig",
    "walking.registry": "humanoid_controller humanoid_controller_names "
    "planar_controller planar_controller_names",
    "walking.slip_policies": "PolicySettings slip_policy slip_policy_names SlipPolicy",
    "walking.planar": "PlanarController PlanarOutput PlanarSite PlanarWalkingConfig",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [  # noqa: RUF022 - written out for type checkers; a test compares it with the table
    "Answer",
    "BipedSlipError",
    "Configuration",
    "ContactLaw",
    "ControlOutput",
    "Controller",
    "DamperLaw",
    "EstimateState",
    "EstimateTable",
    "EstimatorSettings",
    "FloorConfig",
    "FootContext",
    "FootMeasurement",
    "FrictionEstimate",
    "FrictionEstimator",
    "FrictionLaw",
    "FrictionMemory",
    "GaitSettings",
    "Humanoid",
    "HumanoidOutput",
    "HumanoidReadings",
    "HumanoidSummary",
    "HumanoidWalk",
    "HumanoidWalkConfig",
    "HumanoidWalkingConfig",
    "LimitRuleConfig",
    "Markers",
    "NO_CONTEXT",
    "NO_ESTIMATE",
    "NO_MEASUREMENT",
    "NormalLaw",
    "Overrides",
    "PlanarController",
    "PlanarOutput",
    "PlanarSite",
    "PlanarWalkingConfig",
    "Plate",
    "PolicySettings",
    "Processing",
    "RatioLimit",
    "RawReadings",
    "Recording",
    "RecordingFormat",
    "Replay",
    "Robot",
    "ScenarioConfig",
    "SensorReadings",
    "SlipPolicy",
    "StudySteps",
    "TimeSeries",
    "TrialSteps",
    "WalkResult",
    "WalkSummary",
    "chosen_scenario",
    "chosen_walk",
    "chosen_walking",
    "configuration",
    "contact_law",
    "estimate_friction",
    "estimator_names",
    "foot_series",
    "format_names",
    "friction_law",
    "friction_law_names",
    "gait_study",
    "gait_trial",
    "humanoid_controller",
    "humanoid_controller_names",
    "kernel",
    "load_humanoid",
    "make_estimator",
    "normal_law",
    "normal_law_names",
    "parameter",
    "planar_biped",
    "planar_controller",
    "planar_controller_names",
    "plates_recording",
    "read_recording",
    "replay",
    "replay_figure",
    "replay_file",
    "run_walk",
    "save_figure",
    "section",
    "slip_policy",
    "slip_policy_names",
    "summarise_humanoid",
    "summary",
    "write_humanoid_report",
    "write_report",
    "write_walk_report",
]


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
