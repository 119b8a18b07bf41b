# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoids in three dimensions.

Here are plant, floor, sensors, track, closed loop and ensembles.
"""
