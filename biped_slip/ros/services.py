# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""What a node serves beside its loop: services, the clock, changes of parameters."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Callable

from rcl_interfaces.msg import SetParametersResult
from rclpy.parameter import Parameter
from rclpy.service import Service

from biped_slip.config import Configuration, Limits
from biped_slip.estimation.readings import Problem
from biped_slip.ros.dds import Polled
from biped_slip.ros.requests import (
    Request,
    RequestReader,
    content,
    most_bytes,
    respond,
)

if TYPE_CHECKING:
    from biped_slip.ros.robot_node import RobotNode

# things that are served in one look: each delays a loop by some tenths of a millisecond
# (choice)
SERVED_AT_ONCE = 5
MOST_PREFIXES = 20  # of names, each looked for in every name (choice)
LONGEST_SHOWN = 60  # characters of a name in a sentence (choice)
LONGEST_LOOK = 2e-3  # [s] after which a look serves nothing more (choice)


class BackgroundExecutor:
    """Executor of a node's services, parameters and clock beside its loop.

    The loop gives them their turns. Requests come from a thread of their own, measured
    (``requests.py``); what is asked for is bounded before it is made Python of, and by
    what it asks for before anything is done.
    """

    def __init__(self, node: RobotNode) -> None:
        self._node = node
        self._turn = 0
        self._requests = RequestReader(node)
        node.behind = {self._requests.thread}

    def close(self) -> None:
        """Serve nothing more."""
        self._requests.close()

    def serve(self) -> None:
        """Serve a few of the requests and messages that wait."""
        heard = [
            each
            for each in self._node.subscriptions
            if not isinstance(each.callback_group, Polled)
        ]
        turns = deque([*self._requests.services(), *heard])
        left = SERVED_AT_ONCE
        begin = time.monotonic()
        self._turn = self._turn + 1
        turns.rotate(self._turn)
        while turns and left and time.monotonic() - begin < LONGEST_LOOK:
            if self._served(entity := turns.popleft()):
                # a flood of requests to one keeps no other waiting
                turns.append(entity)
                left -= 1

    def _served(self, entity: Any) -> bool:
        """Serve one request or message that waits.

        rclpy's executors and wait sets take seven times as long to find that there is
        none.
        """
        if not isinstance(entity, Service):
            if (
                taken := entity.handle.take_message(entity.msg_type, entity.raw)
            ) is not None:
                entity.callback(taken[0])
            return taken is not None
        request = self._requests.next(entity)
        if request is None:
            return False
        respond(request, self._answer(request))
        return True

    def _answer(self, request: Request) -> Any:
        """Return the answer of a service, or its refusal by name."""
        service = request.service
        answer = service.srv_type.Response()
        if not request.message:
            most = most_bytes(service, self._node.active)
            what = f"{request.size} bytes, at most {most} are accepted"
            return self._refused(service, answer, what)
        asked = content(request)
        if what := too_much(asked, len(self._node._parameters)):
            return self._refused(service, answer, what)
        try:
            return service.callback(asked, answer)
        except Exception as error:
            # a transition that is impossible now, for one; the client gets an answer
            self._node.skip(
                Problem("failed service", f"{type(error).__name__}: {error}")
            )
        return answer

    def _refused(self, service: Service, answer: Any, what: str) -> Any:
        """Name a refused request in the node's state, and in the answer if it can."""
        name = service.service_name
        problem = Problem("refused request", f"{name}: {what}; ask for less at once")
        self._node.skip(problem)
        refusal = SetParametersResult(successful=False, reason=str(problem))
        if hasattr(answer, "results"):
            answer.results = [refusal]
        elif isinstance(getattr(answer, "result", None), SetParametersResult):
            answer.result = refusal
        elif hasattr(answer, "message"):
            answer.message = str(problem)
        return answer


def too_much(asked: Any, parameters: int) -> str:
    """Say what a request asks for beyond all that a node has; empty: nothing.

    Each of a node's parameters may be asked for once: so an answer is never longer than
    all of them, and the work never more.
    """
    prefixes = getattr(asked, "prefixes", ())
    if len(prefixes) > MOST_PREFIXES:
        return f"{len(prefixes)} prefixes, at most {MOST_PREFIXES} are looked for"
    names = [each.name for each in getattr(asked, "parameters", ())]
    names += getattr(asked, "names", ())
    if len(names) > parameters:
        return f"{len(names)} names, but there are {parameters} parameters"
    twice = [name for name, count in Counter(names).items() if count > 1]
    return f"{twice[0][:LONGEST_SHOWN]!r} is named more than once" if twice else ""


@dataclasses.dataclass
class _Watched:
    """Configuration of which some fields are live."""

    config: Any
    apply: Callable[[Any], None]
    prefix: str
    limits: dict[str, Limits]  # of the live fields


class LiveParameters:
    """Handler of parameter changes.

    While the node is active, some change freely, others only towards their safe side.

    What is not watched is left to its descriptor.
    """

    def __init__(self, node: Any) -> None:
        self._node = node
        self._watched: list[_Watched] = []
        node.add_on_set_parameters_callback(self._set)

    def watch(
        self, config: Configuration, apply: Callable[[Any], None], prefix: str = ""
    ) -> None:
        """Pass changes of a configuration's parameters to ``apply``.

        Nested ones are left out.
        """
        limits = {
            name: limit
            for name, _, limit in config.flat()
            if "." not in name and limit.live
        }
        self._watched.append(_Watched(config, apply, prefix, limits))

    def _set(self, changes: list[Parameter]) -> SetParametersResult:
        changed: dict[int, Configuration] = {}
        if self._node.active and any(
            change.name == "use_sim_time" for change in changes
        ):
            return SetParametersResult(
                successful=False,
                reason="use_sim_time may not change while the node is active",
            )
        for change in changes:
            for number, (watched, name) in enumerate(
                (one, change.name.removeprefix(one.prefix)) for one in self._watched
            ):
                if (
                    not change.name.startswith(watched.prefix)
                    or name not in watched.limits
                ):
                    continue
                config = changed.get(number, watched.config)
                refusal = self._refusal(
                    change, getattr(config, name), watched.limits[name]
                )
                if refusal:
                    return SetParametersResult(successful=False, reason=refusal)
                changed[number] = dataclasses.replace(config, **{name: change.value})  # type: ignore[type-var]
                break
        for number, config in changed.items():
            self._watched[number].config = config
            self._watched[number].apply(config)
        return SetParametersResult(successful=True)

    def _refusal(self, change: Parameter, now: float, limits: Limits) -> str:
        """Explain why a change is not accepted; empty when it is."""
        if not isinstance(change.value, float) or not limits.contains(change.value):
            return f"{change.name} must be {limits}"
        away = (change.value - now) * {"lower": 1.0, "higher": -1.0}.get(
            limits.safe_direction, 0.0
        )
        if self._node.active and away > 0.0:
            return (
                f"{change.name} may only get {limits.safe_direction} than {now:g} "
                "while the node is active"
            )
        return ""
