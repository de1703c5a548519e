"""Clients that have no key, and a token in TOKEN_OF_TEST; see test_client for the rest of the environment."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zlib

import classad2

# First, because it makes Rucio's configuration.
from test_rucio import settings

import fdt_client
from rucio.rse import rsemanager

URL = os.environ["FDT_URL"]
ROOT = pathlib.Path(os.environ["FDT_ROOT"])
COMMAND = json.loads(os.environ["FDT_COMMAND"])
TOKEN = os.environ["TOKEN_OF_TEST"]


class TokenTest(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        self.source = self.here / "source"
        self.source.write_bytes(os.urandom(300_000))

    def test_the_client_uses_the_token_of_its_environment(self) -> None:
        with fdt_client.Client(URL, command=COMMAND, environment={"BEARER_TOKEN": TOKEN}) as client:
            client.copy(self.source, client.url("/python"))
            self.assertEqual(client.read("/python"), self.source.read_bytes())
        with fdt_client.Client(URL, command=COMMAND) as client, self.assertRaises(fdt_client.Refused) as refused:
            client.stat("/python")
        self.assertEqual(refused.exception.cause, "no-key")

    def test_rucio_passes_the_token_of_its_client_on(self) -> None:
        content = self.source.read_bytes()
        lfn = {"scope": "user.test", "name": "source", "filesize": len(content)}
        lfn["adler32"] = f"{zlib.adler32(content):08x}"
        rse = settings(int(URL.rpartition(":")[2]))
        ended = rsemanager.upload(rse, lfn, source_dir=str(self.here), auth_token=TOKEN)
        self.assertTrue(ended["success"], ended)
        (stored,) = [each for each in ROOT.joinpath("rucio").rglob("*") if each.is_file()]
        self.assertEqual(stored.read_bytes(), content)
        self.assertTrue(rsemanager.exists(rse, lfn, auth_token=TOKEN))

    def condor(self, environment: dict) -> classad2.ClassAd:
        ads = classad2.ClassAd({"Url": f"{URL}/condor", "LocalFileName": str(self.source)})
        (self.here / "in").write_text(str(ads))
        (self.here / "out").write_text("")
        subprocess.run(
            [sys.executable, "-m", "fdt_client.condor", "-infile", "in", "-outfile", "out", "-upload"],
            cwd=self.here,
            env={**os.environ, "_CONDOR_CREDS": str(self.here), **environment},
        )
        with open(self.here / "out") as out:
            (answer,) = classad2.parseAds(out)
        return answer

    def test_a_job_of_htcondor_has_its_token(self) -> None:
        self.assertFalse(self.condor({})["TransferSuccess"])
        (self.here / "wlcg.use").write_text(json.dumps({"access_token": TOKEN, "expires_in": 600}))
        answer = self.condor({})
        self.assertTrue(answer["TransferSuccess"], answer)
        self.assertEqual((ROOT / "condor").read_bytes(), self.source.read_bytes())

    def test_the_credential_fdt_may_be_a_token_and_comes_first(self) -> None:
        (self.here / "fdt.use").write_text(json.dumps({"access_token": TOKEN}))
        (self.here / "other.use").write_text(json.dumps({"access_token": "not.for.this"}))
        answer = self.condor({"FDT_KEY": "not a key", "BEARER_TOKEN": "not.a.token"})
        self.assertTrue(answer["TransferSuccess"], answer)


if __name__ == "__main__":
    unittest.main()
