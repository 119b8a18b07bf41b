# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steer a robot: publish one command on cmd_vel, ten times a second, until Ctrl-C.

python examples/steer.py FORWARD LEFT TURN    # m/s, m/s, rad/s
"""

import sys

import rclpy
from geometry_msgs.msg import Twist

FORWARD, LEFT, TURN = (float(word) for word in sys.argv[1:4])
PERIOD = 0.1  # [s]; a command holds for 0.5 s

rclpy.init()
node = rclpy.create_node("steer")
publisher = node.create_publisher(Twist, "cmd_vel", 10)
command = Twist()
command.linear.x = FORWARD
command.linear.y = LEFT
command.angular.z = TURN
node.create_timer(PERIOD, lambda: publisher.publish(command))
try:
    rclpy.spin(node)
except KeyboardInterrupt:
    pass
