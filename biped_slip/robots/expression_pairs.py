# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Operations of an expression that can be done two at a time: what a left limb does, the right one does too.

Two operations have the same shape if their operands have, down to the leaves, where any input is like any other and
any constant like any other. Neither then needs the other's result, for what needs something is deeper than that: so all
pairs of the same shape can be computed together, whatever else is paired.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import casadi as cs

COMMUTATIVE = (cs.OP_ADD, cs.OP_MUL)


class Node(NamedTuple):
    """One operation."""

    operation: int
    operands: tuple[int, ...]  # indices of nodes; none of a leaf
    leaf: Any = None  # value of a constant, (input, index) of an input
    shape: int = 0


class Graph(NamedTuple):
    """A function without the order of its operations; operands come before what needs them."""

    nodes: list[Node]
    outputs: list[tuple[int, int, int]]  # output, index in it, node


def graph_of(function: Any) -> Graph:
    """The graph of a CasADi function of scalars' expressions (SX)."""
    nodes: dict[Node, int] = {}
    shapes: dict[tuple[Any, ...], int] = {}
    shape_of: list[int] = []
    outputs: list[tuple[int, int, int]] = []
    held: dict[int, int] = {}

    def node(operation: int, operands: tuple[int, ...] = (), leaf: Any = None) -> int:
        found = Node(operation, tuple(sorted(operands)) if operation in COMMUTATIVE else operands, leaf)
        if found not in nodes:
            below = [shape_of[i] for i in found.operands]
            key = (operation, *(sorted(below) if operation in COMMUTATIVE else below))
            shape_of.append(shapes.setdefault(key, len(shapes)))
            nodes[found] = len(nodes)
        return nodes[found]

    for k in range(function.n_instructions()):
        operation, where = function.instruction_id(k), function.instruction_output(k)
        source = function.instruction_input(k)
        if operation == cs.OP_OUTPUT:
            outputs.append((where[0], where[1], held[source[0]]))
        elif operation == cs.OP_CONST:
            held[where[0]] = node(operation, leaf=float(function.instruction_constant(k)))
        elif operation == cs.OP_INPUT:
            held[where[0]] = node(operation, leaf=tuple(source))
        else:
            held[where[0]] = node(operation, tuple(held[i] for i in source))
    return Graph([one._replace(shape=shape) for one, shape in zip(nodes, shape_of, strict=True)], outputs)


class Pairs:
    """A graph with its pairs: ``partner[i]`` is the pair (first, second) that node i belongs to."""

    def __init__(self, graph: Graph) -> None:
        self.nodes, self.outputs = graph
        self.partner: dict[int, tuple[int, int]] = {}
        alike: dict[int, list[int]] = defaultdict(list)
        for i, node in enumerate(self.nodes):
            if node.operands:
                alike[node.shape].append(i)
        for group in reversed(alike.values()):  # shapes in the order of their first nodes: large ones before parts
            single = [i for i in group if i not in self.partner]
            half = len(single) // 2
            if len(single) % 2 == 0:  # all of the left limb's come before the right one's
                for first, second in zip(single[:half], single[half:], strict=True):
                    self._join(first, second)

    def _join(self, first: int, second: int) -> None:
        """Pair two nodes and, as far as they are single, what they need."""
        waiting = [(first, second)]
        while waiting:
            one, other = waiting.pop()
            if one == other or not self.nodes[one].operands or self.nodes[one].shape != self.nodes[other].shape:
                continue
            if one not in self.partner and other not in self.partner:
                self.partner[one] = self.partner[other] = (one, other)
                waiting += self.operands(one, other)

    def operands(self, first: int, second: int) -> list[tuple[int, int]]:
        """Which operand of one node goes with which of the other."""
        one, other = self.nodes[first].operands, self.nodes[second].operands
        straight, crossed = list(zip(one, other, strict=True)), list(zip(one, other[::-1], strict=True))
        if self.nodes[first].operation in COMMUTATIVE and self._fit(crossed) > self._fit(straight):
            return crossed
        return straight

    def _fit(self, operands: list[tuple[int, int]]) -> int:
        return sum(self._match(one, other) for one, other in operands)

    def _match(self, one: int, other: int) -> int:
        """How little it takes to have two nodes as a pair; higher is better."""
        if one == other:
            return 3
        if self.partner.get(one) == (one, other):
            return 4
        if self.nodes[one].shape != self.nodes[other].shape:
            return 0
        return -1 if one in self.partner or other in self.partner else 2
