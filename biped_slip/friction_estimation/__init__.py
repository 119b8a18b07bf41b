# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Estimators of friction under one foot.

Force ratio and motion go in, the estimate of mu comes out.
"""
