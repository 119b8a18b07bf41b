# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m studies COMMAND``: what is reproduced, measured and attacked.

It runs from a checkout.
"""

from __future__ import annotations

import sys

from biped_slip.cli import Program, main

STUDIES = Program(
    "python -m studies",
    "What is reproduced, measured and attacked; the pages beside them say what came "
    "out.",
    "studies",
    {
        "reproduce": "reproduce the published numbers and figures of five papers",
        "figures": "draw the figures of the docs again, as PNG, SVG or PDF",
        "scenes": "record the scenes of the docs again: walks to turn in a browser",
        "benchmark": "measure this package against its requirements",
        "ladder": "humanoids over patches from rough to icy, under every limit, "
        "pushed or not",
        "course": "humanoids over one way of rough floor, ice, ramp and small patches",
        "landings": "what sliding landings tell of floors before they carry: dry at "
        "random, wet, loose, grained",
        "currents": "what humanoids without ankle sensors know of each foothold",
        "bare-steps": "what a period of a humanoid's loop costs, in steps of MuJoCo",
        "paired-ticks": "what a tick by motor currents costs beside ankle sensors",
        "demand": "the friction that humanoids require at each speed",
        "sensitivity": "what half and double of each parameter do to a walk's answers",
        "governor": "which commands a controller survives, with and without a "
        "friction governor",
        "robots": "which robots walk from their file alone, over which floors: a table",
        "square": "humanoids steered around a square, then over water that is poured",
        "policies": "open walking policies on floors of one friction, in both plants",
        "policy-friction": "what is known of the floor under gaits of open policies",
        "environment": "what a step of the environment costs, beside MuJoCo alone",
        "faults": "faults against the running controller, its processes and its files",
        "drawn-faults": "faults drawn at random, every sensor's every number in every "
        "way: named, or harmless",
        "stop-and-go": "robots that stop and go from drawn moments, and whose speed is "
        "drawn anew",
        "endurance": "an hour of each humanoid: memory and processor time of its "
        "controller, minute by minute",
        "stalls": "controllers that lose ticks at random moments of the gait",
        "endings": "the last command of a controller's process, whatever ends it",
        "healthy": "minutes of sound walking and false alarms",
        "detection": "how often and how soon wrong sensors are named",
        "stuck-encoders": "how soon an encoder stuck under its noise is found",
        "slips": "how well slips are found: made-up steps on floors of known mu",
        "tick-files": "the files that one tick of a humanoid passes, call by call",
        "coverage": "how often each interval of the chance of a slip holds the truth",
        "gait-study": "a gait study of many trials: time, memory, and whether a "
        "killed one gives the same table",
        "replay-throughput": "how fast recordings replay: two feet at 1 kHz, per "
        "estimator",
        "laws": "one walk of the planar biped on every friction law",
        "fuzz": "damage sound files of every format at random and read them",
        "mutation": "small wrong changes of safety code, and whether the tests notice",
    },
)

if __name__ == "__main__":
    sys.exit(main(program=STUDIES))
