# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""One walk onto a slippery patch, and its pictures.

Run it as: python examples/one_walk.py [SECONDS].
"""

import sys
from pathlib import Path

import biped_slip as bs

scenario = bs.chosen_scenario("demo", seed=1)
if len(sys.argv) > 1:
    scenario = bs.ScenarioConfig.from_mapping(
        {**scenario.to_mapping(), "duration": float(sys.argv[1])}
    )

walks = {limit: bs.run_walk(scenario, limit, seed=1) for limit in ("none", "touchdown")}
for limit, walk in walks.items():
    found = walk.summary
    print(
        f"{limit}: {found.distance:.2f} m, largest stance slip "
        f"{1e3 * found.max_stance_slip:.1f} mm"
    )

# every tick: log.time, log.torques, log["estimates_left_mu"], log.to_pandas() ...
log = walks["touchdown"].log
print(f"{len(log.time)} ticks, largest torque {abs(log.torques).max():.0f} N m")
print(bs.write_walk_report(Path("walk-report"), walks, scenario))
