"""The program ``fdt-condor-plugin``: a file transfer plug-in of HTCondor for ``fdt://`` (protocol version 4).

All files of a call are copied by one process of fdt, several at once. ``classad2`` comes with HTCondor. The key or token
of a job is its credential "fdt", if HTCondor keeps one (``condor_store_cred``); otherwise a key of the user who runs the
job, or else the job's only token.
"""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import sys
import time
from typing import Any, Dict, List, Optional

from . import __version__
from .batch import Request
from .client import Client
from .errors import FdtError, SourceError, TargetError

_USAGE = "usage: fdt-condor-plugin -classad | -infile FILE -outfile FILE [-upload]"
_KEEP_NOTHING = ("--existing", "overwrite")
_RETRY = 0
_DO_NOT_RETRY = -1

_Ad = Dict[str, Any]

# The stanzas of the ads in TransferErrorData, each with all attributes that HTCondor requires besides FailedServer.
_PARAMETER: _Ad = {"ErrorType": "Parameter", "PluginVersion": __version__, "PluginLaunched": True}
_RESOLUTION: _Ad = {"ErrorType": "Resolution", "FailureType": "Definitive"}
_CONTACT: _Ad = {"ErrorType": "Contact"}
_AUTHENTICATION: _Ad = {"ErrorType": "Authorization", "FailureType": "Authentication", "ShouldRefresh": False}
_AUTHORIZATION: _Ad = {"ErrorType": "Authorization", "FailureType": "Authorization", "ShouldRefresh": False}
_SPECIFICATION: _Ad = {"ErrorType": "Specification"}
_NO_SPACE: _Ad = {"ErrorType": "Transfer", "FailureType": "NoSpace"}
_QUOTA: _Ad = {"ErrorType": "Transfer", "FailureType": "Quota"}
# Also of what failed while it was copied for a reason that HTCondor has no type for.
_TIMED_OUT: _Ad = {"ErrorType": "Transfer", "FailureType": "TimedOut"}

OF_CAUSE: Dict[str, _Ad] = {
    "unreadable": _AUTHORIZATION,
    "permission": _AUTHORIZATION,
    "source-io-error": _TIMED_OUT,
    "changed": _TIMED_OUT,
    "no-space": _NO_SPACE,
    "quota": _QUOTA,
    "io-error": _TIMED_OUT,
    "no-memory": _TIMED_OUT,
    "no-key": _AUTHENTICATION,
    "unknown-key": _AUTHENTICATION,
    "revoked": _AUTHENTICATION,
    "expired": _AUTHENTICATION,
    "token-expired": _AUTHENTICATION,
    "other-server": _AUTHENTICATION,
    "no-session": _TIMED_OUT,
    "unknown-host": _RESOLUTION,
}
# Of other causes.
_OF_EXIT_CODE: Dict[int, _Ad] = {
    1: _PARAMETER,
    2: _PARAMETER,
    4: _SPECIFICATION,
    5: _SPECIFICATION,
    7: _AUTHORIZATION,
    8: _CONTACT,
    12: _PARAMETER,
}


def capabilities() -> str:
    """Returns the ad in the long form, which HTCondor requires here."""
    return (
        "MultipleFileSupport = true\n"
        f'PluginVersion = "{__version__}"\n'
        'PluginType = "FileTransfer"\n'
        "ProtocolVersion = 4\n"
        'SupportedMethods = "fdt"\n'
    )


def error_data(failure: FdtError, server: str) -> _Ad:
    """Returns what tells HTCondor who failed, and whether another try helps."""
    stanza = OF_CAUSE.get(failure.cause or "", _OF_EXIT_CODE.get(failure.exit_code, _TIMED_OUT))
    if failure.place == "local" and isinstance(failure, (SourceError, TargetError)):
        # A file of this host, about which no server has said anything.
        server = socket.gethostname()
        stanza = stanza if stanza["ErrorType"] == "Transfer" else _PARAMETER
    place = {"Resolution": {"FailedName": _name(server)}, "Parameter": {}}.get(
        stanza["ErrorType"], {"FailedServer": server}
    )
    retry = _RETRY if failure.retry else _DO_NOT_RETRY
    return {**stanza, **place, "Retryable": retry, "ErrorCode": failure.exit_code, "ErrorString": str(failure)}


def _name(server: str) -> str:
    """Returns the host of HOST, HOST:PORT or [ADDRESS]:PORT."""
    return server.partition("]")[0][1:] if server.startswith("[") else server.partition(":")[0]


def _environment() -> Dict[str, str]:
    """Returns the variables with the key or token of the job; ends the program if what is there is no credential."""
    stored = os.path.join(os.environ.get("_CONDOR_CREDS", ""), "fdt.use")
    if "_CONDOR_CREDS" not in os.environ or not os.path.exists(stored):
        return {}
    try:
        with open(stored, encoding="utf-8") as credential:
            secret = str(json.load(credential)["access_token"]).strip()
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        sys.exit(f"fdt-condor-plugin: {stored} is no JSON object with an access_token: {wrong!r}")
    # fdt reads a token again when HTCondor has renewed it.
    return {"FDT_KEY": secret} if secret.startswith("fdt-key:") else {"FDT_KEY": "", "FDT_TOKEN_FILE": stored}


class _Transfer:
    """One file of a call."""

    def __init__(self, url: str, local: str, upload: bool) -> None:
        self._url = url
        self._local = local
        self._upload = upload
        self._began = time.time()
        self._request: Optional[Request] = None
        self._failed: Optional[FdtError] = None

    def start(self, client: Client) -> None:
        here = os.path.abspath(self._local)
        source, target = (here, self._url) if self._upload else (self._url, here)
        try:
            self._request = client.start_copy(source, target, options=_KEEP_NOTHING)
        except FdtError as ended:
            self._failed = ended

    def end(self) -> Dict[str, Any]:
        """Waits for the end, and returns the ad about it."""
        ad: Dict[str, Any] = {
            "TransferFileName": self._local,
            "TransferUrl": self._url,
            "TransferProtocol": "fdt",
            "TransferType": "upload" if self._upload else "download",
            "TransferStartTime": int(self._began),
        }
        errors: List[Dict[str, Any]] = []
        try:
            if self._request is None:
                raise self._failed or FdtError("not started")
            copied = Client.summary(self._request.result())["bytes"]
            ad.update(TransferSuccess=True, TransferTotalBytes=copied, TransferFileBytes=copied)
        except FdtError as failure:
            self.exit_code = failure.exit_code
            server = self._url.partition("://")[2].partition("/")[0]
            errors.append(error_data(failure, server))
            ad.update(TransferSuccess=False, TransferTotalBytes=0, TransferError=str(failure))
        return {**ad, "TransferEndTime": int(time.time()), "TransferErrorData": errors}

    exit_code = 0


def transfer(infile: str, outfile: str, upload: bool) -> int:
    """Copies what the ads of a file name, writes an ad about each, and returns the exit code."""
    import classad2

    with open(infile, encoding="utf-8") as ads:
        # An ad without a URL is a hint.
        transfers = [_Transfer(ad["Url"], ad["LocalFileName"], upload) for ad in classad2.parseAds(ads) if "Url" in ad]
    with Client(environment=_environment()) as client:
        for each in transfers:
            each.start(client)
        ended = [each.end() for each in transfers]
    # HTCondor has allocated the file, so that there is room for the answers on a full disk: it must not be truncated.
    with os.fdopen(os.open(outfile, os.O_WRONLY | os.O_CREAT, 0o644), "w", encoding="utf-8") as answers:
        answers.writelines(f"{classad2.ClassAd(ad)}\n" for ad in ended)
    return max((each.exit_code for each in transfers), default=0)


def main() -> None:
    # What HTCondor cannot use should not be offered.
    if importlib.util.find_spec("classad2") is None:
        sys.exit("fdt-condor-plugin: Python has no module classad2; install HTCondor's package for it")
    arguments = sys.argv[1:]
    if arguments == ["-classad"]:
        print(capabilities(), end="")
        return
    upload = "-upload" in arguments
    files = [each for each in arguments if each != "-upload"]
    named = dict(zip(files[::2], files[1::2]))
    if len(files) != 4 or set(named) != {"-infile", "-outfile"}:
        sys.exit(_USAGE)
    sys.exit(transfer(named["-infile"], named["-outfile"], upload))


if __name__ == "__main__":
    main()
