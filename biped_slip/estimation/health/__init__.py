# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whether sensors can be believed and whether the robot still stands; every finding has a name."""
