# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Floating-base bipeds in three dimensions: plant, floor, sensors and world."""
