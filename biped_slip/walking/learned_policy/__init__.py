# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Walking policies as networks in ONNX files: velocity command in, joint targets out."""
