"""Against a real server: FDT_URL is its URL, FDT_ROOT its root, FDT_COMMAND the command line of fdt, as JSON."""

import asyncio
import json
import os
import pathlib
import sys
import tempfile
import threading
import unittest
import zlib

import causes
import fdt_client

URL = os.environ["FDT_URL"]
ROOT = pathlib.Path(os.environ["FDT_ROOT"])
COMMAND = json.loads(os.environ["FDT_COMMAND"])
ENDLESS = ["--duration", "10m", "--rate-limit", "80Mbit"]
LIMIT_SECONDS = 110.0

# Answers each request at length before it reads the next one, as fdt does while many are open.
TALKATIVE = """
import json, sys, time
time.sleep(1)
for line in sys.stdin.buffer:
    number = json.loads(line)["id"]
    print(json.dumps({"id": number, "type": "entry", "path": "x" * 3000}), flush=True)
    print(json.dumps({"id": number, "type": "done"}), flush=True)
"""

# Stands for fdt: all fails. A path is the failure of its answer, as JSON, and that of the first is the last answer's.
FAILING = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    whys = [json.loads(path) for path in request["paths"]]
    for path, why in zip(request["paths"], whys):
        print(json.dumps({"id": request["id"], "type": "file", "path": path, "outcome": "failed", **why}), flush=True)
    error = {"id": request["id"], "type": "error", "message": "why", "remedy": "what to do", **whys[0]}
    print(json.dumps(error), flush=True)
"""


def failing(cause: str, exit_code: int, **more: object) -> str:
    """Returns a path that fails so."""
    return json.dumps({"cause": cause, "exit_code": exit_code, "retry": False, "place": "local", **more})


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        self.client = fdt_client.Client(URL, command=COMMAND)
        self.addCleanup(self.client.close)

    def test_copies_there_and_back_and_tells_of_each_file(self) -> None:
        source = self.here / "source"
        source.write_bytes(os.urandom(3_000_000))
        summary = self.client.copy(source, self.client.url("/copied"), files=True)
        self.assertEqual(summary["bytes"], 3_000_000)
        self.assertEqual([each["outcome"] for each in summary["files_reported"]], ["copied"])
        self.assertEqual((ROOT / "copied").read_bytes(), source.read_bytes())
        self.client.copy([self.client.url("/copied")], self.here / "back", options=["-P", "1"])
        self.assertEqual((self.here / "back").read_bytes(), source.read_bytes())
        self.client.verify(str(source), self.client.url("/copied"))
        source.write_bytes(b"other")
        with self.assertRaises(fdt_client.IntegrityError):
            self.client.verify(str(source), self.client.url("/copied"))

    def test_reads_parts_of_files(self) -> None:
        data = os.urandom(3_000_000)
        (ROOT / "large").write_bytes(data)
        (ROOT / "small \u00e9").write_bytes(b"abc")
        self.assertEqual(self.client.read("/large", 1_000_000, 5), data[1_000_000:1_000_005])
        self.assertEqual(self.client.read("/large"), data)
        self.assertEqual(self.client.read("/large", 1, 10_000_000), data[1:])
        self.assertEqual(self.client.read("/large", 1, 1 << 60), data[1:])
        self.assertEqual(self.client.read("/large", 100_000, 2_500_000), data[100_000:2_600_000])
        self.assertEqual(self.client.read("/large", 4_000_000), b"")
        # More than one request may have, of files in any order, some of which are not there.
        ranges = [("/large", offset, 700) for offset in range(0, 3_000_000, 1_500)]
        ranges[1000:1000] = [("/small \u00e9", 1, None), ("/none", 0, 1), ("/", 0, 1), ("/small \u00e9", 0, 1)]
        found = self.client.read_ranges(ranges)
        self.assertEqual(found[1000], b"bc")
        self.assertIsInstance(found[1001], fdt_client.NotFound)
        self.assertIsInstance(found[1002], fdt_client.SourceError)
        self.assertEqual(found[1003], b"a")
        del ranges[1000:1004], found[1000:1004]
        self.assertEqual(found, [data[offset : offset + length] for _, offset, length in ranges])
        self.assertEqual(self.client.sizes(["/large", "/small \u00e9"]), [3_000_000, 3])
        with self.assertRaises(fdt_client.NotFound) as raised:
            self.client.read("/none")
        self.assertEqual(str(raised.exception).count("/none"), 1)
        self.assertEqual(self.client.read_ranges([]), [])

    def test_a_file_that_changes_while_it_is_read_fails(self) -> None:
        (ROOT / "growing").write_bytes(b"x" * 30_000_000)
        stopped = threading.Event()

        def grow() -> None:
            with open(ROOT / "growing", "r+b", buffering=0) as file:
                while not stopped.is_set():
                    file.seek(0)
                    file.write(b"y")

        writer = threading.Thread(target=grow)
        writer.start()
        try:
            # The writer need not get its turn during the first one.
            with self.assertRaises(fdt_client.Changed):
                while True:
                    self.client.read("/growing")
        finally:
            stopped.set()
            writer.join()

    def test_operations(self) -> None:
        (ROOT / "f").write_bytes(b"a")
        self.assertEqual(self.client.sum("/f"), {"/f": f"{zlib.adler32(b'a'):08x}"})
        self.assertEqual(self.client.stat("/f")[0]["bytes"], 1)
        self.assertTrue(self.client.exists("/f"))
        self.client.mkdir("/d/e", parents=True)
        self.client.rename("/f", "/d/e/g")
        self.assertFalse(self.client.exists("/f"))
        self.assertEqual({each["path"] for each in self.client.list("/d", recursive=True)}, {"e", "e/g"})
        self.client.remove("/d", recursive=True)
        self.assertFalse((ROOT / "d").exists())
        self.assertGreater(self.client.space()[0]["bytes"], 0)

    def test_failures_have_the_exception_of_their_exit_code(self) -> None:
        (ROOT / "there").write_bytes(b"a")
        with self.assertRaises(fdt_client.SourceError):
            self.client.stat("/none")
        with self.assertRaises(fdt_client.SomeFilesFailed) as some:
            self.client.stat("/there", "/none")
        self.assertEqual([each["path"] for each in some.exception.entries], ["/there"])
        self.assertEqual([each["exit_code"] for each in some.exception.failed], [4])
        with self.assertRaises(fdt_client.Refused):
            self.client.remove("/", recursive=True)
        with self.assertRaises(fdt_client.UsageError):
            self.client.start("fly").result()
        with self.assertRaises(fdt_client.SourceError):
            self.client.copy(self.here / "none", self.client.url("/x"))

    def test_only_what_is_missing_is_not_there(self) -> None:
        (ROOT / "file").write_bytes(b"a")
        for missing in ("/none", "/file/x"):
            with self.assertRaises(fdt_client.NotFound):
                self.client.stat(missing)
            self.assertFalse(self.client.exists(missing))
        with self.assertRaises(fdt_client.NotFound):
            self.client.copy(self.here / "none", self.client.url("/x"))
        client = fdt_client.Client(command=[sys.executable, "-c", FAILING])
        self.addCleanup(client.close)
        none, shut = failing("missing", 4, errno="ENOENT"), failing("unreadable", 4, errno="EACCES")
        self.assertFalse(client.exists(none))
        with self.assertRaises(fdt_client.Unreadable):
            client.exists(shut)
        with self.assertRaises(fdt_client.NotFound):
            client.remove(none, none)
        for both in ((none, shut), (shut, none)):
            with self.assertRaises(fdt_client.SourceError) as some:
                client.remove(*both)
            self.assertIs(type(some.exception), fdt_client.SourceError)

        async def ask() -> None:
            async with fdt_client.AsyncClient(command=[sys.executable, "-c", FAILING]) as client:
                self.assertFalse(await client.exists(none))
                with self.assertRaises(fdt_client.Unreadable):
                    await client.exists(shut)

        asyncio.run(ask())

    def test_each_cause_has_the_exception_of_the_table_whatever_the_text(self) -> None:
        client = fdt_client.Client(command=[sys.executable, "-c", FAILING])
        self.addCleanup(client.close)
        known = {word: (row.exit_code, row.python) for word, row in causes.table().items()}
        self.assertEqual([word for word in fdt_client.errors.OF_CAUSE if word not in known], [])
        for word, (exit_code, kind) in {**known, "of a later release": (5, "TargetError")}.items():
            with self.assertRaises(fdt_client.FdtError) as some:
                client.stat(failing(word, exit_code))
            failure = some.exception
            self.assertEqual((failure.cause, failure.exit_code, type(failure).__name__), (word, exit_code, kind))
            self.assertEqual(type(failure).exit_code, exit_code, word)

    def test_the_text_names_the_path_and_the_reason(self) -> None:
        (ROOT / "file there").write_bytes(b"a")
        server, reason = URL.rstrip("/"), "No such file or directory"
        for call in (self.client.stat, self.client.sum, self.client.remove, self.client.space):
            with self.assertRaises(fdt_client.NotFound) as some:
                call("/no file")
            self.assertRegex(str(some.exception), f"^{server}/no file: .*{reason}$")
            with self.assertRaises(fdt_client.NotFound) as some:
                call("/no file", "/no other")
            self.assertRegex(str(some.exception), rf"^{server}/no (file|other): .*{reason} \(and 1 more\)$")
        for call in (self.client.stat, self.client.sum, self.client.space):
            with self.assertRaises(fdt_client.SomeFilesFailed) as some:
                call("/file there", "/no file")
            self.assertRegex(str(some.exception), f"^1 path failed, the first: {server}/no file: .*{reason}$")
        for call, path in (
            (lambda: self.client.mkdir("/no file/d"), "/no file/d"),
            (lambda: self.client.rename("/no file", "/x"), "/no file"),
            (lambda: self.client.list("/no file"), "/no file"),
        ):
            with self.assertRaises(fdt_client.FdtError) as some:
                call()
            self.assertRegex(str(some.exception), f"^{server}{path}: .*{reason}$")
            self.assertEqual(some.exception.path, path)

    def test_a_failure_has_its_fields(self) -> None:
        with self.assertRaises(fdt_client.NotFound) as some:
            self.client.remove("/none")
        failure = some.exception
        self.assertEqual((failure.cause, failure.path, failure.errno), ("missing", "/none", "ENOENT"))
        self.assertNotEqual(failure.place, "local")
        self.assertFalse(failure.retry)
        self.assertIn("/none", str(failure))
        self.assertTrue(failure.remedy)
        with self.assertRaises(fdt_client.NotFound) as some:
            self.client.copy(self.here / "none", self.client.url("/x"))
        self.assertEqual((some.exception.place, some.exception.path), ("local", str(self.here / "none")))
        with self.assertRaises(fdt_client.CannotConnect) as some:
            self.client.stat("fdt://127.0.0.1:1/x")
        self.assertTrue(some.exception.retry)

    def test_a_name_that_is_not_utf_8(self) -> None:
        with open(os.fsencode(ROOT) + b"/odd\xff", "wb"):
            pass
        name = next(each["path"] for each in self.client.list("/") if each["path"].startswith("odd"))
        self.client.remove("/" + name)
        self.assertFalse(os.path.exists(os.fsencode(ROOT) + b"/odd\xff"))

    def test_progress_and_cancelling(self) -> None:
        told = threading.Event()
        request = self.client.start_copy(
            "/dev/zero", self.client.url("/dev/null"), options=ENDLESS, progress=lambda answer: told.set()
        )
        self.assertTrue(told.wait(LIMIT_SECONDS))
        request.cancel()
        with self.assertRaises(fdt_client.Interrupted):
            request.result(LIMIT_SECONDS)

    def test_a_callback_that_fails_ends_only_its_request(self) -> None:
        def fail(answer: fdt_client.client.Answer) -> None:
            raise ValueError("of the callback")

        self.addCleanup(self.client.terminate)
        other = self.client.start_copy("/dev/zero", self.client.url("/dev/null"), options=ENDLESS)
        request = self.client.start_copy("/dev/zero", self.client.url("/dev/null"), options=ENDLESS, progress=fail)
        with self.assertRaisesRegex(ValueError, "of the callback"):
            request.result(LIMIT_SECONDS)
        self.assertFalse(other.future.done())
        self.assertGreater(self.client.space()[0]["bytes"], 0)
        other.cancel()
        with self.assertRaises(fdt_client.Interrupted):
            other.result(LIMIT_SECONDS)

    def test_an_answer_that_is_not_one_ends_every_request(self) -> None:
        client = fdt_client.Client(command=[sys.executable, "-c", "import time; print('?', flush=True); time.sleep(1000)"])
        self.addCleanup(client.close)
        with self.assertRaisesRegex(fdt_client.FdtError, r"not an answer of fdt batch: \?"):
            client.start("stat", paths=["/"]).result(LIMIT_SECONDS)

    def test_the_requests_of_a_process_that_is_killed_are_lost_and_the_next_one_runs(self) -> None:
        told = threading.Event()
        request = self.client.start_copy(
            "/dev/zero", self.client.url("/dev/null"), options=ENDLESS, progress=lambda answer: told.set()
        )
        self.assertTrue(told.wait(LIMIT_SECONDS))
        self.client._batch.process.kill()
        with self.assertRaises(fdt_client.ConnectionLost) as some:
            request.result(LIMIT_SECONDS)
        self.assertEqual((some.exception.cause, some.exception.retry), ("lost", True))
        self.assertGreater(self.client.space()[0]["bytes"], 0)

    def test_any_number_of_requests_can_be_open(self) -> None:
        client = fdt_client.Client(command=[sys.executable, "-c", TALKATIVE])
        self.addCleanup(client.close)
        # Before the client is closed, for which it would wait.
        self.addCleanup(client.terminate)
        ended = []

        def work() -> None:
            requests = [client.start("stat", paths=["/" + "x" * 100]) for _ in range(3000)]
            ended.extend(request.result() for request in requests)

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        worker.join(LIMIT_SECONDS)
        self.assertEqual(len(ended), 3000)

    def test_an_event_loop_does_not_wait_for_fdt_to_read(self) -> None:
        async def work() -> None:
            client = fdt_client.AsyncClient(command=[sys.executable, "-c", "import time; time.sleep(1000)"])
            asks = [asyncio.ensure_future(client.stat("/" + "x" * 100)) for _ in range(3000)]
            await asyncio.sleep(0.1)
            client._client.terminate()
            for failed in await asyncio.gather(*asks, return_exceptions=True):
                self.assertIsInstance(failed, fdt_client.FdtError)
            await client.close()

        worker = threading.Thread(target=asyncio.run, args=(work(),), daemon=True)
        worker.start()
        worker.join(LIMIT_SECONDS)
        self.assertFalse(worker.is_alive())

    def test_asyncio(self) -> None:
        async def work() -> None:
            (ROOT / "async").write_bytes(b"a")
            async with fdt_client.AsyncClient(URL, command=COMMAND) as client:
                both = await asyncio.gather(client.stat("/async"), client.sum("/async", type="crc32c"))
                self.assertEqual(both[0][0]["bytes"], 1)
                self.assertEqual(len(both[1]["/async"]), 8)
                self.assertFalse(await client.exists("/none"))
                told = asyncio.Event()
                task = asyncio.ensure_future(
                    client.copy(
                        "/dev/zero", client.url("/dev/null"), options=ENDLESS, progress=lambda answer: told.set()
                    )
                )
                await asyncio.wait_for(told.wait(), LIMIT_SECONDS)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertTrue(await client.exists("/async"))

        asyncio.run(work())


if __name__ == "__main__":
    unittest.main()
