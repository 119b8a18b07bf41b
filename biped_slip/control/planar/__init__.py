# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking of the planar biped: virtual model, foot forces, gait, swing leg."""
