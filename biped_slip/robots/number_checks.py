# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a robot description that no body, joint or motor has; parsers take some for zero without a word."""

from __future__ import annotations

import math
from xml.etree import ElementTree

from biped_slip.errors import InvalidParameter

LARGEST = 1e9  # in any unit of a description: nothing that walks is so heavy, long, strong or fast (choice)
MOMENTS = ("ixx", "iyy", "izz")
#: Numbers by element and attribute; an attribute may have several.
NUMBERS = {
    "mass": ("value",),
    "inertia": (*MOMENTS, "ixy", "ixz", "iyz"),
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "limit": ("lower", "upper", "effort", "velocity"),
}
POSITIVE = {("mass", "value"), ("limit", "effort"), ("limit", "velocity"), *(("inertia", axis) for axis in MOMENTS)}
REMEDY = "correct the description"


def check_numbers(urdf: str, moments: bool = True) -> None:
    """Every number of links and joints is finite and no mass, moment (where asked for), limit or range is negative.

    Raises:
        InvalidParameter: with the link or joint, the value and what is allowed.
    """
    try:
        robot = ElementTree.fromstring(urdf)
    except ElementTree.ParseError:
        return  # whoever reads it says so
    for owner in (*robot.findall("link"), *robot.findall("joint")):
        name = f"{owner.tag} {owner.get('name', '')}"
        for element in owner.iter():
            for attribute in NUMBERS.get(element.tag, ()):
                for text in element.get(attribute, "").split():
                    signed = attribute in MOMENTS and not moments
                    _check(
                        f"{name}: {element.tag} {attribute}", text, not signed and (element.tag, attribute) in POSITIVE
                    )
        for limit in owner.findall("limit"):
            lower, upper = (float(limit.get(end, "0")) for end in ("lower", "upper"))
            if lower > upper:
                raise InvalidParameter(f"{name}: lower limit", lower, f"<= its upper limit {upper:g}", REMEDY)


def _check(name: str, text: str, positive: bool) -> None:
    try:
        value = float(text)
    except ValueError:
        raise InvalidParameter(name, text, "a number", REMEDY) from None
    if not math.isfinite(value) or abs(value) > LARGEST:
        raise InvalidParameter(name, text, f"finite and within {LARGEST:g}", REMEDY)
    if positive and value < 0.0:
        raise InvalidParameter(name, value, ">= 0", REMEDY)
