"""The program ``fdt-pscheduler``: fdt as a tool of pScheduler for its test ``throughput``.

pScheduler starts a tool as six programs in one directory, with JSON on standard input and output.
``fdt-pscheduler --install DIRECTORY`` makes them: links to itself, whose names say what to do.

Nobody prepares keys for a test that two schedulers agree on. The participant that receives makes a server's home with one
key for each run, and the key travels to the other in the participant data, below a name that begins with an underscore,
which pScheduler does not publish.
"""

from __future__ import annotations

import configparser
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Dict, List, Optional

_USAGE = "usage: fdt-pscheduler --install DIRECTORY"
_SETTINGS = pathlib.Path("/etc/pscheduler/tool/fdt.conf")
_PORT = 27322
_DURATION_SECONDS = 10
# For a server's start on a busy host, on top of the test itself.
_START_SECONDS = 10
# By when the home of a run that did not happen is removed.
_STALE_SECONDS = 86_400
_CANNOT_CONNECT = 8
#: The rest of a run after its last whole second is an interval, unless it is shorter.
_SHORTEST_SECONDS = 0.1

_WITHOUT_EFFECT = {"schema", "source-node", "dest-node", "interval", "link-rtt", "single-ended-port"}
_OPTIONS = {
    "window-size": "--socket-buffer",
    "buffer-length": "--block",
    "congestion": "--congestion",
    "local-address": "--bind",
}
_SUPPORTED = _WITHOUT_EFFECT | set(_OPTIONS) | {"source", "dest", "duration", "omit", "parallel", "reverse", "loopback"}
Answer = Dict[str, Any]


class Refusal(Exception):
    """What pScheduler is told on standard error, with exit code 1."""


def _seconds(duration: str) -> float:
    """Returns the length of an ISO 8601 duration without months and years."""
    match = re.fullmatch(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", duration)
    if not match or duration in ("P", "PT"):
        raise Refusal(f"'{duration}' is not a duration such as PT30S")
    weeks, days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds


def _test_seconds(spec: Answer) -> float:
    return _seconds(spec["duration"]) if spec.get("duration") else _DURATION_SECONDS


def _all_seconds(spec: Answer) -> int:
    omitted = _seconds(spec["omit"]) if spec.get("omit") else 0
    return int(_test_seconds(spec) + omitted + _START_SECONDS + 1)


def enumerate_tool(_: Answer) -> Answer:
    return {
        "schema": 1,
        "name": "fdt",
        "label": "fdt",
        "description": "Measure throughput over parallel TCP streams, and name the bottleneck",
        "version": "1.0",
        "tests": ["throughput"],
        # Below iperf3: it runs where somebody asks for it.
        "preference": -10,
        "maintainer": {"name": "fdt", "email": "", "href": ""},
    }


def can_run(question: Answer) -> Answer:
    if question.get("type") != "throughput":
        return {"can-run": False, "reasons": ["fdt runs only throughput tests"]}
    if not isinstance(question.get("spec"), dict):
        return {"can-run": False, "reasons": ["the test has no specification"]}
    spec = question["spec"]
    # An option that is switched off is none.
    given = {name for name, value in spec.items() if value is not False and value is not None}
    reasons = [f"fdt does not support the option {name}" for name in sorted(given - _SUPPORTED)]
    return {"can-run": False, "reasons": reasons} if reasons else {"can-run": True}


def duration(spec: Answer) -> Answer:
    return {"duration": f"PT{_all_seconds(spec)}S"}


def participant_data(question: Answer) -> Answer:
    number = question.get("participant")
    if number == 0:
        return {"schema": 1}
    if number == 1:
        return {"schema": 1, **_prepare()}
    raise Refusal(f"a throughput test has no participant {number}")


def _prepare() -> Answer:
    """Makes the home of a server with a key for one test."""
    for old in pathlib.Path(tempfile.gettempdir()).glob("fdt-pscheduler-*"):
        try:
            # Not what a link of another user leads to.
            found = old.lstat()
        except FileNotFoundError:
            continue  # Another run has removed it.
        if found.st_uid == os.getuid() and found.st_mtime < time.time() - _STALE_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    home = tempfile.mkdtemp(prefix="fdt-pscheduler-")
    made = subprocess.run(
        [_fdt(), "key", "create", "pscheduler"], env={**os.environ, "FDT_HOME": home}, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, check=False,
    )
    if made.returncode:
        shutil.rmtree(home, ignore_errors=True)
        raise Refusal(made.stderr.strip())
    return {"port": _port(), "_key": made.stdout.strip(), "_home": pathlib.Path(home).name}


def _home(prepared: Answer) -> str:
    """Returns the directory that was made for the run. The other scheduler sends its name back, so it is checked."""
    name = str(prepared["_home"])
    home = pathlib.Path(tempfile.gettempdir()) / name
    if not re.fullmatch(r"fdt-pscheduler-\w+", name) or home.is_symlink() or home.stat().st_uid != os.geteuid():
        raise Refusal("the participant data are not those of this host")
    return str(home)


def _port() -> int:
    settings = configparser.ConfigParser()
    settings.read(_SETTINGS)
    return settings.getint("fdt", "port", fallback=_PORT)


def _fdt() -> str:
    return os.environ.get("FDT", "fdt")


def run(question: Answer) -> Answer:
    spec = question["test"]["spec"]
    data = question["participant-data"]
    _sleep_until(question["schedule"]["start"])
    if question["participant"] == 1:
        return _serve(spec, data[1])
    if not spec.get("loopback"):
        return _measure(spec, data[1])
    prepared = _prepare()
    server = _start_server(prepared, "127.0.0.1")
    try:
        return _measure({**spec, "dest": "127.0.0.1"}, prepared)
    finally:
        _stop_server(server, prepared)


def _sleep_until(start: str) -> None:
    moment = datetime.datetime.fromisoformat(start.replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.astimezone()
    time.sleep(max(0.0, (moment - datetime.datetime.now(datetime.timezone.utc)).total_seconds()))


def _start_server(prepared: Answer, address: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [_fdt(), "server", "--once", "--listen", f"{address}:{prepared['port']}"],
        env={**os.environ, "FDT_HOME": _home(prepared)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )


def _stop_server(server: "subprocess.Popen[str]", prepared: Answer) -> str:
    server.terminate()
    said, _ = server.communicate()
    shutil.rmtree(_home(prepared), ignore_errors=True)
    return said


def _serve(spec: Answer, prepared: Answer) -> Answer:
    """Serves one test, and no longer than one may take. The client says what came of it."""
    server = _start_server(prepared, "[::]")
    exit_code: Optional[int] = 0
    try:
        exit_code = server.wait(_all_seconds(spec))
    except subprocess.TimeoutExpired:
        pass
    finally:
        said = _stop_server(server, prepared)
    if exit_code:
        return _failure(f"the server ended early: {said.strip()}", said)
    return {"succeeded": True, "diags": said, "intervals": [], "summary": {}}


def _command(spec: Answer, prepared: Answer) -> List[str]:
    words = [_fdt(), "nettest", "--json", "--receive", "copy", "-P", str(spec.get("parallel") or 1)]
    words += ["--duration", f"{_test_seconds(spec):g}s"]
    if spec.get("omit"):
        words += ["--warm-up", f"{_seconds(spec['omit']):g}s"]
    if spec.get("reverse"):
        words.append("--reverse")
    for name, option in _OPTIONS.items():
        if spec.get(name):
            words += [option, str(spec[name])]
    host = str(spec["dest"])
    return [*words, f"[{host}]:{prepared['port']}" if ":" in host else f"{host}:{prepared['port']}"]


def _measure(spec: Answer, prepared: Answer) -> Answer:
    words = _command(spec, prepared)
    until = time.monotonic() + _START_SECONDS
    while True:
        ended = subprocess.run(
            words, env={**os.environ, "FDT_KEY": prepared["_key"]}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False,
        )
        # The other participant may start its server a moment later.
        if ended.returncode != _CANNOT_CONNECT or time.monotonic() >= until:
            break
        time.sleep(0.5)
    diagnosis = " ".join(words) + "\n" + ended.stderr
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    for line in lines:
        if line["type"] == "error":
            return _failure(line["message"], diagnosis)
    if ended.returncode:
        return _failure(f"fdt ended with exit code {ended.returncode}", diagnosis)
    return _result(next(line for line in lines if line["type"] == "result"), spec, diagnosis)


def _failure(reason: str, diagnosis: str) -> Answer:
    return {"succeeded": False, "error": reason, "diags": diagnosis, "intervals": [], "summary": {}}


def _rate(bits_per_second: float, start: float, end: float, **more: Any) -> Answer:
    return {
        "start": start, "end": end, "throughput-bits": bits_per_second, "throughput-bytes": bits_per_second / 8, **more
    }


def _result(result: Answer, spec: Answer, diagnosis: str) -> Answer:
    omitted = _seconds(spec["omit"]) if spec.get("omit") else 0
    way = "bits_per_second_in" if spec.get("reverse") else "bits_per_second_out"
    intervals = []
    start = 0.0
    for interval in result["intervals"]:
        end = interval["t"]
        more = {"omitted": start < omitted}
        streams = [
            _rate(rate, start, end, **more, **{"stream-id": number})
            for number, rate in enumerate(interval["per_stream"])
        ]
        summary = _rate(interval[way], start, end, retransmits=interval["retransmits"], rtt=interval["rtt_us"], **more)
        intervals.append({"streams": streams, "summary": summary})
        start = end
    end = result["seconds"]
    if omitted + end - start > _SHORTEST_SECONDS:
        intervals.append(_rest(result, intervals, start, omitted))
    streams = [
        _rate(
            stream["bits_per_second"], 0, end, retransmits=stream["retransmits"], rtt=stream["rtt_us"],
            **{"stream-id": stream["stream"], "tcp-window-size": stream["cwnd_bytes"]},
        )
        for stream in result["per_stream"]
    ]
    total = _rate(result["bits_per_second"], 0, end, retransmits=sum(stream["retransmits"] for stream in streams))
    verdict = result.get("verdict")
    if verdict:
        diagnosis += "\n".join([verdict["sentence"], *verdict["evidence"]])
    return {
        "succeeded": True, "diags": diagnosis, "intervals": intervals, "summary": {"streams": streams, "summary": total}
    }


def _rest(result: Answer, intervals: List[Answer], start: float, omitted: float) -> Answer:
    """Returns the interval after the last of fdt, which reports whole seconds: what of the total is in none of them."""
    end = omitted + result["seconds"]
    streams = []
    for number, stream in enumerate(result["per_stream"]):
        bits = 8 * stream["bytes"]
        for interval in intervals:
            part = interval["streams"][number]
            bits -= part["throughput-bits"] * max(0, part["end"] - max(omitted, part["start"]))
        rate = max(0, bits) / (end - start)
        streams.append(_rate(rate, start, end, omitted=False, **{"stream-id": stream["stream"]}))
    before = sum(each["summary"]["retransmits"] for each in intervals if not each["summary"]["omitted"])
    retransmits = max(0, sum(stream["retransmits"] for stream in result["per_stream"]) - before)
    rate = sum(stream["throughput-bits"] for stream in streams)
    return {"streams": streams, "summary": _rate(rate, start, end, omitted=False, retransmits=retransmits)}


def merged_results(question: Answer) -> Answer:
    """The client has measured; what the server said is for whoever asks why."""
    own, *others = question["results"]
    merged = dict(own or _failure("the client has no result", ""))
    said = [f"Participant {number}:\n{one.get('diags', '')}" for number, one in enumerate([merged, *others]) if one]
    failed = [one["error"] for one in others if one and one.get("error")]
    if failed and merged.get("error"):
        merged["error"] = "\n".join([merged["error"], *failed])
    merged["diags"] = "\n".join(said)
    return merged


_PROGRAMS: Dict[str, Callable[[Answer], Answer]] = {
    "enumerate": enumerate_tool,
    "can-run": can_run,
    "duration": duration,
    "participant-data": participant_data,
    "run": run,
    "merged-results": merged_results,
}


def _install(directory: pathlib.Path, program: pathlib.Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    for name in _PROGRAMS:
        link = directory / name
        link.unlink(missing_ok=True)
        link.symlink_to(program)


def _end(number: int, _: Any) -> None:
    sys.exit(128 + number)


def main(arguments: Optional[List[str]] = None) -> int:
    # So that a cancelled run leaves no server behind.
    signal.signal(signal.SIGTERM, _end)
    words = sys.argv[1:] if arguments is None else arguments
    program = _PROGRAMS.get(pathlib.Path(sys.argv[0]).name)
    if program is None:
        if len(words) != 2 or words[0] != "--install":
            print(_USAGE, file=sys.stderr)
            return 2
        _install(pathlib.Path(words[1]), pathlib.Path(sys.argv[0]).resolve())
        return 0
    try:
        answer = program({} if program is enumerate_tool else json.load(sys.stdin))
    except (Refusal, ValueError, KeyError, OSError) as wrong:
        print(f"fdt: {wrong}" if not isinstance(wrong, KeyError) else f"fdt: the input has no {wrong}", file=sys.stderr)
        return 1
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
