# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The robot on its floor as a plant with sensors, scenarios, the closed loop and campaigns."""
