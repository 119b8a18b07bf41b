# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Studies of biped_slip: papers reproduced, benchmarks, attacks.

They run from a checkout and are never installed.
"""
