# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters that may change while a node runs: some freely, others only towards their safe side while it is active."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, NamedTuple

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter

from biped_slip.config import Configuration, Limits


class _Watched(NamedTuple):
    """A configuration of which some fields are live."""

    prefix: str
    limits: dict[str, Limits]  # of the live fields
    apply: Callable[[Any], None]


class LiveParameters:
    """Answers requests to change parameters; what is not watched is left to its descriptor.

    Args:
        node: a node that is ``active`` or not.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._watched: list[_Watched] = []
        self._configs: list[Configuration] = []
        node.add_on_set_parameters_callback(self._set)

    def watch(self, config: Configuration, apply: Callable[[Any], None], prefix: str = "") -> None:
        """From now on hand a changed configuration to ``apply``; nested configurations are not looked into."""
        limits = {name: limit for name, _, limit in config.flat() if "." not in name and limit.live}
        self._watched.append(_Watched(prefix, limits, apply))
        self._configs.append(config)

    def _set(self, changes: list[Parameter]) -> SetParametersResult:
        changed: dict[int, Configuration] = {}
        for change in changes:
            found = self._field(change.name)
            if found is None:
                continue
            number, name = found
            config = changed.get(number, self._configs[number])
            refusal = self._refusal(change, getattr(config, name), self._watched[number].limits[name])
            if refusal:
                return SetParametersResult(successful=False, reason=refusal)
            changed[number] = dataclasses.replace(config, **{name: change.value})  # type: ignore[type-var]
        for number, config in changed.items():
            self._configs[number] = config
            self._watched[number].apply(config)
        return SetParametersResult(successful=True)

    def _field(self, parameter: str) -> tuple[int, str] | None:
        """Which configuration has a parameter as a live field, and the field's name."""
        for number, (prefix, limits, _) in enumerate(self._watched):
            name = parameter.removeprefix(prefix)
            if parameter.startswith(prefix) and name in limits:
                return number, name
        return None

    def _refusal(self, change: Parameter, now: float, limits: Limits) -> str:
        """Why a change is not accepted; empty when it is."""
        if not isinstance(change.value, float) or not limits.contains(change.value):
            return f"{change.name} must be {limits}"
        away = (change.value - now) * {"lower": 1.0, "higher": -1.0}.get(limits.safe_direction, 0.0)
        if self._node.active and away > 0.0:
            return f"{change.name} may only get {limits.safe_direction} than {now:g} while the node is active"
        return ""
