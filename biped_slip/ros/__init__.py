# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 shell: nodes translate messages and time, the library does the rest."""
