# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Steer a robot: publish one command on cmd_vel, ten times a second, until Ctrl-C.

python examples/steer.py 0.2 0.0 0.1 --ros-args -r cmd_vel:=cmd_vel_smoothed
"""

import argparse
import sys

import rclpy
from geometry_msgs.msg import Twist
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

PERIOD = 0.1  # [s]; a command holds for 0.5 s

parser = argparse.ArgumentParser(description="publish one command on cmd_vel")
parser.add_argument("forward", type=float, help="m/s")
parser.add_argument("left", type=float, help="m/s")
parser.add_argument("turn", type=float, help="to the left, rad/s")
wanted = parser.parse_args(remove_ros_args(sys.argv)[1:])

# Ctrl-C ends the program here, and not the context under a command that is being sent
rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
node = rclpy.create_node("steer")
publisher = node.create_publisher(Twist, "cmd_vel", 10)
command = Twist()
command.linear.x = wanted.forward
command.linear.y = wanted.left
command.angular.z = wanted.turn
node.create_timer(PERIOD, lambda: publisher.publish(command))
try:
    rclpy.spin(node)
except KeyboardInterrupt:
    pass
