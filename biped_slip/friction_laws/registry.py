# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Registry of friction laws, for scenarios, comparison and Python.

A new law is its file and a line here, an entry point of the group
``biped_slip.friction_laws``, or ``FILE.py:NAME``.
"""

from __future__ import annotations

from biped_slip.friction_laws.bristle_laws import (
    BlimanSorineConfig,
    BlimanSorineSecondOrderConfig,
    DahlConfig,
    ElastoPlasticConfig,
    LuGreConfig,
    SurfaceConfig,
)
from biped_slip.friction_laws.hysteresis_laws import IwanConfig, MaxwellSlipConfig
from biped_slip.friction_laws.law import FrictionLaw
from biped_slip.friction_laws.spring_laws import (
    ArmstrongConfig,
    BruneauFrictionConfig,
    FeatherstoneConfig,
    ParkKwonConfig,
)
from biped_slip.friction_laws.velocity_laws import (
    KarnoppConfig,
    PeasgoodConfig,
    RegularisedConfig,
    StribeckConfig,
)
from biped_slip.plugins import named_class, names

GROUP = "biped_slip.friction_laws"

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
    "surface": SurfaceConfig,
    "maxwell_slip": MaxwellSlipConfig,
    "iwan": IwanConfig,
    "park_kwon": ParkKwonConfig,
    "peasgood": PeasgoodConfig,
    "regularised": RegularisedConfig,
    "bruneau": BruneauFrictionConfig,
}


def friction_law_names() -> list[str]:
    """List the names of all friction laws, those of installed packages included."""
    return names(GROUP, FRICTION_LAWS)


def friction_law(name: str) -> type[FrictionLaw]:
    """Look up a friction law: a configuration class with its kernels and closed forms.

    Args:
        name: of a shipped or installed law, or ``FILE.py:NAME``.

    Raises:
        UnknownName: no such law.
        InvalidParameter: what the name points to is no friction law.
    """
    return named_class("friction law", GROUP, FRICTION_LAWS, name, FrictionLaw)
