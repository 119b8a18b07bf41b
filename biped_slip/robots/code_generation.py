# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""CasADi expressions as Python for numba, or as C.

The C is built once by the system compiler.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple

import casadi as cs
import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from biped_slip.compile.cache import cache_folder, keep, kept_place

# operations as Python and C write them
BINARY = {cs.OP_ADD: "+", cs.OP_SUB: "-", cs.OP_MUL: "*", cs.OP_DIV: "/"}
UNARY = {
    cs.OP_ASSIGN: "{}",
    cs.OP_NEG: "-{}",
    cs.OP_INV: "1.0 / {}",
    cs.OP_SQ: "{0} * {0}",
    cs.OP_TWICE: "2.0 * {}",
}
FUNCTIONS = {cs.OP_SIN: "sin", cs.OP_COS: "cos", cs.OP_SQRT: "sqrt"}


def into_source(
    name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> str:
    """Write the source of ``def name_into(inputs…, outputs…)``.

    The function evaluates expressions into the given arrays.

    Args:
        name: name of the function.
        inputs: symbols by argument name; vectors become 1-D arrays, matrices 2-D.
        outputs: expressions by name; arguments after the inputs with the same rule for
            shapes.
    """
    # two outputs for every nonzero would be one too many: dense outputs keep the
    # indices plain
    dense = [cs.densify(expression) for expression in outputs.values()]
    function = cs.Function(name, list(inputs.values()), dense)
    argument_names = list(inputs)
    argument_rows = [symbol.shape for symbol in inputs.values()]
    labels = list(outputs)
    lines = [f"def {name}_into({', '.join([*argument_names, *labels])}):"]
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        where = function.instruction_output(k)
        source = function.instruction_input(k)
        if operation == cs.OP_CONST:
            lines.append(
                f"    w{where[0]} = {float(function.instruction_constant(k))!r}"
            )
        elif operation == cs.OP_INPUT:
            index = _index(source[1], argument_rows[source[0]])
            lines.append(f"    w{where[0]} = {argument_names[source[0]]}[{index}]")
        elif operation == cs.OP_OUTPUT:
            index = _index(where[1], dense[where[0]].shape)
            lines.append(f"    {labels[where[0]]}[{index}] = w{source[0]}")
        else:
            values = [f"w{one}" for one in source]
            lines.append(f"    w{where[0]} = {_expression(operation, values, 'math.')}")
    return "\n".join(lines) + "\n"


def returning_source(
    name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> str:
    """Write the source of ``def name(inputs…) -> outputs``.

    The function calls ``name_into`` with new arrays.
    """
    lines = [f"def {name}({', '.join(inputs)}):"]
    lines += [
        f"    {label} = np.empty({_shape(expression)})"
        for label, expression in outputs.items()
    ]
    lines.append(f"    {name}_into({', '.join([*inputs, *outputs])})")
    lines.append(f"    return {', '.join(outputs)}")
    return "\n".join(lines) + "\n"


def _expression(operation: int, values: list[str], module: str = "") -> str:
    if operation in BINARY:
        return f"{values[0]} {BINARY[operation]} {values[1]}"
    if operation in FUNCTIONS:
        return f"{module}{FUNCTIONS[operation]}({values[0]})"
    return UNARY[operation].format(values[0])


def _shape(expression: Any) -> str:
    rows, columns = expression.shape
    return str(rows) if columns == 1 else f"({rows}, {columns})"


def _index(flat: int, shape: tuple[int, int]) -> str:
    rows, columns = shape
    return str(flat) if columns == 1 else f"{flat % rows}, {flat // rows}"


COMMUTATIVE = (cs.OP_ADD, cs.OP_MUL)


class Node(NamedTuple):
    """Node of a graph: one operation."""

    operation: int
    operands: tuple[int, ...]  # indices of nodes; none of a leaf
    leaf: Any = None  # value of a constant, (input, index) of an input
    shape: int = 0


class Graph(NamedTuple):
    """Graph of a function's operations, operands before their uses."""

    nodes: list[Node]
    outputs: list[tuple[int, int, int]]  # output, index in it, node


def graph_of(function: Any) -> Graph:
    """Build the graph of a CasADi function of scalars' expressions (SX)."""
    nodes: dict[Node, int] = {}
    shapes: dict[tuple[Any, ...], int] = {}
    shape_of: list[int] = []
    outputs: list[tuple[int, int, int]] = []
    held: dict[int, int] = {}

    def node(operation: int, operands: tuple[int, ...] = (), leaf: Any = None) -> int:
        found = Node(
            operation,
            tuple(sorted(operands)) if operation in COMMUTATIVE else operands,
            leaf,
        )
        if found not in nodes:
            below = [shape_of[i] for i in found.operands]
            key = (operation, *(sorted(below) if operation in COMMUTATIVE else below))
            shape_of.append(shapes.setdefault(key, len(shapes)))
            nodes[found] = len(nodes)
        return nodes[found]

    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        where = function.instruction_output(k)
        source = function.instruction_input(k)
        if operation == cs.OP_OUTPUT:
            outputs.append((where[0], where[1], held[source[0]]))
        elif operation == cs.OP_CONST:
            held[where[0]] = node(
                operation, leaf=float(function.instruction_constant(k))
            )
        elif operation == cs.OP_INPUT:
            held[where[0]] = node(operation, leaf=tuple(source))
        else:
            held[where[0]] = node(operation, tuple(held[i] for i in source))
    return Graph(
        [one._replace(shape=shape) for one, shape in zip(nodes, shape_of, strict=True)],
        outputs,
    )


class PairedGraph:
    """Graph whose operations are paired, a left limb's with those of the right one.

    Two operations have the same shape if their operands have, down to the leaves, where
    all inputs are alike and all constants are. Neither then needs the other's result,
    so all pairs of the same shape can be computed together.

    Attributes:
        partner: by node, the pair (first, second) that it belongs to.
    """

    def __init__(self, graph: Graph) -> None:
        self.nodes, self.outputs = graph
        self.partner: dict[int, tuple[int, int]] = {}
        alike: dict[int, list[int]] = defaultdict(list)
        for i, node in enumerate(self.nodes):
            if node.operands:
                alike[node.shape].append(i)
        # shapes in the order of their first nodes: large ones before parts
        for group in reversed(alike.values()):
            single = [i for i in group if i not in self.partner]
            half = len(single) // 2
            # all of the left limb's come before the right one's
            if len(single) % 2 == 0:
                for first, second in zip(single[:half], single[half:], strict=True):
                    self._join(first, second)

    def _join(self, first: int, second: int) -> None:
        """Pair two nodes and, as far as they are single, their operands."""
        waiting = [(first, second)]
        while waiting:
            one, other = waiting.pop()
            if (
                one == other
                or not self.nodes[one].operands
                or self.nodes[one].shape != self.nodes[other].shape
            ):
                continue
            if one not in self.partner and other not in self.partner:
                self.partner[one] = self.partner[other] = (one, other)
                waiting += self.operands(one, other)

    def operands(self, first: int, second: int) -> list[tuple[int, int]]:
        """Match the operands of one node to those of the other."""
        one = self.nodes[first].operands
        other = self.nodes[second].operands
        straight = list(zip(one, other, strict=True))
        crossed = list(zip(one, other[::-1], strict=True))
        if self.nodes[first].operation in COMMUTATIVE and self._fit(
            crossed
        ) > self._fit(straight):
            return crossed
        return straight

    def _fit(self, operands: list[tuple[int, int]]) -> int:
        return sum(self._match(one, other) for one, other in operands)

    def _match(self, one: int, other: int) -> int:
        """Score how little it takes to have two nodes as a pair; higher is better."""
        if one == other:
            return 3
        if self.partner.get(one) == (one, other):
            return 4
        if self.nodes[one].shape != self.nodes[other].shape:
            return 0
        return -1 if one in self.partner or other in self.partner else 2


# left and right limbs in the lanes of one vector; gcc and clang know this extension on
# every processor
HEADER = "#include <math.h>\ntypedef double pair __attribute__((vector_size(16)));\n"


def paired_source(name: str, function: Any) -> str:
    """Write the source of ``void name(const double* x0, …, double* y0, …)``.

    The parameters are dense inputs, then outputs, by columns.
    """
    parameters = [f"const double* x{i}" for i in range(function.n_in())]
    parameters += [f"double* y{i}" for i in range(function.n_out())]
    lines = _Writer(PairedGraph(graph_of(function))).lines()
    return "\n".join([f"void {name}({', '.join(parameters)}) {{", *lines, "}\n"])


class _Writer:
    """Statements in the order in which results are needed.

    What is computed is used soon after.
    """

    def __init__(self, pairs: PairedGraph) -> None:
        self._pairs = pairs
        self._nodes = pairs.nodes
        self._lines: list[str] = []
        self._written: set[tuple[int, ...]] = set()
        self._packed: set[tuple[int, int]] = set()

    def lines(self) -> list[str]:
        """Return the body of the function."""
        for output, index, node in self._pairs.outputs:
            self._write(node)
            self._lines.append(f"y{output}[{index}] = {self._scalar(node)};")
        return self._lines

    def _write(self, root: int) -> None:
        """Write a node, after all that it needs."""
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
            waiting += [
                (below, False)
                for one in members
                for below in reversed(self._nodes[one].operands)
            ]

    def _compute(self, members: tuple[int, ...]) -> None:
        first = members[0]
        operation = self._nodes[members[0]].operation
        if len(members) == 1:
            values = [self._scalar(below) for below in self._nodes[first].operands]
            self._lines.append(
                f"const double s{first} = {_expression(operation, values)};"
            )
            return
        values = [
            self._vector(one, other) for one, other in self._pairs.operands(*members)
        ]
        if operation in FUNCTIONS:
            lanes = (
                _expression(operation, [f"{values[0]}[{lane}]"]) for lane in range(2)
            )
            self._lines.append(f"const pair p{first} = {{{', '.join(lanes)}}};")
        else:
            self._lines.append(
                f"const pair p{first} = {_expression(operation, values)};"
            )

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
        """Write two nodes as a vector: their own, or one packed of what they are."""
        if one != other and self._pairs.partner.get(one) == (one, other):
            return f"p{one}"
        if (one, other) not in self._packed:
            self._packed.add((one, other))
            self._lines.append(
                f"const pair k{one}_{other} = {{{self._scalar(one)}, "
                f"{self._scalar(other)}}};"
            )
        return f"k{one}_{other}"


FLAGS = ("-O2", "-fPIC", "-w")
NATIVE = "-march=native"  # fused multiplication and addition: a fifth faster


class CFunction(NamedTuple):
    """A function of dense arrays, all in C order.

    It takes the inputs in order, then one array per output.
    """

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]


def compiler() -> str | None:
    """Find the system's C compiler: what ``CC`` names, else cc or gcc or clang.

    Return None where there is none.
    """
    named = os.environ.get("CC")
    return next(
        (
            found
            for name in (named, "cc", "gcc", "clang")
            if name and (found := shutil.which(name))
        ),
        None,
    )


@intrinsic  # type: ignore[untyped-decorator]
def call_c(typing: Any, address: Any, inputs: Any, outputs: Any) -> Any:
    """Call the C function at an address with the data of two tuples of arrays.

    It can be called only inside kernels.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        double = ir.DoubleType().as_pointer()
        pointers = []
        for kinds, arrays in zip(signature.args[1:], values[1:], strict=True):
            for i, kind in enumerate(kinds):
                value = builder.extract_value(arrays, i)
                array = context.make_array(kind)(context, builder, value)
                pointers.append(builder.bitcast(array.data, double))
        kind = ir.FunctionType(ir.VoidType(), [double] * len(pointers))
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), pointers)
        return context.get_dummy_value()

    return types.void(address, inputs, outputs), generate


def compiled_library(
    key: str, functions: Callable[[], Mapping[str, CFunction]]
) -> Callable[[str], int] | None:
    """Compile functions of C, and return their addresses by name.

    Without a compiler, return None.

    Args:
        key: names what the functions depend on; the library lies in the code cache
            under it.
        functions: makes them, if the cache has none.
    """
    # the checksum after its last section does not disturb the loader
    path = (
        cache_folder("robots", f"{key}-{llvmlite.binding.get_host_cpu_name()}")
        / "checked.so"
    )
    place = kept_place(path)
    if place is None:
        place = path
        command = compiler()
        if command is None or not _build(command, _sources(key, functions()), path):
            return None
    library = ctypes.CDLL(str(place))  # loaded for as long as the process lives
    return lambda name: (
        ctypes.cast(getattr(library, _symbol(key, name)), ctypes.c_void_p).value or 0
    )


def _symbol(key: str, name: str) -> str:
    return f"biped_slip_{key}_{name}"


def _sources(key: str, functions: Mapping[str, CFunction]) -> list[str]:
    sources = []
    for name, function in functions.items():
        # CasADi's matrices are column by column: transposed ones lie in memory as
        # NumPy's do
        inputs = [
            cs.SX.sym(f"x{i}", *symbol.T.shape)
            for i, symbol in enumerate(function.inputs)
        ]
        plain = cs.Function(
            "plain", list(function.inputs), [cs.densify(y.T) for y in function.outputs]
        )
        expressions: Any = cs.cse(plain.call([x.T for x in inputs]))
        sources.append(
            HEADER
            + paired_source(
                _symbol(key, name), cs.Function("expressions", inputs, expressions)
            )
        )
    return sources


def _build(command: str, sources: list[str], library: Path) -> bool:
    """Compile, two files at a time, and put the library in place.

    It is put there at once or not at all, since several processes may start together.
    """
    with (
        tempfile.TemporaryDirectory(prefix="biped_slip_") as folder,
        ThreadPoolExecutor(2) as two,
    ):
        files = [Path(folder, f"{i}.c") for i in range(len(sources))]
        objects = [str(file.with_suffix(".o")) for file in files]
        built = Path(folder, "model.so")
        for file, source in zip(files, sources, strict=True):
            file.write_text(source, encoding="utf-8")
        for flags in ((*FLAGS, NATIVE), FLAGS):
            calls = [
                [command, *flags, "-c", str(file), "-o", made]
                for file, made in zip(files, objects, strict=True)
            ]
            link = [command, "-shared", *objects, "-o", str(built), "-lm"]
            if all(two.map(_succeeds, calls)) and _succeeds(link):
                return keep(library, built.read_bytes())
    return False


def _succeeds(call: list[str]) -> bool:
    return subprocess.run(call, capture_output=True, check=False).returncode == 0
