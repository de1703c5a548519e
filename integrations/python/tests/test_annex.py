"""git-annex and DataLad against a real server; see test_client for the environment. Programs are found in PATH."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

URL = os.environ["FDT_URL"]
ROOT = pathlib.Path(os.environ["FDT_ROOT"])
COMMITTER = {f"GIT_{who}_{what}": "test@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
PATH = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
LIMIT_SECONDS = 60.0

# Stands for fdt: copies until it is told to stop.
ENDLESS = """
import json, sys, threading, time
def copy(number):
    while not cancelled.wait(0.05):
        print(json.dumps({"id": number, "type": "progress", "bytes": 1}), flush=True)
    print(json.dumps({"id": number, "type": "error", "exit_code": 130, "message": "cancelled"}), flush=True)
cancelled = threading.Event()
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "cancel":
        cancelled.set()
    else:
        threading.Thread(target=copy, args=(request["id"],)).start()
"""

# Stands for fdt: the path cannot be read, whoever runs the tests.
SHUT = """
import json, sys
for line in sys.stdin:
    number = json.loads(line)["id"]
    why = {"cause": "unreadable", "place": "fdt://host", "path": "/d/x", "errno": "EACCES", "exit_code": 4}
    print(json.dumps({"id": number, "type": "error", "message": "why", **why}), flush=True)
"""


class AnnexTest(unittest.TestCase):
    def setUp(self) -> None:
        # gpg-agent puts its socket there, whose path has a limit.
        place = tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True)
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        self.environment = {**os.environ, **COMMITTER, "HOME": place.name, "PATH": PATH}

    def run_in(self, directory: pathlib.Path, *command: str) -> str:
        ended = subprocess.run(
            command, cwd=directory, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stdout}")
        return ended.stdout

    def repository(self, *options: str) -> pathlib.Path:
        """Returns a repository with the remote ``far``, which is a directory with the name of the test."""
        repository = self.here / "repository"
        repository.mkdir()
        self.run_in(repository, "git", "init", "-q")
        self.run_in(repository, "git", "annex", "init", "-q")
        url = f"{URL}/{self._testMethodName}/with space"
        self.run_in(
            repository, "git", "annex", "initremote", "far", "type=external", "externaltype=fdt", "url=" + url, *options
        )
        return repository

    def test_passes_the_tests_of_git_annex(self) -> None:
        repository = self.repository("encryption=none")
        # All of them, with and without encryption, trees and chunks. A hundredth and a thousandth of a large size, which
        # git-annex takes as the size of chunks, would be a thousand copies for a file.
        said = self.run_in(repository, "git", "annex", "testremote", "far", "--size=60B")
        self.assertRegex(said, r"All \d+ tests passed|All tests (ran|passed)")
        for tested in ("chunksize=60 encryption=shared", "chunksize=0 encryption=none", "exporttree=yes"):
            self.assertIn(tested, said)
        self.run_in(repository, "git", "annex", "testremote", "far", "--fast", "--size=5MB")

    def test_gets_what_it_has_stored_in_encrypted_chunks_several_at_once(self) -> None:
        repository = self.repository("encryption=shared", "chunk=50kB")
        names = ["a", "name with space", "h\u00e4:100%&"]
        contents = [os.urandom(size) for size in (0, 1_000_000, 120_000)]
        for name, content in zip(names, contents):
            (repository / name).write_bytes(content)
        self.run_in(repository, "git", "annex", "add", "-q", ".")
        self.run_in(repository, "git", "annex", "copy", "-q", "-J3", "--to", "far")
        self.assertGreater(len([each for each in ROOT.joinpath(self._testMethodName).rglob("*") if each.is_file()]), 20)
        self.run_in(repository, "git", "annex", "drop", "-q", "-J3")
        self.run_in(repository, "git", "annex", "fsck", "-q", "--from", "far")
        self.run_in(repository, "git", "annex", "get", "-q", "-J3")
        self.assertEqual([(repository / name).read_bytes() for name in names], contents)

    def test_one_process_does_several_jobs(self) -> None:
        repository = self.repository("encryption=none")
        for number in range(6):
            (repository / str(number)).write_bytes(os.urandom(10_000))
        self.run_in(repository, "git", "annex", "add", "-q", ".")
        said = self.run_in(repository, "git", "annex", "copy", "-J3", "--to", "far", "--debug")
        self.assertEqual(said.count("git-annex-remote-fdt[1] --> VERSION 1"), 1, said)
        self.assertNotIn("git-annex-remote-fdt[2]", said)
        self.assertIn("J 3 TRANSFER STORE", said)

    def test_a_tree_with_the_names_of_the_files(self) -> None:
        repository = self.repository("encryption=none", "exporttree=yes")
        (repository / "d").mkdir()
        (repository / "d" / "f g").write_bytes(b"one")
        self.run_in(repository, "git", "annex", "add", "-q", ".")
        self.run_in(repository, "git", "commit", "-qm", "one")
        self.run_in(repository, "git", "annex", "export", "-q", "HEAD", "--to", "far")
        tree = ROOT / self._testMethodName / "with space"
        self.assertEqual((tree / "d" / "f g").read_bytes(), b"one")
        self.run_in(repository, "git", "mv", "d/f g", "h")
        self.run_in(repository, "git", "commit", "-qm", "two")
        self.run_in(repository, "git", "annex", "export", "-q", "HEAD", "--to", "far")
        self.assertEqual([each.name for each in tree.iterdir()], ["h"])

    def test_says_why_it_cannot(self) -> None:
        self.repository("encryption=none")
        again = ["git", "annex", "initremote", "other", "type=external", "externaltype=fdt", "encryption=none"]
        for url, reason in (("http://x/y", "is not fdt://HOST"), ("fdt://127.0.0.1:1/x", "127.0.0.1")):
            ended = subprocess.run(
                [*again, "url=" + url],
                cwd=self.here / "repository",
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(reason, ended.stdout)

    def test_ends_with_git_annex_in_the_middle_of_a_copy(self) -> None:
        (self.here / "fdt").write_text(f"#!{sys.executable}\n{ENDLESS}")
        (self.here / "fdt").chmod(0o755)
        remote = subprocess.Popen(
            ["git-annex-remote-fdt"],
            env={**self.environment, "PATH": f"{self.here}:{PATH}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # With its fdt, which would not end by itself.
            start_new_session=True,
        )
        try:
            remote.stdin.write("PREPARE\nVALUE fdt://host/d\nEXPORT name\nTRANSFEREXPORT STORE key file\n")
            remote.stdin.flush()
            while not remote.stdout.readline().startswith("PROGRESS"):
                self.assertIsNone(remote.poll())
            remote.stdout.close()
            remote.stdin.close()
            remote.wait(LIMIT_SECONDS)
        except BaseException:
            os.killpg(remote.pid, signal.SIGKILL)
            raise

    def test_a_file_that_cannot_be_read_is_not_missing(self) -> None:
        (self.here / "fdt").write_text(f"#!{sys.executable}\n{SHUT}")
        (self.here / "fdt").chmod(0o755)
        requests = "PREPARE\nVALUE fdt://host/d\nEXPORT x\nCHECKPRESENTEXPORT key x\nREMOVEEXPORT key x\n"
        said = subprocess.run(
            ["git-annex-remote-fdt"],
            env={**self.environment, "PATH": f"{self.here}:{PATH}"},
            input=requests,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LIMIT_SECONDS,
        ).stdout
        self.assertIn("CHECKPRESENT-UNKNOWN key x why", said)
        self.assertIn("REMOVE-FAILURE key x why", said)

    def test_a_dataset_of_datalad(self) -> None:
        dataset, clone = self.here / "dataset", self.here / "clone"
        content = os.urandom(200_000)
        self.run_in(self.here, "datalad", "create", str(dataset))
        self.run_in(
            dataset,
            *("git", "annex", "initremote", "far", "type=external", "externaltype=fdt", "encryption=none"),
            *("autoenable=true", f"url={URL}/dataset"),
        )
        (dataset / "data.bin").write_bytes(content)
        self.run_in(dataset, "datalad", "save", "-m", "data")
        self.run_in(dataset, "datalad", "push", "--to", "far")
        self.run_in(dataset, "datalad", "drop", "data.bin")
        self.run_in(self.here, "datalad", "clone", str(dataset), str(clone))
        got = json.loads(self.run_in(clone, "datalad", "-l", "error", "-f", "json", "get", "data.bin").splitlines()[-1])
        self.assertEqual(got["status"], "ok", got)
        self.assertEqual((clone / "data.bin").read_bytes(), content)


if __name__ == "__main__":
    unittest.main()
