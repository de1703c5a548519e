"""Reads ranges of files: the data comes through memory that both processes have, and not as JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from .batch import Answer, Request
from .errors import FdtError, SomeFilesFailed, error_of

if TYPE_CHECKING:
    from .client import Client

#: A path, an offset, and a length; ``None`` reads up to the end.
Range = Tuple[str, int, Optional[int]]

#: What one request of ``fdt batch`` may have, with some room.
_MOST_RANGES = 1_000
_MOST_CHARS = 400_000


def read(client: "Client", ranges: Sequence[Range]) -> List[Union[bytes, FdtError]]:
    """Returns the bytes of each range, or why it cannot be read."""
    results: List[Union[bytes, FdtError]] = [b""] * len(ranges)
    for part in _begin(client, ranges):
        part.into(results)
    return results


def sizes(client: "Client", paths: Sequence[str]) -> List[Union[int, FdtError]]:
    """Returns the size of each file, by reading nothing of it, or why it cannot be read."""
    results: List[Union[int, FdtError]] = [0] * len(paths)
    for part in _begin(client, [(path, 0, 0) for path in paths]):
        part.sizes_into(results)
    return results


def _begin(client: "Client", ranges: Sequence[Range]) -> Iterator["_Part"]:
    # A path of each request is there once, or its ranges follow each other: it has one answer.
    order = sorted(range(len(ranges)), key=lambda number: ranges[number][0])
    parts: List[_Part] = []
    try:
        for numbers in _split(ranges, order):
            parts.append(_Part(client, ranges, numbers))
        yield from parts
    finally:
        for part in parts:
            part.close()


def _split(ranges: Sequence[Range], order: Sequence[int]) -> Iterator[List[int]]:
    numbers: List[int] = []
    chars = 0
    for number in order:
        more = len(json.dumps(ranges[number][0])) + 50
        if numbers and (len(numbers) == _MOST_RANGES or chars + more > _MOST_CHARS):
            yield numbers
            numbers, chars = [], 0
        numbers.append(number)
        chars += more
    if numbers:
        yield numbers


class _Part:
    """One request, begun at once."""

    def __init__(self, client: "Client", ranges: Sequence[Range], numbers: Sequence[int]) -> None:
        self._ranges = ranges
        self._numbers = numbers
        self._memory = os.memfd_create("fdt", os.MFD_CLOEXEC)
        try:
            paths = [ranges[number][0] for number in numbers]
            self._request: Request = client.start(
                "read",
                paths=paths if len(set(paths)) > 1 else paths[:1],
                ranges=[_text(*ranges[number][1:]) for number in numbers],
                into=f"/proc/{os.getpid()}/fd/{self._memory}",
            )
        except BaseException:
            self.close()
            raise

    def into(self, results: List[Union[bytes, FdtError]]) -> None:
        at = 0
        for number, entry in self._entries():
            _, offset, length = self._ranges[number]
            if isinstance(entry, FdtError):
                results[number] = entry
            else:
                rest = max(0, entry["bytes"] - offset)
                size = rest if length is None else min(rest, length)
                results[number] = _pread(self._memory, size, at)
                at += size

    def sizes_into(self, results: List[Union[int, FdtError]]) -> None:
        for number, entry in self._entries():
            results[number] = entry if isinstance(entry, FdtError) else entry["bytes"]

    def _entries(self) -> Iterator[Tuple[int, Union[Answer, FdtError]]]:
        answers = self._answers()
        for number in self._numbers:
            yield number, answers[self._ranges[number][0]]

    def _answers(self) -> Dict[str, Union[Answer, FdtError]]:
        try:
            entries = [each for each in self._request.result() if each["type"] == "entry"]
            return {each["path"]: each for each in entries}
        except FdtError as failure:
            found: Dict[str, Union[Answer, FdtError]] = {each["path"]: each for each in failure.entries}
            found.update((each["path"], _of_path(each)) for each in failure.failed)
            # Otherwise the request failed as a whole, perhaps after a part of the data.
            of_paths = isinstance(failure, SomeFilesFailed) or not failure.entries
            if of_paths and all(self._ranges[number][0] in found for number in self._numbers):
                return found
            raise

    def close(self) -> None:
        os.close(self._memory)


def _of_path(answer: Answer) -> FdtError:
    return error_of({**answer, "message": answer["reason"]})


def _text(offset: int, length: Optional[int]) -> str:
    return f"{offset}:{'' if length is None else length}"


def _pread(memory: int, size: int, offset: int) -> bytes:
    data = os.pread(memory, size, offset)
    while len(data) < size:
        more = os.pread(memory, size - len(data), offset + len(data))
        if not more:
            raise FdtError(f"fdt batch wrote {offset + len(data)} bytes only")
        data += more
    return data
