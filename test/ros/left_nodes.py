# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes that a test has made and has not ended."""

from collections.abc import Iterator
from contextlib import contextmanager

from rclpy.node import Node


@contextmanager
def none_left() -> Iterator[None]:
    """End the nodes that were made within and are still there at the end."""
    made: list[Node] = []
    created, destroyed = Node.__init__, Node.destroy_node

    def create(node: Node, *args: object, **kwargs: object) -> None:
        created(node, *args, **kwargs)
        made.append(node)

    def destroy(node: Node) -> None:
        destroyed(node)
        if node in made:
            made.remove(node)

    Node.__init__, Node.destroy_node = create, destroy
    try:
        yield
    finally:
        Node.__init__, Node.destroy_node = created, destroyed
        for node in made:
            node.destroy_node()
