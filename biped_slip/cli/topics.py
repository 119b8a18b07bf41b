# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""List the ROS topics that are there, for a machine without ``ros2``."""

from __future__ import annotations

import argparse

from biped_slip.errors import BipedSlipError
from biped_slip.ros.processes import need_ros


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each topic: publishers, listeners, type."""
    need_ros()
    from biped_slip.ros.inquiries import looking, settled

    with looking() as node:
        found = settled(node, arguments.wait)
    if not found:
        raise BipedSlipError(
            f"no node was found in {arguments.wait:g} s: they need the same "
            "ROS_DOMAIN_ID, on other machines ROS_AUTOMATIC_DISCOVERY_RANGE=SUBNET"
        )
    print("from to topic")
    for topic in found:
        kinds = ", ".join(topic.types)
        print(f"{topic.publishers:4} {topic.listeners:2} {topic.name} [{kinds}]")
    return 0
