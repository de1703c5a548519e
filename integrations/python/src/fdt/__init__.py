"""Copies and operations on files of fdt servers, over ``fdt batch``."""

from .aio import AsyncClient
from .client import Client, Request
from .errors import (
    Busy,
    CannotConnect,
    ConnectionLost,
    FdtError,
    IntegrityError,
    Interrupted,
    LimitReached,
    NotFound,
    Refused,
    SomeFilesFailed,
    SourceError,
    TargetError,
    UsageError,
    VersionMismatch,
)

__all__ = [
    "AsyncClient",
    "Busy",
    "CannotConnect",
    "Client",
    "ConnectionLost",
    "FdtError",
    "IntegrityError",
    "Interrupted",
    "LimitReached",
    "NotFound",
    "Refused",
    "Request",
    "SomeFilesFailed",
    "SourceError",
    "TargetError",
    "UsageError",
    "VersionMismatch",
]
