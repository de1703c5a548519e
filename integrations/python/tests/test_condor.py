"""The exchanges of HTCondor's file transfer plug-ins, with its own parser; see test_client for the environment."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

import classad2

import causes
from fdt_client import condor
from fdt_client.errors import error_of

URL = os.environ["FDT_URL"]
ROOT = pathlib.Path(os.environ["FDT_ROOT"])
COMMAND = json.loads(os.environ["FDT_COMMAND"])
ALLOCATED = 4_000_000


class CondorTest(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)

    def plugin(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "fdt_client.condor", *arguments], cwd=self.here, capture_output=True, text=True
        )

    def transfer(self, *pairs: tuple, upload: bool = False) -> tuple:
        """Returns the exit code and the ads by file."""
        ads = [classad2.ClassAd({"Hint": "for later versions"})]
        ads += [classad2.ClassAd({"Url": url, "LocalFileName": file}) for url, file in pairs]
        (self.here / "in").write_text("\n".join(map(str, ads)))
        # As HTCondor does, so that there is room on a full disk.
        (self.here / "out").write_text(" " * ALLOCATED)
        ended = self.plugin("-infile", "in", "-outfile", "out", *(["-upload"] if upload else []))
        self.assertEqual((self.here / "out").stat().st_size, ALLOCATED)
        with open(self.here / "out") as out:
            answers = list(classad2.parseAds(out))
        self.assertEqual(
            sorted((each["TransferUrl"], each["TransferFileName"]) for each in answers), sorted(pairs)
        )
        return ended.returncode, {each["TransferFileName"]: each for each in answers}

    def test_says_what_it_can(self) -> None:
        ad = classad2.parseOne(self.plugin("-classad").stdout)
        self.assertEqual(
            (ad["MultipleFileSupport"], ad["PluginType"], ad["ProtocolVersion"], ad["SupportedMethods"]),
            (True, "FileTransfer", 4, "fdt"),
        )

    def test_many_files_to_the_server_and_back(self) -> None:
        contents = {f"f {number}": os.urandom(50_000 * number) for number in range(6)}
        for name, content in contents.items():
            (self.here / name).write_bytes(content)
        pairs = [(f"{URL}/job/{name}", name) for name in contents]
        code, ads = self.transfer(*pairs, upload=True)
        self.assertEqual(code, 0)
        for name, content in contents.items():
            self.assertEqual((ROOT / "job" / name).read_bytes(), content)
            self.assertTrue(ads[name]["TransferSuccess"])
            self.assertEqual(ads[name]["TransferTotalBytes"], len(content))
            (self.here / name).unlink()
        code, ads = self.transfer(*[(url, str(self.here / name)) for url, name in pairs])
        self.assertEqual(code, 0)
        for name, content in contents.items():
            self.assertEqual((self.here / name).read_bytes(), content)

    def test_each_failure_says_whether_another_try_helps(self) -> None:
        (ROOT / "there").write_bytes(b"a")
        code, ads = self.transfer((f"{URL}/there", "there"), (f"{URL}/none", "none"), ("fdt://127.0.0.1:1/x", "gone"))
        self.assertEqual(code, 8)
        self.assertTrue(ads["there"]["TransferSuccess"])
        self.assertEqual(len(ads["there"]["TransferErrorData"]), 0)
        for file, kind, retry, exit_code in (("none", "Specification", -1, 4), ("gone", "Contact", 0, 8)):
            self.assertFalse(ads[file]["TransferSuccess"])
            self.assertTrue(ads[file]["TransferError"])
            (data,) = ads[file]["TransferErrorData"]
            self.assertEqual((data["ErrorType"], data["Retryable"], data["ErrorCode"]), (kind, retry, exit_code))
            self.assertTrue(data["FailedServer"].startswith("127.0.0.1:"))
        code, ads = self.transfer((f"{URL}/x", "missing here"), upload=True)
        self.assertEqual(code, 4)
        self.assertEqual(ads["missing here"]["TransferErrorData"][0]["ErrorType"], "Parameter")
        code, ads = self.transfer((f"{URL}/../x", str(self.here)), (f"{URL}/there", "/proc/none/x"))
        self.assertEqual(ads["/proc/none/x"]["TransferErrorData"][0]["ErrorType"], "Parameter")

    def test_each_cause_has_the_error_type_of_the_table_with_its_attributes(self) -> None:
        known = causes.exit_codes()
        self.assertEqual([word for word in condor.OF_CAUSE if word not in known], [])
        server = {"FailedServer": "dtn2:27321"}
        parameter = {"PluginVersion": "1.0.0", "PluginLaunched": True}
        right = {**server, "ShouldRefresh": False}
        more = {
            "Parameter": parameter,
            "Resolution": {"FailedName": "dtn2"},
            "Contact": server,
            "Authorization": right,
            "Specification": server,
            "Transfer": server,
        }
        for word, row in causes.table().items():
            kind, _, failure_type = row.condor.partition(" ")
            attributes = {**more[kind], **({"FailureType": failure_type} if failure_type else {})}
            self.assertEqual(bool(failure_type), kind in ("Resolution", "Authorization", "Transfer"), word)
            for retry in (False, True):
                answer = {
                    "message": "why", "cause": word, "exit_code": known[word], "place": "fdt://dtn2", "retry": retry
                }
                data = condor.error_data(error_of(answer), "dtn2:27321")
                common = {"Retryable": 0 if retry else -1, "ErrorCode": known[word], "ErrorString": "why"}
                self.assertEqual(data, {"ErrorType": kind, **attributes, **common}, word)
        right = {**right, "FailureType": "Authorization"}
        for word, stanza in {
            "missing": {"ErrorType": "Parameter", **parameter},
            "permission": {"ErrorType": "Parameter", **parameter},
            "no-space": {"ErrorType": "Transfer", "FailureType": "NoSpace", "FailedServer": socket.gethostname()},
            "refused": {"ErrorType": "Authorization", **right},
        }.items():
            answer = {"message": "why", "cause": word, "exit_code": known[word], "place": "local", "retry": False}
            data = condor.error_data(error_of(answer), "dtn2:27321")
            self.assertEqual({name: data[name] for name in stanza}, stanza)
            self.assertEqual(len(data), len(stanza) + 3)
        answer = {"message": "why", "cause": "unknown-host", "exit_code": 8}
        self.assertEqual(condor.error_data(error_of(answer), "[2001:db8::1]:2")["FailedName"], "2001:db8::1")

    def test_the_key_of_the_job_is_its_credential(self) -> None:
        (ROOT / "there").write_bytes(b"a")
        (key,) = [each for each in subprocess.check_output([*COMMAND, "key", "show"], text=True).split() if ":" in each]
        for name, value in (("FDT_HOME", str(self.here / "empty")), ("_CONDOR_CREDS", str(self.here))):
            self.addCleanup(os.environ.__setitem__, name, os.environ.get(name, ""))
            os.environ[name] = value
        code, ads = self.transfer((f"{URL}/there", "there"))
        self.assertEqual(code, 7)
        self.assertEqual(ads["there"]["TransferErrorData"][0]["FailureType"], "Authentication")
        (self.here / "fdt.use").write_text(json.dumps({"access_token": key}))
        code, ads = self.transfer((f"{URL}/there", "there"))
        self.assertEqual(code, 0, ads)
        (self.here / "fdt.use").write_text("{}")
        ended = self.plugin("-infile", "in", "-outfile", "out")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("fdt.use is no JSON object with an access_token", ended.stderr)

    def test_without_classad2_it_offers_nothing(self) -> None:
        (self.here / "sitecustomize.py").write_text("import sys\nsys.modules['classad2'] = None\n")
        self.addCleanup(os.environ.__setitem__, "PYTHONPATH", os.environ["PYTHONPATH"])
        os.environ["PYTHONPATH"] = f"{self.here}:{os.environ['PYTHONPATH']}"
        ended = self.plugin("-classad")
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertEqual(len(ended.stderr.splitlines()), 1)

    def test_without_the_program_every_file_fails(self) -> None:
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = str(self.here)
        code, ads = self.transfer((f"{URL}/there", "there"))
        self.assertEqual(code, 2)
        self.assertEqual(ads["there"]["TransferErrorData"][0]["ErrorType"], "Parameter")

    def test_a_program_that_does_not_run_fails_every_file(self) -> None:
        (self.here / "fdt").write_text("#!/bin/sh\nexit 2\n")
        (self.here / "fdt").chmod(0o755)
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = f"{self.here}:{before}"
        code, ads = self.transfer(*[(f"{URL}/there", f"there {number}") for number in range(2000)])
        self.assertEqual(code, 2)
        self.assertFalse(any(each["TransferSuccess"] for each in ads.values()))


if __name__ == "__main__":
    unittest.main()
