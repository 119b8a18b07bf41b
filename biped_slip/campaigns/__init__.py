# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns from a file: what is drawn, where it is walked, the table of all walks and its summary."""
