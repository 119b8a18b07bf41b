# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction-aware walking: estimate the floor's friction before slip, and walk accordingly."""

__version__ = "0.1.0"
