#!/usr/bin/env bash
# Guess: `DataWriter.wait_for_acks(timeout)` of Cyclone DDS's Python package returns False
# when a reader has not acknowledged everything in time, as its text says.
#
# Seen (cyclonedds 11.0.1): it raises an AttributeError, for it compares the answer with a
# constant of Python's own Exception, which has none. Here a reliable reader in another
# process is stopped (SIGSTOP) when the writer asks.
#
# It is called where a program wants its last message to have arrived before it ends; with
# a slow reader it ends in an exception there, and whatever should follow does not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q cyclonedds==11.0.1
cat > "$folder/parts.py" <<'PY'
from dataclasses import dataclass

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import Domain, DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import uint32
from cyclonedds.topic import Topic
from cyclonedds.util import duration

HERE = """<CycloneDDS><Domain Id="any"><General><Interfaces>
<NetworkInterface name="lo"/></Interfaces></General></Domain></CycloneDDS>"""
NUMBER = 91


@dataclass
class Value(IdlStruct, typename="Value"):
    value: uint32


domain = Domain(NUMBER, HERE)
participant = DomainParticipant(NUMBER)
topic = Topic(participant, "values", Value)
reliable = Qos(Policy.Reliability.Reliable(duration(seconds=1)))
PY
cat > "$folder/reader.py" <<'PY'
import time

from cyclonedds.sub import DataReader
from parts import participant, reliable, topic

reader = DataReader(participant, topic, reliable)
time.sleep(60)
PY
cat > "$folder/writer.py" <<'PY'
import os
import signal
import subprocess
import sys
import time
from importlib import metadata

from cyclonedds.pub import DataWriter
from cyclonedds.util import duration
from parts import Value, participant, reliable, topic

writer = DataWriter(participant, topic, reliable)
reader = subprocess.Popen([sys.executable, "reader.py"])
try:
    while not writer.get_matched_subscriptions():
        time.sleep(0.1)
    writer.write(Value(1))
    print("in time:", writer.wait_for_acks(duration(seconds=5)))
    os.kill(reader.pid, signal.SIGSTOP)
    writer.write(Value(2))
    try:
        answer = writer.wait_for_acks(duration(milliseconds=200))
    except AttributeError as error:
        answer = f"AttributeError: {error}"
    print("cyclonedds", metadata.version("cyclonedds"))
    print("too late:", answer)
    assert "DDS_RETCODE_TIMEOUT" in str(answer)
finally:
    reader.kill()
PY
cd "$folder" && "$folder/venv/bin/python" writer.py
