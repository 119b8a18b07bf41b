# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Slips and chances on made-up steps whose truth is known."""
