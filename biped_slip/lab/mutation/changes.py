# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Mutants of a source: one operator, comparison, number or word changed at a time."""

from __future__ import annotations

import ast
import copy
from typing import Callable, Iterator, NamedTuple

OTHER: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.FloorDiv: (ast.Mult,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sin": "cos", "cos": "sin", "abs": "float"}


class Mutant(NamedTuple):
    """A wrong version of a source."""

    line: int
    what: str  # that was changed
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """All mutants of a module's functions; its constants, declarations and docstrings stay."""
    tree = ast.parse(source)
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        if not any(function in ast.walk(other) for other in _outer(tree, function)):
            for statement in function.body:
                yield from _of_statement(tree, statement)


def _outer(tree: ast.Module, function: ast.FunctionDef) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node is not function]


def _of_statement(tree: ast.Module, statement: ast.stmt) -> Iterator[Mutant]:
    for node in ast.walk(statement):
        for what, change, undo in _changes(node):
            change()
            yield Mutant(getattr(node, "lineno", statement.lineno), what, ast.unparse(tree))
            undo()


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    """What can be changed in a node: words, the change, and back."""
    if isinstance(node, ast.Compare):
        for i, operator in enumerate(node.ops):
            for other in OTHER.get(type(operator), ()):
                yield _set_item(node.ops, i, other(), f"{_word(operator)} to {other.__name__}")
    elif isinstance(node, (ast.BinOp, ast.BoolOp)):
        for other in OTHER.get(type(node.op), ()):
            yield _set(node, "op", other(), f"{_word(node.op)} to {other.__name__}")
    elif isinstance(node, ast.AugAssign):
        for other in OTHER.get(type(node.op), ()):
            yield _set(node, "op", other(), f"{_word(node.op)}= to {other.__name__}=")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield _set(node, "op", ast.UAdd(), f"{_word(node.op)} dropped")
    elif isinstance(node, ast.Constant):
        yield from _numbers(node)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        for truth in (True, False):
            if not (isinstance(node, ast.While) and truth):
                yield _set(node, "test", ast.Constant(truth), f"condition {truth}")
    elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)):
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        if name in CALLED:
            field = "id" if isinstance(node.func, ast.Name) else "attr"
            yield _set(node.func, field, CALLED[name], f"{name} to {CALLED[name]}")


def _numbers(node: ast.Constant) -> Iterator[tuple[str, Callable[[], None], Callable[[], None]]]:
    value = node.value
    if isinstance(value, bool):
        yield _set(node, "value", not value, f"{value} to {not value}")
    elif isinstance(value, int):
        yield _set(node, "value", value + 1, f"{value} to {value + 1}")
    elif isinstance(value, float):
        other = 2.0 * value if value else 1.0
        yield _set(node, "value", other, f"{value:g} to {other:g}")


def _word(operator: ast.AST) -> str:
    return type(operator).__name__


def _set(node: ast.AST, field: str, new: object, what: str) -> tuple[str, Callable[[], None], Callable[[], None]]:
    old = getattr(node, field)
    return what, lambda: setattr(node, field, new), lambda: setattr(node, field, old)


def _set_item(
    items: list[ast.cmpop], i: int, new: ast.AST, what: str
) -> tuple[str, Callable[[], None], Callable[[], None]]:
    old = copy.copy(items[i])

    def put(value: ast.AST) -> Callable[[], None]:
        return lambda: items.__setitem__(i, value)  # type: ignore[call-overload]

    return what, put(new), put(old)
