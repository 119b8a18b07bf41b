# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The pages of the docs, and the commands and options that they name."""

import argparse
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page
    for page in [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "studies").rglob("*.md"),
    ]
    if "_build" not in page.parts
)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
OPTION = re.compile(r"--[a-z][\w-]*")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
# where the field has a noun
EVERYDAY = re.compile(r"\b(told|said|felt|who asks|nobody|somebody|so many)\b")


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def parser_of(program, command):
    """The parser of a program's command."""
    parser = argparse.ArgumentParser()
    program.configure(command, parser)
    return parser


def missing_commands(program, text):
    """Words after a program's name that are no command of it."""
    called = re.findall(rf"{program.name} ([a-z][\w-]*)", text)
    return [name for name in called if name not in program.commands]


def options(program, command):
    """Options of a command, those of its subjects among them."""
    waiting = [parser_of(program, command)]
    while waiting:
        for action in waiting.pop()._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                waiting += action.choices.values()


def unknown_options(program, command, text):
    """Options that a text gives to a command which does not have them."""
    known = set(options(program, command))
    called = re.findall(rf"{program.name} {command}\b([^`\n|]*)", text)
    words = [word for call in called for word in shlex.split(call.partition("#")[0])]
    return [word for word in words if OPTION.fullmatch(word) and word not in known]


def everyday_words(program, command):
    """Words of a command's help for which the field has a noun."""
    return EVERYDAY.findall(parser_of(program, command).format_help())
