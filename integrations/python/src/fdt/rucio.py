"""A protocol of Rucio: an RSE whose ``impl`` is ``fdt.rucio.Protocol`` keeps its files on an fdt server.

The extended attribute ``fdt_command`` of the protocol may name the command line of fdt; keys are those of the user.
"""

from __future__ import annotations

import os
import shlex
import threading
from concurrent.futures import TimeoutError as Late
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Tuple

from rucio.common import exception
from rucio.rse.protocols import protocol

from .client import Answer, Client, Request
from .errors import FdtError, NoSpace, NotFound, Quota, Refused, TargetError, Unreadable

_SCHEME = "fdt://"
_KEEP_NOTHING = ("--existing", "overwrite")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except NotFound as missing:
        raise exception.SourceNotFound(str(missing)) from missing
    except Unreadable as refused:
        kind = exception.SourceAccessDenied if refused.place == "local" else exception.RSEAccessDenied
        raise kind(str(refused)) from refused
    except Refused as refused:
        raise exception.RSEAccessDenied(str(refused)) from refused
    except (NoSpace, Quota) as full:
        raise exception.FullStorage(str(full)) from full
    except TargetError as failure:
        raise exception.DestinationNotAccessible(str(failure)) from failure
    except FdtError as failure:
        raise exception.ServiceUnavailable(str(failure)) from failure


class _Shared:
    """Rucio makes a protocol for each kind of operation of one upload; they share a process of fdt."""

    _lock = threading.Lock()
    _clients: Dict[Tuple[str, Tuple[str, ...]], Tuple[Client, int]] = {}

    @classmethod
    def take(cls, url: str, command: Tuple[str, ...]) -> Client:
        with cls._lock:
            client, users = cls._clients.get((url, command), (None, 0))
            if client is None:
                client = Client(url, command=command)
            cls._clients[(url, command)] = (client, users + 1)
            return client

    @classmethod
    def leave(cls, url: str, command: Tuple[str, ...]) -> None:
        with cls._lock:
            client, users = cls._clients.pop((url, command))
            if users > 1:
                cls._clients[(url, command)] = (client, users - 1)
                return
        client.close()


class Protocol(protocol.RSEProtocol):  # type: ignore[misc]
    """See the base class for the contract of each method."""

    def __init__(self, protocol_attr: Dict[str, Any], rse_settings: Dict[str, Any], **more: Any) -> None:
        super().__init__(protocol_attr, rse_settings, **more)
        # fdt gives a file its name when it is complete and verified, so a temporary name has no use.
        self.renaming = False
        extended = self.attributes.get("extended_attributes") or {}
        self._command = tuple(shlex.split(extended.get("fdt_command", "fdt")))
        port = int(self.attributes.get("port") or 0)
        self._url = f"{_SCHEME}{self.attributes['hostname']}" + (f":{port}" if port else "")
        self._client: Optional[Client] = None

    def connect(self) -> None:
        if self._client is None:
            self._client = _Shared.take(self._url, self._command)

    def close(self) -> None:
        if self._client is not None:
            self._client = None
            _Shared.leave(self._url, self._command)

    def _connected(self) -> Client:
        if self._client is None:
            raise exception.ServiceUnavailable("connect first")
        return self._client

    @staticmethod
    def _path(pfn: str) -> str:
        """Returns the path of the server; % and ? have no special meaning in it."""
        return "/" + pfn[len(_SCHEME) :].partition("/")[2] if pfn.startswith(_SCHEME) else pfn

    def exists(self, path: str) -> bool:
        with _translated():
            return self._connected().exists(self._path(path))

    def stat(self, path: str) -> Dict[str, Any]:
        with _translated():
            found: List[Answer] = self._connected().start("sum", paths=[self._path(path)], type="adler32").result()
            return {"filesize": found[0]["bytes"], "adler32": found[0]["checksums"]["adler32"]}

    def get(self, path: str, dest: str, transfer_timeout: Optional[int] = None) -> None:
        with _translated():
            client = self._connected()
            self._wait(client.start_copy(client.url(self._path(path)), dest, options=_KEEP_NOTHING), transfer_timeout)

    def put(
        self, source: str, target: str, source_dir: Optional[str] = None, transfer_timeout: Optional[int] = None
    ) -> None:
        local = os.path.join(source_dir, source) if source_dir else source
        with _translated():
            client = self._connected()
            self._wait(client.start_copy(local, client.url(self._path(target)), options=_KEEP_NOTHING), transfer_timeout)

    @staticmethod
    def _wait(request: Request, timeout: Optional[int]) -> None:
        try:
            request.result(float(timeout) if timeout else None)
        except Late as late:
            request.cancel()
            raise exception.ServiceUnavailable(f"no end after {timeout} s") from late

    def delete(self, path: str) -> None:
        with _translated():
            self._connected().remove(self._path(path))

    def rename(self, path: str, new_path: str) -> None:
        target = self._path(new_path)
        with _translated():
            client = self._connected()
            client.mkdir(os.path.dirname(target), parents=True)
            client.rename(self._path(path), target)

    def get_space_usage(self) -> Tuple[int, int]:
        with _translated():
            space = self._connected().space(self.attributes["prefix"])[0]
            return space["bytes"], space["free_bytes"]
