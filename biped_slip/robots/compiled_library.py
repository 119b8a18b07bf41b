# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""CasADi expressions as C, compiled once by the system's compiler and called from kernels by their addresses."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple

import casadi as cs
import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from biped_slip.compile.cache import cache_folder
from biped_slip.compile.kept_files import keep, kept
from biped_slip.robots.paired_code import HEADER, paired_source

FLAGS = ("-O2", "-shared", "-fPIC", "-w")
NATIVE = "-march=native"  # fused multiplication and addition: a fifth faster


class CFunction(NamedTuple):
    """A function of dense arrays: inputs in order, then one array per output, all in C order."""

    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]


def compiler() -> str | None:
    """The system's C compiler: what ``CC`` names, else cc or gcc or clang; None where there is none."""
    named = os.environ.get("CC")
    return next((found for name in (named, "cc", "gcc", "clang") if name and (found := shutil.which(name))), None)


@intrinsic  # type: ignore[untyped-decorator]
def call_c(typing: Any, address: Any, arrays: Any) -> Any:
    """Call the C function at an address with the data of arrays, a tuple; only inside kernels."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        double = ir.DoubleType().as_pointer()
        pointers = []
        for i, kind in enumerate(signature.args[1]):
            array = context.make_array(kind)(context, builder, builder.extract_value(values[1], i))
            pointers.append(builder.bitcast(array.data, double))
        kind = ir.FunctionType(ir.VoidType(), [double] * len(pointers))
        builder.call(builder.inttoptr(values[0], kind.as_pointer()), pointers)
        return context.get_dummy_value()

    return types.void(address, arrays), generate


def compiled_library(key: str, functions: Callable[[], Mapping[str, CFunction]]) -> Callable[[str], int] | None:
    """Addresses of functions by their names, or None without a compiler.

    Args:
        key: names what the functions depend on; the library lies in the code cache under it.
        functions: makes them, if the cache has none.
    """
    path = (
        cache_folder("robots", f"{key}-{llvmlite.binding.get_host_cpu_name()}") / "checked.so"
    )  # what follows its last section does not disturb the loader
    if kept(path) is None:
        command = compiler()
        if command is None or not _build(command, _source(key, functions()), path):
            return None
    library = ctypes.CDLL(str(path))  # loaded for as long as the process lives
    return lambda name: ctypes.cast(getattr(library, _symbol(key, name)), ctypes.c_void_p).value or 0


def _symbol(key: str, name: str) -> str:
    return f"biped_slip_{key}_{name}"


def _source(key: str, functions: Mapping[str, CFunction]) -> str:
    sources = [HEADER]
    for name, function in functions.items():
        # CasADi's matrices are column by column: transposed ones lie in memory as NumPy's do
        inputs = [cs.SX.sym(f"x{i}", *symbol.T.shape) for i, symbol in enumerate(function.inputs)]
        plain = cs.Function("plain", list(function.inputs), [cs.densify(y.T) for y in function.outputs])
        expressions: Any = cs.cse(plain.call([x.T for x in inputs]))
        sources.append(paired_source(_symbol(key, name), cs.Function("expressions", inputs, expressions)))
    return "\n".join(sources)


def _build(command: str, source: str, library: Path) -> bool:
    """Compile, and put the library in place at once or not at all: several processes may start together."""
    with tempfile.TemporaryDirectory(prefix="biped_slip_") as folder:
        file, built = Path(folder, "model.c"), Path(folder, "model.so")
        file.write_text(source, encoding="utf-8")
        for flags in ((*FLAGS, NATIVE), FLAGS):
            call = [command, *flags, str(file), "-o", str(built), "-lm"]
            if subprocess.run(call, capture_output=True, check=False).returncode == 0:
                return keep(library, built.read_bytes())
    return False
