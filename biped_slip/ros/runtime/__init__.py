# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What runs a node: lifecycle, executor, pacing, real-time priority, diagnostics."""
