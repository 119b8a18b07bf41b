# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The loop from sensors to torques.

It is the same on robots, in simulators, replays and plain Python.
"""
