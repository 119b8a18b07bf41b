# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""DDS topics of a Unitree robot: the bytes of its messages, by Eclipse Cyclone DDS.

Topics are made by Cyclone's C interface, from descriptors of our own, and not by its
Python classes, for two reasons. Programs that the vendor builds with Cyclone 0.10.2,
its own Python package among them, did not survive those classes of 11.0.1 beside them;
beside descriptors without announced types, where both sides go by the type's name, they
do. And the classes make Python objects of each motor, which takes 1 ms a message; a C
structure takes 10 µs, and the checksum is of that structure.

Loopback has no multicast in Cyclone 0.10.2 and has it in 11: they find each other there
only by the address, which the configuration names.
"""

from __future__ import annotations

import ctypes
import functools
import re
from typing import Any, Callable, Iterator, NamedTuple

import numpy as np

from biped_slip.errors import BipedSlipError, MissingExtra
from biped_slip.robots.unitree.messages import (
    COMMAND_LAYOUTS,
    COMMAND_TYPE,
    LOW_COMMAND_TOPIC,
    LOW_STATE_TOPIC,
    STATE_LAYOUTS,
    STATE_TYPE,
    Layout,
)
from biped_slip.robots.unitree.motors import MotorTable

LOOPBACK = "lo"
CONFIGURATION = """<CycloneDDS><Domain Id="any"><General><Interfaces>
<NetworkInterface {interface} priority="default" multicast="default"/>
</Interfaces></General>{discovery}</Domain></CycloneDDS>"""
ON_LOOPBACK = """<Discovery><ParticipantIndex>auto</ParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery>"""
INTERFACE_NAME = re.compile(r"[\w.:-]+")
#: Messages that may wait to be taken: a quarter of a second at 500 Hz (choice).
DEPTH = 128
DOMAINS = 232  # the highest number that has ports (DDSI-RTPS 9.6.1.1)
# of dds.h
BEST_EFFORT = 0
RELIABLE = 1
KEEP_LAST = 0
IGNORE_PARTICIPANT = 1
MILLISECOND = 1_000_000  # [ns]
# of dds_opcodes.h: a field, of 1, 2, 4 or 8 bytes, or an array of such
FIELD = 1 << 24
ARRAY = 8
CODES = {1: 1, 2: 2, 4: 3, 8: 4}
LAST_OPERATION = 0


def operations(layout: Layout) -> list[int]:
    """List Cyclone's instructions for a structure, field by field."""
    return [*_fields(layout, 0), LAST_OPERATION]


def _fields(layout: Layout, offset: int) -> Iterator[int]:
    for kind, place in ((part[0], part[1]) for part in (layout.fields or {}).values()):
        base, shape = kind.subdtype or (kind, ())
        count = int(np.prod(shape))
        at = offset + place
        if base.names:
            for k in range(count):
                yield from _fields(base, at + k * base.itemsize)
        elif shape:
            yield from (FIELD | ARRAY << 16 | CODES[base.itemsize] << 8, at, count)
        else:
            yield from (FIELD | CODES[base.itemsize] << 16, at)


class Metadata(ctypes.Structure):
    """Type in the form of XTypes (``dds_type_meta_ser``): there is none."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_uint32))


class Descriptor(ctypes.Structure):
    """Description of a topic's type (``dds_topic_descriptor_t``)."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("alignment", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("key_count", ctypes.c_uint32),
        ("type_name", ctypes.c_char_p),
        ("keys", ctypes.c_void_p),
        ("operation_count", ctypes.c_uint32),
        ("operations", ctypes.POINTER(ctypes.c_uint32)),
        ("meta", ctypes.c_char_p),
        ("type_information", Metadata),
        ("type_mapping", Metadata),
        ("representations", ctypes.c_uint32),
    )


class SampleInfo(ctypes.Structure):
    """What comes with a sample (``dds_sample_info_t``)."""

    _fields_ = (
        ("states", ctypes.c_int * 3),
        ("valid", ctypes.c_bool),
        ("source_timestamp", ctypes.c_int64),
        ("instance", ctypes.c_uint64),
        ("publication", ctypes.c_uint64),
        ("generations", ctypes.c_uint32 * 5),
    )


ARRIVAL = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_void_p)


@functools.cache
def cyclone() -> Any:
    """Load Cyclone's library, with the types of what is called.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        from cyclonedds import __library__ as found
    except ImportError as error:
        raise MissingExtra("Unitree's interface", "unitree") from error
    library = ctypes.CDLL(str(found.library_path))
    entity = ctypes.c_int32
    pointer = ctypes.c_void_p
    text = ctypes.c_char_p
    number = ctypes.c_int32
    time = ctypes.c_int64
    for name, answer, arguments in (
        ("create_domain", entity, (ctypes.c_uint32, text)),
        ("create_participant", entity, (ctypes.c_uint32, pointer, pointer)),
        ("create_topic", entity, (entity, pointer, text, pointer, pointer)),
        ("create_reader", entity, (entity, entity, pointer, pointer)),
        ("create_writer", entity, (entity, entity, pointer, pointer)),
        ("create_qos", pointer, ()),
        ("delete_qos", None, (pointer,)),
        ("qset_reliability", None, (pointer, number, time)),
        ("qset_history", None, (pointer, number, number)),
        ("qset_ignorelocal", None, (pointer, number)),
        ("qset_writer_data_lifecycle", None, (pointer, ctypes.c_bool)),
        ("create_listener", pointer, (pointer,)),
        ("delete_listener", None, (pointer,)),
        ("lset_data_available", None, (pointer, ARRIVAL)),
        ("take", number, (entity, pointer, pointer, ctypes.c_size_t, ctypes.c_uint32)),
        ("write", number, (entity, pointer)),
        ("wait_for_acks", number, (entity, time)),
        ("get_matched_publications", number, (entity, pointer, ctypes.c_size_t)),
        ("delete", number, (entity,)),
        ("strretcode", text, (number,)),
    ):
        function = getattr(library, f"dds_{name}")
        function.restype = answer
        function.argtypes = arguments
    return library


def checked_answer(answer: int, what: str) -> int:
    """Return an entity or a count; raises BipedSlipError where it is an error."""
    if answer < 0:
        reason = cyclone().dds_strretcode(answer).decode()
        raise BipedSlipError(f"{what}: {reason}")
    return answer


class ArrivedMessage(NamedTuple):
    """One message that has arrived."""

    raw: bytes  # the C structure
    writer: int  # handle of who has sent it


class RobotNetwork(NamedTuple):
    """Where a robot is.

    Attributes:
        domain: its DDS domain.
        interface: name of the network interface to it; empty: found by Cyclone.
    """

    domain: int = 0
    interface: str = ""

    def configuration(self) -> bytes:
        """Return Cyclone's configuration."""
        interface = (
            f'name="{self.interface}"' if self.interface else 'autodetermine="true"'
        )
        discovery = ON_LOOPBACK if self.interface == LOOPBACK else ""
        return CONFIGURATION.format(interface=interface, discovery=discovery).encode()

    def __str__(self) -> str:
        found = f"interface {self.interface}" if self.interface else "any interface"
        return f"domain {self.domain}, {found}"


class Participant:
    """Program that takes part in a robot's DDS domain, until it is closed.

    Raises:
        BipedSlipError: there is no such interface, or the domain is in use in this
            process.
    """

    def __init__(self, network: RobotNetwork) -> None:
        library = cyclone()
        what = f"DDS {network}"
        if network.interface and not INTERFACE_NAME.fullmatch(network.interface):
            raise BipedSlipError(f"{what}: that is no name of an interface")
        self._domain = checked_answer(
            library.dds_create_domain(network.domain, network.configuration()),
            f"{what}; `ip link` lists the interfaces",
        )
        self._kept: list[Any] = []
        self._open = True
        try:
            self.entity = checked_answer(
                library.dds_create_participant(network.domain, None, None), what
            )
        except BipedSlipError:
            self.close()
            raise

    def topic(self, name: str, kind: str, layout: Layout) -> int:
        """Make a topic; return its entity."""
        program = operations(layout)
        steps = (ctypes.c_uint32 * len(program))(*program)
        descriptor = Descriptor(
            size=layout.itemsize,
            alignment=layout.alignment,
            type_name=kind.encode(),
            operation_count=len(program),
            operations=steps,
            meta=b"",
        )
        self._kept += [steps, descriptor]
        made = cyclone().dds_create_topic(
            self.entity, ctypes.byref(descriptor), name.encode(), None, None
        )
        return checked_answer(made, f"topic {name}")

    def keep(self, thing: Any) -> None:
        """Keep what Cyclone points to."""
        self._kept.append(thing)

    def close(self) -> None:
        """Leave the domain, once; readers and writers end."""
        if self._open:
            self._open = False
            cyclone().dds_delete(self._domain)
            self._kept.clear()


class Reader:
    """Reader of one topic; best effort, which fits every writer.

    Args:
        participant: of the domain.
        topic: entity.
        layout: of its messages.
        arrived: called by a thread of Cyclone when something has arrived.
    """

    def __init__(
        self,
        participant: Participant,
        topic: int,
        layout: Layout,
        arrived: Callable[[], None] | None = None,
    ) -> None:
        library = cyclone()
        self._size = layout.itemsize
        self._room: Any = ctypes.create_string_buffer(DEPTH * self._size)
        first = ctypes.addressof(self._room)
        self._places = (ctypes.c_void_p * DEPTH)(
            *(first + k * self._size for k in range(DEPTH))
        )
        self._infos = (SampleInfo * DEPTH)()
        qos = library.dds_create_qos()
        library.dds_qset_reliability(qos, BEST_EFFORT, 0)
        library.dds_qset_history(qos, KEEP_LAST, DEPTH)
        library.dds_qset_ignorelocal(qos, IGNORE_PARTICIPANT)
        listener = None
        if arrived is not None:
            callback = ARRIVAL(lambda reader, argument: arrived())
            participant.keep(callback)
            listener = library.dds_create_listener(None)
            library.dds_lset_data_available(listener, callback)
        made = library.dds_create_reader(participant.entity, topic, qos, listener)
        library.dds_delete_qos(qos)
        if listener is not None:
            library.dds_delete_listener(listener)
        self._entity = checked_answer(made, "reader")

    def take(self) -> list[ArrivedMessage]:
        """Take what has arrived, oldest first."""
        count = checked_answer(
            cyclone().dds_take(self._entity, self._places, self._infos, DEPTH, DEPTH),
            "take",
        )
        return [
            ArrivedMessage(
                raw=self._room[k * self._size : (k + 1) * self._size],
                writer=self._infos[k].publication,
            )
            for k in range(count)
            if self._infos[k].valid
        ]

    def writers(self) -> int:
        """Count the other programs' writers of the topic."""
        answer = cyclone().dds_get_matched_publications(self._entity, None, 0)
        return checked_answer(answer, "writers")


class Writer:
    """Writer of one topic: reliable, as the vendor's programs are."""

    def __init__(self, participant: Participant, topic: int) -> None:
        library = cyclone()
        qos = library.dds_create_qos()
        # a reader that does not answer must not hold up a command
        library.dds_qset_reliability(qos, RELIABLE, MILLISECOND)
        library.dds_qset_history(qos, KEEP_LAST, 1)
        # nothing follows the last command, no dispose either
        library.dds_qset_writer_data_lifecycle(qos, False)
        made = library.dds_create_writer(participant.entity, topic, qos, None)
        library.dds_delete_qos(qos)
        self._entity = checked_answer(made, "writer")
        self.sent = 0

    def write(self, raw: bytes) -> None:
        """Send a message."""
        self.sent += 1
        checked_answer(cyclone().dds_write(self._entity, raw), "write")

    def delivered(self, patience: float) -> bool:
        """Wait [s] until reliable readers have everything; return whether they do."""
        patience_ns = round(patience * 1e9)
        return int(cyclone().dds_wait_for_acks(self._entity, patience_ns)) == 0


class RobotChannel:
    """Topics of one robot: its state, and its commands where they are asked for.

    Without them there is no writer at all.

    Args:
        table: of the robot.
        network: where it is.
        commands: whether commands are written, and those of others watched.
        arrived: called by a thread of Cyclone when a state has arrived.
    """

    def __init__(
        self,
        table: MotorTable,
        network: RobotNetwork,
        commands: bool,
        arrived: Callable[[], None] | None = None,
    ) -> None:
        self._participant = Participant(network)
        try:
            self.state = self._reader(
                LOW_STATE_TOPIC,
                f"{table.package}::{STATE_TYPE}",
                STATE_LAYOUTS[table.package],
                arrived,
            )
            self.commands: Writer | None = None
            self.foreign: Reader | None = None
            if commands:
                layout = COMMAND_LAYOUTS[table.package]
                topic = self._participant.topic(
                    LOW_COMMAND_TOPIC, f"{table.package}::{COMMAND_TYPE}", layout
                )
                self.commands = Writer(self._participant, topic)
                self.foreign = Reader(self._participant, topic, layout, arrived)
        except BipedSlipError:
            self.close()
            raise

    def _reader(
        self,
        name: str,
        kind: str,
        layout: Layout,
        arrived: Callable[[], None] | None,
    ) -> Reader:
        topic = self._participant.topic(name, kind, layout)
        return Reader(self._participant, topic, layout, arrived)

    def close(self) -> None:
        """Leave the robot's domain."""
        self._participant.close()
