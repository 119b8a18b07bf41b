# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Before the first step: whether the sensors say what the model expects while the robot sways."""
