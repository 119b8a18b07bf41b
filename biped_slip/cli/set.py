# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Set a parameter of a running ROS node, for a machine without ``ros2``."""

from __future__ import annotations

import argparse

from biped_slip.ros.processes import need_ros


def run(arguments: argparse.Namespace) -> int:
    """Set the parameter; a refusal is one sentence."""
    need_ros()
    from biped_slip.ros.inquiries import looking, set_parameter

    with looking() as node:
        value = set_parameter(
            node,
            arguments.node,
            arguments.parameter,
            arguments.value,
            arguments.wait,
        )
    print(f"{arguments.parameter} = {value!r}")
    return 0
