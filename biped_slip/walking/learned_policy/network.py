# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A network from an ONNX file, checked against the layout that it is said to have."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, MissingExtra


class Network:
    """One vector in, one vector out, on one thread; the same numbers for the same input.

    Args:
        path: of the .onnx file.
        inputs: numbers that it must take.
        outputs: numbers that it must give.

    Raises:
        MissingExtra: without ONNX Runtime.
        BipedSlipError: the file can't be read, or is a network of another shape.
    """

    def __init__(self, path: Path, inputs: int, outputs: int) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise MissingExtra("a policy from an ONNX file", "policies") from error
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
            self._input = self._session.get_inputs()[0].name
            found = self(np.zeros(inputs)).size
        except Exception as error:  # its own exceptions have no common base
            raise BipedSlipError(f"{path}: no network that takes {inputs} numbers ({error})") from error
        if found != outputs:
            raise BipedSlipError(f"{path}: answers with {found} numbers; the layout has {outputs} joints")

    def __call__(self, values: Array) -> Array:
        """Its answer (outputs,) to values (inputs,)."""
        fed = {self._input: values[np.newaxis].astype(np.float32)}
        return np.asarray(self._session.run(None, fed)[0], dtype=float).ravel()
