# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""CasADi expressions as straight-line C that computes left and right limbs together, in the lanes of one vector.

``vector_size`` is an extension that gcc and clang know on every processor.
"""

from __future__ import annotations

from typing import Any

import casadi as cs

from biped_slip.robots.code_generation import BINARY, FUNCTIONS, UNARY
from biped_slip.robots.expression_pairs import Pairs, graph_of

HEADER = "#include <math.h>\ntypedef double pair __attribute__((vector_size(16)));\n"


def paired_source(name: str, function: Any) -> str:
    """Source of ``void name(const double* x0, …, double* y0, …)``: dense inputs, then dense outputs, by columns."""
    parameters = [f"const double* x{i}" for i in range(function.n_in())]
    parameters += [f"double* y{i}" for i in range(function.n_out())]
    lines = _Writer(Pairs(graph_of(function))).lines()
    return "\n".join([f"void {name}({', '.join(parameters)}) {{", *lines, "}\n"])


class _Writer:
    """Statements in the order in which results are needed: what is computed is used soon after."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs, self._nodes = pairs, pairs.nodes
        self._lines: list[str] = []
        self._written: set[tuple[int, ...]] = set()
        self._packed: set[tuple[int, int]] = set()

    def lines(self) -> list[str]:
        """The body of the function."""
        for output, index, node in self._pairs.outputs:
            self._write(node)
            self._lines.append(f"y{output}[{index}] = {self._scalar(node)};")
        return self._lines

    def _write(self, root: int) -> None:
        """Compute a node, after all that it needs."""
        waiting = [(root, False)]
        while waiting:
            node, ready = waiting.pop()
            members: tuple[int, ...] = self._pairs.partner.get(node, (node,))
            if members in self._written or not self._nodes[node].operands:
                continue
            if ready:
                self._written.add(members)
                self._compute(members)
                continue
            waiting.append((node, True))
            waiting += [(below, False) for one in members for below in reversed(self._nodes[one].operands)]

    def _compute(self, members: tuple[int, ...]) -> None:
        first, operation = members[0], self._nodes[members[0]].operation
        if len(members) == 1:
            values = [self._scalar(below) for below in self._nodes[first].operands]
            self._lines.append(f"const double s{first} = {_expression(operation, values)};")
            return
        values = [self._vector(one, other) for one, other in self._pairs.operands(*members)]
        if operation in FUNCTIONS:
            lanes = (_expression(operation, [f"{values[0]}[{lane}]"]) for lane in range(2))
            self._lines.append(f"const pair p{first} = {{{', '.join(lanes)}}};")
        else:
            self._lines.append(f"const pair p{first} = {_expression(operation, values)};")

    def _scalar(self, node: int) -> str:
        operation, _, leaf, _ = self._nodes[node]
        if operation == cs.OP_CONST:
            return f"({leaf!r})"
        if operation == cs.OP_INPUT:
            return f"x{leaf[0]}[{leaf[1]}]"
        if node not in self._pairs.partner:
            return f"s{node}"
        first, second = self._pairs.partner[node]
        return f"p{first}[{int(node == second)}]"

    def _vector(self, one: int, other: int) -> str:
        """Two nodes as a vector: their own, or one packed of what they are."""
        if one != other and self._pairs.partner.get(one) == (one, other):
            return f"p{one}"
        if (one, other) not in self._packed:
            self._packed.add((one, other))
            self._lines.append(f"const pair k{one}_{other} = {{{self._scalar(one)}, {self._scalar(other)}}};")
        return f"k{one}_{other}"


def _expression(operation: int, values: list[str]) -> str:
    if operation in BINARY:
        return f"{values[0]} {BINARY[operation]} {values[1]}"
    if operation in FUNCTIONS:
        return f"{FUNCTIONS[operation]}({values[0]})"
    return UNARY[operation].format(values[0])
