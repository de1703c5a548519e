"""Files of fdt servers for fsspec: ``fdt://HOST[:PORT]/PATH`` opens in pandas, pyarrow, xarray, zarr, dask and uproot.

Registered by an entry point: ``pip install fdt-client[fsspec]``.
"""

from __future__ import annotations

import calendar
import contextlib
import datetime
import errno
import os
import tempfile
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from fsspec.callbacks import DEFAULT_CALLBACK, Callback
from fsspec.spec import AbstractBufferedFile, AbstractFileSystem
from fsspec.utils import infer_storage_options, isfilelike

from .batch import Answer
from .client import Client
from .errors import (
    ConnectionLost,
    Denied,
    Exists,
    FdtError,
    NoRight,
    NoSpace,
    NotFound,
    Quota,
    ReadOnly,
    Refused,
    Unreadable,
)
from .reading import Range

Info = Dict[str, Any]

_ERRNO = (
    (NotFound, errno.ENOENT),
    (Exists, errno.EEXIST),
    (NoRight, errno.EPERM),
    (ReadOnly, errno.EROFS),
    (NoSpace, errno.ENOSPC),
    (Quota, errno.EDQUOT),
    (ConnectionLost, errno.ECONNRESET),
    (Unreadable, errno.EACCES),
    (Denied, errno.EACCES),
    (Refused, errno.EACCES),
)


def os_error(failure: FdtError) -> OSError:
    """Returns the exception that programs expect of files, of which the failure is the cause."""
    number = next((each for kind, each in _ERRNO if isinstance(failure, kind)), None)
    if number is None:
        number = getattr(errno, failure.errno or "", errno.EIO)
    raised = OSError(number, str(failure), failure.path)
    raised.__cause__ = failure
    return raised


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except FdtError as failure:
        raise os_error(failure) from failure


class FdtFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """The exported directories of one server. Paths are absolute.

    ``host`` and ``port`` are those of the URL. ``command`` and ``environment`` are as for :class:`fdt_client.Client`:
    ``environment={"FDT_KEY": …}`` uses another key than those of the user. One process of fdt serves an instance, and
    fsspec has one instance for all URLs of a server.

    A file gets its name when it is closed, complete, verified and on disk there. What is read is verified, too, and a
    read of a file that changes meanwhile fails.
    """

    protocol = "fdt"
    root_marker = "/"

    def __init__(
        self,
        host: str,
        port: Optional[int] = None,
        *,
        command: Sequence[str] = ("fdt",),
        environment: Optional[Mapping[str, str]] = None,
        **storage_options: Any,
    ) -> None:
        super().__init__(**storage_options)
        shown = f"[{host}]" if ":" in host else host
        self.client = Client(f"fdt://{shown}" + (f":{port}" if port else ""), command=command, environment=environment)

    @classmethod
    def _strip_protocol(cls, path: Any) -> Any:
        if isinstance(path, list):
            return [cls._strip_protocol(each) for each in path]
        text: str = os.fspath(path)
        if text.startswith("fdt://"):
            text = "/" + text[len("fdt://") :].partition("/")[2]
        text = "/" + text.strip("/") if text.strip("/") else cls.root_marker
        return text

    @staticmethod
    def _get_kwargs_from_urls(path: str) -> Dict[str, Any]:
        options = infer_storage_options(path)
        return {name: options[name] for name in ("host", "port") if options.get(name)}

    def unstrip_protocol(self, name: str) -> str:
        return self.client.url(self._strip_protocol(name))

    # What is there.

    def info(self, path: str, **kwargs: Any) -> Info:
        path = self._strip_protocol(path)
        with _translated():
            (entry,) = self.client.stat(path)
            return self._infos(path, [entry], "")[0]

    def ls(self, path: str, detail: bool = True, **kwargs: Any) -> List[Any]:
        path = self._strip_protocol(path)
        with _translated():
            # Both at once: a file is listed like a directory that has it.
            stat = self.client.start("stat", paths=[path])
            listing = self.client.start("list", path=path, recursive=False)
            entry = stat.result()[0]
            found = self._infos(path, [entry], "")
            if found[0]["type"] == "directory":
                entries = [each for each in listing.result() if each["type"] == "entry"]
                found = self._infos(path, entries, None)
        found.sort(key=lambda each: each["name"])
        return found if detail else [each["name"] for each in found]

    def find(
        self, path: str, maxdepth: Optional[int] = None, withdirs: bool = False, detail: bool = False, **kwargs: Any
    ) -> Any:
        """Lists everything below a directory in one request, unless there is a limit of the depth."""
        if maxdepth is not None:
            return super().find(path, maxdepth=maxdepth, withdirs=withdirs, detail=detail, **kwargs)
        path = self._strip_protocol(path)
        try:
            top = self.info(path)
            entries = self.client.list(path, recursive=True) if top["type"] == "directory" else []
        except (FileNotFoundError, NotFound):
            return {} if detail else []
        except FdtError as failure:
            raise os_error(failure) from failure
        found = self._infos(path, entries, None) if top["type"] == "directory" else [top]
        if withdirs and top["type"] == "directory" and path != self.root_marker:
            found.append(top)
        names = {each["name"]: each for each in found if withdirs or each["type"] != "directory"}
        return dict(sorted(names.items())) if detail else sorted(names)

    def _infos(self, path: str, entries: Sequence[Answer], below: Optional[str]) -> List[Info]:
        """Returns what is known of entries of a directory, or with an empty ``below`` of the path itself."""
        infos = []
        for entry in entries:
            name = path if below == "" else path.rstrip("/") + "/" + entry["path"]
            infos.append(
                {
                    "name": name,
                    "size": entry["bytes"],
                    "type": {"dir": "directory"}.get(entry["kind"], entry["kind"]),
                    "mtime": _nanos(entry["mtime"]) / 1e9,
                    "mtime_ns": _nanos(entry["mtime"]),
                    "mode": int(entry["mode"], 8),
                }
            )
        links = [each for each in infos if each["type"] == "link"]
        for info, (size, kind) in zip(links, self._targets([each["name"] for each in links])):
            info.update(size=size, type=kind, islink=True)
        return infos

    def _targets(self, links: Sequence[str]) -> List[Tuple[int, str]]:
        """Returns the size and kind of what links lead to; a link to nothing, or out of the directory, stays one."""
        if not links:
            return []
        sizes = self.client.sizes(links)
        others = [link + "/." for link, size in zip(links, sizes) if not isinstance(size, int)]
        try:
            directories = self.client.stat(*others) if others else []
        except FdtError as failure:
            directories = failure.entries
        names = {each["path"] for each in directories}
        return [
            (size, "file") if isinstance(size, int) else (0, "directory" if link + "/." in names else "link")
            for link, size in zip(links, sizes)
        ]

    def modified(self, path: str) -> datetime.datetime:
        micros = self.info(path)["mtime_ns"] // 1_000
        return datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(microseconds=micros)

    def checksum(self, path: str) -> int:
        """Returns the digest of the content, XXH3-128, which the server computes."""
        path = self._strip_protocol(path)
        with _translated():
            return int(self.client.sum(path, type="xxh3")[path], 16)

    # Reading.

    def cat_file(self, path: str, start: Optional[int] = None, end: Optional[int] = None, **kwargs: Any) -> bytes:
        (data,) = self.cat_ranges([path], [start], [end], on_error="raise")
        return data

    def cat_ranges(
        self,
        paths: List[str],
        starts: Any,
        ends: Any,
        max_gap: Optional[int] = None,
        on_error: str = "return",
        **kwargs: Any,
    ) -> List[Any]:
        """Reads all ranges in one round trip, whatever their number and files; negative positions need another."""
        if max_gap is not None:
            raise NotImplementedError
        if not isinstance(paths, list):
            raise TypeError("the paths are a list")
        starts = starts if isinstance(starts, list) else [starts] * len(paths)
        ends = ends if isinstance(ends, list) else [ends] * len(paths)
        if len(starts) != len(paths) or len(ends) != len(paths):
            raise ValueError("each path has a start and an end")
        names = [self._strip_protocol(path) for path in paths]
        # The only failure of a request as a whole that depends on its files is a file that changes.
        with _translated():
            negative = sorted({n for n, s, e in zip(names, starts, ends) if (s or 0) < 0 or (e or 0) < 0})
            sizes = dict(zip(negative, self.client.sizes(negative)))
            ranges = [_range(n, s, e, sizes.get(n)) for n, s, e in zip(names, starts, ends)]
            found = self.client.read_ranges(ranges)
        results = [os_error(each) if isinstance(each, FdtError) else each for each in found]
        if on_error == "raise":
            for each in results:
                if isinstance(each, OSError):
                    raise each
        return results

    def cat(self, path: Any, recursive: bool = False, on_error: str = "raise", **kwargs: Any) -> Any:
        names = self.expand_path(path, recursive=recursive)
        if len(names) == 1 and not isinstance(path, list) and names[0] == self._strip_protocol(path):
            return self.cat_file(names[0])
        if recursive:
            names = [name for name in names if not self.isdir(name)]
        found = self.cat_ranges(names, None, None, on_error="raise" if on_error == "raise" else "return")
        return {
            name: data
            for name, data in zip(names, found)
            if not (on_error == "omit" and isinstance(data, OSError))
        }

    def _open(
        self,
        path: str,
        mode: str = "rb",
        block_size: Optional[int] = None,
        autocommit: bool = True,
        cache_options: Optional[Dict[str, Any]] = None,
        **kwargs: Any,
    ) -> "FdtFile":
        if mode == "xb" and self.exists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        return FdtFile(
            self,
            path,
            mode,
            "default" if block_size is None else block_size,
            autocommit=autocommit,
            cache_options=cache_options,
            **kwargs,
        )

    def get_file(
        self, rpath: str, lpath: Any, callback: Callback = DEFAULT_CALLBACK, outfile: Any = None, **kwargs: Any
    ) -> None:
        if outfile is not None or isfilelike(lpath):
            super().get_file(rpath, lpath, callback=callback, outfile=outfile, **kwargs)
            return
        rpath = self._strip_protocol(rpath)
        info = self.info(rpath)
        if info["type"] == "directory":
            os.makedirs(lpath, exist_ok=True)
            return
        os.makedirs(os.path.dirname(os.path.abspath(lpath)), exist_ok=True)
        callback.set_size(info["size"])
        self._copy(self.client.url(rpath), os.path.abspath(lpath), ["--copy-links"], callback)
        callback.absolute_update(info["size"])

    # Writing.

    def put_file(
        self, lpath: str, rpath: str, callback: Callback = DEFAULT_CALLBACK, mode: str = "overwrite", **kwargs: Any
    ) -> None:
        rpath = self._strip_protocol(rpath)
        if os.path.isdir(lpath):
            self.makedirs(rpath, exist_ok=True)
            return
        size = os.path.getsize(lpath)
        callback.set_size(size)
        options = ["--copy-links"] + (["--existing", "fail"] if mode == "create" else [])
        self.makedirs(self._parent(rpath), exist_ok=True)
        self._copy(os.path.abspath(lpath), self.client.url(rpath), options, callback)
        callback.absolute_update(size)

    def _copy(self, source: str, target: str, options: List[str], callback: Callback) -> None:
        if "--existing" not in options:
            options = [*options, "--existing", "overwrite"]
        with _translated():
            self.client.copy(
                source, target, options=options, progress=lambda answer: callback.absolute_update(answer["bytes"])
            )

    def cp_file(self, path1: str, path2: str, **kwargs: Any) -> None:
        """Copies by way of this host, because a server does not copy within itself."""
        if self.isdir(path1):
            self.makedirs(path2, exist_ok=True)
            return
        with tempfile.TemporaryDirectory(prefix="fdt-") as place:
            self.get_file(path1, os.path.join(place, "file"))
            self.put_file(os.path.join(place, "file"), path2)

    def mkdir(self, path: str, create_parents: bool = True, **kwargs: Any) -> None:
        path = self._strip_protocol(path)
        if create_parents and self._parent(path) != path:
            self.makedirs(self._parent(path), exist_ok=True)
        with _translated():
            self.client.mkdir(path)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        path = self._strip_protocol(path)
        if path == self.root_marker:
            return
        if not exist_ok and self.exists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        with _translated():
            self.client.mkdir(path, parents=True)

    def rmdir(self, path: str) -> None:
        if self.info(path)["type"] != "directory":
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        self._rm(path)

    def _rm(self, path: str) -> None:
        with _translated():
            self.client.remove(self._strip_protocol(path))

    def rm_file(self, path: str) -> None:
        self._rm(path)

    def rm(self, path: Union[str, List[str]], recursive: bool = False, maxdepth: Optional[int] = None) -> None:
        if maxdepth is not None:
            super().rm(path, recursive=recursive, maxdepth=maxdepth)
            return
        names = self.expand_path(path)
        with _translated():
            for at in range(0, len(names), _PATHS):
                self.client.remove(*names[at : at + _PATHS], recursive=recursive)

    def mv(
        self, path1: Any, path2: Any, recursive: bool = False, maxdepth: Optional[int] = None, **kwargs: Any
    ) -> None:
        """Renames a file or directory in one step; several are copied by way of this host, and removed."""
        if isinstance(path1, list) or isinstance(path2, list) or maxdepth is not None or path1.rstrip("/") == "":
            super().mv(path1, path2, recursive=recursive, maxdepth=maxdepth, **kwargs)
            return
        source = self._strip_protocol(path1)
        target = self._strip_protocol(path2)
        if path2.endswith("/") or self.isdir(target):
            target = target.rstrip("/") + "/" + source.rsplit("/", 1)[1]
        if source != target:
            with _translated():
                self.client.rename(source, target)

    def created(self, path: str) -> datetime.datetime:
        raise NotImplementedError("servers of fdt do not tell when a file was created")


#: Paths of one request.
_PATHS = 500


def _nanos(time: Optional[str]) -> int:
    """Returns the time of an entry; none has it if its year has not four digits."""
    whole, _, rest = (time or "1970-01-01T00:00:00Z").rstrip("Z").partition(".")
    return calendar.timegm(datetime.datetime.fromisoformat(whole).timetuple()) * 10**9 + int((rest + "0" * 9)[:9])


def _range(name: str, start: Optional[int], end: Optional[int], size: Any) -> Range:
    first = start or 0
    if isinstance(size, int):
        first = first if first >= 0 else max(0, size + first)
        end = end if end is None or end >= 0 else max(0, size + end)
    return name, max(0, first), None if end is None else max(0, end - first)


class FdtFile(AbstractBufferedFile):  # type: ignore[misc]
    """A file that is read by ranges, ahead of the program, or written as a whole when it is closed."""

    _place: Optional[tempfile.TemporaryDirectory] = None  # type: ignore[type-arg]
    _file: Any = None

    def __init__(self, fs: FdtFileSystem, path: str, mode: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(fs, path, mode, *args, **kwargs)
        if mode == "ab" and fs.exists(path):
            self._begin(lambda file: fs.get_file(path, file))
            self.loc = self._file.tell()

    def _begin(self, fill: Callable[[str], None]) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="fdt-")
        name = os.path.join(self._place.name, "file")
        fill(name)
        self._file = open(name, "ab")

    def _initiate_upload(self) -> None:
        if self._file is None:
            self._begin(lambda file: None)

    def _upload_chunk(self, final: bool = False) -> bool:
        self._file.write(self.buffer.getvalue())
        if final:
            self._file.close()
            if self.autocommit:
                self.commit()
        return True

    def commit(self) -> None:
        try:
            self.fs.put_file(self._file.name, self.path, mode="create" if self.mode == "xb" else "overwrite")
        finally:
            self.discard()

    def discard(self) -> None:
        if self._place is not None:
            self._file.close()
            self._place.cleanup()
            self._place = None
