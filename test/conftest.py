# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Shared fixtures: the folder of third-party recordings, where it exists."""

from pathlib import Path

import pytest

RECORDINGS = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def recordings() -> Path:
    """Folder of third-party recordings beside the checkout; tests that need it are
    skipped without it."""
    if not RECORDINGS.is_dir():
        pytest.skip(f"third-party recordings are not at {RECORDINGS}")
    return RECORDINGS


def pytest_configure(config):
    """Import QuantEcon once before workers do: it compiles on import, and two that fill
    its cache at once mix it up."""
    if not hasattr(config, "workerinput"):
        try:
            import quantecon.optimize.lcp_lemke  # noqa: F401
        except ImportError:
            return
