# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever is asked of a node is answered or refused by name, and costs its loop no more
than what a node has.

What a loop spends on a request is counted in what it makes Python of: bytes that are
decoded, and names that are looked up."""

import importlib
import os
import subprocess
import sys
from collections import Counter

import pytest

pytest.importorskip("rclpy", reason="ROS 2 (rclpy) is not installed")
pytestmark = pytest.mark.ros

from lifecycle_msgs.msg import Transition  # noqa: E402
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue  # noqa: E402
from rcl_interfaces.srv import (  # noqa: E402
    GetParameters,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from ros.partner import make, until  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from biped_slip.ros import services  # noqa: E402
from biped_slip.ros.__main__ import node_names  # noqa: E402
from biped_slip.ros.requests import MOST_BYTES, MOST_SETTING  # noqa: E402
from biped_slip.ros.robot_node import RobotNode  # noqa: E402
from biped_slip.ros.services import MOST_PREFIXES, BackgroundExecutor, too_much  # noqa: E402

SIZES = (10, 1000, 100_000)


def node_class(name):
    module = importlib.import_module(f"biped_slip.ros.nodes.{name}")
    return getattr(module, f"{name.title().replace('_', '')}Node", None)


NODES = [
    name for name in node_names() if issubclass(node_class(name) or object, RobotNode)
]


def speed(value=0.5, name="speed_scale"):
    kind = ParameterType.PARAMETER_DOUBLE
    return Parameter(name=name, value=ParameterValue(type=kind, double_value=value))


def large(kind, size):
    """A request that holds as many entries as its type lets it."""
    request = kind.Request()
    for field in request.get_fields_and_field_types():
        if field in ("names", "prefixes"):
            setattr(request, field, ["speed_scale"] * size)
        elif field == "parameters":
            request.parameters = [speed()] * size
        elif field == "transition":  # one that no state has
            request.transition = Transition(id=255, label="x" * size)
        elif field in ("type_name", "type_hash"):
            setattr(request, field, "x" * size)
    return request


class Asked:
    """A node that is asked, its loop's looks one after the other."""

    def __init__(self, partner, monkeypatch, name, active=True):
        self.node = make(node_class(name))
        self.node.active = active
        self.partner = partner
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(partner.node)
        self.decoded = Counter()  # [byte] by service
        read = services.content

        def counted(request):
            self.decoded[request.service] += request.size
            return read(request)

        monkeypatch.setattr(services, "content", counted)
        self.background = BackgroundExecutor(self.node)

    def ask(self, service, request):
        client = self.partner.node.create_client(service.srv_type, service.service_name)
        until(client.service_is_ready)
        answer = client.call_async(request)

        def answered():
            self.background.serve()
            self.executor.spin_once(timeout_sec=0.002)
            return answer.done()

        until(answered)
        self.partner.node.destroy_client(client)
        return answer.result()

    def service(self, kind):
        return next(one for one in self.node.services if one.srv_type is kind)

    def close(self):
        self.background.close()
        self.executor.remove_node(self.partner.node)
        self.node.active = False
        self.node.destroy_node()


@pytest.fixture
def asked(partner, monkeypatch):
    made = []

    def start(name, active=True):
        made.append(Asked(partner, monkeypatch, name, active))
        return made[-1]

    yield start
    for each in made:
        each.close()


@pytest.mark.parametrize("name", NODES)
def test_every_service_answers_or_refuses_whatever_its_size_and_decodes_no_more_than_a_bound(
    asked, name
):
    walker = asked(name)
    for service in list(walker.node.services):
        for size in SIZES:
            walker.decoded.clear()
            assert walker.ask(service, large(service.srv_type, size)) is not None
            assert walker.decoded[service] <= MOST_BYTES
    assert walker.node.active


@pytest.mark.parametrize("name", NODES)
def test_every_parameter_refuses_a_value_of_any_length_by_name(asked, name):
    walker = asked(name)
    service = walker.service(SetParametersAtomically)
    sets = {
        ParameterType.PARAMETER_STRING: lambda n: {"string_value": "x" * n},
        ParameterType.PARAMETER_STRING_ARRAY: lambda n: {
            "string_array_value": ["x"] * n
        },
        ParameterType.PARAMETER_DOUBLE_ARRAY: lambda n: {
            "double_array_value": [0.5] * n
        },
        ParameterType.PARAMETER_BYTE_ARRAY: lambda n: {"byte_array_value": [b"x"] * n},
    }
    for parameter in list(walker.node._parameters.values()):
        kind = parameter.type_.value
        for size in SIZES if kind in sets else ():
            value = ParameterValue(type=kind, **sets[kind](size))
            request = service.srv_type.Request(
                parameters=[Parameter(name=parameter.name, value=value)]
            )
            walker.decoded.clear()
            result = walker.ask(service, request).result
            assert not result.successful
            assert result.reason
            assert walker.decoded[service] <= MOST_SETTING


def test_a_thousand_changes_at_once_are_refused_by_name_and_one_is_made(asked):
    """While active; the refusal says which service, how much it was and what to do."""
    walker = asked("walking_controller")
    service = walker.service(SetParametersAtomically)
    flood = service.srv_type.Request(parameters=[speed()] * 1000)
    refusal = walker.ask(service, flood).result
    assert not refusal.successful
    assert "set_parameters_atomically" in refusal.reason
    assert f"at most {MOST_SETTING} are accepted; ask for less" in refusal.reason
    assert walker.node.status.problem == "refused request"
    one = service.srv_type.Request(parameters=[speed(0.25)])
    assert walker.ask(service, one).result.successful
    assert walker.node.get_parameter("speed_scale").value == 0.25


def test_all_parameters_of_a_node_are_described_and_set_at_once_as_tools_do(asked):
    walker = asked("walking_controller", active=False)
    names = list(walker.node._parameters)
    service = walker.service(SetParameters)
    request = service.srv_type.Request(parameters=[speed(name=name) for name in names])
    assert len(walker.ask(service, request).results) == len(names)
    walker.node.active = True
    kinds = {one.srv_type.__name__: one for one in walker.node.services}
    described = kinds["DescribeParameters"]
    answer = walker.ask(described, described.srv_type.Request(names=names))
    assert [one.name for one in answer.descriptors] == names
    listed = kinds["ListParameters"]
    answer = walker.ask(listed, listed.srv_type.Request())
    assert sorted(answer.result.names) == sorted(names)


def test_asking_twice_for_one_parameter_or_for_more_than_there_are_is_named():
    assert not too_much(GetParameters.Request(names=["a", "b"]), 2)
    assert "'a' is named more than once" in too_much(
        GetParameters.Request(names=["a", "b", "a"]), 5
    )
    assert too_much(GetParameters.Request(names=["a", "b"]), 1) == (
        "2 names, but there are 1 parameters"
    )
    twice = SetParameters.Request(parameters=[speed(), speed()])
    assert "'speed_scale' is named more than once" in too_much(twice, 5)
    assert not too_much(Trigger.Request(), 0)
    many = ListParameters.Request(prefixes=["a"] * (MOST_PREFIXES + 1))
    assert "prefixes" in too_much(many, 5)


def test_a_request_that_waits_is_answered_after_one_that_failed(asked):
    walker = asked("walking_controller")
    service = walker.service(GetParameters)
    broken = service.callback
    service.callback = lambda *_: 1 / 0
    unset = walker.ask(service, GetParameters.Request(names=["speed_scale"]))
    assert list(unset.values) == []
    assert walker.node.status.problem == "failed service"
    service.callback = broken
    (value,) = walker.ask(service, GetParameters.Request(names=["speed_scale"])).values
    assert value.double_value == walker.node.get_parameter("speed_scale").value


BEHIND = """
import os, threading
from biped_slip.ros.realtime import hurry, prepare
end = threading.Event()
other = threading.Thread(target=end.wait)
other.start()
priority = prepare(["--realtime-priority", "3"]).priority
hurry(priority, behind={other.native_id})
print(priority, *(os.sched_getparam(one).sched_priority for one in (0, other.native_id)))
end.set()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has these priorities")
def test_the_thread_that_takes_requests_gives_way_to_the_loop():
    ended = subprocess.run(
        [sys.executable, "-c", BEHIND],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    )
    if ended.stdout.startswith("None"):
        pytest.skip("no right to a real-time priority")
    assert ended.stdout.split() == ["3", "3", "2"]
