# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Networks that a test can calculate by hand: one matrix, one vector."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write_linear(path, matrix, offset=None):
    """An ONNX file with answer = matrix · input + offset; matrix (outputs, inputs)."""
    matrix = np.asarray(matrix, dtype=np.float32)
    offset = np.zeros(matrix.shape[0]) if offset is None else offset
    parts = {
        "weights": matrix.T.copy(),
        "offset": np.asarray(offset, dtype=np.float32)[np.newaxis],
    }
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["seen", "weights"], ["product"]),
            helper.make_node("Add", ["product", "offset"], ["answer"]),
        ],
        "linear",
        [
            helper.make_tensor_value_info(
                "seen", TensorProto.FLOAT, [1, matrix.shape[1]]
            )
        ],
        [
            helper.make_tensor_value_info(
                "answer", TensorProto.FLOAT, [1, matrix.shape[0]]
            )
        ],
        [numpy_helper.from_array(value, name) for name, value in parts.items()],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path
