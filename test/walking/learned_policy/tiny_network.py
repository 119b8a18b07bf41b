# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Networks that a test can calculate by hand: one matrix, one vector, one memory."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def write_linear(path, matrix, offset=None):
    """An ONNX file with answer = matrix · input + offset; matrix (outputs, inputs)."""
    outputs, inputs = np.shape(matrix)
    offset = np.zeros(outputs) if offset is None else offset
    nodes = [
        helper.make_node("MatMul", ["seen", "weights"], ["product"]),
        helper.make_node("Add", ["product", "offset"], ["answer"]),
    ]
    parts = {"weights": np.transpose(matrix), "offset": np.reshape(offset, (1, -1))}
    return _written(path, nodes, parts, {"seen": [1, inputs]}, {"answer": [1, outputs]})


def write_counting(path, inputs, outputs, size=1):
    """An ONNX file whose every answer is how often it was asked before.

    Its memory, ``count`` and ``count_next`` of shape (1, 1, size), grows by one a row.
    """
    nodes = [
        helper.make_node("MatMul", ["seen", "nothing"], ["zeros"]),
        helper.make_node("ReduceMax", ["count"], ["asked"], keepdims=0),
        helper.make_node("Add", ["zeros", "asked"], ["answer"]),
        helper.make_node("Add", ["count", "one"], ["count_next"]),
    ]
    parts = {"nothing": np.zeros((inputs, outputs)), "one": np.ones((1, 1, 1))}
    memory = [1, 1, size]
    return _written(
        path,
        nodes,
        parts,
        {"seen": [1, inputs], "count": memory},
        {"answer": [1, outputs], "count_next": memory},
    )


def _written(path, nodes, parts, inputs, outputs):
    def infos(shapes):
        return [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name, shape in shapes.items()
        ]

    graph = helper.make_graph(
        nodes,
        "tiny",
        infos(inputs),
        infos(outputs),
        [
            numpy_helper.from_array(np.array(value, dtype=np.float32), name)
            for name, value in parts.items()
        ],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())
    return path
