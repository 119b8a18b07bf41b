# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 interface: nodes translate messages and time, the library computes."""
