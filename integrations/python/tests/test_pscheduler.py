"""The exchanges of pScheduler with a tool for throughput, which comes from no package; see test_client."""

import ctypes
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from fdt_client import pscheduler

_NEW_NETWORK = 0x40000000
# What pScheduler's schema of a result permits for an interval, a stream and the whole.
RATES = {
    "type": "object",
    "additionalProperties": False,
    "required": ["start", "end", "throughput-bits", "throughput-bytes"],
    "properties": {
        **dict.fromkeys(("start", "end", "throughput-bits", "throughput-bytes"), {"type": "number"}),
        **dict.fromkeys(("sent", "lost", "retransmits", "tcp-window-size"), {"type": ["integer", "null"]}),
        **dict.fromkeys(("rtt", "jitter"), {"type": ["number", "null"]}),
        "stream-id": {"type": ["string", "integer"]},
        "omitted": {"type": "boolean"},
    },
}
PARTS = {
    "type": "object",
    "required": ["streams", "summary"],
    "properties": {"streams": {"type": "array", "items": RATES}, "summary": RATES},
}
RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["succeeded", "diags", "intervals", "summary"],
    "properties": {
        "succeeded": {"type": "boolean"},
        "error": {"type": "string"},
        "diags": {"type": "string"},
        "intervals": {"type": "array", "items": PARTS},
        "summary": PARTS,
    },
}


def setUpModule() -> None:
    """The tool listens on a fixed port, which is free in a network of the test's own."""
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "cannot make a network namespace")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


class PschedulerTest(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        # As pip writes it.
        program = self.here / "fdt-pscheduler"
        program.write_text(
            f"#!{sys.executable}\nimport os, sys\nfrom fdt_client import pscheduler\n"
            "pscheduler._START_SECONDS = int(os.environ.get('START', '10'))\nsys.exit(pscheduler.main())\n"
        )
        program.chmod(0o755)
        subprocess.run([program, "--install", self.here / "tool"], check=True)
        self.environment = {**os.environ, "TMPDIR": str(self.here)}

    def start(self, program: str, question: object) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [self.here / "tool" / program], env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdin
        process.stdin.write(json.dumps(question))
        process.stdin.close()
        process.stdin = None
        return process

    def answer(self, program: str, question: object = None) -> dict:
        process = self.start(program, question)
        out, _ = process.communicate()
        self.assertEqual(process.returncode, 0)
        return json.loads(out)

    def exchange(self, spec: dict) -> dict:
        """Returns the merged result of a run of both participants."""
        # On a busy machine a program takes longer to start.
        self.environment["START"] = "120"
        test = {"type": "throughput", "spec": spec}
        data = [self.answer("participant-data", {"participant": number, "test": test}) for number in (0, 1)]
        run = {
            "task-uuid": "0", "participant-data": data, "test": test,
            "schedule": {"start": datetime.datetime.now(datetime.timezone.utc).isoformat(), "duration": "PT20S"},
        }
        processes = [self.start("run", {**run, "participant": number}) for number in (0, 1)]
        results = [json.loads(process.communicate()[0]) for process in processes]
        return self.answer("merged-results", {"test": test, "results": results})

    def test_names_itself_and_its_test(self) -> None:
        about = self.answer("enumerate")
        self.assertEqual((about["schema"], about["name"], about["tests"]), (1, "fdt", ["throughput"]))

    def test_says_what_it_can_run(self) -> None:
        good = {"schema": 1, "dest": "host", "parallel": 4, "duration": "PT30S", "udp": False}
        self.assertEqual(self.answer("can-run", {"type": "throughput", "spec": good}), {"can-run": True})
        refused = self.answer("can-run", {"type": "throughput", "spec": {**good, "udp": True, "mss": 1460}})
        self.assertFalse(refused["can-run"])
        self.assertEqual(len(refused["reasons"]), 2)
        self.assertFalse(self.answer("can-run", {"type": "latency", "spec": {}})["can-run"])

    def test_says_how_long_a_run_takes(self) -> None:
        self.assertEqual(self.answer("duration", {"duration": "PT1M30S", "omit": "PT5S"}), {"duration": "PT106S"})

    def test_refuses_what_is_no_duration(self) -> None:
        process = self.start("duration", {"duration": "30"})
        process.communicate()
        self.assertEqual(process.returncode, 1)

    def test_measures_between_two_participants(self) -> None:
        spec = {"schema": 1, "dest": "127.0.0.1", "duration": "PT2S", "omit": "PT1S", "parallel": 3}
        result = self.exchange(spec)
        jsonschema.validate(result, RESULT)
        self.assertTrue(result["succeeded"], result)
        self.assertEqual([stream["stream-id"] for stream in result["summary"]["streams"]], [0, 1, 2])
        self.assertGreater(result["summary"]["summary"]["throughput-bits"], 0)
        for interval in result["intervals"]:
            self.assertEqual(interval["summary"]["omitted"], interval["summary"]["start"] < 1)
        self.assertIn("round-trip time", result["diags"])
        self.assertIn("nettest throughput", result["diags"])
        self.assertEqual(list(self.here.glob("fdt-pscheduler-*")), [])

    def test_the_last_interval_ends_with_the_run(self) -> None:
        stream = {"stream": 0, "bytes": 500, "bits_per_second": 1600, "retransmits": 3, "rtt_us": 7, "cwnd_bytes": 9}
        second = {"bits_per_second_out": 1000, "per_stream": [1000], "retransmits": 1, "rtt_us": 7}
        intervals = [{"t": t, **second} for t in (1, 2, 3)]
        measured = {"seconds": 2.5, "bits_per_second": 1600, "per_stream": [stream], "intervals": intervals}
        result = pscheduler._result(measured, {"omit": "PT1S"}, "")
        last = result["intervals"][-1]["summary"]
        # Of 4000 bits after the first second, 2000 came in the two that followed it, and 2 of 3 retransmits.
        self.assertEqual((len(result["intervals"]), last["start"], last["end"]), (4, 3, 3.5))
        self.assertEqual((last["throughput-bits"], last["retransmits"], last["omitted"]), (4000, 1, False))
        self.assertEqual(result["summary"]["streams"][0]["tcp-window-size"], 9)
        measured["seconds"] = 2.05
        self.assertEqual(len(pscheduler._result(measured, {"omit": "PT1S"}, "")["intervals"]), 3)

    def test_measures_the_other_way_inside_one_host(self) -> None:
        spec = {"schema": 5, "dest": "127.0.0.1", "duration": "PT1S", "reverse": True, "loopback": True}
        self.environment["START"] = "120"
        start = datetime.datetime.now(datetime.timezone.utc).isoformat()
        run = {"participant": 0, "participant-data": [{}], "test": {"spec": spec}, "schedule": {"start": start}}
        result = self.answer("merged-results", {"results": [self.answer("run", run)]})
        self.assertTrue(result["succeeded"], result)
        self.assertGreater(result["summary"]["summary"]["throughput-bits"], 0)

    def test_reports_a_failure(self) -> None:
        spec = {"schema": 1, "dest": "127.0.0.1", "duration": "PT1S", "congestion": "none-such"}
        data = self.answer("participant-data", {"participant": 1})
        start = datetime.datetime.now(datetime.timezone.utc).isoformat()
        run = {"participant": 0, "participant-data": [{}, data], "test": {"spec": spec}, "schedule": {"start": start}}
        result = self.answer("merged-results", {"results": [self.answer("run", run), None]})
        self.assertFalse(result["succeeded"])
        self.assertIn("none-such", result["error"])

    def test_prepares_a_run_beside_what_others_left_for_temporary_files(self) -> None:
        (self.here / "fdt-pscheduler-other").symlink_to("nowhere")
        stale = self.here / "fdt-pscheduler-stale"
        stale.mkdir()
        os.utime(stale, (0, 0))
        self.assertIn("_key", self.answer("participant-data", {"participant": 1}))
        self.assertFalse(stale.exists())

    def test_removes_nothing_but_what_it_has_made(self) -> None:
        kept = self.here / "kept"
        kept.mkdir()
        data = {**self.answer("participant-data", {"participant": 1}), "_home": "kept"}
        start = datetime.datetime.now(datetime.timezone.utc).isoformat()
        run = {
            "participant": 1, "participant-data": [{}, data], "schedule": {"start": start},
            "test": {"spec": {"schema": 1, "dest": "127.0.0.1"}},
        }
        process = self.start("run", run)
        process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertTrue(kept.is_dir())


if __name__ == "__main__":
    unittest.main()
