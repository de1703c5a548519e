"""The process ``fdt batch`` of a client, which one object owns: a request runs in one, and ends with it."""

from __future__ import annotations

import io
import itertools
import json
import os
import queue
import subprocess
import threading
import weakref
from concurrent.futures import Future
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .errors import ConnectionLost, FdtError, UsageError, error_of

Answer = Dict[str, Any]
Progress = Callable[[Answer], None]

#: Held while a process is chosen or started, and while this process is forked. So no child finds it held for ever, and
#: each child knows all pipes that it inherits.
choosing = threading.RLock()


def _lost(message: str) -> FdtError:
    return ConnectionLost(message, {"cause": "lost", "retry": True, "remedy": "run it again to resume"})


class Request:
    """A request. Its future is done with all answers, or with an :class:`FdtError`."""

    def __init__(self, progress: Optional[Progress]) -> None:
        self._batch: Optional["Batch"] = None
        self._number = 0
        self._progress = progress
        self._answers: List[Answer] = []
        # What the callback raised: the failure of the request, once fdt has ended it.
        self._raised: Optional[BaseException] = None
        self.future = self._new_future()

    @staticmethod
    def _new_future() -> "Future[List[Answer]]":
        future: "Future[List[Answer]]" = Future()
        # Only fdt ends a request: cancelling the future itself has no effect.
        future.set_running_or_notify_cancel()
        return future

    def result(self, timeout: Optional[float] = None) -> List[Answer]:
        """Waits for the end. If the wait is interrupted, the request is cancelled."""
        try:
            return self.future.result(timeout)
        except (KeyboardInterrupt, SystemExit):
            self.cancel()
            raise

    def cancel(self) -> None:
        """Asks fdt to end the request, which then fails with ``Interrupted``; a copy can be resumed."""
        if self._batch is not None:
            self._batch.cancel(self._number)

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

    def _leave_to_parent(self, failure: FdtError) -> None:
        """For a forked process, where the threads that would end the future do not exist."""
        if not self.future.done():
            # The locks of the future may be held for ever here.
            self.future = self._new_future()
            self.future.set_exception(failure)


class Batch:
    """A process and the requests that run in it. Thread-safe."""

    _all: "weakref.WeakSet[Batch]" = weakref.WeakSet()

    def __init__(self, words: Sequence[str], environment: Optional[Mapping[str, str]]) -> None:
        """Raises ``UsageError`` if it cannot be started."""
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._open: Dict[int, Request] = {}
        self._ended = False
        self._has_answered = False
        # Why fdt did not begin, if it said so.
        self._refusal: Optional[Answer] = None
        # fdt stops reading while many requests are open, until its answers are read: who sends must not wait for that,
        # least of all the reader, whose callbacks may send, or an event loop.
        self._lines: "queue.SimpleQueue[Optional[bytes]]" = queue.SimpleQueue()
        with choosing:
            try:
                self.process = subprocess.Popen(
                    words,
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=None if environment is None else {**os.environ, **environment},
                )
            except OSError as missing:
                raise UsageError(
                    f"cannot start {words[0]!r}: {missing.strerror}",
                    {"cause": "usage", "errno": None, "remedy": "install fdt, or name its program"},
                ) from missing
            self._all.add(self)
        self._reader = threading.Thread(target=self._read, name="fdt-client", daemon=True)
        self._writer = threading.Thread(target=self._write, name="fdt-client-requests", daemon=True)

    def begin(self, request: Request, fields: Answer) -> None:
        """Runs the first request. Even if the process has ended already, it is the one that this request ends with."""
        self.add(request, fields)
        self._reader.start()
        self._writer.start()

    def add(self, request: Request, fields: Answer) -> bool:
        """Runs a request; returns whether there is a process for it."""
        number = next(self._numbers)
        with self._lock:
            if self._ended:
                return False
            request._batch, request._number = self, number
            self._open[number] = request
        self._send({"id": number, **fields})
        return True

    def cancel(self, number: int) -> None:
        with self._lock:
            known = number in self._open
        if known:
            self._send({"id": next(self._numbers), "op": "cancel", "request": number})

    def _send(self, line: Answer) -> None:
        # Escapes of lone surrogates carry the bytes of names that are not UTF-8.
        self._lines.put((json.dumps(line) + "\n").encode("ascii"))

    def _write(self) -> None:
        pipe = self.process.stdin
        assert pipe is not None
        try:
            for data in iter(self._lines.get, None):
                while data:
                    data = data[pipe.write(data) :]
        except OSError:
            # The reader notices the end of the process, and ends all requests.
            pass
        finally:
            pipe.close()

    def _read(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        broken: Optional[FdtError] = None
        line = b""
        try:
            for line in io.BufferedReader(pipe):  # type: ignore[arg-type]
                self._take(json.loads(line))
        except Exception as reason:
            broken = FdtError(f"not an answer of fdt batch: {line.decode(errors='replace').rstrip()} ({reason!r})")
            # Nobody reads its answers any more.
            self.process.kill()
        finally:
            pipe.close()
            code = self.process.wait()
            with self._lock:
                self._ended = True
                left = list(self._open.values())
                self._open.clear()
            self.finish()
            for request in left:
                if not request.future.done():
                    request._fail(broken or self._end(code))

    def _end(self, code: int) -> FdtError:
        if self._refusal is not None:
            return error_of(self._refusal)
        if code < 0:
            return _lost(f"fdt batch was ended by signal {-code}")
        if 0 < code < 128 and not self._has_answered:
            return error_of({"exit_code": code, "message": f"fdt batch does not run (exit code {code}, see stderr)"})
        return _lost(f"fdt batch has ended (exit code {code}, see stderr)")

    def _take(self, answer: Answer) -> None:
        self._has_answered = True
        number = answer.get("id")
        if number is None and answer["type"] == "error":
            self._refusal = answer
        with self._lock:
            request = self._open.get(number) if isinstance(number, int) else None
        if request is not None and request._take(answer):
            with self._lock:
                self._open.pop(request._number, None)

    def finish(self) -> None:
        """Lets the process end after the requests that run; no further ones may come."""
        self._lines.put(None)

    def terminate(self) -> None:
        """Tells the process to end at once."""
        with self._lock:
            if not self._ended:
                self.process.terminate()

    def join(self) -> None:
        """Waits for the end of the process, after :meth:`finish`. A callback of a request cannot wait for that."""
        if threading.current_thread() is not self._reader:
            self._reader.join()
            self._writer.join()

    @classmethod
    def _in_forked_process(cls) -> None:
        """Leaves each process to its owner: closes the pipes, which would keep it alive, and ends the futures here."""
        for each in list(cls._all):
            # Another thread may have held it.
            each._lock = threading.Lock()
            each._ended = True
            failure = _lost("the request runs in the process that was forked")
            for request in list(each._open.values()):
                request._leave_to_parent(failure)
            for pipe in (each.process.stdin, each.process.stdout):
                if pipe is not None:
                    pipe.close()
        cls._all.clear()


def _after_fork_in_child() -> None:
    choosing.release()
    Batch._in_forked_process()


os.register_at_fork(before=choosing.acquire, after_in_parent=choosing.release, after_in_child=_after_fork_in_child)
