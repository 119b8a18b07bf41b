# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Synthetic data whose truth is known: contacts, stances, steps, walks and messages.

What tests and studies both need to try the package on. It is run from a checkout, like
both of them, and never installed; it imports the package and neither of them.
"""
