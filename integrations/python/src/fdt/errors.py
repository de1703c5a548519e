"""One exception for each exit code of fdt, so that a caller can tell what another try would help with."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Type


class FdtError(Exception):
    """A request that failed. ``entries`` has the answers of the paths that did not fail, ``failed`` the others."""

    exit_code = 1

    def __init__(self, message: str, remedy: str = "", exit_code: Optional[int] = None) -> None:
        super().__init__(message)
        self.remedy = remedy
        if exit_code is not None:
            self.exit_code = exit_code
        self.entries: List[Dict[str, Any]] = []
        self.failed: List[Dict[str, Any]] = []


class UsageError(FdtError):
    exit_code = 2


class SomeFilesFailed(FdtError):
    exit_code = 3


class SourceError(FdtError):
    """Missing, unreadable, or changed meanwhile."""

    exit_code = 4


class NotFound(SourceError):
    """Each path that failed is missing."""


class TargetError(FdtError):
    exit_code = 5


class IntegrityError(FdtError):
    exit_code = 6


class Refused(FdtError):
    exit_code = 7


class CannotConnect(FdtError):
    """Another try may work."""

    exit_code = 8


class ConnectionLost(FdtError):
    """The same copy resumes."""

    exit_code = 9


class LimitReached(FdtError):
    exit_code = 10


class Busy(FdtError):
    """Another copy is writing the same target."""

    exit_code = 11


class VersionMismatch(FdtError):
    exit_code = 12


class Interrupted(FdtError):
    """Cancelled; the same copy resumes."""

    exit_code = 130


_KINDS: Dict[int, Type[FdtError]] = {
    kind.exit_code: kind
    for kind in (
        UsageError,
        SomeFilesFailed,
        SourceError,
        TargetError,
        IntegrityError,
        Refused,
        CannotConnect,
        ConnectionLost,
        LimitReached,
        Busy,
        VersionMismatch,
        Interrupted,
    )
}


# What the kernel says of a path that is missing; exit code 4 also stands for one that cannot be read.
_MISSING = ("No such file or directory", "Not a directory")


def error_of(exit_code: int, message: str, remedy: str = "", failed: Sequence[Dict[str, Any]] = ()) -> FdtError:
    """Returns the exception for an exit code; an unknown code is a failure, too. ``failed`` has the paths' answers."""
    kind = _KINDS.get(exit_code, FdtError)
    reasons = [str(each.get("reason", "")) for each in failed] or [message]
    if kind is SourceError and all(reason.endswith(_MISSING) for reason in reasons):
        kind = NotFound
    failure = kind(message, remedy, exit_code)
    failure.failed = list(failed)
    return failure
