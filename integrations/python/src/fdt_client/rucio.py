"""A protocol of Rucio: an RSE whose ``impl`` is ``fdt_client.rucio.Protocol`` keeps its files on an fdt server.

The extended attribute ``fdt_command`` of the protocol may name the command line of fdt. Keys are those of the user; for
a server without one, the token is that with which Rucio's client has authenticated.
"""

from __future__ import annotations

import functools
import os
import shlex
from concurrent.futures import TimeoutError as Late
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Tuple

from rucio.common import exception
from rucio.rse.protocols import protocol

from .batch import Answer
from .client import Client
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


@functools.lru_cache(maxsize=8)
def _client(command: Tuple[str, ...], token: Optional[str]) -> Client:
    """Returns the client of all protocols, for all servers. Rucio does not close each protocol that it connects."""
    return Client(command=command, environment={"BEARER_TOKEN": token} if token else None)


class Protocol(protocol.RSEProtocol):  # type: ignore[misc]
    """See the base class for the contract of each method."""

    def __init__(self, protocol_attr: Dict[str, Any], rse_settings: Dict[str, Any], **more: Any) -> None:
        super().__init__(protocol_attr, rse_settings, **more)
        # fdt gives a file its name when it is complete and verified, so a temporary name has no use.
        self.renaming = False
        extended = self.attributes.get("extended_attributes") or {}
        command = tuple(shlex.split(extended.get("fdt_command", "fdt")))
        port = int(self.attributes.get("port") or 0)
        self._url = f"{_SCHEME}{self.attributes['hostname']}" + (f":{port}" if port else "")
        self._client = _client(command, self.auth_token)

    def connect(self) -> None:
        pass

    def close(self) -> None:
        pass

    def _place(self, pfn: str) -> str:
        """Returns the URL of a file, also of a path; % and ? have no special meaning in it."""
        return self._url + ("/" + pfn[len(_SCHEME) :].partition("/")[2] if pfn.startswith(_SCHEME) else pfn)

    def exists(self, path: str) -> bool:
        with _translated():
            return self._client.exists(self._place(path))

    def stat(self, path: str) -> Dict[str, Any]:
        with _translated():
            found: List[Answer] = self._client.start("sum", paths=[self._place(path)], type="adler32").result()
            return {"filesize": found[0]["bytes"], "adler32": found[0]["checksums"]["adler32"]}

    def get(self, path: str, dest: str, transfer_timeout: Optional[int] = None) -> None:
        place = self._place(path)
        with _translated():
            if self._client.stat(place)[0]["kind"] != "file":
                raise exception.SourceNotFound(f"{place} is no file")
            self._copy(place, os.path.abspath(dest), transfer_timeout)

    def put(
        self, source: str, target: str, source_dir: Optional[str] = None, transfer_timeout: Optional[int] = None
    ) -> None:
        local = os.path.abspath(os.path.join(source_dir or "", source))
        if os.path.isdir(local):
            raise exception.SourceNotFound(f"{local} is no file")
        with _translated():
            self._copy(local, self._place(target), transfer_timeout)

    def _copy(self, source: str, target: str, timeout: Optional[int]) -> None:
        request = self._client.start_copy(source, target, options=_KEEP_NOTHING)
        try:
            request.result(float(timeout) if timeout else None)
        except Late as late:
            request.cancel()
            raise exception.ServiceUnavailable(f"no end after {timeout} s") from late

    def delete(self, path: str) -> None:
        with _translated():
            self._client.remove(self._place(path))

    def rename(self, path: str, new_path: str) -> None:
        target = self._place(new_path)
        with _translated():
            self._client.mkdir(os.path.dirname(target), parents=True)
            self._client.rename(self._place(path), target)

    def get_space_usage(self) -> Tuple[int, int]:
        with _translated():
            space = self._client.space(self._place(self.attributes["prefix"]))[0]
            return space["bytes"], space["free_bytes"]
