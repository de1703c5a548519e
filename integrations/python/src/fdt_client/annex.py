"""The program ``git-annex-remote-fdt``: a special remote of git-annex that keeps its files on an fdt server.

It takes several requests at once (the extension ASYNC), and also trees with the names of the files (``exporttree``).
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import BinaryIO, Callable, Dict, Optional

from .client import Client
from .errors import FdtError, NotFound

_SCHEME = "fdt://"
_KEEP_NOTHING = ("--existing", "overwrite")


class _Closed(Exception):
    """git-annex has ended."""


class _Remote:
    """What all jobs share: the server, and the pipe to git-annex."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._client: Optional[Client] = None
        self.directory = ""

    def send(self, line: str) -> None:
        with self._lock:
            # Names of files need not be UTF-8.
            self._out.write(os.fsencode(line) + b"\n")
            self._out.flush()

    def connect(self, url: str) -> None:
        if not url.startswith(_SCHEME):
            raise ValueError(f"url={url!r} is not fdt://HOST[:PORT]/DIRECTORY")
        host, _, directory = url[len(_SCHEME) :].partition("/")
        with self._lock:
            if self._client is None:
                self._client = Client(_SCHEME + host)
            self.directory = ("/" + directory).rstrip("/")

    @property
    def client(self) -> Client:
        if self._client is None:
            raise ValueError("git-annex has not sent PREPARE")
        return self._client

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


class _Job(threading.Thread):
    """The requests of one job of git-annex, in order. Without ASYNC there is only one job, and no prefix."""

    def __init__(self, remote: _Remote, prefix: str) -> None:
        super().__init__(name="job " + prefix, daemon=True)
        self.lines: "queue.Queue[Optional[str]]" = queue.Queue()
        self._remote = remote
        self._prefix = prefix
        self._exported = ""

    def run(self) -> None:
        try:
            while True:
                self._answer(self._next())
        except (_Closed, BrokenPipeError):
            pass

    def _next(self) -> str:
        line = self.lines.get()
        if line is None:
            raise _Closed
        return line

    def _send(self, line: str) -> None:
        self._remote.send(self._prefix + line.replace("\n", " "))

    def _ask(self, question: str) -> str:
        self._send(question)
        return self._next().partition(" ")[2]

    def _answer(self, line: str) -> None:
        request, _, rest = line.partition(" ")
        known: Dict[str, Callable[[str], None]] = {
            "LISTCONFIGS": self._list_configs,
            "INITREMOTE": self._initialize,
            "PREPARE": self._prepare,
            "EXPORTSUPPORTED": lambda rest: self._send("EXPORTSUPPORTED-SUCCESS"),
            "EXPORT": self._export,
            "TRANSFER": lambda rest: self._transfer(rest, self._path_of_key),
            "CHECKPRESENT": lambda key: self._check(key, self._path_of_key(key)),
            "REMOVE": lambda key: self._remove(key, self._path_of_key(key)),
            "TRANSFEREXPORT": lambda rest: self._transfer(rest, lambda key: self._path(self._exported)),
            "CHECKPRESENTEXPORT": lambda key: self._check(key, self._path(self._exported)),
            "REMOVEEXPORT": lambda key: self._remove(key, self._path(self._exported)),
            "REMOVEEXPORTDIRECTORY": self._remove_directory,
            "RENAMEEXPORT": self._rename,
        }
        if request in known:
            known[request](rest)
        elif request != "ERROR":
            self._send("UNSUPPORTED-REQUEST")

    def _path(self, name: str) -> str:
        return f"{self._remote.directory}/{name}"

    def _path_of_key(self, key: str) -> str:
        """Returns a path with the directories and the name that git-annex gives to a key in its own directories."""
        name = key.replace("&", "&a").replace("%", "&s").replace(":", "&c").replace("/", "%")
        return self._path(self._ask(f"DIRHASH-LOWER {key}") + name)

    # Requests.

    def _list_configs(self, rest: str) -> None:
        self._send("CONFIG url where the files are: fdt://HOST[:PORT]/DIRECTORY")
        self._send("CONFIGEND")

    def _initialize(self, rest: str) -> None:
        try:
            self._remote.connect(self._ask("GETCONFIG url"))
            if self._remote.directory:
                self._remote.client.mkdir(self._remote.directory, parents=True)
            self._send("INITREMOTE-SUCCESS")
        except (FdtError, OSError, ValueError) as failure:
            self._send(f"INITREMOTE-FAILURE {failure}")

    def _prepare(self, rest: str) -> None:
        try:
            self._remote.connect(self._ask("GETCONFIG url"))
            self._send("PREPARE-SUCCESS")
        except (OSError, ValueError) as failure:
            self._send(f"PREPARE-FAILURE {failure}")

    def _export(self, name: str) -> None:
        self._exported = name

    def _transfer(self, rest: str, path_of: Callable[[str], str]) -> None:
        direction, key, file = rest.split(" ", 2)
        client, local = self._remote.client, os.path.abspath(file)
        far = client.url(path_of(key))
        source, target = (local, far) if direction == "STORE" else (far, local)
        try:
            client.copy(
                source,
                target,
                options=_KEEP_NOTHING,
                progress=lambda answer: self._send(f"PROGRESS {answer['bytes']}"),
            )
            self._send(f"TRANSFER-SUCCESS {direction} {key}")
        except FdtError as failure:
            self._send(f"TRANSFER-FAILURE {direction} {key} {failure}")

    def _check(self, key: str, path: str) -> None:
        try:
            found = "SUCCESS" if self._remote.client.exists(path) else "FAILURE"
            self._send(f"CHECKPRESENT-{found} {key}")
        except FdtError as failure:
            self._send(f"CHECKPRESENT-UNKNOWN {key} {failure}")

    def _remove(self, key: str, path: str) -> None:
        try:
            self._remove_if_there(path)
            self._send(f"REMOVE-SUCCESS {key}")
        except FdtError as failure:
            self._send(f"REMOVE-FAILURE {key} {failure}")

    def _remove_directory(self, name: str) -> None:
        try:
            self._remove_if_there(self._path(name), recursive=True)
            self._send("REMOVEEXPORTDIRECTORY-SUCCESS")
        except FdtError:
            self._send("REMOVEEXPORTDIRECTORY-FAILURE")

    def _remove_if_there(self, path: str, *, recursive: bool = False) -> None:
        try:
            self._remote.client.remove(path, recursive=recursive)
        except NotFound:
            pass

    def _rename(self, rest: str) -> None:
        key, _, name = rest.partition(" ")
        target = self._path(name)
        try:
            self._remote.client.mkdir(os.path.dirname(target), parents=True)
            self._remote.client.rename(self._path(self._exported), target)
            self._send(f"RENAMEEXPORT-SUCCESS {key}")
        except FdtError as failure:
            self._send(f"RENAMEEXPORT-FAILURE {key} {failure}")


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers until the requests end."""
    remote = _Remote(answers)
    jobs: Dict[str, _Job] = {}
    remote.send("VERSION 1")
    for data in requests:
        line = os.fsdecode(data.rstrip(b"\n"))
        if line.startswith("EXTENSIONS "):
            remote.send("EXTENSIONS ASYNC" if "ASYNC" in line.split(" ") else "EXTENSIONS")
            continue
        prefix = ""
        if line.startswith("J "):
            number, _, line = line[2:].partition(" ")
            prefix = f"J {number} "
        if prefix not in jobs:
            jobs[prefix] = _Job(remote, prefix)
            jobs[prefix].start()
        jobs[prefix].lines.put(line)
    for job in jobs.values():
        job.lines.put(None)
    for job in jobs.values():
        job.join()
    remote.close()


def main() -> None:
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
