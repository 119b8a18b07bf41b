# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""A network in an ONNX file: a row of numbers in, an answer out, maybe with a memory.

A network with a memory is a step ``answer, memory = network(row, memory)``; its memory
is zero before the first row.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from biped_slip.compile.arrays import Array
from biped_slip.errors import BipedSlipError, InvalidParameter, MissingExtra

Memory = tuple[Array, ...]


class Network:
    """Network with one input row and one answer, on one thread.

    Args:
        path: of the file.
        inputs: numbers in the row.
        outputs: numbers of the answer, one a joint.
        remembers: names of the inputs that take the memory.
        remembered: names of the outputs that give it, in the same order.
        size: of each part of the memory, whose shape is (1, 1, size).
        row: what the numbers of the row are, for sentences.

    Raises:
        MissingExtra: without ONNX Runtime.
        BipedSlipError: the file can't be read, or is a network of another shape.
    """

    def __init__(
        self,
        path: Path,
        inputs: int,
        outputs: int,
        remembers: tuple[str, ...] = (),
        remembered: tuple[str, ...] = (),
        size: int = 0,
        row: str = "",
    ) -> None:
        self._path = path
        self._row = row
        self._session = _session(path)
        self._remembers = remembers
        self._memory_shape = (1, 1, size)
        self._input = self._only("input", self._session.get_inputs(), remembers)
        answer = self._only("output", self._session.get_outputs(), remembered)
        self._outputs = [answer, *remembered]
        self._check_input(inputs)
        self._check_trial(inputs, outputs)

    def blank(self) -> Memory:
        """Return the memory before the first row: zeros."""
        return tuple(np.zeros(self._memory_shape) for _ in self._remembers)

    def __call__(self, row: Array, memory: Memory = ()) -> tuple[Array, Memory]:
        """Evaluate a row (inputs,) to an answer (outputs,) and the memory after it."""
        fed = {self._input: row[np.newaxis].astype(np.float32)}
        for name, part in zip(self._remembers, memory, strict=True):
            fed[name] = part.astype(np.float32)
        answer, *after = self._session.run(self._outputs, fed)
        return (
            np.asarray(answer, dtype=float).ravel(),
            tuple(np.asarray(part, dtype=float) for part in after),
        )

    def _only(self, kind: str, found: list[Any], memory: tuple[str, ...]) -> str:
        """Find the name of the input or output that is no memory."""
        names = [one.name for one in found]
        missing = [name for name in memory if name not in names]
        if missing:
            raise InvalidParameter(
                f"{self._path}: recurrent.{kind}s",
                list(memory),
                f"among the network's {kind}s {names}",
                "correct the layout",
            )
        others = [name for name in names if name not in memory]
        if len(others) != 1:
            raise InvalidParameter(
                f"{self._path}: {kind}s of the network",
                names,
                f"one, and those that recurrent.{kind}s names",
                "name its memory under 'recurrent'",
            )
        return others[0]

    def _check_input(self, inputs: int) -> None:
        """Compare the shapes of all inputs with what they will be fed."""
        for one in self._session.get_inputs():
            memory = one.name in self._remembers
            wanted = self._memory_shape if memory else (1, inputs)
            if len(one.shape) == len(wanted) and all(
                not isinstance(size, int) or size == asked
                for size, asked in zip(one.shape, wanted, strict=True)
            ):
                continue
            raise InvalidParameter(
                f"{self._path}: shape of its input {one.name!r}",
                list(one.shape),
                f"{list(wanted)}, as the layout says",
                "correct recurrent.size"
                if memory
                else "correct its observation, joints, phases or history" + self._row,
            )

    def _check_trial(self, inputs: int, outputs: int) -> None:
        """Evaluate zeros, and compare the answer with what it shall be."""
        try:
            answer, memory = self(np.zeros(inputs), self.blank())
        except Exception as error:  # its own exceptions have no common base
            raise BipedSlipError(
                f"{self._path}: no network that takes {inputs} numbers ({error})"
            ) from error
        if answer.size != outputs:
            raise InvalidParameter(
                f"{self._path}: size of its answer",
                answer.size,
                f"{outputs}, the number of joints in the layout",
                "correct joints",
            )
        for name, part in zip(self._outputs[1:], memory, strict=True):
            if part.shape != self._memory_shape:
                raise InvalidParameter(
                    f"{self._path}: shape of its output {name!r}",
                    list(part.shape),
                    f"{list(self._memory_shape)}, as the layout says",
                    "correct recurrent",
                )


def _session(path: Path) -> Any:
    """Open a network."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtra("a policy from an ONNX file", "policies") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # its own exceptions have no common base
        raise BipedSlipError(
            f"{path}: no network that can be read ({error})"
        ) from error
