# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Node tests need rclpy, and talk on a domain of their own."""

import os

import pytest

from biped_slip.cli.node_processes import free_domain

rclpy = pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")


def pytest_collection_modifyitems(items):
    for item in items:
        if "test/nodes/" in str(item.path).replace("\\", "/"):
            item.add_marker(pytest.mark.ros)


@pytest.fixture(scope="session", autouse=True)
def ros():
    os.environ.update(
        ROS_DOMAIN_ID=str(free_domain()), ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST", ROS_PYTHON_CHECK_FIELDS="1"
    )
    rclpy.init()
    yield
    rclpy.try_shutdown()
