# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that only look at the arrays they are given, or write into them, do not count references to them.

A NamedTuple of twenty arrays costs twenty counts up and down wherever a part of it is taken, at run time and in the
code to be compiled. Whoever calls a kernel holds its arguments until it returns, so a kernel that makes no array and
returns none may do without.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.types import BaseTuple  # type: ignore[attr-defined]

VIEWS = {"getattr", "static_getitem", "build_tuple", "exhaust_iter", "getiter", "iternext", "pair_first", "cast", "phi"}
BASIC: Any = (types.Integer, types.SliceType, types.EllipsisType)  # type: ignore[attr-defined]


@register_pass(mutates_CFG=False, analysis_only=False)
class BorrowArrays(FunctionPass):  # type: ignore[misc]
    """Lower a kernel without reference counts where it may do without."""

    _name = "borrow_arrays"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Choose how the kernel is lowered; its text stays as it is."""
        if only_borrows(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


def only_borrows(state: Any) -> bool:
    """Whether a kernel after type inference neither makes nor returns an object that is counted."""
    if _counted(state, state.return_type):
        return False
    made = (assign for block in state.func_ir.blocks.values() for assign in block.find_insts(ir.Assign))
    return all(_is_view(state, assign.value) for assign in made if _counted(state, state.typemap[assign.target.name]))


def _counted(state: Any, kind: Any) -> bool:
    return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())


def _is_view(state: Any, value: Any) -> bool:
    """Whether a value is what the kernel was given, or lies in it."""
    if not isinstance(value, ir.Expr) or value.op in VIEWS:
        return True
    if value.op == "getitem":
        return _basic(state.typemap[value.index.name])
    return value.op == "call" and isinstance(state.typemap[value.func.name], types.NamedTupleClass)


def _basic(index: Any) -> bool:
    """Whether an index gives a view, not a copy."""
    return isinstance(index, BASIC) or (isinstance(index, BaseTuple) and all(map(_basic, index.types)))
