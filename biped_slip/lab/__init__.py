# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The laboratory: papers, studies, benchmarks, other simulators, fault injection; nothing but commands imports it."""
