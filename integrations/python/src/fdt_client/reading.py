"""Reads ranges of files: the data comes through memory that both processes have, and not as JSON."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from .batch import Answer, Request
from .errors import Changed, FdtError, SomeFilesFailed, error_of

if TYPE_CHECKING:
    from .client import Client

#: A path, an offset, and a length; ``None`` reads up to the end.
Range = Tuple[str, int, Optional[int]]

#: What one request of ``fdt batch`` may have, with some room.
_MOST_RANGES = 1_000
_MOST_CHARS = 400_000

#: What a server sends of a request, besides the entries of files, before the client confirms it.
_STEP_BYTES = 7 << 18

#: A longer range is read in one request: it may be longer than its file.
_MOST_STEPS = 1_000

#: Bytes, and the version of the file that they are of.
Piece = Tuple[bytes, str]


def read(client: "Client", ranges: Sequence[Range]) -> List[Union[bytes, FdtError]]:
    """Returns the bytes of each range, or why it cannot be read."""
    steps = [step for each in ranges for step in _steps(*each)]
    read: List[Union[Piece, FdtError]] = [(b"", "")] * len(steps)
    for part in _begin(client, steps):
        part.into(read)
    pieces = iter(read)
    return [_joined(path, [next(pieces) for _ in _steps(path, *range)]) for path, *range in ranges]


def _steps(path: str, offset: int, length: Optional[int]) -> List[Range]:
    """Returns the parts in which a long range is read at once: what one request has on its way is bounded."""
    if length is None or not _STEP_BYTES < length <= _MOST_STEPS * _STEP_BYTES:
        return [(path, offset, length)]
    return [
        (path, at, min(_STEP_BYTES, offset + length - at)) for at in range(offset, offset + length, _STEP_BYTES)
    ]


def _joined(path: str, pieces: List[Union[Piece, FdtError]]) -> Union[bytes, FdtError]:
    found: List[Piece] = []
    for piece in pieces:
        if isinstance(piece, FdtError):
            return piece
        found.append(piece)
    if len({version for _, version in found}) > 1:
        return Changed(f"{path}: has changed while it was read", {"cause": "changed", "exit_code": 4, "path": path})
    return found[0][0] if len(found) == 1 else b"".join(data for data, _ in found)


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
    chars = size = 0
    for number in order:
        path, _, length = ranges[number]
        more = len(json.dumps(path)) + 50
        full = len(numbers) == _MOST_RANGES or chars + more > _MOST_CHARS or size + (length or 0) > _STEP_BYTES
        if numbers and full:
            yield numbers
            numbers, chars, size = [], 0, 0
        numbers.append(number)
        chars += more
        size += length or 0
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

    def into(self, results: List[Union[Piece, FdtError]]) -> None:
        at = 0
        for number, entry in self._entries():
            _, offset, length = self._ranges[number]
            if isinstance(entry, FdtError):
                results[number] = entry
            else:
                rest = max(0, entry["bytes"] - offset)
                size = rest if length is None else min(rest, length)
                results[number] = _pread(self._memory, size, at), f"{entry['bytes']} {entry['mtime']}"
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
