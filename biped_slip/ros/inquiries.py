# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What the commands `topics`, `echo` and `set` ask of the graph and its nodes."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any, Callable, Iterator

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter, get_parameter_value
from rclpy.parameter_client import AsyncParameterClient
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSProfile,
    QoSReliabilityPolicy,
)
from rclpy.signals import SignalHandlerOptions

from biped_slip.errors import BipedSlipError, UnknownName
from biped_slip.ros.dds import PolledSubscription, Waiter, message_class
from biped_slip.ros.graph import Topic, topics, unserved

GRAPH_PERIOD = 0.1  # [s] between two looks at the graph
# [s] without news: with seven programs a core a node was seen after more than 1 s
SILENCE_OF_GRAPH = 2.0
REPLY_PATIENCE = 5.0  # [s] for the answer of a node (choice)
JOINT_FIELDS = ("position", "velocity", "effort")


@contextlib.contextmanager
def looking() -> Iterator[Node]:
    """Join the graph with a node of no name that matters while the context lasts.

    It looks on this machine, as launch files' nodes do, unless the environment says
    otherwise: two of one range find each other at once, others within some seconds.
    """
    os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    context = Context()
    rclpy.init(context=context, signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node(
            "biped_slip_looks",
            context=context,
            start_parameter_services=False,
            enable_rosout=False,
        )
        yield node
        node.destroy_node()
    finally:
        rclpy.try_shutdown(context=context)


def within(seconds: float, found: Callable[[], Any]) -> Any:
    """Return what a look finds, as soon as it is something, or the last look's."""
    end = time.monotonic() + seconds
    while not (answer := found()) and time.monotonic() < end:
        time.sleep(GRAPH_PERIOD)
    return answer


def settled(node: Node, wait: float) -> list[Topic]:
    """Return the topics once no more are found for a while, at most for a time [s]."""
    found = topics(node)
    same = begin = time.monotonic()
    while time.monotonic() < min(begin + wait, same + SILENCE_OF_GRAPH):
        time.sleep(GRAPH_PERIOD)
        before = found
        found = topics(node)
        if found != before or not found:
            same = time.monotonic()
    return found


def heard(node: Node, name: str, wait: float) -> Iterator[Any]:
    """Return the messages of a topic, whose type and quality its publishers have.

    Raises:
        BipedSlipError: nobody publishes it within a time [s], or its type is absent.
    """
    absolute = node.resolve_topic_name(name)
    senders = within(wait, lambda: node.get_publishers_info_by_topic(absolute))
    if not senders:
        raise BipedSlipError(unserved(node, absolute))
    kind = senders[0].topic_type
    found = message_class(kind)
    if found is None:
        raise BipedSlipError(
            f"{absolute} is of type {kind}, which is not installed: build its package"
        )
    reliable = QoSReliabilityPolicy.RELIABLE
    kept = QoSDurabilityPolicy.TRANSIENT_LOCAL
    profiles = [sender.qos_profile for sender in senders]
    quality = QoSProfile(depth=10)
    if any(profile.reliability != reliable for profile in profiles):
        quality.reliability = QoSReliabilityPolicy.BEST_EFFORT
    if all(profile.durability == kept for profile in profiles):
        quality.durability = kept
    return messages(node, PolledSubscription(node, found, absolute, quality))


def messages(node: Node, box: PolledSubscription) -> Iterator[Any]:
    """Yield the messages of a subscription without end."""
    waiter = Waiter(node, 1)
    while True:
        waiter.wait([box], 1.0)
        yield from box.take()


def plain(message: Any) -> Any:
    """Return a message as dictionaries, lists and numbers.

    What a sensor_msgs/JointState says stands by name.
    """
    if not hasattr(message, "get_fields_and_field_types"):
        if isinstance(message, (str, bool, int, float)):
            return message
        return [plain(one) for one in message]
    fields = {
        name: plain(getattr(message, name))
        for name in message.get_fields_and_field_types()
    }
    if not {"name", *JOINT_FIELDS} <= fields.keys():
        return fields
    sent = {field: fields[field] for field in JOINT_FIELDS if fields[field]}
    rows = zip(fields["name"], *sent.values(), strict=False)
    if list(sent) == ["position"]:  # named values, or joints at rest
        return {"header": fields["header"], **dict(rows)}
    by_name = {name: dict(zip(sent, row, strict=True)) for name, *row in rows}
    return {"header": fields["header"], **by_name}


def set_parameter(node: Node, name: str, parameter: str, text: str, wait: float) -> Any:
    """Set a parameter of another node by a text, and return its value.

    Raises:
        BipedSlipError: there is no such node or parameter, or it refuses.
    """
    absolute = node.resolve_topic_name(name)  # the same rule as a topic's
    client = AsyncParameterClient(node, absolute)
    if not within(wait, client.services_are_ready):
        if absolute in (known := node_names(node)):
            raise BipedSlipError(f"{absolute} serves no parameters")
        raise UnknownName("node", absolute, known)
    types = answered(node, absolute, client.get_parameter_types([parameter])).types
    kind = Parameter.Type(types[0] if types else 0)
    if kind == Parameter.Type.NOT_SET:
        known = answered(node, absolute, client.list_parameters()).result.names
        raise UnknownName(f"parameter of {absolute}", parameter, list(known))
    value = converted(parameter, text, kind)
    change = Parameter(parameter, kind, value).to_parameter_msg()
    (result,) = answered(node, absolute, client.set_parameters([change])).results
    if not result.successful:
        reason = result.reason or "it gives no reason"
        raise BipedSlipError(f"{absolute} refuses {parameter} = {text}: {reason}")
    return value


def answered(node: Node, name: str, future: Any) -> Any:
    """Return a service's answer; BipedSlipError if it does not come."""
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    try:
        executor.spin_until_future_complete(future, timeout_sec=REPLY_PATIENCE)
    finally:
        executor.remove_node(node)
        executor.shutdown()
    if not future.done():
        raise BipedSlipError(f"{name} has not answered for {REPLY_PATIENCE:g} s")
    if (failure := future.exception()) is not None:
        raise BipedSlipError(f"{name} has not answered: {failure}")
    return future.result()


def node_names(node: Node) -> list[str]:
    """List the other nodes by their full names."""
    own = node.get_fully_qualified_name()
    found = {
        f"{namespace.rstrip('/')}/{name}"
        for name, namespace in node.get_node_names_and_namespaces()
    }
    return sorted(found - {own})


def converted(name: str, text: str, kind: Parameter.Type) -> Any:
    """Return a text as a value of a parameter's type; BipedSlipError refuses."""
    if kind == Parameter.Type.STRING:
        return text
    given = get_parameter_value(text)
    found = Parameter.Type(given.type)
    value = Parameter.from_parameter_msg(_named(name, given)).value
    if found == kind:
        return value
    if (found, kind) == (Parameter.Type.INTEGER, Parameter.Type.DOUBLE):
        return float(value)
    if kind == Parameter.Type.DOUBLE_ARRAY and found == Parameter.Type.INTEGER_ARRAY:
        return [float(one) for one in value]
    what = kind.name.lower().replace("_", " ")
    raise BipedSlipError(f"{name} is {text!r}, but must be of type {what}")


def _named(name: str, value: Any) -> Any:
    message = Parameter(name).to_parameter_msg()
    message.value = value
    return message
