# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of feet on floors.

Readers bring them into one time series, which is replayed through the estimators.
"""
