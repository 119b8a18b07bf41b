# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of hot functions: one door, its cache, and what leans on private parts of numba."""
