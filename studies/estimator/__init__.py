# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How well friction is known: acceptance table, certificate, rivals, sensors."""
