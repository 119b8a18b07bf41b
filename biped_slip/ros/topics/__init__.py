# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Messages: types, bytes, input sets, publishers, quality of service."""
