# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Print the messages of a ROS topic, for a machine without ``ros2``."""

from __future__ import annotations

import argparse
import sys

import yaml

from biped_slip.ros.processes import need_ros


def run(arguments: argparse.Namespace) -> int:
    """Print each message as YAML until an interruption, or one."""
    need_ros()
    from biped_slip.ros.inquiries import heard, looking, plain

    with looking() as node:
        for message in heard(node, arguments.topic, arguments.wait):
            yaml.safe_dump(plain(message), sys.stdout, sort_keys=False)
            print("---", flush=True)
            if arguments.once:
                break
    return 0
