# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Files and surroundings that nobody should have to survive.

These are the kinds, and the command that meets each.

A command that can't do what it was asked says so in one sentence on standard error,
ends with an exit code, takes no more memory than importing and 500 MB, and leaves no
file behind. ``python -m studies.faults.file_campaign --help``; prints one line of JSON
an outcome.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
import textwrap
from importlib.metadata import distributions
from itertools import pairwise
from pathlib import Path
from typing import Callable, NamedTuple, Sequence

import numpy as np

from biped_slip.robots.planar_biped import planar_biped
from studies.faults.outcomes import (
    ONCE,
    OUT_OF_TIME,
    Outcome,
    OutcomeLog,
    OutOfTime,
    campaign_arguments,
    wanted,
)
from studies.licences import rows

# rows, [Hz]
SAMPLES = 200
RATE = 100.0


def table_text() -> str:
    """Write a table of comma-separated values: time, two forces and a position."""
    rows = (
        f"{k / RATE},{5 * np.sin(k / 9):.4f},{300 + k % 7},{k * 0.01:.3f}"
        for k in range(SAMPLES)
    )
    return "t,fx,fz,x\n" + "\n".join(rows) + "\n"


def table_layout(foot: str = "foot") -> str:
    """Its layout; ``foot``: a name as YAML writes it."""
    return f"""
source: attack
layouts:
  - name: one foot
    feet:
      - name: {foot}
        time: {{column: t, unit: s}}
        force_x: {{column: fx, unit: N}}
        normal: {{column: fz, unit: N}}
        position_x: {{column: x, unit: mm}}
"""


MEMORY = 2500 << 10  # [kB] of addresses: importing and 500 MB
PATIENCE = 120.0  # [s]
CLI = ("-m", "biped_slip")
STUDIES = ("-m", "studies")
CHECKOUT = Path(__file__).parents[2]
STUDY = ("gait", "study", ".", "--table")
HEALTHY = ("healthy", "--minutes", "0", "--results")
#: A start that calls a cached kernel and says what it got.
KERNEL = """
    import numpy as np
    from biped_slip.control.actuation import limited_torques
    print(limited_torques(np.zeros(2), np.array([5.0, -9.0]), np.full(2, 4.0), 1.0))
"""
ANSWER = "[ 4. -4.]"


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    said: list[str]  # lines of standard error
    printed: str


Act = Callable[[Path], list[str]]


class FileFault(NamedTuple):
    """One kind: in a folder of its own; answers what went otherwise than required."""

    kind: str
    act: Act
    row: int = 0  # of the study of faults; 0: of its last part


def run(folder: Path, *words: str, limit: str = "", **surroundings: str) -> Ended:
    """Run a command in a folder; ``limit``: arguments of ulimit."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    path = os.pathsep.join(
        [str(CHECKOUT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    )
    told = {
        **os.environ,
        "TMPDIR": str(temporary),
        "COLUMNS": "1000",
        "PYTHONPATH": path,
        **surroundings,
    }
    line = [sys.executable, *words]
    shell = (
        ["/bin/sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *line] if limit else line
    )
    child = subprocess.Popen(
        shell,
        cwd=folder,
        env=told,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        printed, said = child.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()
        return Ended(-9, ["it does not end"], "")
    return Ended(child.returncode, said.strip().splitlines(), printed)


def refused(ended: Ended, *words: str) -> list[str]:
    """Find what is wrong with a refusal.

    It must be one sentence, with one of the words, and an exit code.
    """
    text = "\n".join(ended.said)
    wrong = [] if ended.code > 0 else [f"exit code {ended.code}"]
    if "Traceback" in text:
        wrong.append("a traceback")
    elif len(ended.said) != 1:
        wrong.append(f"{len(ended.said)} lines: {text[:200]}")
    if words and not any(word in text for word in words):
        wrong.append(f"says: {text[:200]}")
    return wrong


def answered(ended: Ended) -> list[str]:
    """Find what is wrong with a start that should have worked all the same.

    The start may say one sentence or none.
    """
    wrong = (
        []
        if ended.code == 0 and ANSWER in ended.printed
        else [f"exit code {ended.code}: {ended.said[-1:]}"]
    )
    return (
        wrong
        if len(ended.said) <= 1
        else [*wrong, f"{len(ended.said)} lines: {ended.said[:2]}"]
    )


def cache(damage: Callable[[Path], None]) -> Act:
    """Damage to every file of a code cache between two starts."""

    def act(folder: Path) -> list[str]:
        kept = folder / "cache"
        words = ("-c", textwrap.dedent(KERNEL))
        wrong = answered(run(folder, *words, BIPED_SLIP_CACHE=str(kept)))
        for path in [path for path in kept.rglob("*") if path.is_file()]:
            damage(path)
        return [*wrong, *answered(run(folder, *words, BIPED_SLIP_CACHE=str(kept)))]

    return act


def cut(path: Path) -> None:
    """Half of a file."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def cache_below_a_file(folder: Path) -> list[str]:
    """Nothing can be written where the cache should be."""
    (folder / "file").write_text("", encoding="utf-8")
    wrong = answered(
        run(
            folder,
            "-c",
            textwrap.dedent(KERNEL),
            BIPED_SLIP_CACHE=str(folder / "file" / "cache"),
        )
    )
    return (
        wrong
        if not any((folder / "temporary").iterdir())
        else [*wrong, "files are left behind"]
    )


def cache_copied_while_written(folder: Path) -> list[str]:
    """Start from a copy of a cache that another process was writing.

    Whatever is in the copy, starts must answer.
    """
    kept = folder / "cache"
    words = ("-c", textwrap.dedent(KERNEL))
    wrong: list[str] = []
    told = {**os.environ, "BIPED_SLIP_CACHE": str(kept)}
    with subprocess.Popen(
        [sys.executable, *words], env=told, stdout=subprocess.DEVNULL
    ) as writing:
        for number in range(1000):
            if writing.poll() is not None:
                break
            files = (
                [path for path in kept.rglob("*") if path.is_file()]
                if kept.exists()
                else []
            )
            if files and number % 20 == 0:
                copied(kept, folder / f"copy_{number}")
    for copy in sorted(folder.glob("copy_*"))[:3]:
        wrong += answered(run(folder, *words, BIPED_SLIP_CACHE=str(copy)))
    return wrong


def copied(source: Path, target: Path) -> None:
    """As much of a folder as is there while somebody writes to it."""
    for path in [path for path in source.rglob("*") if path.is_file()]:
        (target / path.relative_to(source)).parent.mkdir(
            parents=True, exist_ok=True, mode=0o700
        )
        try:
            (target / path.relative_to(source)).write_bytes(path.read_bytes())
            (target / path.relative_to(source)).chmod(0o600)
        except FileNotFoundError:
            continue


def mcap_bomb(folder: Path) -> list[str]:
    """164 kB that say to be 8 GB."""
    from rosbags.rosbag2.storage_mcap import zstd

    size = 8 << 30
    packed = zstd.compress(bytes(16 << 20)) * (512 >> 4)
    record = (
        struct.pack("<QQQI", 0, 1, size, 0)
        + struct.pack("<I", 4)
        + b"zstd"
        + struct.pack("<Q", len(packed))
    )
    head = struct.pack("<I", 4) + b"ros2" + struct.pack("<I", 0)
    parts = [(0x01, head), (0x06, record + packed), (0x0F, bytes(4)), (0x02, bytes(20))]
    body = b"".join(
        bytes([code]) + struct.pack("<Q", len(data)) + data for code, data in parts
    )
    magic = b"\x89MCAP0\r\n"
    (folder / "bomb.mcap").write_bytes(magic + body + magic)
    return replayed(folder, "bomb.mcap", "unpack to more")


def bag_bomb(folder: Path) -> list[str]:
    """Write a bag's folder of 262 kB that would fill the disk."""
    from rosbags.rosbag2.storage_mcap import zstd

    bag = folder / "bag"
    bag.mkdir()
    (bag / "bag_0.db3.zstd").write_bytes(zstd.compress(bytes(16 << 20)) * 512)
    about = (
        "version: 5\n  storage_identifier: sqlite3\n  relative_file_paths: "
        "[bag_0.db3.zstd]\n  message_count: 0\n"
    )
    about += (
        "  duration: {nanoseconds: 0}\n  starting_time: {nanoseconds_since_epoch: 0}\n"
    )
    about += (
        "  topics_with_message_count: []\n  compression_format: zstd\n  "
        "compression_mode: FILE\n"
    )
    (bag / "metadata.yaml").write_text(
        f"rosbag2_bagfile_information:\n  {about}", encoding="utf-8"
    )
    return replayed(folder, "bag", "unpack to more")


def replayed(
    folder: Path, name: str, *words: str, options: tuple[str, ...] = ()
) -> list[str]:
    """Replay a recording that is refused.

    There is room for 4 GB of addresses, and nothing may be left behind.
    """
    (folder / "layout.yaml").write_text(table_layout(), encoding="utf-8")
    ended = run(folder, *CLI, "replay", name, "--config", "layout.yaml", *options)
    left = [path.name for path in (folder / "temporary").iterdir()]
    return refused(ended, *words) + (
        [f"left behind: {', '.join(left)}"] if left else []
    )


def described(change: Callable[[str], str], *words: str) -> Act:
    """Describe a robot by a number that no robot has."""

    def act(folder: Path) -> list[str]:
        text = planar_biped().urdf
        assert change(text) != text
        (folder / "robot.urdf").write_text(change(text), encoding="utf-8")
        (folder / "robot.yaml").write_text(
            "description: robot.urdf\nimu: {link: imu_link}\nl_ft: {link: "
            "l_shank}\nr_ft: {link: r_shank}\n"
            "contact: {polygon: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1]]}\n",
            encoding="utf-8",
        )
        return refused(run(folder, *CLI, "robot", "robot.yaml", "--no-trial"), *words)

    return act


def first(pattern: str, value: str) -> Callable[[str], str]:
    """Another value for the first attribute that is found."""
    return lambda text: re.sub(
        rf'{pattern}="[^"]*"', f'{pattern}="{value}"', text, count=1
    )


def xacro_trick(folder: Path) -> list[str]:
    """Write an expression that fails inside xacro."""
    (folder / "robot.urdf.xacro").write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link '
        'name="${1/0}"/></robot>',
        encoding="utf-8",
    )
    (folder / "robot.yaml").write_text(
        "description: robot.urdf.xacro\nimu: {link: a}\n", encoding="utf-8"
    )
    return refused(run(folder, *CLI, "robot", "robot.yaml", "--no-trial"))


def scenario(text: str, *words: str) -> Act:
    """Write a scenario's YAML."""

    def act(folder: Path) -> list[str]:
        (folder / "attack.yaml").write_text(text, encoding="utf-8")
        return refused(run(folder, *CLI, "walk", "--scenario", "attack.yaml"), *words)

    return act


ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + k)}: &{chr(98 + k)} [{', '.join(['*' + chr(97 + k)] * 9)}]\n"
    for k in range(8)
)


def reported(name: str, *options: str) -> Act:
    """Report a sound table with a hostile name of its foot."""

    def act(folder: Path) -> list[str]:
        (folder / "table.csv").write_text(table_text(), encoding="utf-8")
        (folder / "layout.yaml").write_text(table_layout(name), encoding="utf-8")
        ended = run(
            folder, *CLI, "replay", "table.csv", "--config", "layout.yaml", *options
        )
        said = [line for line in ended.said if "Traceback" in line]
        return said if ended.code == 0 else refused(ended)

    return act


def report_below_a_file(folder: Path) -> list[str]:
    """Report into a folder that can't be made."""
    (folder / "table.csv").write_text(table_text(), encoding="utf-8")
    return replayed(folder, "table.csv", options=("--report", "table.csv/report"))


def nowhere_to_write(folder: Path) -> list[str]:
    """Results for a full disk."""
    (folder / "table.csv").write_text(table_text(), encoding="utf-8")
    return replayed(folder, "table.csv", options=("--json", "/dev/full"))


def no_working_directory(folder: Path) -> list[str]:
    """Start in a working directory that has been deleted."""
    line = (
        f'mkdir gone && cd gone && rmdir ../gone && exec "{sys.executable}" -m '
        "biped_slip.cli replay table.csv"
    )
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    return refused(Ended(done.returncode, done.stderr.strip().splitlines(), ""))


def little_memory(folder: Path) -> list[str]:
    """Too few addresses to read a C3D: the file is not to blame."""
    (folder / "trial.c3d").write_bytes(bytes([2, 0x50]) + bytes(1022))
    ended = run(folder, *CLI, "replay", "trial.c3d", limit="-v 3000000")
    return ["a traceback"] if any("Traceback" in line for line in ended.said) else []


def unpinned(folder: Path) -> list[str]:
    """Check that all distributions that `make` has installed here are pinned.

    Each must have a version and hashes in requirements/.
    """
    files = sorted((CHECKOUT / "requirements").glob("*.txt"))
    lines = [
        line for path in files for line in path.read_text(encoding="utf-8").splitlines()
    ]
    pinned = {plain(line.partition("==")[0]) for line in lines if "==" in line}
    hashed = {
        plain(one.partition("==")[0])
        for one, after in pairwise(lines)
        if "==" in one and "--hash" in after
    }
    wrong = (
        [f"no hash: {', '.join(sorted(pinned - hashed))}"] if pinned - hashed else []
    )
    missing = (
        sorted({plain(name) for name, _, _ in rows(distributions())} - pinned)
        if pinned
        else []
    )
    return [*wrong, f"not pinned: {', '.join(missing)}"] if missing else wrong


def plain(name: str) -> str:
    """Name of a distribution as indices compare it."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def archive_bomb(folder: Path) -> list[str]:
    """Write a compressed table of 2 GB."""
    import gzip

    with gzip.open(folder / "bomb.csv.gz", "wb", compresslevel=9) as file:
        file.write(b"t,fx,fz,x\n")
        for _ in range(128):
            file.write(bytes(16 << 20))
    return replayed(folder, "bomb.csv.gz")


def pipe(path: Path) -> None:
    """Nobody writes to it, ever."""
    os.mkfifo(path)


def hole(path: Path) -> None:
    """8 GB that take no room on the disk."""
    with path.open("wb") as file:
        file.truncate(8 << 30)


def text(content: str) -> Callable[[Path], None]:
    """Write a text into a file."""
    return lambda path: path.write_text(content, encoding="utf-8") and None


def named(
    name: str,
    make: Callable[[Path], None],
    *words: str,
    why: str,
    program: tuple[str, ...] = CLI,
) -> Act:
    """Give a command a file that it must refuse for a reason."""

    def act(folder: Path) -> list[str]:
        make(folder / name)
        return refused(run(folder, *program, *words, name), why)

    return act


def unreadable_results(folder: Path) -> list[str]:
    """Lines in a file of results that nobody can read are left out."""
    (folder / "results.jsonl").write_text(
        "[" * 200_000 + '\n{"key": ' + "9" * 10_000 + "}\n", encoding="utf-8"
    )
    ended = run(folder, *STUDIES, *HEALTHY, "results.jsonl")
    return [line for line in ended.said if "Traceback" in line] + (
        [] if ended.code == 0 else [f"ends with {ended.code}"]
    )


FILE_KINDS: tuple[FileFault, ...] = (
    FileFault(
        "code cache: empty files",
        cache(lambda path: path.write_bytes(b"") and None),
        row=3,
    ),
    FileFault("code cache: files cut in half", cache(cut), row=3),
    FileFault(
        "code cache: random bytes",
        cache(lambda path: path.write_bytes(os.urandom(5000)) and None),
        row=3,
    ),
    FileFault(
        "code cache: files that others may write",
        cache(lambda path: path.chmod(0o666)),
        row=3,
    ),
    FileFault("code cache: can't be written", cache_below_a_file, row=3),
    FileFault(
        "code cache: copied while another process writes it",
        cache_copied_while_written,
        row=3,
    ),
    FileFault("MCAP of 164 kB with 8 GB inside", mcap_bomb, row=9),
    FileFault("bag that unpacks to 8 GB on the disk", bag_bomb, row=9),
    FileFault("table of 2 GB in a gz", archive_bomb, row=9),
    FileFault(
        "description: mass nan", described(first("mass value", "nan"), "mass"), row=10
    ),
    FileFault(
        "description: mass -1", described(first("mass value", "-1"), "mass"), row=10
    ),
    FileFault(
        "description: lower limit above upper",
        described(first("lower", "99"), "limit"),
        row=10,
    ),
    FileFault(
        "description: effort 0", described(first("effort", "0"), "effort"), row=10
    ),
    FileFault(
        "description: effort 1e308",
        described(first("effort", "1e308"), "effort"),
        row=10,
    ),
    FileFault("description: xacro that divides by zero", xacro_trick, row=10),
    FileFault("an installed distribution without version and hash", unpinned, row=14),
    FileFault("YAML nested 20 000 deep", scenario("a: " + "[" * 20_000)),
    FileFault("YAML alias bomb", scenario(ALIASES)),
    FileFault(
        "foot called $\\frac{ in a report", reported("'$\\frac{'", "--report", "report")
    ),
    FileFault(
        "foot with a name of 300 characters in a report",
        reported("f" * 300, "--report", "report"),
    ),
    FileFault("report below a file", report_below_a_file),
    FileFault("results for a full disk", nowhere_to_write),
    FileFault("working directory deleted under a command", no_working_directory),
    FileFault("too little memory for a C3D", little_memory),
    FileFault(
        "scenario that is a pipe",
        named("walk.yaml", pipe, "walk", "--scenario", why="pipe"),
    ),
    FileFault(
        "scenario of 8 GB that is a hole",
        named("walk.yaml", hole, "walk", "--scenario", why="bytes long"),
    ),
    FileFault(
        "recording that is a pipe", named("trial.c3d", pipe, "replay", why="pipe")
    ),
    FileFault(
        "steps that are a pipe", named("steps.csv", pipe, "gait", "chance", why="pipe")
    ),
    FileFault(
        "study's cell of 200 000 characters",
        named("t.csv", text("file\n" + "x" * 200_000), *STUDY, why="limit"),
    ),
    FileFault(
        "study with a null character",
        named("t.csv", text("file\n\0\n"), *STUDY, why="null"),
    ),
    FileFault(
        "results that are a pipe",
        named("some.jsonl", pipe, *HEALTHY, why="pipe", program=STUDIES),
    ),
    FileFault(
        "results under a key that is a list",
        named(
            "some.jsonl",
            text('{"key": []}\n'),
            *HEALTHY,
            why="results",
            program=STUDIES,
        ),
    ),
    FileFault("results of lines that nobody can read", unreadable_results),
)


FILES = "commands"  # in place of a robot


def main(arguments: Sequence[str] | None = None) -> int:
    """Try what is asked for; one line of JSON an outcome."""
    chosen = campaign_arguments(__doc__ or "").parse_args(arguments)
    log = OutcomeLog(chosen, run)
    try:
        for fault in FILE_KINDS:
            if wanted(fault.kind, chosen.kind) and not log.known(
                fault.kind, ONCE, FILES
            ):
                with tempfile.TemporaryDirectory(prefix="biped_slip_") as folder:
                    log.add(
                        Outcome(
                            fault.kind, ONCE, FILES, violations=fault.act(Path(folder))
                        )
                    )
    except OutOfTime:
        return OUT_OF_TIME
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
