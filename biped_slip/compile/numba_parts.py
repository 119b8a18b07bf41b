# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of programs: each kernel is compiled once by numba, then linked.

Large ones are compiled once by LLVM, too.

numba by itself optimises and emits a function again in each of its callers, up to the
top: six times one that is five calls deep, each time with code that reads its arguments
from Python objects. Here a kernel becomes a part, once:

- intermediate code, which whatever calls it takes in; or, beyond a size,
- machine code with an object file of its own, which its callers only name.

Python calls a part through a wrapper. The compiler and its options are the same and
sums keep their order, so numbers are equal to the last bit wherever one object ends and
the next begins.

All of it is in classes derived from numba's: nothing here changes how numba compiles
or returns anything of anybody else's. They are derived from parts that numba does not
promise to keep, so :mod:`.kernel` asks for them with the versions of numba that they
are known to fit, and compiles by numba's own way with any other.
"""

from __future__ import annotations

import gc
import hashlib
import itertools
import pickle
from contextlib import contextmanager
from typing import Any, Iterable, Iterator

import llvmlite.binding as llvm
from numba.core import compiler, event, ir, types, typing
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.environment import Environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.typed_passes import (
    AnnotateTypes,
    DumpParforDiagnostics,
    NoPythonSupportedFeatureValidation,
)
from numba.core.types import BaseTuple, unliteral  # type: ignore[attr-defined]
from numba.core.untyped_passes import MakeFunctionToJitFunction, WithLifting

from biped_slip.compile.boxing import boxing_context
from biped_slip.compile.cache import (
    PART,
    KernelCache,
    cache_folder,
    keep,
    kept,
    say_first_use,
)
from biped_slip.compile.quick_typing import quick_typing

# bytes of intermediate code from which a kernel is its own object: 0.3 s of
# optimisation (choice)
LARGE = 100_000
# kernels; what compiles fewer is over before anybody has read why he waits (choice)
MANY = 10
_COMPILED = itertools.count(1)


class PartLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Intermediate code of one kernel; what it calls lies in other libraries."""

    def finalize(self) -> None:
        """Skip linking, optimising and emitting.

        The library that this becomes part of does it.
        """
        self._raise_if_finalized()
        # what holds an address of this process is not kept on disk
        self._finalize_dynamic_globals()
        for library in self._linking_libraries:
            self._dynamic_globals += library._dynamic_globals
        self._finalized = True

    def whole(self) -> tuple[Any, list[MachineLibrary]]:
        """Join the module of this part and of all parts that it reaches.

        The machine code that it calls is returned with it.
        """
        parts, needs = reached(self._linking_libraries)
        module = self._get_module_for_linking().clone()
        for library in parts:
            module.link_in(library._get_module_for_linking(), preserve=True)
        return module, needs


class MachineLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Machine code of one function with all the parts that it reaches.

    Attributes:
        entry: symbol of the function; it alone is visible outside.
        needs: machine code that this calls.
        digest: hash of what is kept of it, and the name of the file; empty: it is not
            kept.
    """

    def __init__(self, codegen: Any, name: str, entry: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()
        self.entry = entry
        self.digest = ""
        self.needs: list[MachineLibrary] = []

    def finalize(self) -> None:
        """Link all parts that are reached, each once; then finalize the library."""
        self._linking_libraries[:], self.needs = reached(self._linking_libraries)
        for library in self.needs:
            self._dynamic_globals += library._dynamic_globals
        super().finalize()

    def _optimize_final_module(self) -> None:
        # no other module calls copies of parts: most are inlined away
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = (
                    "external" if function.name == self.entry else "internal"
                )
        super()._optimize_final_module()

    def kept_form(self) -> tuple[Any, ...]:
        """Return the stored form of the library.

        From it :meth:`of` builds the library in another process.
        """
        return (
            self.name,
            self.entry,
            self._get_compiled_object(),
            [library.digest for library in self.needs],
        )

    @classmethod
    def of(cls, codegen: Any, form: tuple[Any, ...]) -> MachineLibrary:
        """Build a library from its stored form, ready to run."""
        name, entry, code, needs = form
        library = cls(codegen, name, entry)
        library.needs = [
            machine_code(codegen, digest) for digest in needs
        ]  # before it, so that its calls find them
        library._set_compiled_object(code)
        library._finalize_final_module()
        codegen._engine._defined_symbols.add(entry)
        return library


def reached(libraries: Iterable[Any]) -> tuple[list[Any], list[MachineLibrary]]:
    """Collect intermediate code and machine code of libraries, each once.

    Intermediate code is that of the libraries and of the parts that they call.
    """
    found: dict[Any, None] = {}
    waiting = list(libraries)
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, PartLibrary):
                waiting += library._linking_libraries
    needs = [library for library in found if isinstance(library, MachineLibrary)]
    return [
        library for library in found if not isinstance(library, MachineLibrary)
    ], needs


_LOADED: dict[str, MachineLibrary] = {}  # by digest


def machine_code(codegen: Any, digest: str) -> MachineLibrary:
    """Load a stored kernel's machine code, once per process.

    Raises:
        LookupError: it is not there, or damaged.
    """
    if digest not in _LOADED:
        content = kept(cache_folder("machine_code", digest))
        if content is None or hashlib.sha256(content).hexdigest() != digest:
            raise LookupError(f"machine code that it calls is gone ({digest[:12]})")
        _LOADED[digest] = MachineLibrary.of(codegen, pickle.loads(content))
        _LOADED[digest].digest = digest
    return _LOADED[digest]


@register_pass(mutates_CFG=False, analysis_only=False)
class BorrowArrays(FunctionPass):  # type: ignore[misc]
    """Pass that lowers a kernel without reference counts if it can.

    It can if it only reads or fills the arrays of its arguments.

    A NamedTuple of twenty arrays costs twenty counts up and down wherever a part of it
    is taken, at run time and in the code to be compiled. Whoever calls a kernel holds
    its arguments until it returns, so a kernel that makes no array and returns none may
    do without.
    """

    _name = "borrow_arrays"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Choose the lowering of a kernel; its code stays unchanged."""
        if only_borrows(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False


VIEWS = {
    "getattr",
    "static_getitem",
    "build_tuple",
    "exhaust_iter",
    "getiter",
    "iternext",
    "pair_first",
    "cast",
    "phi",
}
BASIC: Any = (types.Integer, types.SliceType, types.EllipsisType)  # type: ignore[attr-defined]


def only_borrows(state: Any) -> bool:
    """Return whether a kernel only borrows counted objects.

    After type inference it neither makes, keeps nor returns one.
    """
    held = any(isinstance(kind, types.StructRef) for kind in state.typemap.values())  # type: ignore[attr-defined]
    if (
        held
        or _counted(state, state.return_type)
        or any(_copies(state, one) for one in state.func_ir.blocks.values())
    ):
        return False
    made = (
        assign
        for block in state.func_ir.blocks.values()
        for assign in block.find_insts(ir.Assign)
    )
    return all(
        _is_view(state, assign.value)
        for assign in made
        if _counted(state, state.typemap[assign.target.name])
    )


def _copies(state: Any, block: Any) -> bool:
    """Return whether a block writes an array into a part of another.

    An array that may overlap is copied first.
    """
    written = (*block.find_insts(ir.SetItem), *block.find_insts(ir.StaticSetItem))
    return any(
        isinstance(state.typemap[one.value.name], types.Array) for one in written
    )


def _counted(state: Any, kind: Any) -> bool:
    return bool(state.targetctx.data_model_manager[kind].contains_nrt_meminfo())


def _is_view(state: Any, value: Any) -> bool:
    """Return whether a value is an argument of the kernel, or lies in one."""
    if not isinstance(value, ir.Expr) or value.op in VIEWS:
        return True
    if value.op == "getitem":
        return _basic(state.typemap[value.index.name])
    return value.op == "call" and isinstance(
        state.typemap[value.func.name], types.NamedTupleClass
    )


def _basic(index: Any) -> bool:
    """Return whether an index gives a view, not a copy."""
    return isinstance(index, BASIC) or (
        isinstance(index, BaseTuple) and all(map(_basic, index.types))
    )


OF_NO_USE = {
    WithLifting,
    MakeFunctionToJitFunction,
    AnnotateTypes,
    DumpParforDiagnostics,
}  # to kernels


class KernelFlags(compiler.Flags):  # type: ignore[misc]
    """Flags of a compilation that are compared with one look at their defaults.

    numba compares all of them thousands of times a kernel.
    """

    __slots__ = ()

    def values(self) -> dict[str, Any]:
        """List all flags by name."""
        return {**_DEFAULTS, **self._values}


_DEFAULTS = {name: option.default for name, option in KernelFlags.options.items()}


class _PartCompiler(compiler.Compiler):  # type: ignore[misc]
    def compile_extra(self, func: Any) -> Any:
        self.state.library = PartLibrary(
            self.state.targetctx.codegen(), func.__qualname__
        )
        return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        pipeline = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        pipeline.passes = [each for each in pipeline.passes if each[0] not in OF_NO_USE]
        pipeline.add_pass_after(BorrowArrays, NoPythonSupportedFeatureValidation)
        pipeline.finalize()
        return [pipeline]


def _result(
    context: Any, library: Any, about: tuple[Any, ...], entry_point: Any = None
) -> Any:
    """Wrap a compiled function as numba passes it on.

    ``about`` is its description, constants and signature.
    """
    fndesc, constants, signature = about
    environment = Environment.from_fndesc(fndesc)
    environment.consts[:] = [
        *environment.consts,
        *constants[len(environment.consts) :],
    ]  # a wrapper's follow a part's
    if (
        entry_point is None
        and isinstance(library, MachineLibrary)
        and library.entry != fndesc.llvm_func_name
    ):
        entry_point = context.get_executable(library, fndesc, environment)
    return compiler.compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=entry_point,
        fndesc=fndesc,
        signature=signature,
        objectmode=False,
        lifted=(),
        reload_init=[],
    )


def _about(result: Any) -> tuple[Any, ...]:
    result.fndesc.typemap = result.fndesc.calltypes = (
        None  # large, and of no use any more
    )
    return result.fndesc, list(result.environment.consts), result.signature


class _ProgramCache(KernelCache):
    """Programs for Python."""

    def reduce(self, result: Any) -> Any:
        return result.library.kept_form(), _about(result)

    def rebuild(self, context: Any, payload: Any) -> Any:
        form, about = payload
        return _result(context, MachineLibrary.of(context.codegen(), form), about)


class _PartCache(KernelCache):
    """Parts: small ones with all that they call; large ones by digest.

    So small ones can be linked without what they call.
    """

    kind = PART

    def reduce(self, part: Any) -> Any:
        library = part.library
        if isinstance(library, MachineLibrary):
            return library.name, library.digest, [], _about(part)
        module, needs = library.whole()
        return (
            library.name,
            module.as_bitcode(),
            [each.digest for each in needs],
            _about(part),
        )

    def rebuild(self, context: Any, payload: Any) -> Any:
        name, code, needs, about = payload
        codegen = context.codegen()
        if isinstance(code, str):
            return _result(context, machine_code(codegen, code), about)
        library = PartLibrary(codegen, name)
        library._final_module = llvm.parse_bitcode(code)
        for digest in needs:
            library.add_linking_library(machine_code(codegen, digest))
        library.finalize()
        return _result(context, library, about)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Suspend garbage collection.

    It takes a tenth of compile time and finds hardly a cycle.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class KernelDispatcher(CPUDispatcher):  # type: ignore[misc]
    """Dispatcher that compiles a kernel as a part and as a program.

    The part is for compiled callers, the program for Python.
    """

    def __init__(self, function: Any, options: dict[str, Any], *place: Any) -> None:
        super().__init__(function, targetoptions={"nopython": True, **options})
        self._compiler._compile_core = lambda args, return_type: self._program(args)
        self._parts: dict[tuple[Any, ...], Any] = {}
        self._cache = _ProgramCache(function, *place)
        self._parts_on_disk = _PartCache(function, *place)

    def compile(self, sig: Any) -> Any:
        """Compile a kernel as a program for Python."""
        with _without_collection():
            return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return the call template for the type inference of a compiled caller."""
        folded, args = self._compiler.fold_argument_types(args, kws)
        args = tuple(unliteral(kind) for kind in args)
        with global_compiler_lock:
            self._part(args)
        signatures = [part.signature for part in self._parts.values()]
        return (
            typing.make_concrete_template(self.py_func.__name__, self, signatures),
            folded,
            args,
            {},
        )

    def get_overload(self, sig: Any) -> Any:
        """Return the key by which the code of a compiled caller finds the part."""
        return self._parts[tuple(sig)].library

    def _part(self, args: tuple[Any, ...]) -> Any:
        if args not in self._parts:
            part = self._parts_on_disk.load_overload(args, self.targetctx)
            if part is None:
                if next(_COMPILED) == MANY:
                    say_first_use()
                with event.trigger_event(
                    "numba:compile",
                    data={"dispatcher": self, "args": args, "return_type": None},
                ):
                    with self._compiling_counter:
                        part = self._new_part(args)
                self._parts_on_disk.save_overload(args, part)
            self.targetctx.insert_user_function(
                part.library, part.fndesc, [part.library]
            )
            self._parts[args] = part
        return self._parts[args]

    def _new_part(self, args: tuple[Any, ...]) -> Any:
        flags = KernelFlags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        with quick_typing():
            part = compiler.compile_extra(
                self.typingctx,
                self.targetctx,
                self.py_func,
                args,
                None,
                flags,
                {},
                pipeline_class=_PartCompiler,
            )
        if self.targetoptions.get("forceinline"):
            return part
        module, needs = part.library.whole()
        if len(module.as_bitcode()) < LARGE:
            return part
        entry = part.fndesc.llvm_func_name
        library = MachineLibrary(self.targetctx.codegen(), part.library.name, entry)
        module.get_function(entry).linkage = "external"  # or nothing here would need it
        library._final_module.link_in(module, preserve=True)
        library._linking_libraries += needs
        library.finalize()
        if not library.has_dynamic_globals:
            content = dumps(library.kept_form())
            library.digest = hashlib.sha256(content).hexdigest()
            _LOADED[library.digest] = library
            keep(cache_folder("machine_code", library.digest), content)
        return _result(self.targetctx, library, _about(part))

    def _program(self, args: tuple[Any, ...]) -> Any:
        part = self._part(args)
        context = boxing_context(self.targetctx)
        fndesc = part.fndesc
        environment = part.environment
        library = MachineLibrary(
            context.codegen(), part.library.name, fndesc.llvm_cpython_wrapper_name
        )
        library.add_linking_library(rtsys.library)  # the wrapper counts references
        library.add_linking_library(part.library)
        context.create_cpython_wrapper(
            library, fndesc, environment, None, self.targetoptions.get("nogil", False)
        )
        entry_point = context.get_executable(library, fndesc, environment)
        return _result(context, library, _about(part), entry_point)
