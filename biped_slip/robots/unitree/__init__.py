# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Unitree's low-level interface: motors, messages, ticks, arming and the DDS topics.

It stands among the robots, for it says of a robot which motor moves which joint, and in
which frame its IMU is; it knows no ROS. ``ros/nodes/unitree_bridge.py`` translates.
"""
