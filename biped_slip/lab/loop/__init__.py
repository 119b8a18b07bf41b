# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the control loop over topics costs, beside a bare echo and the plain rclpy way."""
