# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Shared fixtures: the folder of third-party recordings, where it exists."""

from pathlib import Path

import numpy as np
import pytest

RECORDINGS = Path(__file__).parents[2] / "shared" / "data"


@pytest.fixture
def recordings() -> Path:
    """Folder of third-party recordings beside the checkout; tests that need it are skipped without it."""
    if not RECORDINGS.is_dir():
        pytest.skip(f"third-party recordings are not at {RECORDINGS}")
    return RECORDINGS


def pytest_configure(config):
    """Let one process fill the solver's own code cache: two that compile and read it at once have crashed."""
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        try:
            from quantecon.optimize.lcp_lemke import lcp_lemke
        except ImportError:
            return
        lcp_lemke(np.eye(2), np.ones(2))
