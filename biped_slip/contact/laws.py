# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From a name in a scenario file to a contact law: ``hunt_crossley + bliman_sorine``, ``bruneau``, ``khadiv``."""

from __future__ import annotations

from typing import Any, Mapping

from biped_slip.contact.normal_laws import normal_law
from biped_slip.contact.point_law import ContactLaw
from biped_slip.errors import InvalidParameter, UnknownName
from biped_slip.friction_laws.registry import friction_law

BRUNEAU_NORMAL = {"stiffness": 9950.0, "damping": 450.0, "stiffness_exponent": 1.2, "damping_exponent": 0.02}  # B.2


def contact_law(name: str, parameters: Mapping[str, Any] | None = None) -> ContactLaw:
    """The law that a scenario names.

    Args:
        name: ``<normal law> + <friction law>``, or a paper's pair: ``bruneau`` (B.2, per point), ``khadiv`` (E.3, E.4).
            A law from outside the package is an entry point's name, or says where it is: ``FILE.py:NAME``.
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
    first, plus, second = (part.strip() for part in name.partition("+"))
    if not plus:
        raise InvalidParameter("contact", name, "'<normal law> + <friction law>', 'bruneau' or 'khadiv'")
    return ContactLaw(
        normal_law(first).from_mapping(normal, "contact.normal"),
        friction_law(second).from_mapping(friction, "contact.friction"),
    )
