"""A client of ``fdt batch``: one process for any number of requests, several at once."""

from __future__ import annotations

import itertools
import json
import os
import queue
import subprocess
import threading
from concurrent.futures import Future
from types import TracebackType
from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, Union

from .errors import FdtError, NotFound, error_of

Answer = Dict[str, Any]
Path = Union[str, "os.PathLike[str]"]
Progress = Callable[[Answer], None]

_CLOSE_SECONDS = 10.0


class Request:
    """A request that has been sent. Its future is done with all answers, or with an :class:`FdtError`."""

    def __init__(self, client: "Client", number: int, progress: Optional[Progress]) -> None:
        self.future: "Future[List[Answer]]" = Future()
        # Only fdt ends a request: cancelling the future itself has no effect.
        self.future.set_running_or_notify_cancel()
        self._client = client
        self._number = number
        self._progress = progress
        self._answers: List[Answer] = []
        # What the callback raised: the failure of the request, once fdt has ended it.
        self._raised: Optional[BaseException] = None

    def result(self, timeout: Optional[float] = None) -> List[Answer]:
        """Waits for the end. If the wait is interrupted, the request is cancelled."""
        try:
            return self.future.result(timeout)
        except (KeyboardInterrupt, SystemExit):
            self.cancel()
            raise

    def cancel(self) -> None:
        """Asks fdt to end the request, which then fails with ``Interrupted``; a copy can be resumed."""
        self._client._cancel(self._number)

    def _take(self, answer: Answer) -> bool:
        """Takes an answer of this request; returns whether it is the last."""
        kind = answer["type"]
        if kind == "progress":
            self._tell(answer)
            return False
        if kind == "error":
            failed = [each for each in self._answers if each.get("outcome") == "failed"]
            failure = error_of(answer, failed)
            failure.entries = [each for each in self._answers if each["type"] in ("entry", "space")]
            self._fail(failure)
            return True
        self._answers.append(answer)
        if kind == "done":
            if self._raised is not None:
                self._fail(self._raised)
            else:
                self.future.set_result(self._answers)
        return bool(kind == "done")

    def _tell(self, answer: Answer) -> None:
        if self._progress is None or self._raised is not None:
            return
        try:
            self._progress(answer)
        except BaseException as raised:  # The reader must go on for the other requests, whatever it is.
            self._raised = raised
            self.cancel()

    def _fail(self, failure: BaseException) -> None:
        self.future.set_exception(failure if self._raised is None else self._raised)


class Client:
    """Access to one server, or without a URL to this host and any server that a URL names. Thread-safe.

    Paths of the server are absolute (``/run7/a.bin``). Those of :meth:`copy` and :meth:`verify` are as for
    ``fdt client``: :meth:`url` makes one of a path of the server. Use it as a context manager, or call :meth:`close`.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        command: Sequence[str] = ("fdt",),
        environment: Optional[Mapping[str, str]] = None,
    ) -> None:
        self._url = url.rstrip("/") if url is not None else None
        arguments = [*command, "batch", *([self._url] if self._url else [])]
        self._process = subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=None if environment is None else {**os.environ, **environment},
        )
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._open: Dict[int, Request] = {}
        self._ended: Optional[FdtError] = None
        self._reader = threading.Thread(target=self._read, name="fdt-client", daemon=True)
        # fdt stops reading while many requests are open, until its answers are read: who sends must not wait for that,
        # least of all the reader, whose callbacks may send, or an event loop.
        self._lines: "queue.SimpleQueue[Optional[bytes]]" = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, name="fdt-client-requests", daemon=True)
        self._reader.start()
        self._writer.start()

    def url(self, path: str) -> str:
        """Returns the URL of an absolute path of this client's server."""
        if self._url is None:
            raise ValueError("this client has no server")
        return self._url + path

    # Requests.

    def copy(
        self,
        source: Union[Path, Sequence[Path]],
        target: Path,
        *,
        options: Sequence[str] = (),
        files: bool = False,
        progress: Optional[Progress] = None,
    ) -> Answer:
        """Copies, and returns the summary. ``options`` are those of ``fdt client``; ``files`` adds each file to it."""
        answers = self.start_copy(source, target, options=options, files=files, progress=progress).result()
        return self.summary(answers)

    def start_copy(
        self,
        source: Union[Path, Sequence[Path]],
        target: Path,
        *,
        options: Sequence[str] = (),
        files: bool = False,
        progress: Optional[Progress] = None,
    ) -> Request:
        sources = [source] if isinstance(source, (str, os.PathLike)) else list(source)
        return self.start(
            "copy",
            progress,
            **{"from": [os.fspath(each) for each in sources]},
            to=os.fspath(target),
            options=list(options),
            files=files,
        )

    @staticmethod
    def summary(answers: List[Answer]) -> Answer:
        """Returns the last answer of a copy, with those about files under ``files_reported``."""
        return {**answers[-1], "files_reported": [each for each in answers if each["type"] == "file"]}

    def stat(self, *paths: str) -> List[Answer]:
        """Returns kind, bytes and mtime of each path; ``NotFound`` if none is there."""
        return self._entries(self.start("stat", paths=list(paths)).result())

    def exists(self, path: str) -> bool:
        """Returns whether it is there; ``SourceError`` if that cannot be told."""
        try:
            self.stat(path)
            return True
        except NotFound:
            return False

    def sum(self, *paths: str, type: str = "adler32") -> Dict[str, str]:
        """Returns the checksum of each file by its path: adler32, crc32c, md5, sha256 or xxh3."""
        entries = self._entries(self.start("sum", paths=list(paths), type=type).result())
        return {entry["path"]: entry["checksums"][type] for entry in entries}

    def list(self, path: str = "/", *, recursive: bool = False) -> List[Answer]:
        """Returns what is in a directory, with paths relative to it, in no particular order."""
        return self._entries(self.start("list", path=path, recursive=recursive).result())

    def mkdir(self, *paths: str, parents: bool = False) -> None:
        self.start("mkdir", paths=list(paths), parents=parents).result()

    def rename(self, source: str, target: str) -> None:
        """Renames in one step within one exported directory; a file at the target is replaced."""
        self.start("move", **{"from": source}, to=target).result()

    def remove(self, *paths: str, recursive: bool = False) -> None:
        self.start("remove", paths=list(paths), recursive=recursive).result()

    def space(self, *paths: str) -> List[Answer]:
        """Returns the space on the file system of each path, or of every exported directory."""
        return [each for each in self.start("df", paths=list(paths)).result() if each["type"] == "space"]

    def verify(self, *arguments: str) -> Answer:
        """Compares two trees, or one with a receipt, as ``fdt verify``; ``IntegrityError`` if anything differs."""
        return self.start("verify", args=list(arguments)).result()[-1]

    @staticmethod
    def _entries(answers: List[Answer]) -> List[Answer]:
        return [each for each in answers if each["type"] == "entry"]

    def start(self, op: str, progress: Optional[Progress] = None, /, **fields: Any) -> Request:
        """Sends any request of ``fdt batch``."""
        number = next(self._numbers)
        request = Request(self, number, progress)
        with self._lock:
            if self._ended is not None:
                raise self._ended
            self._open[number] = request
        self._send({"id": number, "op": op, **fields})
        return request

    def _cancel(self, number: int) -> None:
        with self._lock:
            known = number in self._open
        if known:
            self._send({"id": next(self._numbers), "op": "cancel", "request": number})

    def _send(self, line: Answer) -> None:
        # Escapes of lone surrogates carry the bytes of names that are not UTF-8.
        self._lines.put((json.dumps(line) + "\n").encode("ascii"))

    def _write(self) -> None:
        pipe: Optional[IO[bytes]] = self._process.stdin
        if pipe is None:
            return
        try:
            for data in iter(self._lines.get, None):
                pipe.write(data)
                pipe.flush()
        except OSError:
            # The reader notices the end of the process, and ends all requests.
            pass
        finally:
            try:
                pipe.close()
            except OSError:
                pass

    # Answers.

    def _read(self) -> None:
        pipe: Optional[IO[bytes]] = self._process.stdout
        broken: Optional[FdtError] = None
        line = b""
        try:
            for line in pipe or ():
                self._take(json.loads(line))
        except Exception as reason:
            broken = FdtError(f"not an answer of fdt batch: {line.decode(errors='replace').rstrip()} ({reason!r})")
            # Nobody reads its answers any more.
            self._process.terminate()
        finally:
            code = self._process.wait()
            with self._lock:
                self._ended = broken or error_of(
                    {"exit_code": code if code > 0 else 1, "message": f"fdt batch has ended (exit code {code})"}
                )
                left = list(self._open.values())
                self._open.clear()
            self._lines.put(None)
            for request in left:
                if not request.future.done():
                    request._fail(self._ended)

    def _take(self, answer: Answer) -> None:
        number = answer.get("id")
        with self._lock:
            request = self._open.get(number) if isinstance(number, int) else None
        if request is not None and request._take(answer):
            with self._lock:
                self._open.pop(request._number, None)

    # The end.

    def close(self) -> None:
        """Waits for the requests that run, and ends the process."""
        self._lines.put(None)
        self._process.wait()
        self._writer.join(_CLOSE_SECONDS)
        self._reader.join(_CLOSE_SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        failure: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is not None:
            self._process.terminate()
        self.close()
