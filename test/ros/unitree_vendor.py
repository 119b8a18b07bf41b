# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Programs of the vendor's own packages, run by an interpreter that has them
(``test_unitree_vendor.py``); they know nothing of this package.

``robot``: a G1 by unitree_sdk2py, whose states and checksums are the vendor's, and
which counts the commands that it gets, with the vendor's checksum; ``pause 0.5`` on its
input stops its states for so many seconds. ``user``: the
vendor's C++ library by far-unitree-sdk, which reads states and sends commands.
"""

import json
import sys
import threading
import time

WORDS = sys.argv[1:]


def say(**values):
    print(json.dumps({"at": time.monotonic(), **values}), flush=True)


def robot(domain):
    from unitree_sdk2py.core.channel import (
        ChannelFactoryInitialize,
        ChannelPublisher,
        ChannelSubscriber,
    )
    from unitree_sdk2py.idl.default import unitree_hg_msg_dds__LowState_
    from unitree_sdk2py.idl.unitree_hg.msg.dds_ import LowCmd_, LowState_
    from unitree_sdk2py.utils.crc import CRC

    ChannelFactoryInitialize(domain, "lo")
    crc = CRC()

    def command(message):
        motors = message.motor_cmd[:29]
        say(
            heard="command",
            intact=crc.Crc(message) == message.crc,
            mode_machine=message.mode_machine,
            modes=[one.mode for one in motors],
            tau=[one.tau for one in motors],
            kp=max(one.kp for one in motors),
            kd=[min(one.kd for one in motors), max(one.kd for one in motors)],
        )

    listener = ChannelSubscriber("rt/lowcmd", LowCmd_)
    listener.Init(command, 100)
    publisher = ChannelPublisher("rt/lowstate", LowState_)
    publisher.Init()
    state = unitree_hg_msg_dds__LowState_()
    state.mode_machine = 5
    state.imu_state.quaternion = [1.0, 0.0, 0.0, 0.0]
    state.imu_state.gyroscope = [0.1, 0.2, 0.3]
    state.imu_state.accelerometer = [0.0, 0.5, 9.81]
    for number, motor in enumerate(state.motor_state):
        motor.q = 0.01 * number
        motor.dq = -0.02 * number
        motor.tau_est = 1.0 + number
    say(heard="start")
    begin = time.monotonic()
    while not ended.is_set():
        state.tick += 5
        state.motor_state[3].q = 0.001 * (state.tick % 100)
        state.crc = crc.Crc(state)
        publisher.Write(state)
        while pauses:
            pause = pauses.pop()
            say(heard="pause")
            begin += pause
        due = begin + 1e-3 * state.tick
        time.sleep(max(due - time.monotonic(), 0.0))


def user(domain):
    """Read what comes for a while, then send commands until the input ends."""
    import unitree_interface

    made = unitree_interface.UnitreeInterface.create_g1("lo")
    say(heard="start")
    while not ended.is_set():
        state = made.read_low_state()
        say(
            heard="state",
            q=list(state.motor.q),
            tau=list(state.motor.tau_est),
            acceleration=list(state.imu.accel),
            mode_machine=state.mode_machine,
        )
        if any(state.motor.q) and "commands" in WORDS:
            made.write_low_command(made.create_zero_command())
        time.sleep(0.05)


ended = threading.Event()
pauses = []


def listen():
    for line in sys.stdin:
        word, seconds = line.split()
        assert word == "pause"
        pauses.append(float(seconds))
    ended.set()


threading.Thread(target=listen, daemon=True).start()
{"robot": robot, "user": user}[WORDS[0]](int(WORDS[1]))
