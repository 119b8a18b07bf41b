# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What scenarios of any robot share.

A scenario is all that a walk is asked to be: floor, start, commands, pushes, sensors
and what the robot's model does not know. It comes from a file; a seed draws what
differs between walks of one scenario. Contact law and control period, which belong to
the plant, may stand at the top of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from biped_slip.config import Configuration

if TYPE_CHECKING:
    from typing_extensions import Self

ORACLE = "oracle"  # the policy that reads friction off the scenario's floor


class PlantScenario(Configuration):
    """Scenario whose mapping may say the plant's law and period at its top."""

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """Build from nested dictionaries.

        ``contact: LAW`` and ``period: SECONDS`` at the top stand for the plant's.
        """
        return super().from_mapping(with_plant_parts(mapping), name)


def with_plant_parts(mapping: Mapping[str, Any] | None) -> dict[str, Any]:
    """Move ``contact: LAW`` and ``period: SECONDS`` to the mapping of the plant.

    They stand at the top of a scenario's mapping before.
    """
    values = dict(mapping or {})
    parts: dict[str, Any] = (
        {"contact": values.pop("contact")} if "contact" in values else {}
    )
    if "period" in values:
        parts["control_period_ns"] = round(1e9 * values.pop("period"))
    return (
        {**values, "plant": {**(values.get("plant") or {}), **parts}}
        if parts
        else values
    )
