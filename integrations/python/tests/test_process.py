"""The process of a client: it ends at any moment, and this process is forked; see test_client for the environment."""

import asyncio
import gc
import json
import multiprocessing
import os
import pathlib
import pickle
import random
import signal
import sys
import threading
import traceback
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List

import fdt_client

URL = os.environ["FDT_URL"]
ROOT = pathlib.Path(os.environ["FDT_ROOT"])
COMMAND = json.loads(os.environ["FDT_COMMAND"])
LIMIT_SECONDS = 110.0
# A run by hand may have more.
REQUESTS = int(os.environ.get("FDT_TEST_REQUESTS", "4000"))

# Stands for fdt: returns the word of each request, and its own number.
ECHO = """
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"], "type": "done", "word": request.get("word"), "process": os.getpid()}
    print(json.dumps(answer), flush=True)
"""

# Stands for fdt: answers nothing.
SILENT = "import sys; sys.stdin.read()"


def echo() -> fdt_client.Client:
    return fdt_client.Client(command=[sys.executable, "-c", ECHO])


def process_of(client: fdt_client.Client) -> int:
    """Returns the number of the process that answers."""
    return client.start("echo").result(LIMIT_SECONDS)[0]["process"]


def in_forked_process(work: Callable[[], object]) -> str:
    """Returns what went wrong there."""
    end, far_end = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(int(LIMIT_SECONDS))
        try:
            work()
        except BaseException:
            os.write(far_end, traceback.format_exc().encode())
        finally:
            os._exit(0)
    os.close(far_end)
    with open(end) as told:
        wrong = told.read()
    return wrong or ("" if os.waitpid(child, 0)[1] == 0 else "it did not end")


class ProcessTest(unittest.TestCase):
    def client(self, script: str = ECHO) -> fdt_client.Client:
        client = fdt_client.Client(command=[sys.executable, "-c", script])
        self.addCleanup(client.close)
        self.addCleanup(client.terminate)
        return client

    def test_each_request_ends_once_while_the_process_is_killed_at_random(self) -> None:
        seed = random.randrange(1 << 32)
        client, chance = self.client(), random.Random(seed)
        ended = {"answered": 0, "lost": 0}
        lock = threading.Lock()
        processes = set()

        def ask(first: int) -> None:
            for number in range(first, REQUESTS, 8):
                request = client.start("echo", word=number)
                try:
                    (answer,) = request.result(LIMIT_SECONDS)
                    self.assertEqual(answer["word"], number)
                    outcome = "answered"
                except fdt_client.ConnectionLost:
                    outcome = "lost"
                with lock:
                    ended[outcome] += 1
                    processes.add(client._batch.process.pid)
                    if chance.random() < 0.01:
                        client._batch.process.kill()

        with ThreadPoolExecutor(8) as pool:
            for each in [pool.submit(ask, first) for first in range(8)]:
                each.result(LIMIT_SECONDS * 10)
        self.assertEqual(ended["answered"] + ended["lost"], REQUESTS, f"seed {seed}")
        self.assertGreater(min(ended["lost"], len(processes)), 1, f"seed {seed}")
        print(f"{ended}, {len(processes)} processes", file=sys.stderr)

    def test_fdt_is_killed_between_requests(self) -> None:
        client = fdt_client.Client(URL, command=COMMAND)
        self.addCleanup(client.close)
        (ROOT / "stays").write_bytes(b"a")
        for _ in range(3):
            self.assertEqual(client.stat("/stays")[0]["bytes"], 1)
            client._batch.process.kill()
            client._batch.join()

    def test_asyncio_goes_on_after_the_process(self) -> None:
        async def work() -> None:
            async with fdt_client.AsyncClient(command=[sys.executable, "-c", ECHO]) as client:
                for _ in range(3):
                    await client._ask("echo")
                    client._client._batch.process.kill()
                    while True:
                        try:
                            await client._ask("echo")
                            break
                        except fdt_client.ConnectionLost:
                            pass

        asyncio.run(work())

    def test_a_forked_process_starts_its_own_and_leaves_the_others(self) -> None:
        client = self.client()
        silent = self.client(SILENT)
        here = process_of(client)
        waiting = silent.start("echo")

        def there() -> None:
            assert process_of(client) not in (here, os.getppid())
            try:
                waiting.result(LIMIT_SECONDS)
                raise AssertionError("answered")
            except fdt_client.ConnectionLost:
                pass
            silent.terminate()
            silent.close()
            client.close()

        self.assertEqual(in_forked_process(there), "")
        self.assertEqual(process_of(client), here)
        self.assertFalse(waiting.future.done())

    def test_a_fork_at_any_moment(self) -> None:
        client, enough = self.client(), threading.Event()
        failed: List[BaseException] = []

        def ask() -> None:
            try:
                while not enough.is_set():
                    process_of(client)
                    client.close()
            except BaseException as failure:
                failed.append(failure)

        workers = [threading.Thread(target=ask) for _ in range(2)]
        for each in workers:
            each.start()
        try:
            for _ in range(20):
                self.assertEqual(in_forked_process(lambda: process_of(client)), "")
        finally:
            enough.set()
            for each in workers:
                each.join(LIMIT_SECONDS)
        self.assertEqual(failed, [])

    def test_the_process_ends_while_a_forked_process_lives(self) -> None:
        client = self.client()
        process_of(client)
        end, far_end = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(far_end)
            os.read(end, 1)
            os._exit(0)
        os.close(end)
        try:
            closing = threading.Thread(target=client.close, daemon=True)
            closing.start()
            closing.join(LIMIT_SECONDS)
            self.assertFalse(closing.is_alive())
        finally:
            os.close(far_end)
            os.waitpid(child, 0)

    def test_pools_of_processes(self) -> None:
        client = self.client()
        here = process_of(client)
        for how in ("fork", "spawn", "forkserver"):
            with multiprocessing.get_context(how).Pool(2) as pool:
                there = pool.map_async(process_of, [client] * 4).get(LIMIT_SECONDS)
            self.assertNotIn(here, there, how)
        self.assertEqual(process_of(client), here)

    def test_a_client_that_was_closed_starts_another_one(self) -> None:
        with self.client() as client:
            first = process_of(client)
        self.assertNotEqual(process_of(client), first)
        self.assertNotEqual(process_of(pickle.loads(pickle.dumps(client))), first)

    def test_the_process_ends_with_the_client(self) -> None:
        client = echo()
        process_of(client)
        batch = client._batch
        del client
        gc.collect()
        batch.join()
        self.assertEqual(batch.process.returncode, 0)

    def test_what_does_not_start_is_told_once_and_says_why(self) -> None:
        for _ in range(2):
            with self.assertRaisesRegex(fdt_client.UsageError, "cannot start 'no-such-fdt': No such file"):
                fdt_client.Client(command=["no-such-fdt"]).stat("/")
        client = fdt_client.Client("fdt://", command=COMMAND)
        self.addCleanup(client.close)
        for _ in range(2):
            with self.assertRaisesRegex(fdt_client.UsageError, "fdt:") as some:
                client.stat("/")
            self.assertEqual(some.exception.cause, "usage")
        client = self.client("import sys; sys.exit(2)")
        with self.assertRaisesRegex(fdt_client.UsageError, "does not run .exit code 2, see stderr"):
            client.start("echo").result(LIMIT_SECONDS)
        client = self.client("import sys; sys.exit(137)")
        with self.assertRaisesRegex(fdt_client.ConnectionLost, "exit code 137"):
            client.start("echo").result(LIMIT_SECONDS)

    def test_relative_paths_are_of_the_directory_of_the_request(self) -> None:
        client = fdt_client.Client(URL, command=COMMAND)
        self.addCleanup(client.close)
        self.addCleanup(os.chdir, os.getcwd())
        for name in ("one", "two"):
            (ROOT / "work" / name).mkdir(parents=True)
            os.chdir(ROOT / "work" / name)
            pathlib.Path("a:b").write_text(name)
            client.copy(pathlib.Path("a:b"), client.url(f"/{name}"))
            client.copy(client.url(f"/{name}"), "back")
            self.assertEqual(pathlib.Path("back").read_text(), name)


if __name__ == "__main__":
    unittest.main()
