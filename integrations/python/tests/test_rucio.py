"""Rucio's own client code against a real server; see test_client for the environment."""

import filecmp
import functools
import json
import multiprocessing
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import zlib
from urllib.parse import urlparse

_PLACE = tempfile.TemporaryDirectory()
_CONFIG = pathlib.Path(_PLACE.name) / "rucio.cfg"
_CONFIG.write_text("[common]\n[client]\n")
os.environ["RUCIO_CONFIG"] = str(_CONFIG)

try:
    from rucio.common import exception
    from rucio.rse import rsemanager
except ImportError as missing:
    raise unittest.SkipTest(f"rucio-clients is not installed: {missing}") from missing

import causes
import fdt_client.rucio
from fdt_client.errors import error_of

URL = urlparse(os.environ["FDT_URL"])
ROOT = pathlib.Path(os.environ["FDT_ROOT"])
COMMAND = json.loads(os.environ["FDT_COMMAND"])
OPERATIONS = ("read", "write", "delete")


def settings(port: int) -> dict:
    """The settings of an RSE, as a Rucio server sends them."""
    protocol = {
        "scheme": "fdt",
        "hostname": URL.hostname,
        "port": port,
        "prefix": "/rucio/",
        "impl": "fdt_client.rucio.Protocol",
        "domains": {"lan": dict.fromkeys(OPERATIONS, 1), "wan": dict.fromkeys((*OPERATIONS, "third_party_copy"), 1)},
        "extended_attributes": {"fdt_command": shlex.join(COMMAND)},
    }
    return {
        "id": "fdt",
        "rse": "FDT",
        "deterministic": True,
        "lfn2pfn_algorithm": "hash",
        "verify_checksum": True,
        "domain": ["lan", "wan"],
        "credentials": None,
        "sign_url": None,
        "protocols": [protocol],
        **{f"availability_{each}": True for each in OPERATIONS},
    }

# Stands for fdt: the path cannot be read, whoever runs the tests.
SHUT = """
import json, sys
for line in sys.stdin:
    number = json.loads(line)["id"]
    why = {"cause": "unreadable", "place": "fdt://host", "path": "/d/x", "errno": "EACCES", "exit_code": 4}
    print(json.dumps({"id": number, "type": "error", "message": "why", **why}), flush=True)
"""


class RucioTest(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        shutil.rmtree(ROOT / "rucio", ignore_errors=True)

    def file(self, name: str) -> dict:
        content = os.urandom(100_000)
        (self.here / name).write_bytes(content)
        return {
            "scope": "user.test",
            "name": name,
            "filesize": len(content),
            "adler32": f"{zlib.adler32(content):08x}",
        }

    def test_uploads_downloads_renames_and_deletes(self) -> None:
        lfn = self.file("one")
        ended = rsemanager.upload(settings(URL.port), lfn, source_dir=str(self.here))
        self.assertTrue(ended["success"], ended)
        stored = [each for each in ROOT.joinpath("rucio").rglob("*") if each.is_file()]
        self.assertEqual(len(stored), 1)
        self.assertTrue(filecmp.cmp(stored[0], self.here / "one", shallow=False))
        self.assertTrue(rsemanager.exists(settings(URL.port), lfn))

        protocol = rsemanager.create_protocol(settings(URL.port), "read")
        protocol.connect()
        pfn = protocol.lfns2pfns(lfn)["user.test:one"]
        self.assertEqual(protocol.stat(pfn), {"filesize": lfn["filesize"], "adler32": lfn["adler32"]})
        protocol.get(pfn, str(self.here / "back"))
        self.assertTrue(filecmp.cmp(self.here / "back", self.here / "one", shallow=False))
        total, unused = protocol.get_space_usage()
        self.assertGreaterEqual(total, unused)
        protocol.close()

        with self.assertRaises(exception.FileReplicaAlreadyExists):
            rsemanager.upload(settings(URL.port), lfn, source_dir=str(self.here))
        moved = rsemanager.rename(
            settings(URL.port),
            {"scope": "user.test", "name": "one", "new_scope": "user.test", "new_name": "two"},
        )
        self.assertTrue(moved)
        self.assertFalse(rsemanager.exists(settings(URL.port), lfn))
        self.assertTrue(rsemanager.delete(settings(URL.port), {"scope": "user.test", "name": "two"}))
        self.assertEqual([each for each in ROOT.joinpath("rucio").rglob("*") if each.is_file()], [])
        with self.assertRaises(exception.SourceNotFound):
            rsemanager.delete(settings(URL.port), {"scope": "user.test", "name": "two"})

    def test_refuses_a_file_that_is_not_what_the_catalogue_says(self) -> None:
        lfn = {**self.file("wrong"), "adler32": "00000001", "filesize": 5}
        with self.assertRaisesRegex(exception.RucioException, "corrupted"):
            rsemanager.upload(settings(URL.port), lfn, source_dir=str(self.here))

    def test_a_missing_source_and_a_server_that_is_gone(self) -> None:
        none = {"scope": "user.test", "name": "none", "filesize": 1, "adler32": "00010001"}
        with self.assertRaises(exception.SourceNotFound):
            rsemanager.upload(settings(URL.port), none, source_dir=str(self.here))

        server = subprocess.Popen(
            [*COMMAND, "server", "--listen", "127.0.0.1:0", "--root", str(self.here)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.addCleanup(server.stdout.close)
        port = int(server.stdout.readline().rpartition(":")[2])
        lfn = self.file("gone")
        protocol = rsemanager.create_protocol(settings(port), "read")
        protocol.connect()
        pfn = protocol.lfns2pfns(lfn)["user.test:gone"]
        self.assertFalse(protocol.exists(pfn))
        server.send_signal(signal.SIGKILL)
        server.wait()
        with self.assertRaises(exception.ServiceUnavailable):
            protocol.put("gone", pfn, str(self.here))
        protocol.close()

    def test_a_process_of_fdt_that_was_killed_is_replaced(self) -> None:
        none = {"scope": "user.test", "name": "none"}
        self.assertFalse(rsemanager.exists(settings(URL.port), none))
        batch = rsemanager.create_protocol(settings(URL.port), "read")._client._batch
        batch.process.kill()
        batch.join()
        self.assertFalse(rsemanager.exists(settings(URL.port), none))

    def test_a_forked_process(self) -> None:
        lfn = self.file("forked")
        rsemanager.upload(settings(URL.port), lfn, source_dir=str(self.here))
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map_async(functools.partial(rsemanager.exists, settings(URL.port)), [lfn] * 2).get(60)
        self.assertEqual(found, [True, True])

    def test_a_directory_is_no_file(self) -> None:
        protocol = rsemanager.create_protocol(settings(URL.port), "read")
        (ROOT / "rucio" / "d" / "e").mkdir(parents=True)
        with self.assertRaisesRegex(exception.SourceNotFound, "/rucio/d is no file"):
            protocol.get("/rucio/d", str(self.here / "copied"))
        with self.assertRaisesRegex(exception.SourceNotFound, "is no file"):
            protocol.put(str(self.here), "/rucio/x")
        self.assertFalse((self.here / "copied").exists() or (ROOT / "rucio" / "x").exists())

    def test_a_file_that_cannot_be_read_is_not_missing(self) -> None:
        rse = settings(URL.port)
        command = shlex.join([sys.executable, "-c", SHUT])
        rse["protocols"][0]["extended_attributes"]["fdt_command"] = command
        protocol = rsemanager.create_protocol(rse, "delete")
        protocol.connect()
        self.addCleanup(protocol.close)
        for request in (protocol.exists, protocol.delete):
            with self.assertRaisesRegex(exception.RSEAccessDenied, "why"):
                request("/rucio/x")

    def test_each_cause_has_the_exception_of_the_table(self) -> None:
        local = ("unreadable", causes.Row(4, "", "", "", "SourceAccessDenied"), "local")
        for word, row, place in (local, *((word, row, "fdt://host") for word, row in causes.table().items())):
            answer = {"message": "why", "cause": word, "exit_code": row.exit_code, "place": place}
            expected = getattr(exception, row.rucio)
            with self.assertRaisesRegex(expected, "why") as some, fdt_client.rucio._translated():
                raise error_of(answer)
            self.assertIs(type(some.exception), expected, word)


if __name__ == "__main__":
    unittest.main()
