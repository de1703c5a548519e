"""One exception for each exit code of fdt, with subclasses for causes that a caller may treat differently."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Type


class FdtError(Exception):
    """A request that failed; the message names the path and the reason.

    ``cause`` is a word of fdt that never changes, or ``None`` if fdt ended without an answer. ``place`` is ``local`` or
    a server, ``path`` is a path there or ``None``, ``errno`` is the name of the kernel's error or ``None``. ``retry``
    says whether another try may help, and ``remedy`` what to do. ``entries`` has the answers of the paths that did not
    fail, ``failed`` the others.
    """

    exit_code = 1

    def __init__(self, message: str, answer: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        known = answer or {}
        self.cause: Optional[str] = known.get("cause")
        self.place: str = known.get("place", "local")
        self.path: Optional[str] = known.get("path")
        self.errno: Optional[str] = known.get("errno")
        self.exit_code = known.get("exit_code", self.exit_code)
        self.retry: bool = known.get("retry", False)
        self.remedy: str = known.get("remedy", "")
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


class Unreadable(SourceError):
    """The user that runs fdt there may not read it."""


class Changed(SourceError):
    """The source changed while it was copied."""


class TargetError(FdtError):
    exit_code = 5


class NoSpace(TargetError):
    pass


class Quota(TargetError):
    pass


class ReadOnly(TargetError):
    """The file system is read-only."""


class Denied(TargetError):
    """The user that runs fdt there may not write there."""


class Exists(TargetError):
    pass


class IntegrityError(FdtError):
    exit_code = 6


class Refused(FdtError):
    exit_code = 7


class UnknownKey(Refused):
    """There is no key for the server, or it does not accept it."""


class OtherServer(Refused):
    """The server is not the one whose key is known."""


class NoRight(Refused):
    """The key or the server does not permit it."""


class CannotConnect(FdtError):
    """Another try may work."""

    exit_code = 8


class UnknownHost(CannotConnect):
    pass


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


class Terminated(FdtError):
    """fdt was told to end; the same copy resumes."""

    exit_code = 143


_OF_EXIT_CODE: Dict[int, Type[FdtError]] = {
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
        Terminated,
    )
}

#: Other causes have the class of their exit code.
OF_CAUSE: Dict[str, Type[FdtError]] = {
    "missing": NotFound,
    "no-match": NotFound,
    "unreadable": Unreadable,
    "changed": Changed,
    "no-space": NoSpace,
    "quota": Quota,
    "read-only-file-system": ReadOnly,
    "permission": Denied,
    "exists": Exists,
    "no-key": UnknownKey,
    "unknown-key": UnknownKey,
    "revoked": UnknownKey,
    "expired": UnknownKey,
    "token-expired": UnknownKey,
    "other-server": OtherServer,
    "read-only-server": NoRight,
    "read-only-key": NoRight,
    "no-right": NoRight,
    "unknown-host": UnknownHost,
}


def _kind(answer: Mapping[str, Any]) -> Type[FdtError]:
    kind = _OF_EXIT_CODE.get(answer.get("exit_code", 1), FdtError)
    if kind is SourceError and answer.get("errno") == "ENOTDIR":
        # A part of the path is a file, so nothing is at the path.
        return NotFound
    return OF_CAUSE.get(answer.get("cause") or "", kind)


def error_of(answer: Mapping[str, Any], failed: Sequence[Dict[str, Any]] = ()) -> FdtError:
    """Returns the exception for the last answer of a request, with the answers of the paths that failed.

    If paths failed for several causes, it is the class of the exit code.
    """
    kinds = {_kind(each) for each in failed}
    kind = _kind(answer) if len(kinds) < 2 else _OF_EXIT_CODE.get(answer["exit_code"], FdtError)
    failure = kind(answer["message"], answer)
    failure.failed = list(failed)
    return failure
