# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Our simulator beside others: the same robots in the same runs, by speed, error, creep and memory."""
