# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The command ``biped-slip``: each command parses its arguments to one library call.

The arguments of a command stand in ``options.py``; its module, which is loaded when it
runs, has ``run(arguments) -> exit code``, or a function of the command's name where
several commands share one. Modules of other programs have ``configure(parser)``, too.

Exit codes: 0 success; 1 the robot fell or must not walk, or a required number was
missed; 2 arguments or files that cannot be used; 3 upright, but a foot slid by 1 cm or
more; 4 upright, but out of time; 130 interrupted, 143 terminated.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import signal
import sys
from types import ModuleType
from typing import Iterator, Mapping, NamedTuple, NoReturn, Sequence

from biped_slip import __version__
from biped_slip.child_processes import interrupted_by_endings
from biped_slip.compile import own_process
from biped_slip.errors import BipedSlipError, did_you_mean, missing_extra

COMMANDS = {
    "demo": "walk over real ROS 2 topics, without and with slip prevention, with a "
    "report",
    "walk": "walk the planar biped, or a humanoid, over floors of different friction, "
    "without ROS",
    "campaign": "run many walks: seeds x limits x scenarios or humanoids on all "
    "cores, as one table",
    "compare": "compare walking policies on slippery floors, alone and behind the "
    "friction governor, on one page",
    "view": "show walks and recordings in three dimensions in the browser, live or as "
    "one HTML file",
    "robot": "check a humanoid's description and YAML, and show the resulting model",
    "replay": "estimate friction, required friction and slips in recordings of feet",
    "samples": "list sample recordings, shipped ones and real ones from their "
    "publishers",
    "gait": "compute required friction, slips and the chance of a slip from recorded "
    "gait",
    "convert": "write a recording as a standard rosbag2",
    "record": "record live ROS topics as a standard rosbag2",
    "up": "start the nodes of a launch file in this terminal, without ROS 2's launch",
    "topics": "list the ROS topics that are there, who publishes and who listens",
    "echo": "print the messages of a ROS topic, values by name",
    "set": "set a parameter of a running ROS node",
    "calibrate-sole": "fit a sole from pull-to-slip recordings and write the YAML "
    "that the estimator reads",
    "contact-laws": "compare contact laws on a drop and a pull: forces, creep, cost, "
    "pictures",
    "compile": "compile ahead what walks run, so that the first one begins without a "
    "wait",
}


#: commands that share a module
SHARED_MODULES = {"demo": "walk"}


class Program(NamedTuple):
    """A program of several commands, each a module of one package."""

    name: str  # as it is typed
    meaning: str
    package: str
    commands: Mapping[str, str]  # help text by name

    def module(self, command: str) -> ModuleType:
        """Import the module of a command alone."""
        return importlib.import_module(
            f"{self.package}.{SHARED_MODULES.get(command, command.replace('-', '_'))}"
        )

    def configure(self, command: str, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of a command."""
        if self.package == __name__:
            from biped_slip.cli import options  # for one command alone

            options.declare(command, parser)
        else:
            self.module(command).configure(parser)


BIPED_SLIP = Program(
    "biped-slip",
    "Friction estimation at touchdown, and walking inside the friction cone.",
    __name__,
    COMMANDS,
)


class WrongUsage(BipedSlipError):
    """Command line that cannot be understood."""


# what argparse says of a word that it does not know
UNKNOWN_WORD = re.compile(
    r"unrecognized arguments: (?:.*? )?(--?[^\s=]+)|invalid choice: '([^']+)'"
)


class Parser(argparse.ArgumentParser):
    """Parser whose errors are one sentence, like every other of the command.

    A mistyped option or choice is answered by the nearest one.
    """

    def error(self, message: str) -> NoReturn:
        """Raise the error instead of printing the usage and exiting.

        Raises:
            WrongUsage: always.
        """
        found = UNKNOWN_WORD.search(message)
        nearest = did_you_mean(found[1] or found[2], known_words(self)) if found else ""
        raise WrongUsage(
            f"{message}{nearest} (`{self.prog} --help` lists all arguments)"
        )


def known_words(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options and choices of a parser and of its commands' parsers."""
    for action in parser._actions:
        yield from action.option_strings
        yield from map(str, action.choices or ())
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from known_words(command)


def main(arguments: Sequence[str] | None = None, program: Program = BIPED_SLIP) -> int:
    """Run one command.

    Every expected failure is one sentence on stderr and exit code 2.
    """
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    own_process.begin()
    try:
        with interrupted_by_endings():
            return _run(arguments, program)
    except BipedSlipError as error:
        return _refused(arguments, str(error), program)
    except ModuleNotFoundError as error:  # a library that the light installation lacks
        missing = missing_extra("this", error)
        if missing is error:
            raise
        return _refused(arguments, str(missing), program)
    except KeyboardInterrupt as interruption:
        number = signal.Signals(*interruption.args or (signal.SIGINT,))
        with contextlib.suppress(OSError):  # a terminal that is gone
            print(
                "interrupted" if number == signal.SIGINT else f"ended by {number.name}",
                file=sys.stderr,
            )
        return 128 + number
    except BrokenPipeError:
        return 0
    except (
        OSError
    ) as error:  # a full disk, a folder below a file, a working directory that is gone
        where = f"{error.filename}: " if error.filename else ""
        return _refused(arguments, f"{where}{error.strerror or error}", program)
    except MemoryError:
        return _refused(arguments, "out of memory", program)


def _refused(arguments: Sequence[str], sentence: str, program: Program) -> int:
    words = [
        program.name,
        *(argument for argument in arguments[:1] if argument in program.commands),
    ]
    print(f"{' '.join(words)}: {sentence}", file=sys.stderr)
    return 2


def _run(arguments: Sequence[str], program: Program) -> int:
    parser = Parser(prog=program.name, description=program.meaning)
    parser.add_argument(
        "--version", action="version", version=f"{program.name} {__version__}"
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    completing = "_ARGCOMPLETE" in os.environ  # the shell asks what may come next
    words = os.environ["COMP_LINE"].split()[1:] if completing else arguments
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, help_text in program.commands.items():
        command = commands.add_parser(name, help=help_text, description=help_text)
        if name == chosen:
            program.configure(name, command)
    if completing:
        import argcomplete

        argcomplete.autocomplete(parser)
    parsed = parser.parse_args(arguments)
    parsed.program = program.name
    parsed.words = list(arguments)
    module = program.module(parsed.command)
    return int(
        (getattr(module, "run", None) or getattr(module, parsed.command))(parsed)
    )
