# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Humanoids over floors that get worse: ladder, course, demand, governor."""
