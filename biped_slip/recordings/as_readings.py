# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A recording as the readings of a robot whose feet slide on their own (urdf/foot_sled.urdf)."""

from __future__ import annotations

from typing import Iterator, Sequence

import numpy as np

from biped_slip.constants import GRAVITY
from biped_slip.errors import InvalidRecording
from biped_slip.estimation.readings import SensorReadings
from biped_slip.recordings.series import TimeSeries

SLED_JOINTS = ("l_slide", "r_slide")


def as_readings(series: Sequence[TimeSeries]) -> Iterator[SensorReadings]:
    """Sample by sample; the first series is the left foot, a second one with the same stamps the right foot.

    What a recording does not know of a foot's force across and of its moment is zero; a foot that is not recorded is
    in the air; what is unknown of force or motion along x stays NaN.

    Raises:
        InvalidRecording: no or more than two feet, or feet of different stamps.
    """
    if len(series) not in (1, 2) or any(not np.array_equal(one.stamp_ns, series[0].stamp_ns) for one in series):
        name = series[0].provenance[0] if series and series[0].provenance else "recording"
        raise InvalidRecording(name, f"{len(series)} feet; one foot or two with the same stamps can be played")
    count = len(series[0].stamp_ns)
    position, velocity, wrench = np.zeros((count, 2)), np.zeros((count, 2)), np.zeros((count, 2, 6))
    for foot, one in enumerate(series):
        position[:, foot], velocity[:, foot] = one.displacement[:, 0], one.velocity[:, 0]
        wrench[:, foot, (0, 2)] = one.force[:, (0, 2)]
        wrench[:, foot, 1] = np.nan_to_num(one.force[:, 1])
        wrench[:, foot, 3:] = np.nan_to_num(one.moment)
    for k, stamp in enumerate(series[0].stamp_ns):
        yield SensorReadings(
            int(stamp),
            position[k],
            velocity[k],
            np.array([0.0, 0.0, 0.0, 1.0]),
            np.zeros(3),
            np.array([0.0, 0.0, GRAVITY]),
            np.zeros(3),
            np.zeros(3),
            wrench[k],
        )
