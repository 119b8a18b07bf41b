# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""All friction laws by name: the one table that scenarios, the comparison and Python read.

A new law is its file and a line here, an entry point of the group ``biped_slip.friction_laws``, or ``FILE.py:NAME``.
"""

from __future__ import annotations

from biped_slip.friction_laws.armstrong import ArmstrongConfig
from biped_slip.friction_laws.bliman_sorine import BlimanSorineConfig
from biped_slip.friction_laws.bliman_sorine_second_order import BlimanSorineSecondOrderConfig
from biped_slip.friction_laws.bruneau import BruneauFrictionConfig
from biped_slip.friction_laws.dahl import DahlConfig
from biped_slip.friction_laws.elasto_plastic import ElastoPlasticConfig
from biped_slip.friction_laws.featherstone import FeatherstoneConfig
from biped_slip.friction_laws.iwan import IwanConfig
from biped_slip.friction_laws.karnopp import KarnoppConfig
from biped_slip.friction_laws.law import FrictionLaw
from biped_slip.friction_laws.lugre import LuGreConfig
from biped_slip.friction_laws.maxwell_slip import MaxwellSlipConfig
from biped_slip.friction_laws.park_kwon import ParkKwonConfig
from biped_slip.friction_laws.peasgood import PeasgoodConfig
from biped_slip.friction_laws.regularised import RegularisedConfig
from biped_slip.friction_laws.stribeck import StribeckConfig
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
    "maxwell_slip": MaxwellSlipConfig,
    "iwan": IwanConfig,
    "park_kwon": ParkKwonConfig,
    "peasgood": PeasgoodConfig,
    "regularised": RegularisedConfig,
    "bruneau": BruneauFrictionConfig,
}


def friction_law_names() -> list[str]:
    """Names of all friction laws, those of installed packages included."""
    return names(GROUP, FRICTION_LAWS)


def friction_law(name: str) -> type[FrictionLaw]:
    """The friction law of a name: a configuration whose kernels and closed forms belong to it.

    Raises:
        UnknownName: no such law.
        InvalidParameter: what the name points to is no friction law.
    """
    return named_class("friction law", GROUP, FRICTION_LAWS, name, FrictionLaw)
