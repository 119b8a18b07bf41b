# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The name under which Gymnasium makes the environment."""

from __future__ import annotations

from biped_slip.errors import MissingExtra

ENVIRONMENT = "biped_slip/Slip-v0"


def register() -> None:
    """Register the environment, once.

    Raises:
        MissingExtra: without Gymnasium.
    """
    try:
        import gymnasium
    except ImportError as error:
        raise MissingExtra("an environment of Gymnasium", "gymnasium") from error
    if ENVIRONMENT not in gymnasium.registry:
        gymnasium.register(
            id=ENVIRONMENT,
            entry_point="biped_slip.environments.slip:SlipEnvironment",
        )
