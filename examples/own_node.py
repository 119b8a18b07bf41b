# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""An own node: one foot's friction from its wrench and its odometry, in plain rclpy.

python examples/own_node.py --ros-args -r foot/wrench:=/left/ft -r
foot/odom:=/left/motion
"""

import rclpy
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from std_msgs.msg import Float64

import biped_slip as bs


class FootFriction(Node):
    """Publishes the certified lower bound of mu under one foot."""

    def __init__(self):
        super().__init__("foot_friction")
        self.estimator = bs.make_estimator(
            "interval", bs.EstimatorSettings(body_weight=700.0)
        )
        self.state = self.estimator.initial_state()
        self.before = None
        self.motion = Odometry()
        self.bound = self.create_publisher(Float64, "~/mu_low", 10)
        self.create_subscription(
            Odometry, "foot/odom", lambda message: setattr(self, "motion", message), 10
        )
        self.create_subscription(WrenchStamped, "foot/wrench", self.on_wrench, 10)

    def on_wrench(self, message):
        """Force of the ground on the foot in, bound out."""
        stamp = message.header.stamp.sec * 10**9 + message.header.stamp.nanosec
        dt = 0.0 if self.before is None else 1e-9 * (stamp - self.before)
        self.before = stamp
        f = message.wrench.force
        x = self.motion.pose.pose.position
        v = self.motion.twist.twist.linear
        measured = bs.FootMeasurement(
            stamp_ns=stamp,
            force_x=f.x,
            force_y=f.y,
            force_normal=f.z,
            displacement_x=x.x,
            displacement_y=x.y,
            velocity_x=v.x,
            velocity_y=v.y,
            moment_normal=0.0,
            centre_of_pressure_x=0.0,
            centre_of_pressure_y=0.0,
            angular_rate=0.0,
        )
        self.state, estimate = self.estimator.step(self.state, measured, dt)
        self.bound.publish(Float64(data=estimate.mu_low))


if __name__ == "__main__":
    rclpy.init()
    rclpy.spin(FootFriction())
