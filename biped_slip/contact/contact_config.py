# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Which contact physics a scenario runs on, with its parameters."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Mapping

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.contact.complementarity_config import ComplementarityConfig
from biped_slip.contact.feedback_linearised import FeedbackConfig
from biped_slip.contact.hunt_crossley import HuntCrossleyConfig
from biped_slip.contact.laws import contact_law
from biped_slip.contact.mujoco_config import MujocoConfig
from biped_slip.contact.normal_law import NormalLaw
from biped_slip.contact.point_law import ContactLaw
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.bliman_sorine import BlimanSorineConfig
from biped_slip.friction_laws.law import FrictionLaw

if TYPE_CHECKING:
    from typing_extensions import Self

DEFAULT = "hunt_crossley + bliman_sorine"
WHOLE_ROBOT = ("rengifo", "rodic", "mujoco")  # laws that solve for all contact points at once


@configuration
class ContactConfig(Configuration):
    """``contact: khadiv`` in a file, or a mapping with ``law`` and the parameters of that law.

    ``normal`` and ``friction`` belong to a law of points (``hunt_crossley + dahl``, ``bruneau``, ``khadiv``),
    ``rengifo``, ``rodic`` and ``mujoco`` to the physics of that name.
    """

    law: str = parameter(DEFAULT, source="A.7", doc="<normal> + <friction>, bruneau, khadiv, rengifo, rodic or mujoco")
    normal: NormalLaw = section(HuntCrossleyConfig)
    friction: FrictionLaw = section(BlimanSorineConfig)
    rengifo: FeedbackConfig = section(FeedbackConfig)
    rodic: ComplementarityConfig = section(ComplementarityConfig)
    mujoco: MujocoConfig = section(MujocoConfig)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | str | None, name: str = "contact") -> Self:
        """Build from a law's name alone or from a mapping; the law decides what ``normal`` and ``friction`` are."""
        values: dict[str, Any] = {"law": mapping} if isinstance(mapping, str) else dict(mapping or {})
        law = values.get("law", DEFAULT)
        if law not in WHOLE_ROBOT:
            pair = contact_law(law, {part: values.get(part) for part in ("normal", "friction")})
            values.update(normal=pair.normal, friction=pair.friction)
        else:
            values = {key: value for key, value in values.items() if key not in ("normal", "friction")}
        return super().from_mapping(values, name)

    def check(self) -> None:
        """The parameters must be those of the law that is named."""
        if self.law in WHOLE_ROBOT:
            return
        named = contact_law(self.law)
        if type(self.normal) is not type(named.normal) or type(self.friction) is not type(named.friction):
            found = f"{type(self.normal).__name__} and {type(self.friction).__name__}"
            raise InvalidParameter("contact.law", self.law, f"the law of {found}", "use ContactConfig.from_mapping")

    @property
    def pair(self) -> ContactLaw:
        """Normal and friction law of each point."""
        return ContactLaw(self.normal, self.friction)

    def to_mapping(self) -> dict[str, Any]:
        """Nested dictionaries that :meth:`from_mapping` reads back."""
        return {field.name: _plain(getattr(self, field.name)) for field in dataclasses.fields(self)}


def _plain(value: Any) -> Any:
    return value.to_mapping() if isinstance(value, Configuration) else value
