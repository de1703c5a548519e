"""A client of ``fdt batch``: one process for any number of requests, several at once."""

from __future__ import annotations

import functools
import os
from types import TracebackType
from typing import Any, Dict, List, Mapping, Optional, Sequence, Type, Union

from . import reading
from .batch import Answer, Batch, Progress, Request, choosing
from .errors import FdtError, NotFound
from .reading import Range

Path = Union[str, "os.PathLike[str]"]


def _here(path: Path) -> str:
    """Returns a path that means the same after a change of the working directory; a URL stays as it is."""
    text = os.fspath(path)
    remote = isinstance(path, str) and ":" in text.partition("/")[0]
    return text if remote else os.path.join(os.getcwd(), text)


class Client:
    """Access to one server, or without a URL to this host and any server that a URL names. Thread-safe.

    Paths of the server are absolute (``/run7/a.bin``). Those of :meth:`copy` and :meth:`verify` are as for
    ``fdt client``: :meth:`url` makes one of a path of the server.

    The process starts with the first request, and again with the next one after it has ended; the requests that ran in
    it fail with :class:`ConnectionLost`. A forked process, or one that gets the client pickled, starts its own. The
    process ends with the client, with this program, or when the client is closed.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        *,
        command: Sequence[str] = ("fdt",),
        environment: Optional[Mapping[str, str]] = None,
    ) -> None:
        self._url = url.rstrip("/") if url is not None else None
        self._command = tuple(command)
        self._environment = environment
        self._batch: Optional[Batch] = None

    def __reduce__(self) -> Any:
        return (functools.partial(Client, self._url, command=self._command, environment=self._environment), ())

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
            **{"from": [_here(each) for each in sources]},
            to=_here(target),
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

    def read(self, path: str, offset: int = 0, length: Optional[int] = None) -> bytes:
        """Returns a part of a file, which ends with the file; by default all of it."""
        (data,) = self.read_ranges([(path, offset, length)])
        if isinstance(data, FdtError):
            raise data
        return data

    def read_ranges(self, ranges: Sequence[Range]) -> List[Union[bytes, FdtError]]:
        """Returns the bytes of each ``(path, offset, length)``, or why it cannot be read; all in one round trip.

        Without a length, a range ends with its file. A file that changes while it is read fails all ranges.
        """
        return reading.read(self, ranges)

    def sizes(self, paths: Sequence[str]) -> List[Union[int, FdtError]]:
        """Returns the size of each file, through links, or why it cannot be read."""
        return reading.sizes(self, paths)

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
        request = Request(progress)
        line = {"op": op, **fields}
        with choosing:
            if self._batch is None or not self._batch.add(request, line):
                words = [*self._command, "batch", "--json", *([self._url] if self._url else [])]
                self._batch = Batch(words, self._environment)
                self._batch.begin(request, line)
        return request

    def close(self) -> None:
        """Waits for the requests that run, and ends the process. A later request starts another one."""
        with choosing:
            batch, self._batch = self._batch, None
        if batch is not None:
            batch.finish()
            batch.join()

    def terminate(self) -> None:
        """Ends the process with the requests that run in it, which fail."""
        batch = self._batch
        if batch is not None:
            batch.terminate()

    def __del__(self) -> None:
        batch = getattr(self, "_batch", None)
        if batch is not None:
            batch.finish()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        failure: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is not None:
            self.terminate()
        self.close()
