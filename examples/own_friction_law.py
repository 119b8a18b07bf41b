# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An own friction law.

It can also be used as: biped-slip walk --contact "hunt_crossley +
examples/own_friction_law.py:SmoothConfig".
"""

import math

import biped_slip as bs


@bs.kernel
def smooth_step(memory, slip_x, slip_y, normal, mu, law, dt):
    """F = mu F_n tanh(|v|/v_0) along the slip; nothing is remembered."""
    speed = math.hypot(slip_x, slip_y)
    share = mu * normal * math.tanh(speed / law.velocity) / max(speed, 1e-12)
    return memory, share * slip_x, share * slip_y


@bs.configuration
class SmoothConfig(bs.DamperLaw):
    """Friction that rises smoothly with the sliding velocity."""

    velocity: float = bs.parameter(1e-2, unit="m/s", above=0.0, doc="v_0")
    step = staticmethod(smooth_step)
    mu_is = "the limit of fast slides; at rest it creeps"

    def steady_ratio(self, speed, mu):
        """Force per newton of load."""
        return mu * math.tanh(speed / self.velocity)


if __name__ == "__main__":
    law = f"hunt_crossley + {__file__}:SmoothConfig"
    said = bs.chosen_scenario("thesis", contact=law).to_mapping() | {"duration": 0.5}
    print(bs.run_walk(bs.ScenarioConfig.from_mapping(said), "none").summary.distance)
