# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Shared fixtures: third-party recordings, where they exist, and a ROS context."""

import os
from pathlib import Path

import pytest

from biped_slip.compile import own_process

own_process.begin()

RECORDINGS = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def recordings() -> Path:
    """Folder of third-party recordings beside the checkout; tests that need it are
    skipped without it."""
    if not RECORDINGS.is_dir():
        pytest.skip(f"third-party recordings are not at {RECORDINGS}")
    return RECORDINGS


@pytest.fixture(scope="session")
def ros_context():
    """A context on a ROS domain of its own; tests that need it are skipped without
    ROS."""
    rclpy = pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
    from biped_slip.ros.processes import free_domain

    os.environ.update(
        ROS_DOMAIN_ID=str(free_domain()),
        ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST",
        ROS_PYTHON_CHECK_FIELDS="1",
    )
    rclpy.init()
    yield rclpy
    rclpy.try_shutdown()


@pytest.fixture
def ros(ros_context):
    """ROS in which no node of an earlier test is left.

    A test that fails does not come to the end of its nodes, and those would publish and
    listen beside every later test of the same process.
    """
    from ros.left_nodes import none_left

    with none_left():
        yield ros_context


def pytest_collection_modifyitems(items):
    """Try a test of real nodes or processes once more before it counts as failed.

    It waits for other processes on the computer's own clock, and a computer that serves
    others takes the processor away for longer than any wait that a test can afford. The
    report lists who needed it; a defect fails both times.
    """
    for item in items:
        if item.get_closest_marker("ros") or item.path.parent.name == "ros":
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_configure(config):
    """Import QuantEcon once before workers do: it compiles on import, and two that fill
    its cache at once mix it up."""
    if not hasattr(config, "workerinput"):
        try:
            import quantecon.optimize.lcp_lemke  # noqa: F401
        except ImportError:
            return


@pytest.fixture(scope="session")
def listened_g1():
    """A G1 that another controller walks on 0.4, and what it commands: it stands for a
    second, then its feet land after 1.8, 3.1 and 4.4 s, each sliding a little."""
    from synthetic.listened_walk import listened_walk

    return listened_walk(mu=0.4, seconds=4.7, seed=1)


@pytest.fixture(scope="session")
def heard_g1(listened_g1):
    """What a listener hears of that walk."""
    return listened_g1.samples
