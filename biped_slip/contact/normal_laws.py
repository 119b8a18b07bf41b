# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All normal laws by name: the one table that scenarios, the comparison and Python read.

A new law is its file and a line here, an entry point of the group ``biped_slip.normal_laws``, or ``FILE.py:NAME``.
"""

from __future__ import annotations

from biped_slip.contact.bounded_penetration import BoundedPenetrationConfig
from biped_slip.contact.hertz import HertzConfig
from biped_slip.contact.hunt_crossley import HuntCrossleyConfig
from biped_slip.contact.kelvin_voigt import KelvinVoigtConfig
from biped_slip.contact.linear import LinearConfig
from biped_slip.contact.normal_law import NormalLaw
from biped_slip.contact.restitution import RestitutionConfig
from biped_slip.contact.step_damper import StepDamperConfig
from biped_slip.plugins import named_class, names

GROUP = "biped_slip.normal_laws"

NORMAL_LAWS: dict[str, type[NormalLaw]] = {
    "linear": LinearConfig,
    "kelvin_voigt": KelvinVoigtConfig,
    "hertz": HertzConfig,
    "hunt_crossley": HuntCrossleyConfig,
    "bounded_penetration": BoundedPenetrationConfig,
    "step_damper": StepDamperConfig,
    "restitution": RestitutionConfig,
}


def normal_law_names() -> list[str]:
    """Names of all normal laws, those of installed packages included."""
    return names(GROUP, NORMAL_LAWS)


def normal_law(name: str) -> type[NormalLaw]:
    """The normal law of a name: a configuration whose kernel and closed forms belong to it.

    Raises:
        UnknownName: no such law.
        InvalidParameter: what the name points to is no normal law.
    """
    return named_class("normal law", GROUP, NORMAL_LAWS, name, NormalLaw)
