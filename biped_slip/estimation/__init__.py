# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""From sensor readings to the robot state and to the force and motion of each foot."""
