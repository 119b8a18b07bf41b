#!/usr/bin/env bash
# Guess: ezc3d writes a trial of any length and reads back what it wrote; where the 16
# bits of a C3D header end at 65535 frames, the parameters say the rest, as the format's
# description has it (TRIAL:ACTUAL_END_FIELD in two words, or a real POINT:LONG_FRAMES).
#
# Seen (ezc3d 1.7.2): all 70,000 frames are written, header and POINT:FRAMES say 65535,
# nothing else does, and ezc3d reads 65,535 of them back, without an error or a warning.
# It does so, too, where the file states both parameters that say 70,000.
#
# Whoever converts a long treadmill trial loses its end at 10 min 55 s of 100 Hz, and no
# reader can tell from the file's own counts: compare its size with what it promises.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q ezc3d==1.7.2 "numpy<3"
"$folder/venv/bin/python" - "$folder/long.c3d" <<'PY'
import os
import struct
import sys

import ezc3d
import numpy as np

FRAMES = 70_000
SAMPLES = 2  # of the analog channel in a frame
path = sys.argv[1]


def trial():
    written = ezc3d.c3d()
    written["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    written["parameters"]["POINT"]["LABELS"]["value"] = ["heel"]
    points = np.ones((4, 1, FRAMES))
    points[0] = np.arange(FRAMES)
    written["data"]["points"] = points
    written["parameters"]["ANALOG"]["RATE"]["value"] = [100.0 * SAMPLES]
    written["parameters"]["ANALOG"]["LABELS"]["value"] = ["Fz"]
    written["data"]["analogs"] = np.arange(FRAMES * SAMPLES, dtype=float)[None, None]
    return written


def counts():
    found = ezc3d.c3d(path)
    points = found["data"]["points"].shape[2]
    analogs = found["data"]["analogs"].shape[2]
    stated = found["parameters"]["POINT"]["FRAMES"]["value"].tolist()
    print("read back: points", points, "analogs", analogs, "POINT:FRAMES", stated)
    return points, analogs, stated


print("version", ezc3d.__version__)
trial().write(path)
with open(path, "rb") as file:
    first, last = struct.unpack_from("<2H", file.read(512), 6)
start = ezc3d.c3d(path)["parameters"]["POINT"]["DATA_START"]["value"][0]
room = (os.path.getsize(path) - 512 * (start - 1)) // (4 * (4 + SAMPLES))
print("header: frames", first, "to", last, "; the file has room for", room)
assert (first, last) == (1, 65535) and room >= FRAMES
assert counts() == (65535, 65535 * SAMPLES, [65535])

stated = trial()
stated.add_parameter("TRIAL", "ACTUAL_START_FIELD", [1, 0])
stated.add_parameter("TRIAL", "ACTUAL_END_FIELD", [FRAMES % 65536, FRAMES // 65536])
stated.add_parameter("POINT", "LONG_FRAMES", [float(FRAMES)])
stated.write(path)
trial_end = ezc3d.c3d(path)["parameters"]["TRIAL"]["ACTUAL_END_FIELD"]["value"]
assert trial_end.tolist() == [FRAMES % 65536, FRAMES // 65536]
assert counts() == (65535, 65535 * SAMPLES, [65535])
PY
