# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steps of people and robots on force plates.

The package holds required friction, slips, the chance of a slip, and studies of trials.
"""
