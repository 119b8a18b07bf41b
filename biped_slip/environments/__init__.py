# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Environments of Gymnasium, registered when this package is imported."""

from biped_slip.environments.registration import ENVIRONMENT, register

__all__ = ["ENVIRONMENT"]

register()
