# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that other kernels call are optimised and turned into machine code once, with the one that Python calls.

numba makes every function that a compiled function calls a complete program of its own first, and then its caller
with a copy of it inside, up to the top: a function five calls deep is optimised and emitted six times, and each time
gets code that reads its arguments from Python objects. Here a callee stays a part: intermediate code alone, without
that. The same compiler with the same options decides which instructions run; only the waiting for it is shorter.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import Any, Iterable, Iterator

import llvmlite.binding as llvm
from numba.core import compiler, event, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NoPythonSupportedFeatureValidation
from numba.core.types import unliteral  # type: ignore[attr-defined]

from biped_slip.compile.borrowed_arrays import BorrowArrays
from biped_slip.compile.cache import SourceCache
from biped_slip.compile.kept_programs import ProgramsInFiles


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code of one kernel; what it calls lies in other libraries."""

    def finalize(self) -> None:
        """Nothing is linked, optimised or emitted: the program that this becomes part of does it."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()  # what holds an address of this process is not kept on disk
        for library in self._linking_libraries:
            self._dynamic_globals += library._dynamic_globals
        self._finalized = True


class ProgramLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Machine code of a kernel that Python calls, with all the parts that it reaches."""

    def finalize(self) -> None:
        """Link the parts of parts too, each once; then as ever."""
        self._linking_libraries[:] = reached(self._linking_libraries)
        super().finalize()


def reached(libraries: Iterable[Any]) -> list[Any]:
    """Libraries and, of those that are parts, what these call: each once."""
    found: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, PartLibrary):
                waiting += library._linking_libraries
    return list(found)


class _Compiler(compiler.Compiler):  # type: ignore[misc]
    """Compiles into a library of its kind."""

    kind: type[JITCodeLibrary]

    def compile_extra(self, func: Any) -> Any:
        self.state.library = self.kind(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class _PartCompiler(_Compiler):
    kind = PartLibrary

    def define_pipelines(self) -> list[Any]:
        pipeline = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.add_pass_after(BorrowArrays, NoPythonSupportedFeatureValidation)
        pipeline.finalize()
        return [pipeline]


class _ProgramCompiler(_Compiler):
    kind = ProgramLibrary


class _PartInFile(ProgramsInFiles):
    """Keeps a part with all that it calls, so that it can be linked without these."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        return super().get_filename_base(f"part-{fullname}", abiflags)

    def reduce(self, part: Any) -> tuple[Any, ...]:
        module = part.library._get_module_for_linking().clone()
        for library in reached(part.library._linking_libraries):
            module.link_in(library._get_module_for_linking(), preserve=True)
        part.fndesc.typemap = part.fndesc.calltypes = None
        return part.library.name, module.as_bitcode(), part.fndesc, part.environment, part.signature

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        name, bitcode, fndesc, environment, signature = payload
        library = PartLibrary(target_context.codegen(), name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library.finalize()
        return compiler.compile_result(
            target_context=target_context, typing_context=target_context.typing_context, library=library,
            environment=environment, entry_point=None, fndesc=fndesc, signature=signature, lifted=(), reload_init=[],
        )  # fmt: skip


class _PartCache(SourceCache):
    _impl_class = _PartInFile


@contextmanager
def _without_collection() -> Iterator[None]:
    """Compilation makes many objects and hardly a cycle: looking for these takes a tenth of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compiles a program for Python, a part for a compiled caller."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions={"nopython": True, **options}, pipeline_class=_ProgramCompiler)
        self._parts: dict[tuple[Any, ...], Any] = {}
        self._cache = SourceCache(function)
        self._parts_on_disk = _PartCache(function)

    def compile(self, sig: Any) -> Any:
        """Compile a program."""
        with _without_collection():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What type inference of a compiled caller asks for."""
        folded, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(unliteral(kind) for kind in args)
        with global_compiler_lock:
            if args not in self._parts:
                self._parts[args] = self._part(args)
        signatures = [part.signature for part in self._parts.values()]
        return typing.make_concrete_template(self.py_func.__name__, self, signatures), folded, args, {}

    def get_overload(self, sig: Any) -> Any:
        """The key by which the code of a compiled caller finds the part."""
        return self._parts[tuple(sig)].library

    def _part(self, args: tuple[Any, ...]) -> Any:
        context = self.targetctx
        part = self._parts_on_disk.load_overload(args, context)
        if part is None:
            details = {"dispatcher": self, "args": args, "return_type": None}
            with event.trigger_event("numba:compile", data=details), self._compiling_counter:
                flags = compiler.Flags()
                self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
                flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
                part = compiler.compile_extra(
                    self.typingctx, context, self.py_func, args, None, flags, {}, pipeline_class=_PartCompiler
                )
            self._parts_on_disk.save_overload(args, part)
        context.insert_user_function(part.library, part.fndesc, [part.library])
        return part
