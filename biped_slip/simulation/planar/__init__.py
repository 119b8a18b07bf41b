# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The planar biped on its floor: plant, sensors, scenario, closed loop, ensembles."""
