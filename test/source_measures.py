# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Measures of how much a reader of the package has to hold in mind at once.

Each is a count that any tool could make: tokens a line of code, parallel assignments,
long functions, records whose fields are told apart by position alone, names with two
meanings, circles of imports. Docstrings and comments never count.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections import defaultdict
from pathlib import Path
from typing import Iterator, NamedTuple

NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
PACKAGE = "biped_slip"


class Source(NamedTuple):
    """One file of the package, parsed."""

    module: str
    text: str
    tree: ast.Module
    tokens: tuple[tokenize.TokenInfo, ...]  # of code alone


def sources(root: Path) -> list[Source]:
    """Parse every file below the package's folder."""
    return [_source(path, root) for path in sorted(root.rglob("*.py"))]


def _source(path: Path, root: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    documented = _documented_lines(tree)
    every = tokenize.generate_tokens(io.StringIO(text).readline)
    tokens = tuple(
        token
        for token in every
        if token.type not in NOT_CODE
        and not (token.type == tokenize.STRING and token.start[0] in documented)
    )
    parts = (PACKAGE, *path.relative_to(root).with_suffix("").parts)
    module = ".".join(parts).removesuffix(".__init__")
    return Source(module=module, text=text, tree=tree, tokens=tokens)


def _documented_lines(tree: ast.Module) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                lines.update(range(node.lineno, node.end_lineno + 1))
    return lines


def tokens_a_line(files: list[Source]) -> float:
    """Compute the mean number of tokens on a line that has code."""
    lines = 0
    for file in files:
        used = set()
        for token in file.tokens:
            used.update(range(token.start[0], token.end[0] + 1))
        lines += len(used)
    return sum(len(file.tokens) for file in files) / lines


def parallel_assignments(files: list[Source]) -> list[str]:
    """List assignments of several values to several names in one statement."""
    return [
        f"{file.module}:{node.lineno}"
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Tuple)
        and isinstance(node.value, ast.Tuple)
    ]


def skipped_by_the_formatter(files: list[Source]) -> list[str]:
    """List the lines that the formatter is told to leave alone."""
    return [
        f"{file.module}:{number}"
        for file in files
        for number, line in enumerate(file.text.splitlines(), start=1)
        if "fmt: skip" in line or "fmt: off" in line
    ]


class Function(NamedTuple):
    """Size of one function that holds no other."""

    name: str  # MODULE:NAME
    tokens: int
    arguments: int
    locals: int


def functions(files: list[Source]) -> Iterator[Function]:
    """Measure every function that has no other one inside."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    for file in files:
        for node in ast.walk(file.tree):
            if not isinstance(node, kinds):
                continue
            inside = [one for one in ast.walk(node) if one is not node]
            if any(isinstance(one, kinds) for one in inside):
                continue
            yield Function(
                name=f"{file.module}:{node.name}",
                tokens=sum(
                    node.lineno <= token.start[0] <= node.end_lineno
                    for token in file.tokens
                ),
                arguments=_arguments(node.args),
                locals=len(_stored_names(inside)),
            )


def _arguments(given: ast.arguments) -> int:
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return sum(one.arg not in ("self", "cls") for one in every)


def _stored_names(nodes: list[ast.AST]) -> set[str]:
    return {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def record_fields(files: list[Source]) -> dict[str, int]:
    """Return the number of fields of each record: NamedTuples and dataclasses."""
    found = {}
    for file in files:
        for node in ast.walk(file.tree):
            if isinstance(node, ast.ClassDef) and _is_record(node):
                fields = [one for one in node.body if isinstance(one, ast.AnnAssign)]
                found[node.name] = len(fields)
    return found


def _is_record(node: ast.ClassDef) -> bool:
    bases = {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
    decorators = {
        getattr(one, "id", getattr(one, "attr", ""))
        for decorator in node.decorator_list
        for one in [getattr(decorator, "func", decorator)]
    }
    has_own_constructor = any(
        isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__")
        for one in node.body
    )
    is_record = "NamedTuple" in bases or decorators & {"dataclass", "configuration"}
    return bool(is_record) and not has_own_constructor


def built_by_position(files: list[Source], most: int) -> list[str]:
    """List the records of more than ``most`` fields that are built by position."""
    records = record_fields(files)
    return [
        f"{file.module}:{node.lineno} {node.func.id}"
        for file in files
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and records.get(node.func.id, 0) > most
        and (
            len(node.args) > most
            or any(isinstance(one, ast.Starred) for one in node.args)
        )
    ]


def classes_of_one_name(files: list[Source]) -> dict[str, list[str]]:
    """Return the names that several classes of the package share."""
    places = defaultdict(list)
    for file in files:
        for node in file.tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(file.module)
    return {name: where for name, where in places.items() if len(where) > 1}


def constants_of_one_name(files: list[Source]) -> dict[str, list[str]]:
    """Return the names that stand for different values in different files."""
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for file in files:
        for node in file.tree.body:
            target = _constant(node)
            if target is not None:
                values[target][ast.unparse(node.value)].append(file.module)
    return {
        name: sorted(where for places in meanings.values() for where in places)
        for name, meanings in values.items()
        if len(meanings) > 1
    }


def _constant(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        target = node.target
    else:
        return None
    is_constant = isinstance(target, ast.Name) and target.id.isupper()
    return target.id if is_constant else None


def circles(files: list[Source]) -> list[list[str]]:
    """List groups of files that import one another, at whatever depth (Tarjan)."""
    known = {file.module for file in files}
    imports = {file.module: _imported(file, known) for file in files}
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(module: str) -> None:
        index[module] = lowest[module] = len(index)
        stack.append(module)
        for other in imports[module]:
            if other not in index:
                visit(other)
                lowest[module] = min(lowest[module], lowest[other])
            elif other in stack:
                lowest[module] = min(lowest[module], index[other])
        if lowest[module] == index[module]:
            start = stack.index(module)
            group = stack[start:]
            del stack[start:]
            if len(group) > 1:
                found.append(sorted(group))

    for module in imports:
        if module not in index:
            visit(module)
    return found


def _imported(file: Source, known: set[str]) -> set[str]:
    names = set()
    typed = {one for node in ast.walk(file.tree) for one in _for_types_alone(node)}
    for node in ast.walk(file.tree):
        if node in typed:
            continue
        if isinstance(node, ast.ImportFrom) and node.module in known:
            inside = {f"{node.module}.{alias.name}" for alias in node.names} & known
            names |= inside or {node.module}
    packages = {name for name in names if any(n.startswith(f"{name}.") for n in known)}
    return names - packages - {file.module}


def _for_types_alone(node: ast.AST) -> list[ast.stmt]:
    """List imports under ``if TYPE_CHECKING``, which nothing runs."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return node.body
    return []
