# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The short way of a scenario's file to say what the contact is."""

from __future__ import annotations

from typing import Any, Mapping


def with_contact_in_plant(mapping: Mapping[str, Any] | None) -> dict[str, Any]:
    """A scenario's mapping in which ``contact: LAW`` at the top has become the plant's."""
    values = dict(mapping or {})
    if "contact" in values:
        values["plant"] = {**(values.get("plant") or {}), "contact": values.pop("contact")}
    return values
