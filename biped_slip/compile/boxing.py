# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""How kernels return arrays and records to Python, in fewer instructions than numba's.

A tick of a robot returns a record of some twenty arrays and numbers. numba unpickles
the class of each at each call, makes plain tuples and copies them in Python; here the
program keeps the classes and fills the records themselves. Only the wrappers that
:func:`boxing_context` builds do so: numba's own table of boxers stays as it is.
"""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir as llvm_ir
from numba.core import boxing, cgutils, pythonapi, types
from numba.np.numpy_support import as_dtype


def _kept(c: Any, value: Any) -> Any:
    """Read an object that the program keeps; numba unpickles it at each call."""
    return c.env_manager.read_const(c.env_manager.add_const(value))


def _box_named_tuple(kind: Any, value: Any, c: Any) -> Any:
    """Fill a tuple of the class; numba makes a plain one and copies it in Python."""
    api = c.pyapi
    allocate = llvm_ir.FunctionType(api.pyobj, [api.pyobj, api.py_ssize_t])
    size = llvm_ir.Constant(api.py_ssize_t, len(kind))
    allocator = api._get_function(allocate, name="PyType_GenericAlloc")
    filled = c.builder.call(allocator, [_kept(c, kind.instance_class), size])
    for i, each in enumerate(kind):
        api.tuple_setitem(filled, i, c.box(each, c.builder.extract_value(value, i)))
    return filled


def _box_array(kind: Any, value: Any, c: Any) -> Any:
    """Box an array, its class read where numba unpickles it.

    It takes over the reference to the data.
    """
    if not c.context.enable_nrt:
        return boxing.box_array(kind, value, c)
    api = c.pyapi
    builder = c.builder
    number = llvm_ir.IntType(32)
    adapt = llvm_ir.FunctionType(
        api.pyobj, [api.voidptr, api.pyobj, number, number, api.pyobj]
    )
    place = builder.bitcast(cgutils.alloca_once_value(builder, value), api.voidptr)
    about = (
        _kept(c, kind.box_type),
        number(kind.ndim),
        number(int(kind.mutable)),
        _kept(c, as_dtype(kind.dtype)),
    )
    boxed = builder.call(
        api._get_function(adapt, name="NRT_adapt_ndarray_to_python_acqref"),
        [place, *about],
    )
    c.context.nrt.decref(builder, kind, value)
    return boxed


BOXERS: dict[type, Any] = {types.Array: _box_array}
# from Python 3.14 on a tuple keeps its hash, which only its own constructor initialises
if sys.version_info < (3, 14):
    BOXERS[types.NamedTuple] = _box_named_tuple  # type: ignore[attr-defined]
    BOXERS[types.NamedUniTuple] = _box_named_tuple  # type: ignore[attr-defined]


class _KernelPythonAPI(pythonapi.PythonAPI):  # type: ignore[misc]
    """Calls into Python of one wrapper, which box arrays and records by this module."""

    def from_native_value(self, typ: Any, val: Any, env_manager: Any = None) -> Any:
        box = BOXERS.get(type(typ))
        if box is None:
            return super().from_native_value(typ, val, env_manager)
        return box(
            typ,
            val,
            pythonapi._BoxContext(
                context=self.context,
                builder=self.builder,
                pyapi=self,
                env_manager=env_manager,
            ),
        )


def boxing_context(target: Any) -> Any:
    """Return a target context whose wrappers count references and box as above."""
    context = target.subtarget(enable_nrt=True)
    context.get_python_api = lambda builder: _KernelPythonAPI(context, builder)
    return context
