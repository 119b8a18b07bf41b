# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Friction laws and the estimators of friction: displacement, force ratio and mu, without any robot."""
