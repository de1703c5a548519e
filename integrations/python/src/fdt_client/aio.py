"""The same client for asyncio. Cancelling a task cancels its request."""

from __future__ import annotations

import asyncio
import functools
from typing import Any, Callable, Dict, List, Optional, Sequence, TypeVar, Union

from .batch import Answer, Progress, Request
from .client import Client, Path
from .errors import FdtError, NotFound
from .reading import Range

T = TypeVar("T")


class AsyncClient:
    """Like :class:`fdt_client.Client`. Progress callbacks run in the event loop."""

    def __init__(self, url: Optional[str] = None, **settings: Any) -> None:
        self._client = Client(url, **settings)

    def url(self, path: str) -> str:
        return self._client.url(path)

    async def copy(
        self,
        source: Union[Path, Sequence[Path]],
        target: Path,
        *,
        options: Sequence[str] = (),
        files: bool = False,
        progress: Optional[Progress] = None,
    ) -> Answer:
        loop = asyncio.get_running_loop()

        def tell(answer: Answer) -> None:
            if progress is not None:
                loop.call_soon_threadsafe(progress, answer)

        request = self._client.start_copy(source, target, options=options, files=files, progress=tell)
        return Client.summary(await self._result(request))

    async def stat(self, *paths: str) -> List[Answer]:
        return Client._entries(await self._ask("stat", paths=list(paths)))

    async def exists(self, path: str) -> bool:
        try:
            await self.stat(path)
            return True
        except NotFound:
            return False

    async def sum(self, *paths: str, type: str = "adler32") -> Dict[str, str]:
        entries = Client._entries(await self._ask("sum", paths=list(paths), type=type))
        return {entry["path"]: entry["checksums"][type] for entry in entries}

    async def read(self, path: str, offset: int = 0, length: Optional[int] = None) -> bytes:
        return await self._on_thread(functools.partial(self._client.read, path, offset, length))

    async def read_ranges(self, ranges: Sequence[Range]) -> List[Union[bytes, FdtError]]:
        return await self._on_thread(functools.partial(self._client.read_ranges, ranges))

    @staticmethod
    async def _on_thread(work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(None, work)

    async def list(self, path: str = "/", *, recursive: bool = False) -> List[Answer]:
        return Client._entries(await self._ask("list", path=path, recursive=recursive))

    async def mkdir(self, *paths: str, parents: bool = False) -> None:
        await self._ask("mkdir", paths=list(paths), parents=parents)

    async def rename(self, source: str, target: str) -> None:
        await self._ask("move", **{"from": source}, to=target)

    async def remove(self, *paths: str, recursive: bool = False) -> None:
        await self._ask("remove", paths=list(paths), recursive=recursive)

    async def _ask(self, op: str, **fields: Any) -> List[Answer]:
        return await self._result(self._client.start(op, **fields))

    @staticmethod
    async def _result(request: Request) -> List[Answer]:
        future = asyncio.wrap_future(request.future)
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            request.cancel()
            # Nobody else takes the failure that the cancellation causes.
            future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
            raise

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._client.close)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *failure: Any) -> None:
        if failure[0] is not None:
            self._client.terminate()
        await self.close()
