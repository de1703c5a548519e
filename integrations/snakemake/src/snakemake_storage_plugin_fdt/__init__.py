"""A storage plug-in of Snakemake: ``storage.fdt("fdt://HOST[:PORT]/PATH")`` is a file or directory of an fdt server."""

from __future__ import annotations

import calendar
import functools
import os
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, TypeVar

import tenacity

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

__version__ = "1.0.0"

_SCHEME = "fdt://"
_KEEP_NOTHING = ("--existing", "overwrite")


def _parts(query: str) -> Tuple[str, str]:
    """Returns the server and the path of a query."""
    host, _, path = query[len(_SCHEME) :].partition("/")
    return host, "/" + path


_Asking = TypeVar("_Asking", bound=Callable[..., Any])


def _asking(method: _Asking) -> _Asking:
    """Tries again what may succeed then, and makes a failure one sentence, also where Snakemake would not wrap it."""
    tried = tenacity.retry(
        retry=tenacity.retry_if_exception(lambda failure: getattr(failure, "retry", False)),
        wait=tenacity.wait_exponential(multiplier=3),
        stop=tenacity.stop_after_attempt(3),
        reraise=True,
    )(method)

    @functools.wraps(tried)
    def asked(*arguments: Any) -> Any:
        try:
            return tried(*arguments)
        except fdt_client.FdtError as failure:
            raise WorkflowError(str(failure)) from None

    return asked  # type: ignore[return-value]


class StorageProvider(StorageProviderBase):
    """Has one process of fdt for all servers."""

    def __post_init__(self) -> None:
        self.client = fdt_client.Client()

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
        return self.provider.client

    @_asking
    def _stat(self) -> Optional[Dict[str, Any]]:
        try:
            return self._client.stat(self.query)[0]
        except fdt_client.NotFound:
            return None

    @_asking
    def _all_below(self, path: str) -> List[Dict[str, Any]]:
        return self._client.list(_SCHEME + self._host + path, recursive=True)

    def _found(self) -> Dict[str, Any]:
        found = self._stat()
        if found is None:
            raise FileNotFoundError(self.query)
        return found

    def local_suffix(self) -> str:
        return self._host + self._path

    async def inventory(self, cache: IOCacheStorageInterface) -> None:
        """Looks at all files of the directory in one request, because Snakemake asks for one after the other."""
        parent = self.get_inventory_parent()
        if parent in cache.exists_in_storage.has_inventory:
            return
        directory = os.path.dirname(self._path.rstrip("/"))
        for found in self._beside(directory or "/"):
            key = self.cache_key(f"{self._host}{directory}/{found['path']}")
            cache.exists_in_storage[key] = True
            cache.mtime[key] = Mtime(storage=_mtime(found))
            cache.size[key] = _size(found)
        cache.exists_in_storage.has_inventory.add(parent)

    @_asking
    def _beside(self, directory: str) -> List[Dict[str, Any]]:
        try:
            return self._client.list(_SCHEME + self._host + directory)
        except fdt_client.NotFound:
            return []

    def get_inventory_parent(self) -> Optional[str]:
        return self.cache_key(self._host + os.path.dirname(self._path.rstrip("/")))

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
        return sum(_size(each) for each in self._all_below(self._path))

    @_asking
    def retrieve_object(self) -> None:
        source = self._source(self.query, self._found()["kind"])
        self._client.copy(source, self._local(), options=_KEEP_NOTHING)

    @_asking
    def store_object(self) -> None:
        local = self._local()
        kind = "dir" if os.path.isdir(local) else "file"
        self._client.copy(self._source(local, kind), self.query, options=_KEEP_NOTHING)

    def _local(self) -> str:
        return os.path.abspath(self.local_path())

    @staticmethod
    def _source(path: str, kind: str) -> str:
        """Returns a path that stands for what is in a directory, or for a file."""
        return path.rstrip("/") + "/" if kind == "dir" else path

    @_asking
    def remove(self) -> None:
        self._client.remove(self.query, recursive=True)

    def list_candidate_matches(self) -> Iterable[str]:
        prefix = get_constant_prefix(self.query)
        directory = prefix.rpartition("/")[0]
        found = self._all_below(_parts(directory)[1])
        return [f"{directory}/{each['path']}" for each in found if each["kind"] == "file"]


def _mtime(entry: Dict[str, Any]) -> float:
    seconds, _, fraction = entry["mtime"].rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{fraction or 0}")


def _size(entry: Dict[str, Any]) -> int:
    return int(entry["bytes"]) if entry["kind"] == "file" else 0
