# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Launch files as plain data, and what runs them: ROS 2's launch or processes."""
