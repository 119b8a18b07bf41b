# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""ROS 2 shell: messages, parameters and time; nothing else imports this package."""
