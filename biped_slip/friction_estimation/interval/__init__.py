# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The interval estimator: what a foot that doesn't slide yet tells of its friction.

A grid over mu with a Kalman filter per node, and an anytime-valid interval (study 7).
"""
