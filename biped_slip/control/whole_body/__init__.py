# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking in three dimensions.

Its parts are footsteps, divergent component of motion, swing foot, one quadratic
program.
"""
