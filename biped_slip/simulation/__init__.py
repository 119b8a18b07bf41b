# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Robot on its floor as a plant with sensors, scenarios, closed loop and campaigns."""
