"""A storage plug-in of Snakemake: ``storage.fdt("fdt://HOST[:PORT]/PATH")`` is a file or directory of an fdt server."""

from __future__ import annotations

import calendar
import os
import threading
import time
from typing import Any, Dict, Iterable, List, Optional, Tuple

from snakemake_interface_common.exceptions import WorkflowError
from snakemake_interface_storage_plugins.common import Operation
from snakemake_interface_storage_plugins.io import IOCacheStorageInterface, Mtime, get_constant_prefix
from snakemake_interface_storage_plugins.storage_object import StorageObjectGlob, StorageObjectRead, StorageObjectWrite
from snakemake_interface_storage_plugins.storage_provider import (
    ExampleQuery,
    QueryType,
    StorageProviderBase,
    StorageQueryValidationResult,
)

import fdt_client

_SCHEME = "fdt://"
_KEEP_NOTHING = ("--existing", "overwrite")


def _parts(query: str) -> Tuple[str, str]:
    """Returns the server and the path of a query."""
    host, _, path = query[len(_SCHEME) :].partition("/")
    return host, "/" + path


class StorageProvider(StorageProviderBase):
    """Has one process of fdt for each server, from the first request of it on."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: Dict[str, fdt_client.Client] = {}

    def client(self, host: str) -> fdt_client.Client:
        with self._lock:
            if host not in self._clients:
                self._clients[host] = fdt_client.Client(_SCHEME + host)
            return self._clients[host]

    @classmethod
    def example_queries(cls) -> List[ExampleQuery]:
        return [ExampleQuery("fdt://dtn2/run7/a.bin", "a file of the server dtn2", QueryType.ANY)]

    @classmethod
    def is_valid_query(cls, query: str) -> StorageQueryValidationResult:
        host, path = _parts(query)
        if query.startswith(_SCHEME) and host and path.strip("/"):
            return StorageQueryValidationResult(query, True)
        return StorageQueryValidationResult(query, False, "it is not fdt://HOST[:PORT]/PATH")

    def rate_limiter_key(self, query: str, operation: Operation) -> Any:
        return _parts(query)[0]

    def default_max_requests_per_second(self) -> float:
        return 100.0

    def use_rate_limiter(self) -> bool:
        return False


class StorageObject(StorageObjectRead, StorageObjectWrite, StorageObjectGlob):
    """See the base classes for the contract of each method."""

    provider: StorageProvider

    def __post_init__(self) -> None:
        self._host, self._path = _parts(self.query)

    @property
    def _client(self) -> fdt_client.Client:
        return self.provider.client(self._host)

    def _stat(self) -> Optional[Dict[str, Any]]:
        try:
            return self._client.stat(self._path)[0]
        except fdt_client.NotFound:
            return None

    def _found(self) -> Dict[str, Any]:
        found = self._stat()
        if found is None:
            raise FileNotFoundError(self.query)
        return found

    def local_suffix(self) -> str:
        return self._host + self._path

    async def inventory(self, cache: IOCacheStorageInterface) -> None:
        key = self.cache_key()
        if key in cache.exists_in_storage:
            return
        try:
            found = self._stat()
        except fdt_client.FdtError as failure:
            # Snakemake wraps what other methods raise, but nothing here.
            raise WorkflowError(f"Failed to look for {self.query}", failure) from failure
        cache.exists_in_storage[key] = found is not None
        if found is not None:
            cache.mtime[key] = Mtime(storage=_mtime(found))
            cache.size[key] = _size(found)

    def get_inventory_parent(self) -> Optional[str]:
        return None

    def cleanup(self) -> None:
        pass

    def exists(self) -> bool:
        return self._stat() is not None

    def mtime(self) -> float:
        return _mtime(self._found())

    def size(self) -> int:
        return _size(self._found())

    def local_footprint(self) -> int:
        if self._found()["kind"] == "file":
            return self.size()
        return sum(_size(each) for each in self._client.list(self._path, recursive=True))

    def retrieve_object(self) -> None:
        source = self._source(self._path, self._found()["kind"])
        self._client.copy(self._client.url(source), self._local(), options=_KEEP_NOTHING)

    def store_object(self) -> None:
        local = self._local()
        kind = "dir" if os.path.isdir(local) else "file"
        self._client.copy(self._source(local, kind), self._client.url(self._path), options=_KEEP_NOTHING)

    def _local(self) -> str:
        return os.path.abspath(self.local_path())

    @staticmethod
    def _source(path: str, kind: str) -> str:
        """Returns a path that stands for what is in a directory, or for a file."""
        return path.rstrip("/") + "/" if kind == "dir" else path

    def remove(self) -> None:
        self._client.remove(self._path, recursive=True)

    def list_candidate_matches(self) -> Iterable[str]:
        prefix = get_constant_prefix(self.query)
        directory = prefix.rpartition("/")[0]
        for each in self._client.list(_parts(directory)[1], recursive=True):
            if each["kind"] == "file":
                yield f"{directory}/{each['path']}"


def _mtime(entry: Dict[str, Any]) -> float:
    seconds, _, fraction = entry["mtime"].rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{fraction or 0}")


def _size(entry: Dict[str, Any]) -> int:
    return int(entry["bytes"]) if entry["kind"] == "file" else 0
