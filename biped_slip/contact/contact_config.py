# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Contact physics of a scenario, with its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from biped_slip.config import Configuration, configuration, parameter, section
from biped_slip.contact.feedback_linearised import FeedbackConfig
from biped_slip.contact.normal_laws import HuntCrossleyConfig, NormalLaw
from biped_slip.contact.point_contact import ContactLaw, contact_law
from biped_slip.errors import InvalidParameter
from biped_slip.friction_laws.bristle_laws import BlimanSorineConfig
from biped_slip.friction_laws.law import FrictionLaw

if TYPE_CHECKING:
    from typing_extensions import Self


@configuration
class ComplementarityConfig(Configuration):
    """Tolerances of the contact sets (D.2), and our additions to the paper; apart from the solver, slow to import."""

    restitution: float = parameter(0.0, low=0.0, high=1.0, doc="Newton's coefficient; 0 in the paper")
    circular: bool = parameter(False, doc="friction in a circular cone in the place of the paper's box")
    gap_tolerance: float = parameter(1.0e-6, unit="m", low=0.0, doc="a smaller gap is closed")
    rate_tolerance: float = parameter(1.0e-3, unit="m/s", above=0.0, doc="a slower approach rests")


@configuration
class MujocoConfig(Configuration):
    """Options of MuJoCo by its own names; the defaults are MuJoCo's but for the cone."""

    elliptic: bool = parameter(True, doc="elliptic friction cone; false: pyramid, MuJoCo's default")
    impratio: float = parameter(1.0, low=0.1, high=1000.0, source="[MuJoCo]", doc="stiffness of friction over normal")
    noslip_iterations: int = parameter(0, low=0, high=100, source="[MuJoCo]", doc="passes that take creep out")
    time_constant: float = parameter(0.02, unit="s", above=0.0, high=1.0, source="[MuJoCo]: solref", doc="of a contact")
    damping_ratio: float = parameter(1.0, above=0.0, high=10.0, source="[MuJoCo]: solref", doc="of a contact")


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
        """Check that the parameters are those of the named law."""
        if self.law in WHOLE_ROBOT:
            return
        named = contact_law(self.law)
        if type(self.normal) is not type(named.normal) or type(self.friction) is not type(named.friction):
            found = f"{type(self.normal).__name__} and {type(self.friction).__name__}"
            raise InvalidParameter("contact.law", self.law, f"the law of {found}", "use ContactConfig.from_mapping")

    @property
    def pair(self) -> ContactLaw:
        """Pair the normal and the friction law of each point."""
        return ContactLaw(self.normal, self.friction)
