# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The one judge of a recording: what each stance bore, and whether that counts.

Replays, the gait laboratory, folders and bags ask it, so that one file has one answer::

    series of a sensor ──► stances ──► the foot's stance, whole or spoiled ──► weight
       (force, time)     stances.py    spoiled.py, recording.py             weight.py
                                             │
                        force_ratio.py ◄─────┴─────► verdict.py ◄── slides (slip.py)
                      required friction          held, withheld      and estimates

A stance is where the normal force of a sensor exceeds a level. It is *spoiled* where
the sensor did not measure all of one foot's force, or measured it wrongly: two feet on
one plate, a foot partly off its plate or on two plates at once, a clipped channel, too
few samples. Of a spoiled stance times and peak forces are stated, nothing else. A
stance that the recording cuts off is no whole one, but what its foot slid at counts.
"""
