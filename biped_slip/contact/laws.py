# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From a name in a scenario file to a contact law: ``hunt_crossley + bliman_sorine``, ``bruneau``, ``khadiv``."""

from __future__ import annotations

from typing import Any, Mapping

from biped_slip.contact.bounded_penetration import BoundedPenetrationConfig
from biped_slip.contact.hertz import HertzConfig
from biped_slip.contact.hunt_crossley import HuntCrossleyConfig
from biped_slip.contact.kelvin_voigt import KelvinVoigtConfig
from biped_slip.contact.linear import LinearConfig
from biped_slip.contact.normal_law import NormalLaw
from biped_slip.contact.point_law import ContactLaw
from biped_slip.contact.restitution import RestitutionConfig
from biped_slip.contact.step_damper import StepDamperConfig
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.friction_laws.armstrong import ArmstrongConfig
from biped_slip.friction_laws.bliman_sorine import BlimanSorineConfig
from biped_slip.friction_laws.bliman_sorine_second_order import BlimanSorineSecondOrderConfig
from biped_slip.friction_laws.bruneau import BruneauFrictionConfig
from biped_slip.friction_laws.dahl import DahlConfig
from biped_slip.friction_laws.elasto_plastic import ElastoPlasticConfig
from biped_slip.friction_laws.featherstone import FeatherstoneConfig
from biped_slip.friction_laws.karnopp import KarnoppConfig
from biped_slip.friction_laws.law import FrictionLaw
from biped_slip.friction_laws.lugre import LuGreConfig
from biped_slip.friction_laws.park_kwon import ParkKwonConfig
from biped_slip.friction_laws.peasgood import PeasgoodConfig
from biped_slip.friction_laws.regularised import RegularisedConfig
from biped_slip.friction_laws.stribeck import StribeckConfig

NORMAL_LAWS: dict[str, type[NormalLaw]] = {
    "linear": LinearConfig,
    "kelvin_voigt": KelvinVoigtConfig,
    "hertz": HertzConfig,
    "hunt_crossley": HuntCrossleyConfig,
    "bounded_penetration": BoundedPenetrationConfig,
    "step_damper": StepDamperConfig,
    "restitution": RestitutionConfig,
}

FRICTION_LAWS: dict[str, type[FrictionLaw]] = {
    "stribeck": StribeckConfig,
    "karnopp": KarnoppConfig,
    "armstrong": ArmstrongConfig,
    "featherstone": FeatherstoneConfig,
    "dahl": DahlConfig,
    "lugre": LuGreConfig,
    "bliman_sorine": BlimanSorineConfig,
    "bliman_sorine_second_order": BlimanSorineSecondOrderConfig,
    "elasto_plastic": ElastoPlasticConfig,
    "park_kwon": ParkKwonConfig,
    "peasgood": PeasgoodConfig,
    "regularised": RegularisedConfig,
    "bruneau": BruneauFrictionConfig,
}

BRUNEAU_NORMAL = {"stiffness": 9950.0, "damping": 450.0, "stiffness_exponent": 1.2, "damping_exponent": 0.02}  # B.2


def contact_law(name: str, parameters: Mapping[str, Any] | None = None) -> ContactLaw:
    """The law that a scenario names.

    Args:
        name: ``<normal law> + <friction law>``, or a paper's pair: ``bruneau`` (B.2, per point), ``khadiv`` (E.3, E.4).
        parameters: ``{"normal": {...}, "friction": {...}}``; what is left out keeps its default.
    """
    parameters = parameters or {}
    unknown = sorted(set(parameters) - {"normal", "friction"})
    if unknown:
        raise UnknownName("parameter", f"contact.{unknown[0]}", ["contact.normal", "contact.friction"])
    normal, friction = parameters.get("normal") or {}, parameters.get("friction") or {}
    if name == "bruneau":
        name, normal = "hunt_crossley + bruneau", {**BRUNEAU_NORMAL, **normal}
    elif name == "khadiv":
        name = "bounded_penetration + regularised"
    parts = [part.strip() for part in name.split("+")]
    if len(parts) != 2:
        raise InvalidParameter("contact", name, "'<normal law> + <friction law>', 'bruneau' or 'khadiv'")
    if parts[0] not in NORMAL_LAWS:
        raise UnknownName("normal law", parts[0], list(NORMAL_LAWS))
    if parts[1] not in FRICTION_LAWS:
        raise UnknownName("friction law", parts[1], list(FRICTION_LAWS))
    return ContactLaw(
        NORMAL_LAWS[parts[0]].from_mapping(normal, "contact.normal"),
        FRICTION_LAWS[parts[1]].from_mapping(friction, "contact.friction"),
    )
