# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node tests talk on a ROS domain of their own."""

import os

import pytest

from biped_slip.ros.processes import free_domain


@pytest.fixture(scope="session")
def ros():
    import rclpy

    os.environ.update(
        ROS_DOMAIN_ID=str(free_domain()),
        ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST",
        ROS_PYTHON_CHECK_FIELDS="1",
    )
    rclpy.init()
    yield rclpy
    rclpy.try_shutdown()


@pytest.fixture
def partner(ros):
    from ros.partner import Partner

    made = Partner()
    yield made
    made.close()
