"""gfal2's own commands and its Python module with the plug-in, against real servers. FDT_COMMAND is the command line of
fdt, as JSON."""

import filecmp
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "python/tests"))
import causes  # noqa: E402
import installed  # noqa: E402
from installed import PYTHON  # noqa: E402

COMMAND = json.loads(os.environ["FDT_COMMAND"])
LIMIT_SECONDS = 300


class Gfal2Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.place = pathlib.Path(place.name)
        cls.environment = {**os.environ, **installed.install(cls.place, shlex.join(COMMAND))}
        cls.near, cls.far, cls.slow = cls.place / "near", cls.place / "far", cls.place / "slow"
        cls.near_url, cls.far_url = cls.server(cls.near), cls.server(cls.far)
        cls.slow_url = cls.server(cls.slow, "--rate-limit", "400kbit")

    @classmethod
    def server(cls, root: pathlib.Path, *options: str) -> str:
        root.mkdir()
        options = ("--root", root, "--third-party", "127.0.0.0/8", *options)
        words = [*COMMAND, "server", "--listen", "127.0.0.1:0", *options]
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, text=True)
        cls.addClassCleanup(process.stdout.close)
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.terminate)
        return "fdt://127.0.0.1:" + process.stdout.readline().strip().rpartition(":")[2]

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.here = pathlib.Path(place.name)
        # A server may reach what is in the directory that it exported, and not in a new one of the same name.
        for each in (*self.near.iterdir(), *self.far.iterdir()):
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()

    def file(self, path: pathlib.Path, size: int = 3_000_000) -> pathlib.Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(size))
        return path

    def test_a_forked_process_starts_its_own_fdt(self) -> None:
        self.file(self.near / "forked", 1000)
        ended = subprocess.run(
            [PYTHON, HERE / "forked.py", f"{self.near_url}/forked"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        self.assertEqual((ended.returncode, ended.stdout.split()), (0, ["1000"] * 4), ended.stdout)

    def gfal(self, command: str, *words: object, code: int = 0) -> str:
        """Runs a command of gfal2, which ends with the errno of a failure, and returns what it wrote."""
        ended = subprocess.run(
            [f"gfal-{command}", *(str(word) for word in words)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        self.assertEqual(ended.returncode, code, ended.stdout)
        return ended.stdout

    def test_copies_there_back_and_between_servers(self) -> None:
        source = self.file(self.here / "source")
        adler32 = f"{zlib.adler32(source.read_bytes()):08x}"
        self.gfal("copy", "-n", 2, "-K", f"adler32:{adler32}", f"file://{source}", f"{self.near_url}/a")
        seen = self.gfal("copy", "-v", "-p", "-K", "md5", f"{self.near_url}/a", f"{self.far_url}/new/b")
        for event in ("TRANSFER:ENTER", "TRANSFER:TYPE\t3rd push", "TRANSFER:EXIT", "CHECKSUM:EXIT"):
            self.assertIn(event, seen)
        self.gfal("copy", f"{self.far_url}/new/b", f"file://{self.here}/back")
        self.assertTrue(filecmp.cmp(source, self.here / "back", shallow=False))
        self.assertIn(f"a {adler32.lstrip('0')}", self.gfal("sum", f"{self.near_url}/a", "ADLER32").replace(" 0", " "))

    def test_copies_directories(self) -> None:
        one = self.file(self.here / "tree/one", 100)
        two = self.file(self.here / "tree/sub/two", 0)
        self.gfal("copy", "-r", f"file://{self.here}/tree", f"{self.near_url}/d/tree")
        self.gfal("copy", "-r", f"{self.near_url}/d/tree", f"file://{self.here}/back")
        self.assertTrue(filecmp.cmp(one, self.here / "back/one", shallow=False))
        self.assertTrue(filecmp.cmp(two, self.here / "back/sub/two", shallow=False))
        self.assertEqual(self.gfal("cat", f"{self.near_url}/d/tree/sub/two"), "")

    def test_reads_parts_of_files(self) -> None:
        (self.near / "text").write_text("a line\nanother\n" * 100_000)
        self.assertEqual(self.gfal("cat", f"{self.near_url}/text"), "a line\nanother\n" * 100_000)
        self.gfal("cat", f"{self.near_url}/none", code=2)
        file = self.file(self.near / "d/large", 20_000_000)
        ended = subprocess.run(
            [PYTHON, HERE / "reads.py", f"{self.near_url}/d/large", file],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))

    def test_replaces_only_if_asked_and_only_files(self) -> None:
        self.file(self.near / "a")
        target = self.file(self.here / "target", 10)
        before = target.read_bytes()
        # EEXIST; the second time it is fdt that finds it, because gfal-copy did not look.
        self.gfal("copy", f"{self.near_url}/a", f"file://{target}", code=17)
        said = self.gfal("copy", "--just-copy", f"{self.near_url}/a", f"file://{target}", code=17)
        self.assertIn("already exists", said)
        self.assertEqual(target.read_bytes(), before)
        self.gfal("copy", "-f", f"{self.near_url}/a", f"file://{target}")
        self.assertTrue(filecmp.cmp(self.near / "a", target, shallow=False))
        # EISDIR: neither into a directory nor one as a whole.
        self.gfal("copy", "--just-copy", f"{self.near_url}/a", f"file://{self.here}", code=21)
        self.gfal("copy", "--just-copy", f"{self.near_url}/", f"file://{self.here}/all", code=21)
        # ENOENT: the parent is only made if asked.
        self.gfal("copy", f"{self.near_url}/a", f"{self.far_url}/d/a", code=2)
        self.assertFalse((self.far / "d").exists())

    def test_links_and_patterns_name_what_they_name(self) -> None:
        self.file(self.near / "d/a")
        self.file(self.near / "a[1]*", 20)
        self.file(self.near / "a1x", 30)
        (self.near / "link").symlink_to("d/a")
        (self.here / "target").symlink_to("real")
        (self.here / "real").write_bytes(b"old")
        self.assertIn("3000000\tregular file", self.gfal("stat", f"{self.near_url}/link"))
        self.gfal("copy", "-f", f"{self.near_url}/link", f"file://{self.here}/target")
        self.assertTrue((self.here / "target").is_symlink())
        self.assertTrue(filecmp.cmp(self.near / "d/a", self.here / "real", shallow=False))
        self.gfal("copy", f"{self.near_url}/a[1]*", f"file://{self.here}/x")
        self.assertTrue(filecmp.cmp(self.near / "a[1]*", self.here / "x", shallow=False))
        # ENOENT, although a server would expand it.
        self.gfal("copy", "--just-copy", f"{self.near_url}/a?x", f"file://{self.here}/y", code=2)

    def test_each_cause_has_the_errno_of_the_table(self) -> None:
        words = (HERE.parent / "batch.c").read_text().partition("CAUSES[] = {")[2].partition("};")[0]
        table = causes.table()
        self.assertEqual(set(re.findall(r'\{"([a-z-]+)", E', words)) - set(table), set())
        place = self.here / "failing"
        place.mkdir()
        environment = {**self.environment, **installed.configure(place, f"{PYTHON} {HERE / 'failing.py'}")}
        urls = [f"fdt://host/{row.exit_code}/{word}" for word, row in table.items()]
        ended = subprocess.run(
            [PYTHON, HERE / "errnos.py", *urls], env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
        self.assertEqual(dict(zip(table, ended.stdout.split())), {word: row.gfal2 for word, row in table.items()})

    def test_a_checksum_that_differs(self) -> None:
        self.file(self.near / "a")
        for kind in ("adler32:00000001", "md5:00000000000000000000000000000001"):
            said = self.gfal("copy", "-f", "-K", kind, f"{self.near_url}/a", f"{self.far_url}/a", code=5)
            self.assertIn("CHECKSUM MISMATCH", said)
        # ENOSYS
        self.gfal("sum", f"{self.near_url}/a", "SHA1", code=38)

    def test_lists_makes_renames_and_removes(self) -> None:
        self.gfal("mkdir", f"{self.near_url}/d")
        self.gfal("mkdir", f"{self.near_url}/d", code=17)
        self.gfal("mkdir", f"{self.near_url}/x/y", code=2)
        self.gfal("mkdir", "-p", f"{self.near_url}/d/e/f")
        self.file(self.near / "a", 12345)
        self.gfal("rename", f"{self.near_url}/a", f"{self.near_url}/d/b")
        self.gfal("rename", f"{self.near_url}/d/b", f"{self.far_url}/b", code=18)
        listed = self.gfal("ls", "-l", f"{self.near_url}/d").splitlines()
        self.assertEqual(sorted(line.split()[-1] for line in listed), ["b", "e"])
        self.assertEqual({line[0] for line in listed}, {"-", "d"})
        self.assertTrue(any(line.split()[4] == "12345" for line in listed))
        self.gfal("rm", f"{self.near_url}/none", code=2)
        self.gfal("rm", f"{self.near_url}/d", code=21)
        self.gfal("rm", "-r", f"{self.near_url}/d")
        self.assertEqual(list(self.near.iterdir()), [])
        self.gfal("ls", f"{self.near_url}/../x", code=13)

    def test_names_that_would_lead_elsewhere_are_left_out(self) -> None:
        command = shlex.join([PYTHON, str(HERE / "hostile.py")])
        listed = self.gfal("ls", "-a", "-D", f"FDT PLUGIN:COMMAND={command}", "fdt://hostile/d")
        self.assertEqual(listed.split(), ["good"])

    def processes(self) -> list:
        """Returns what fdt batch runs for this test, by the configuration in its environment."""
        found = []
        for process in pathlib.Path("/proc").iterdir():
            try:
                if str(self.place).encode() in (process / "environ").read_bytes():
                    found += [process] if b"\0batch\0" in (process / "cmdline").read_bytes() else []
            except OSError:
                pass
        return found

    def await_processes(self, count: int) -> None:
        end = time.monotonic() + LIMIT_SECONDS
        while len(self.processes()) != count:
            self.assertLess(time.monotonic(), end, f"not {count} processes of fdt batch")
            time.sleep(0.1)

    def test_a_copy_ends_with_a_program_that_is_killed(self) -> None:
        self.file(self.slow / "endless", 20_000_000)
        program = subprocess.Popen(
            [PYTHON, "/usr/bin/gfal-copy", f"{self.slow_url}/endless", f"file://{self.here}/to"], env=self.environment
        )
        self.addCleanup(program.wait)
        self.await_processes(1)
        while not list(self.here.glob(".fdt.*.part")):
            self.assertIsNone(program.poll())
            time.sleep(0.1)
        program.kill()
        self.await_processes(0)

    def test_calls_of_the_library(self) -> None:
        """Cancelling, the limit of time, progress, and many threads of one context, which share one process."""
        self.file(self.near / "a")
        self.file(self.near / "d/b", 10)
        self.file(self.slow / "big", 20_000_000)
        ended = subprocess.run(
            [PYTHON, HERE / "calls.py", self.near_url, self.slow_url, self.here],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            timeout=LIMIT_SECONDS,
        )
        self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertEqual(
            json.loads(ended.stdout),
            {
                "cancelled": "ECANCELED",
                "timeout": "ETIMEDOUT",
                "progress": True,
                "threads": [],
                "rmdir of a file": "ENOTDIR",
                "rmdir with contents": "ENOTEMPTY",
                "unlink of a directory": "EISDIR",
                "checksum of a directory": "EINVAL",
                "opendir of a file": "ENOTDIR",
                "no server": "ECONNREFUSED",
                "no program": "ENOEXEC",
            },
        )
        self.assertTrue((self.near / "d/b").exists())
        self.assertEqual([each for each in self.here.iterdir() if each.name.startswith("to")], [])


if __name__ == "__main__":
    unittest.main()
