# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations as ROS parameters, with description, unit and range, and back."""

from __future__ import annotations

import math
import sys
from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from biped_slip.config import Configuration, Limits, renaming
from biped_slip.errors import BipedSlipError

_LARGEST_INTEGER = 2**63 - 1
_PARAMETER_TYPES = {  # bool before int: a bool is an int, too
    bool: (Parameter.Type.BOOL, Parameter.Type.BOOL_ARRAY),
    int: (Parameter.Type.INTEGER, Parameter.Type.INTEGER_ARRAY),
    float: (Parameter.Type.DOUBLE, Parameter.Type.DOUBLE_ARRAY),
    str: (Parameter.Type.STRING, Parameter.Type.STRING_ARRAY),
}

Config = TypeVar("Config", bound=Configuration)


def declare(node: Node, name: str, value: Any, limits: Limits) -> Any:
    """Declare one parameter and return its value.

    It is the given one unless it is set from outside.

    Raises:
        BipedSlipError: the value from outside has another type or is out of range.
    """
    kind = parameter_type(value)
    if limits.formerly:
        value = _under_its_old_name(node, name, value, limits)
    try:
        if not isinstance(value, (tuple, list)):
            return node.declare_parameter(name, value, descriptor(value, limits)).value
        node.declare_parameter(name, kind, descriptor(value, limits))
        return list(
            node.get_parameter_or(name, Parameter(name, kind, list(value))).value
        )
    except ParameterException as error:
        remedy = ""
        if kind in _PARAMETER_TYPES[float] and "'INTEGER" in str(error):
            remedy = "; write numbers with a decimal point, 1.0 for 1"
        raise BipedSlipError(
            f"parameter {name} must be {limits}: {error}{remedy}"
        ) from error


def _under_its_old_name(node: Node, name: str, value: Any, limits: Limits) -> Any:
    """Return the value set under the parameter's former name, with a warning.

    Without such a value, return the given one.
    """
    former = limits.formerly.split(".")
    old = ".".join([*name.split(".")[: -len(former)], *former])
    found = node.declare_parameter(
        old, descriptor=ParameterDescriptor(dynamic_typing=True)
    ).value
    node.undeclare_parameter(old)
    if found is None:
        return value
    node.get_logger().warning(renaming(old, name))
    return found


def declare_configuration(
    node: Node, config: Config, prefix: str = "", without: tuple[str, ...] = ()
) -> Config:
    """Declare every field below a prefix and return the configuration.

    It has the values set from outside.

    Tables, such as patches of a floor, are no parameters unless they are empty: they
    stay as they are.

    Args:
        node: where to declare.
        config: gives the defaults.
        prefix: of the parameter names, with its dot.
        without: fields of the configuration's first level that stay as they are.

    Raises:
        BipedSlipError: a value from outside is refused.
    """
    mapping = config.to_mapping()
    for name, value, limits in config.flat():
        first, *_ = name.split(".")
        table = isinstance(value, (tuple, list)) and any(
            isinstance(row, (tuple, list)) for row in value
        )
        if first not in without and not table:
            *path, last = name.split(".")
            place = mapping
            for part in path:
                place = place[part]
            place[last] = declare(node, prefix + name, value, limits)
    return type(config).from_mapping(mapping)


def parameter_type(value: Any) -> Parameter.Type:
    """Return the ROS type of a value; an empty sequence is one of doubles."""
    if isinstance(value, (tuple, list)):
        return next(
            many
            for kind, (_, many) in _PARAMETER_TYPES.items()
            if isinstance(value[0] if value else 0.0, kind)
        )
    return next(
        one for kind, (one, _) in _PARAMETER_TYPES.items() if isinstance(value, kind)
    )


def meaning(limits: Limits) -> str:
    """Describe a parameter with its unit and accepted values."""
    plain = Limits(
        doc=limits.doc,
        source=limits.source,
        read_only=limits.read_only,
        safe_direction=limits.safe_direction,
        formerly=limits.formerly,
    )
    accepted = "" if limits == plain else f"({limits})"
    unit = "" if limits.unit == "-" or limits.unit in accepted else f"[{limits.unit}]"
    live = "; live" if limits.live or limits.safe_direction else ""
    live += (
        f", while active only {limits.safe_direction}" if limits.safe_direction else ""
    )
    return " ".join(word for word in (limits.doc, unit, accepted) if word) + live


def descriptor(value: Any, limits: Limits) -> ParameterDescriptor:
    """Build the descriptor with unit, accepted range and source."""
    made = ParameterDescriptor(
        type=parameter_type(value).value,
        description=meaning(limits),
        additional_constraints=f"source: {limits.source}" if limits.source else "",
        read_only=not limits.live,
    )
    low = max(limits.low, limits.above)
    high = min(limits.high, limits.below)
    if (
        isinstance(value, bool)
        or limits.choices
        or not (math.isfinite(low) or math.isfinite(high))
    ):
        return made
    if isinstance(value, int):
        made.integer_range = [
            IntegerRange(
                from_value=int(low) if math.isfinite(low) else -_LARGEST_INTEGER,
                to_value=int(high) if math.isfinite(high) else _LARGEST_INTEGER,
            )
        ]
    elif isinstance(value, float):
        most = sys.float_info.max
        made.floating_point_range = [
            FloatingPointRange(from_value=max(low, -most), to_value=min(high, most))
        ]
    return made
