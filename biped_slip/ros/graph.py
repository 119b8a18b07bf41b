# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The graph of nodes and topics as one node sees it: who is there, and what instead.

A topic that nobody serves is mostly there under another name: behind another node,
below a namespace, or of a driver that calls it otherwise. What has its type and ends as
it does comes first. A topic may also be there under its own name and yet be none: of
another type, or in a quality of service that does not fit.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any, NamedTuple

from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from rclpy.topic_endpoint_info import TopicEndpointInfo

MOST_NAMED = 4  # topics in a sentence
UNKNOWN_NODE = "_NODE_NAME_UNKNOWN_"  # of the middleware, until its name has arrived
# last parts of what every node has
EVERYWHERE = ("/rosout", "/parameter_events", "/diagnostics", "/transition_event")


class Topic(NamedTuple):
    """Topic of the graph."""

    name: str
    types: tuple[str, ...]
    publishers: int
    listeners: int


def type_name(kind: type[Any]) -> str:
    """Return the name of a type of messages, as the graph has it."""
    return f"{kind.__module__.partition('.')[0]}/msg/{kind.__name__}"


def topics(node: Node) -> list[Topic]:
    """List the topics that others publish or listen to, by name."""
    found = []
    for name, types in sorted(node.get_topic_names_and_types()):
        own = [each for each in node.publishers if each.topic_name == name]
        heard = [each for each in node.subscriptions if each.topic_name == name]
        topic = Topic(
            name=name,
            types=tuple(types),
            publishers=node.count_publishers(name) - len(own),
            listeners=node.count_subscribers(name) - len(heard),
        )
        if topic.publishers > 0 or topic.listeners > 0:
            found.append(topic)
    return found


def likeness(name: str, other: str) -> tuple[int, float]:
    """Measure how alike two topics are: common last parts, then common letters."""
    common = 0
    for one, two in zip(
        reversed(name.split("/")), reversed(other.split("/")), strict=False
    ):
        if one != two:
            break
        common += 1
    return common, SequenceMatcher(None, name, other).ratio()


def instead(node: Node, name: str, kind: str = "", published: bool = True) -> str:
    """Say which topics there are in place of one that nobody serves.

    Args:
        node: looks.
        name: of the topic, absolute.
        kind: its type, if it is known; topics of that type come first, and alone.
        published: whether publishers are looked for, otherwise listeners.
    """
    found = [
        topic
        for topic in topics(node)
        if (topic.publishers if published else topic.listeners) > 0
        and not topic.name.endswith(EVERYWHERE)
        and topic.name != name
    ]
    alike = [topic for topic in found if kind in topic.types or not kind]
    named = sorted(alike or found, key=lambda topic: likeness(name, topic.name))
    names = ", ".join(topic.name for topic in named[: -MOST_NAMED - 1 : -1])
    left = len(named) - MOST_NAMED
    names += f" and {left} more" if left > 0 else ""
    what = "published" if published else "listened to"
    if not found:
        return f"nothing else is {what}"
    if not kind:
        return f"{what}: {names}"
    if alike:
        return f"{what} of its type: {names}"
    return f"nothing of its type ({kind}) is {what}, but {names}"


def full_node_name(info: TopicEndpointInfo) -> str:
    """Return the name of the node at one end of a topic.

    A topic is discovered before the name of its node is.
    """
    if info.node_name == UNKNOWN_NODE:
        return "a node"
    return f"{info.node_namespace.rstrip('/')}/{info.node_name}"


def unfitting_quality(offered: QoSProfile, asked: QoSProfile) -> str:
    """Say what is offered where more is asked; empty: the offer fits.

    Who listens may ask for no more than is offered.
    """
    reliable = QoSReliabilityPolicy.RELIABLE
    kept = QoSDurabilityPolicy.TRANSIENT_LOCAL
    if asked.reliability == reliable != offered.reliability:
        return "best_effort, but reliable"
    if asked.durability == kept != offered.durability:
        return "volatile, but transient_local"
    return ""


def unmatched(node: Node, name: str, kind: str, asked: QoSProfile) -> str:
    """Say why the publishers of a topic are not heard; empty: nothing is known.

    Args:
        node: listens.
        name: of the topic, absolute.
        kind: its type here.
        asked: quality of service of the subscription.
    """
    for info in node.get_publishers_info_by_topic(name):
        publisher = f"{full_node_name(info)} publishes {name}"
        if info.topic_type != kind:
            return (
                f"{publisher} as {info.topic_type}, but here it is {kind}: give one of "
                "them another name"
            )
        if quality := unfitting_quality(info.qos_profile, asked):
            return (
                f"{publisher} {quality} is asked for here: change its quality of "
                f"service, or qos_overrides.{name}.subscription"
            )
    return ""


def crowded(node: Node, name: str) -> str:
    """Say that several nodes publish what comes from one; empty: they do not."""
    infos = node.get_publishers_info_by_topic(name)
    if len(infos) < 2:
        return ""
    senders = " and ".join(sorted(full_node_name(info) for info in infos))
    return f"{senders} publish {name}: stop all but one, or give them other names"


def unmatched_listener(node: Node, name: str, kind: str) -> str:
    """Say that who listens to a topic takes another type; empty: nobody does."""
    for info in node.get_subscriptions_info_by_topic(name):
        if info.topic_type != kind:
            return (
                f"{full_node_name(info)} listens to {name} as {info.topic_type}, but "
                f"here it is {kind}: give one of them another name"
            )
    return ""


def unserved(
    node: Node, name: str, kind: str = "", asked: QoSProfile | None = None
) -> str:
    """Say that nobody publishes a topic, and what there is instead; empty: somebody.

    With what is asked of it, a publisher that does not match is named.
    """
    if node.count_publishers(name) > 0:
        return unmatched(node, name, kind, asked) if asked is not None else ""
    return f"no node publishes {name}; {instead(node, name, kind)}"


def unheard(node: Node, name: str, kind: str = "") -> str:
    """Say that nobody listens to a topic, and to what instead; empty: somebody.

    Where its type is known, who listens to it as another is nobody.
    """
    if node.count_subscribers(name) > 0:
        return unmatched_listener(node, name, kind) if kind else ""
    return f"no node listens to {name}; {instead(node, name, kind, published=False)}"
