# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators of friction under one foot: force ratio and motion in, estimate of mu out."""
