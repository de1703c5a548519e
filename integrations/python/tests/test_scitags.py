"""The listener of the scitags service understands what fdt sends; FDT_URL and FDT_COMMAND as in test_client."""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import types
import typing
import unittest

# These modules end the process if the service is not configured in /etc, or cannot watch sockets.
sys.modules["scitags.config"] = types.ModuleType("scitags.config")
setattr(sys.modules["scitags.config"], "config", {})
sys.modules["scitags.netlink.cache"] = None  # type: ignore[assignment]

import scitags
import scitags.settings
from scitags.backends import udp_firefly
from scitags.plugins import firefly

URL = os.environ["FDT_URL"]
COMMAND = json.loads(os.environ["FDT_COMMAND"])
LIMIT_SECONDS = 110.0


class Listener(firefly.ThreadedUDPRequestHandler):
    """Takes what the service takes, and keeps the JSON, of which the service drops some."""

    def handle(self) -> None:
        super().handle()
        raw = self.request[0].decode()
        self.server.raw.append(json.loads(raw[raw.index("{"):]))  # type: ignore[attr-defined]


class ScitagsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.flows: "queue.Queue[typing.Any]" = queue.Queue()
        place = ("127.0.0.1", scitags.settings.UDP_FIREFLY_PORT)
        self.server = firefly.ThreadedUDPServer(place, Listener, self.flows)
        self.server.raw = []  # type: ignore[attr-defined]
        self.addCleanup(self.server.server_close)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.shutdown)

    def client(self, *args: str) -> "subprocess.Popen[bytes]":
        started = subprocess.Popen([*COMMAND, "client", "-q", "--scitag", "16.9", *args])
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        return started

    def await_state(self, state: str) -> typing.Any:
        while True:
            flow = self.flows.get(timeout=LIMIT_SECONDS)
            if flow.state == state:
                return flow

    def test_tells_of_a_flow_from_its_start_to_its_end(self) -> None:
        client = self.client("-P", "1", "--duration", "10m", "/dev/zero", URL + "/dev/null")
        start = self.await_state("start")
        self.await_state("ongoing")
        client.send_signal(signal.SIGINT)
        end = self.await_state("end")
        self.assertEqual((start.src, start.src_port, start.dst_port), (end.src, end.src_port, end.dst_port))
        self.assertEqual((start.prot, start.exp, start.act), ("tcp", 16, 9))
        self.assertEqual(start.start_time, end.start_time)
        self.assertEqual(start.dst_port, int(URL.rsplit(":", 1)[1]))
        ongoing = [each for each in self.server.raw if each["flow-lifecycle"]["state"] == "ongoing"]  # type: ignore
        self.assertGreater(ongoing[0]["usage"]["sent"], 0)
        self.assertGreater(ongoing[0]["netlink"]["rtt"], 0)
        # Every field of the service's own fireflies is there, with a value of the same type.
        theirs = udp_firefly.firefly_json(end, {}, None, {})
        ours = [each for each in self.server.raw if each["flow-lifecycle"]["state"] == "end"][0]  # type: ignore
        self.assertEqual(shape(theirs), shape({key: ours[key] for key in theirs}))

    def test_a_copy_that_ends_at_once_is_told_of(self) -> None:
        self.client("--size", "1M", "/dev/zero", URL + "/dev/null")
        # Each message has a thread of its own here, so that they come in any order.
        ports: "dict[str, set[int]]" = {"start": set(), "ongoing": set(), "end": set()}
        while not ports["start"] or ports["start"] - ports["end"]:
            flow = self.flows.get(timeout=LIMIT_SECONDS)
            ports[flow.state].add(flow.src_port)


def shape(value: typing.Any) -> typing.Any:
    return {key: shape(each) for key, each in value.items()} if isinstance(value, dict) else type(value)
