# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The five papers: what they print, what docs/equations expect, what this package computes."""
