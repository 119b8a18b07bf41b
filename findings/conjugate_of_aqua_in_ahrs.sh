#!/usr/bin/env bash
# Guess: the filters of AHRS, called with the same gyroscope and accelerometer, differ in
# noise and drift; which frame their quaternion `Q` turns into which is the same in all.
#
# Seen (ahrs 0.4.0): Madgwick, Mahony and EKF turn the sensor's axes into the earth's; AQUA
# gives the conjugate. A trunk that leans forward by 10 degrees leans back by 10 there, and
# a turn to the left is one to the right. Complementary has no heading without a
# magnetometer: after a turn of 90 degrees in 40 s, at its default gain, it says 0.
#
# Whoever exchanges one filter for another in a robot's state estimate sees gravity from
# the wrong side, which is right on level ground alone: conjugate AQUA's quaternions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ahrs==0.4.0 "numpy<3"
"$folder/venv/bin/python" - <<'PY'
from importlib import metadata

import ahrs
import numpy as np

RATE = 100.0
SAMPLES = 4000
LEAN = np.radians(10.0)  # about the sensor's y
TURN = np.radians(90.0)  # to the left, in all samples together


def axes(quaternion):
    """Build the rotation of a quaternion w, x, y, z."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def angles(name, turned, up):
    """Return pitch and heading of the last sample, of sensor to earth [degree]."""
    estimate = getattr(ahrs.filters, name)
    found = axes(estimate(gyr=turned, acc=9.81 * up, frequency=RATE).Q[-1])
    pitch = np.arctan2(-found[2, 0], np.hypot(found[2, 1], found[2, 2]))
    heading = np.arctan2(found[1, 0], found[0, 0])
    return float(np.degrees(pitch)), float(np.degrees(heading))


still = np.zeros((SAMPLES, 3))
leaning = np.tile((-np.sin(LEAN), 0.0, np.cos(LEAN)), (SAMPLES, 1))
left = np.tile((0.0, 0.0, TURN * RATE / SAMPLES), (SAMPLES, 1))
level = np.tile((0.0, 0.0, 1.0), (SAMPLES, 1))
print("ahrs", metadata.version("ahrs"))
expected = {
    "Madgwick": (10.0, 90.0),
    "Mahony": (10.0, 90.0),
    "EKF": (10.0, 90.0),
    "AQUA": (-10.0, -90.0),
    "Complementary": (10.0, 0.0),
}
for name, (pitch, heading) in expected.items():
    found = angles(name, still, leaning)[0], angles(name, left, level)[1]
    print(f"{name:13} leans by {found[0]:6.2f}, turned by {found[1]:6.2f} degrees")
    assert np.allclose(found, (pitch, heading), atol=0.05), name
PY
