# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations as ROS parameters, and what launch files share."""
