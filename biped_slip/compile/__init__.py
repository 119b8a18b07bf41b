# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Compilation of kernels: decorator, cache, and parts that use numba's internals."""
