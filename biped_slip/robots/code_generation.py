# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""CasADi expressions as straight-line Python, which numba compiles: no C compiler is needed at run time."""

from __future__ import annotations

from typing import Any, Mapping

import casadi as cs

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


def into_source(name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> str:
    """Source of ``def name_into(inputs…, outputs…)`` that evaluates expressions into the arrays it is given.

    Args:
        name: name of the function.
        inputs: symbols by argument name; vectors become 1-D arrays, matrices 2-D.
        outputs: expressions by name; arguments after the inputs with the same rule for shapes.
    """
    # two outputs for every nonzero would be one too many: dense outputs keep the indices plain
    dense = [cs.densify(expression) for expression in outputs.values()]
    function = cs.Function(name, list(inputs.values()), dense)
    argument_names, argument_rows = list(inputs), [symbol.shape for symbol in inputs.values()]
    labels = list(outputs)
    lines = [f"def {name}_into({', '.join([*argument_names, *labels])}):"]
    for k in range(function.n_instructions()):
        operation, where = function.instruction_id(k), function.instruction_output(k)
        source = function.instruction_input(k)
        if operation == cs.OP_CONST:
            lines.append(f"    w{where[0]} = {float(function.instruction_constant(k))!r}")
        elif operation == cs.OP_INPUT:
            index = _index(source[1], argument_rows[source[0]])
            lines.append(f"    w{where[0]} = {argument_names[source[0]]}[{index}]")
        elif operation == cs.OP_OUTPUT:
            index = _index(where[1], dense[where[0]].shape)
            lines.append(f"    {labels[where[0]]}[{index}] = w{source[0]}")
        elif operation in BINARY:
            lines.append(f"    w{where[0]} = w{source[0]} {BINARY[operation]} w{source[1]}")
        elif operation in FUNCTIONS:
            lines.append(f"    w{where[0]} = math.{FUNCTIONS[operation]}(w{source[0]})")
        else:
            lines.append(f"    w{where[0]} = {UNARY[operation].format(f'w{source[0]}')}")
    return "\n".join(lines) + "\n"


def returning_source(name: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> str:
    """Source of ``def name(inputs…) -> outputs`` that calls ``name_into`` with new arrays."""
    lines = [f"def {name}({', '.join(inputs)}):"]
    lines += [f"    {label} = np.empty({_shape(expression)})" for label, expression in outputs.items()]
    lines.append(f"    {name}_into({', '.join([*inputs, *outputs])})")
    lines.append(f"    return {', '.join(outputs)}")
    return "\n".join(lines) + "\n"


def _shape(expression: Any) -> str:
    rows, columns = expression.shape
    return str(rows) if columns == 1 else f"({rows}, {columns})"


def _index(flat: int, shape: tuple[int, int]) -> str:
    rows, columns = shape
    return str(flat) if columns == 1 else f"{flat % rows}, {flat // rows}"
