# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The policy ``oracle:WALK:SEED`` of a controller that runs beside a simulator.

It knows the true friction of the simulator's floor.

An entry point of the group ``biped_slip.slip_policies``: controllers know policies by
name alone, so what knows the truth is handed in from here.
"""

from __future__ import annotations

from biped_slip.errors import InvalidParameter
from biped_slip.robots.humanoid import load_humanoid
from biped_slip.simulation.humanoid.oracle import humanoid_policy
from biped_slip.simulation.humanoid.scenario import chosen_walk
from biped_slip.simulation.planar.oracle import oracle as planar_oracle
from biped_slip.simulation.planar.scenario import chosen_scenario
from biped_slip.walking.humanoid import humanoid_walks
from biped_slip.walking.slip_policies import PolicySettings, SlipPolicy


def oracle(argument: str, settings: PolicySettings) -> SlipPolicy:
    """Make the oracle of ``SCENARIO:SEED`` or ``HUMANOID:SEED``, as in the simulator.

    The seed -1 is the nominal floor.

    Raises:
        InvalidParameter: the argument is not of this form.
    """
    name, colon, number = argument.rpartition(":")
    if not colon or not number.lstrip("-").isdigit():
        raise InvalidParameter(
            "limit", f"oracle:{argument}", "oracle:WALK:SEED as in the simulator"
        )
    seed = int(number)
    if name in humanoid_walks():
        walk = chosen_walk(name)
        return humanoid_policy("oracle", walk, load_humanoid(walk.robot), max(seed, 0))
    return planar_oracle(chosen_scenario(name, seed=seed if seed >= 0 else None))
