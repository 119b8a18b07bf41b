# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of feet on floors: readers into one time series, and replay through the estimators."""
