# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever somebody did to the code cache, a start compiles what it must and says one
sentence."""

import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import casadi as cs
import pytest

from biped_slip.compile import cache
from biped_slip.compile.cache import (
    cache_folder,
    keep,
    kept,
    kept_place,
    usable_folder,
)
from biped_slip.robots import model_functions
from biped_slip.robots.code_generation import CFunction, compiled_library

ROOT = os.geteuid() == 0
NOBODY = 65534
PROGRAM = """
    import numpy as np
    from biped_slip.compile.kernel import kernel
    from biped_slip.control.actuation import limited_torques
    from numba.core import event
    with event.install_recorder("numba:compile") as compiled:
        print(limited_torques(np.zeros(2), np.array([5.0, -9.0]), np.full(2, 4.0), 1.0))
    print("compiled" if compiled.buffer else "loaded")
"""


@pytest.fixture
def start(tmp_path):
    """A process that calls a kernel, with a cache of its own: its answer and what it
    said."""

    def run(cache=None):
        environment = {
            **os.environ,
            "BIPED_SLIP_CACHE": str(cache or tmp_path / "cache"),
            "XDG_CACHE_HOME": str(tmp_path / "home"),
        }
        words = [sys.executable, "-c", textwrap.dedent(PROGRAM)]
        done = subprocess.run(
            words,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        answer, how = done.stdout.splitlines()
        assert answer == "[ 4. -4.]"
        return how, done.stderr.splitlines()

    return run


def files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def cut(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def turned(path):
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 3] ^= 1
    path.write_bytes(raw)


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": cut,
    "a bit turned": turned,
    "random": lambda path: path.write_bytes(os.urandom(5000)),
    "open to all": lambda path: path.chmod(0o666),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path, 0o600)),
}


def test_a_damaged_cache_is_compiled_again_with_one_sentence_a_kernel(start, tmp_path):
    assert start() == ("compiled", [])
    assert start() == ("loaded", [])
    for name, damage in DAMAGE.items():
        for path in files(tmp_path / "cache"):
            damage(path)
        how, said = start()
        assert how == "compiled", name
        assert len(said) == sum(
            not path.name.startswith("part-") for path in files(tmp_path / "cache")
        ), said
        assert all("is made again" in sentence for sentence in said)
        assert start() == ("loaded", []), name


@pytest.mark.parametrize("name", [*DAMAGE, "missing"])
@pytest.mark.parametrize("file", ["model.kept", "model.py"])
def test_generated_functions_are_generated_again_where_their_file_is_damaged(
    tmp_path, monkeypatch, name, file
):
    def loaded(key):
        monkeypatch.delitem(sys.modules, f"_biped_slip_model_{key}", raising=False)
        return model_functions._load(
            key, lambda: "def answer():\n    return 42\n"
        ).answer()

    monkeypatch.setenv("BIPED_SLIP_CACHE", str(tmp_path))
    assert loaded("tried") == 42
    (path,) = tmp_path.rglob(file)
    path.unlink() if name == "missing" else DAMAGE[name](path)
    assert loaded("tried") == 42
    assert path.read_bytes().startswith(b"def answer():")
    monkeypatch.delitem(sys.modules, "_biped_slip_model_tried")


def test_a_compiled_library_is_compiled_again_where_its_file_is_damaged(
    tmp_path, monkeypatch
):
    x = cs.SX.sym("x", 2)
    monkeypatch.setenv("BIPED_SLIP_CACHE", str(tmp_path))
    made = []

    def functions():
        made.append(1)
        return {"twice": CFunction((x,), (2.0 * x,))}

    if compiled_library("tried", functions) is None:
        pytest.skip("no C compiler")
    (path,) = tmp_path.rglob("*.so")
    for damage in DAMAGE.values():
        copy = path.read_bytes()
        path.unlink()  # the loaded one stays as it is
        path.write_bytes(copy)
        damage(path)
        before = len(made)
        assert compiled_library("tried", functions)("twice")
        assert len(made) == before + 1
    assert compiled_library("tried", functions)("twice")
    assert len(made) == 1 + len(DAMAGE)


@pytest.mark.skipif(ROOT, reason="root may write everywhere")
def test_a_cache_that_can_not_be_written_is_replaced_for_the_process(start, tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o500)
    how, said = start()
    assert how == "compiled"
    assert ["can't be used" in sentence for sentence in said] == [True]


def test_a_cache_below_a_file_is_replaced_for_the_process_and_leaves_nothing(
    start, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    how, said = start(tmp_path / "file" / "cache")
    assert how == "compiled"
    assert ["can't be used" in sentence for sentence in said] == [True]
    assert not list((tmp_path / "temporary").iterdir())


def test_what_is_kept_comes_back_and_nothing_else_does(tmp_path):
    path = tmp_path / "folder" / "file"
    assert kept(path) is None
    assert keep(path, b"content")
    assert kept(path) == b"content"
    assert keep(path, b"")
    assert kept(path) == b""
    assert [each.name for each in path.parent.iterdir()] == ["file"]
    # others may read what root has compiled for all, and write nothing
    assert path.stat().st_mode & 0o077 == (0o044 if ROOT else 0)
    for damage in DAMAGE.values():
        assert keep(path, b"content" * 100)
        damage(path)
        assert kept(path) is None
    path.unlink()
    path.mkdir()
    assert kept(path) is None
    assert not keep(path, b"content")


def test_a_cache_that_this_user_can_only_read_is_read_and_new_code_is_kept_elsewhere(
    tmp_path, monkeypatch
):
    """As one that root has made for all users of a machine."""
    shared = tmp_path / "shared"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(cache, "_INSTEAD", {})
    monkeypatch.setattr(cache, "_BEHIND", {})
    monkeypatch.setenv("BIPED_SLIP_CACHE", str(shared))
    assert keep(cache_folder("kernels") / "old", b"old")
    access = os.access
    monkeypatch.setattr(
        os,
        "access",
        lambda at, mode: access(at, mode) and not (mode & os.W_OK and at == shared),
    )
    assert kept(cache_folder("kernels") / "old") == b"old"
    assert kept_place(cache_folder("kernels") / "old") == shared / "kernels" / "old"
    assert keep(cache_folder("kernels") / "new", b"new")
    assert not (shared / "kernels" / "new").exists()
    assert kept(tmp_path / "home" / "biped_slip" / "kernels" / "new") == b"new"
    monkeypatch.setattr(cache, "_INSTEAD", {})  # the next start
    assert kept(cache_folder("kernels") / "new") == b"new"


@pytest.fixture
def another_user(monkeypatch):
    """A folder of root's, and what makes this process one of another user."""
    monkeypatch.setattr(cache, "_INSTEAD", {})
    monkeypatch.setattr(cache, "_BEHIND", {})
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        home = Path(folder, "home")
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        monkeypatch.setenv("XDG_CACHE_HOME", str(home))
        monkeypatch.setenv("BIPED_SLIP_CACHE", f"{folder}/cache")
        yield lambda: os.setresuid(NOBODY, NOBODY, 0)
        os.setresuid(0, 0, 0)


@pytest.mark.skipif(not ROOT, reason="only root can act for another user")
@pytest.mark.parametrize("readable", [True, False])
def test_another_user_reads_what_root_has_compiled_and_keeps_the_rest(
    another_user, readable, caplog
):
    assert keep(cache_folder("kernels") / "old", b"old")
    if not readable:
        cache_folder().chmod(0o700)
    another_user()
    assert kept(cache_folder("kernels") / "old") == (b"old" if readable else None)
    assert keep(cache_folder("kernels") / "new", b"new")
    cache._INSTEAD.clear()  # the next start
    assert kept(cache_folder("kernels") / "new") == b"new"
    assert all("can't be used" in record.message for record in caplog.records)
    os.setresuid(0, 0, 0)
    # root believes nobody
    assert kept(cache_folder("kernels") / "new") is None


def test_a_folder_that_others_may_write_to_is_closed_to_them(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    folder.chmod(0o777)
    assert usable_folder(folder) == folder
    assert folder.stat().st_mode & 0o022 == 0


@pytest.mark.skipif(not ROOT, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_is_not_used(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir()
    os.chown(folder, 12345, 12345)
    assert usable_folder(folder) != folder
    path = folder / "file"
    keep(path, b"content")
    os.chown(path, 12345, 12345)
    assert kept(path) is None
