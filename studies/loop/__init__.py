# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The control loop over ROS 2 topics, timed beside its floor."""
