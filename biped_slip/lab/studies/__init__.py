# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Monte-Carlo studies: the estimator study's stances, its estimators side by side, what any could reach."""
