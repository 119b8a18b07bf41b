# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Requests to a node's services: taken and measured beside its loop, bounded by size.

rclpy takes a request and makes Python of it in one call that holds the interpreter: 18
ms for a thousand parameters, 4.6 s for a hundred thousand, in which no loop commands
anything. Here a thread takes them by the client library's own functions (rcl, rmw),
which let go of the interpreter, and measures them as they came over the wire. The loop
makes Python of what is short, and refuses the rest by name.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.service import Service

if TYPE_CHECKING:
    from biped_slip.ros.robot_node import RobotNode

# [s] between two looks for requests while a node is inactive (choice)
INACTIVE_PERIOD = 0.01
# [byte] of a request: while a node is inactive; of one that sets parameters, which take
# a hundred times as long per byte as names; of any other
MOST_INACTIVE = 1 << 20
MOST_SETTING = 4096
MOST_BYTES = 32768
OK = 0  # of rcl and rmw
FIRST_ROOM = 1024  # [byte] of a message that is written to be measured


class RequestIdentity(ctypes.Structure):
    """Identity of a request (``rmw_request_id_t``)."""

    _fields_ = (("writer", ctypes.c_int8 * 16), ("number", ctypes.c_int64))


class Allocator(ctypes.Structure):
    """Allocator of memory (``rcutils_allocator_t``)."""

    _fields_ = (("functions", ctypes.c_void_p * 4), ("state", ctypes.c_void_p))


class Bytes(ctypes.Structure):
    """Growing array of bytes (``rcutils_uint8_array_t``)."""

    _fields_ = (
        ("buffer", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("capacity", ctypes.c_size_t),
        ("allocator", Allocator),
    )


@functools.cache
def _client_library() -> Any:
    """Load rcl, with what it depends on; calls let go of the interpreter."""
    library = ctypes.CDLL("librcl.so")
    pointer = ctypes.c_void_p
    library.rcl_take_request.argtypes = [pointer] * 3
    library.rcl_send_response.argtypes = [pointer] * 3
    library.rmw_serialize.argtypes = [pointer] * 3
    library.rcutils_uint8_array_init.argtypes = [pointer, ctypes.c_size_t, pointer]
    library.rcutils_uint8_array_fini.argtypes = [pointer]
    library.rcutils_get_default_allocator.argtypes = []
    library.rcutils_get_default_allocator.restype = Allocator
    return library


def _address(capsule: Any) -> int:
    """Return the address in a capsule of rosidl's Python module."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype = ctypes.c_void_p
    get.argtypes = [ctypes.py_object, ctypes.c_char_p]
    found: int = get(capsule, None)
    return found


class MessageKind:
    """Messages of one type as C has them: made, measured, read and destroyed."""

    def __init__(self, kind: type[Any]) -> None:
        parts: Any = type(kind)
        if parts._TYPE_SUPPORT is None:
            parts.__import_type_support__()
        pointer = ctypes.c_void_p
        self.create = ctypes.CFUNCTYPE(pointer)(_address(parts._CREATE_ROS_MESSAGE))
        self.destroy = ctypes.CFUNCTYPE(None, pointer)(
            _address(parts._DESTROY_ROS_MESSAGE)
        )
        # these two make and read Python's objects, and hold the interpreter
        self.read = ctypes.PYFUNCTYPE(ctypes.py_object, pointer)(
            _address(parts._CONVERT_TO_PY)
        )
        self.write = ctypes.PYFUNCTYPE(ctypes.c_bool, ctypes.py_object, pointer)(
            _address(parts._CONVERT_FROM_PY)
        )
        self._support = _address(parts._TYPE_SUPPORT)

    def size(self, message: int) -> int:
        """Measure a message at an address as it goes over the wire [byte]."""
        library = _client_library()
        room = Bytes()
        allocator = library.rcutils_get_default_allocator()
        begun = library.rcutils_uint8_array_init(
            ctypes.byref(room), FIRST_ROOM, ctypes.byref(allocator)
        )
        if begun != OK:
            raise MemoryError("no room to measure a request")
        try:
            library.rmw_serialize(message, self._support, ctypes.byref(room))
            return int(room.length)
        finally:
            library.rcutils_uint8_array_fini(ctypes.byref(room))


@functools.cache
def message_kind(kind: type[Any]) -> MessageKind:
    """Return the C side of a type of messages."""
    return MessageKind(kind)


def sets_parameters(service: Service) -> bool:
    """Return whether requests to a service hold values of parameters."""
    return hasattr(service.srv_type.Request, "parameters")


def most_bytes(service: Service, active: bool) -> int:
    """Return the size of a request that is still answered [byte]."""
    if not active:
        return MOST_INACTIVE
    return MOST_SETTING if sets_parameters(service) else MOST_BYTES


class Request(NamedTuple):
    """Request that waits for its answer."""

    service: Service
    identity: RequestIdentity
    message: int  # address; 0 where it was too long to be kept
    size: int  # [byte]


def take_request(service: Service, room: int, most: int) -> Request | None:
    """Take the oldest request to a service; None where none waits.

    One of more than ``most`` bytes leaves its size alone.

    Args:
        service: of a node.
        room: address of an empty message, which is the request's if there is one.
        most: size that is kept [byte].
    """
    identity = RequestIdentity()
    with service.handle:
        found = _client_library().rcl_take_request(
            service.handle.pointer, ctypes.byref(identity), room
        )
    if found != OK:
        return None
    kind = message_kind(service.srv_type.Request)
    size = kind.size(room)
    if size > most:
        kind.destroy(room)
        room = 0
    return Request(service=service, identity=identity, message=room, size=size)


def content(request: Request) -> Any:
    """Make Python's message of a request, which is then spent."""
    kind = message_kind(request.service.srv_type.Request)
    try:
        return kind.read(request.message)
    finally:
        kind.destroy(request.message)


def respond(request: Request, answer: Any) -> None:
    """Send the answer of a request.

    Raises:
        RuntimeError: it can't be sent.
    """
    kind = message_kind(request.service.srv_type.Response)
    message: int = kind.create()
    try:
        sent = kind.write(answer, message)
        with request.service.handle:
            done = _client_library().rcl_send_response(
                request.service.handle.pointer, ctypes.byref(request.identity), message
            )
    finally:
        kind.destroy(message)
    if not sent or done != OK:
        raise RuntimeError(f"no answer on {request.service.service_name} ({done})")


class RequestReader:
    """Thread that takes requests beside a node's loop, one of each service at a time.

    The others stay where the middleware keeps them: a flood grows nothing here.
    """

    def __init__(self, node: RobotNode) -> None:
        self._node = node
        self._waiting: dict[Service, Request] = {}
        self._rooms: dict[Service, int] = {}  # addresses of empty messages
        self._wake = threading.Event()
        self._ended = False
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="requests", daemon=True)
        self._thread.start()

    @property
    def thread(self) -> int | None:
        """Return the number that the system gives to the thread."""
        return self._thread.native_id

    def services(self) -> list[Service]:
        """List the services that have a request.

        Raises:
            Exception: what ended a look of the thread, once.
        """
        if self._failure is not None:
            failure = self._failure
            self._failure = None
            raise failure
        return list(self._waiting)

    def next(self, service: Service) -> Request | None:
        """Return the oldest request to a service; another look follows at once."""
        found = self._waiting.pop(service, None)
        if found is not None:
            self._wake.set()
        return found

    def close(self) -> None:
        """End the thread."""
        self._ended = True
        self._wake.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended:
            try:
                self._look()
            # of the node or its context: they have gone
            except rclpy_implementation.InvalidHandle:
                return
            except Exception as error:  # the loop names it, and goes on
                self._failure = error
            active = self._node.active
            self._wake.wait(self._node.service_period if active else INACTIVE_PERIOD)
            self._wake.clear()

    def _look(self) -> None:
        for service in list(self._node.services):
            if service in self._waiting or self._ended:
                continue
            if service not in self._rooms:
                kind = message_kind(service.srv_type.Request)
                self._rooms[service] = kind.create()
            most = most_bytes(service, self._node.active)
            taken = take_request(service, self._rooms[service], most)
            if taken is not None:
                del self._rooms[service]
                self._waiting[service] = taken
