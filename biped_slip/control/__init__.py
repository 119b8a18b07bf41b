# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking: virtual model, force distribution, stepping, swing leg, slip prevention."""
