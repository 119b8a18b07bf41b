#!/usr/bin/env bash
# Guess: `create_zero_command()` of the Python bindings of Unitree's SDK commands nothing:
# no torque, no stiffness.
#
# Seen (far-unitree-sdk 0.1.8): its gains are default ones, for a G1 60 N m/rad and
# 1 N m s/rad at each joint of the legs, and its targets are the zero of every joint. No
# robot is needed to see it; nothing is sent here.
#
# Who sends it to make a robot limp drives every joint to its zero.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python=python3
for version in python3.11 python3.10; do  # the wheels are for 3.8 to 3.11
  if "$version" -c "" 2>/dev/null; then python=$version; break; fi
done
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q far-unitree-sdk==0.1.8
"$folder/venv/bin/python" - <<'PY'
from importlib import metadata

import unitree_interface

robot = unitree_interface.UnitreeInterface.create_g1("lo")
command = robot.create_zero_command()
print("far-unitree-sdk", metadata.version("far-unitree-sdk"))
print("kp", command.kp[:6], "kd", command.kd[:6])
print("targets", command.q_target[:6], "torques", command.tau_ff[:6])
assert set(command.kp[:12]) == {60.0}
assert not any(command.q_target)
assert not any(command.tau_ff)
PY
