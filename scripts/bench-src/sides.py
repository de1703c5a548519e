"""Starts and times a server and clients of fdt. Shared by the programs in this directory."""
import json
import os
import subprocess
import sys
import threading
import time

PATIENCE = 3600
TICKS = os.sysconf("SC_CLK_TCK")


def row(name, label, command, *values):
    print(name, label, command, *(f"{value:.3f}" for value in values), sep="\t", flush=True)


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Server:
    """A server on a free port, until the end of the block."""

    def __init__(self, command, words, address="127.0.0.1"):
        self.process = subprocess.Popen(
            [*command, "server", "--json", "--listen", f"{address}:0", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        line = self.process.stdout.readline()
        if not line:
            sys.exit("bench: the server did not start")
        self.port = json.loads(line)["port"]
        # Drain the output: session messages must not fill the pipe.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def peak_mib(self):
        return peak_mib(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


class Run:
    """A command that has ended: its wall-clock seconds, CPU seconds, peak memory and the last line of its output."""

    def __init__(self, command):
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = []
        reader = threading.Thread(target=lambda: said.append(process.stderr.read()))
        reader.start()
        out = process.stdout.read()
        reader.join()
        # The CPU time and the memory of this process alone, without other children that have ended.
        _, status, used = os.wait4(process.pid, 0)
        self.wall = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {process.returncode}: {said[0].strip()[-2000:]}")
        self.cpu = used.ru_utime + used.ru_stime
        self.peak_mib = used.ru_maxrss / 1024
        lines = out.splitlines()
        self.last = lines[-1] if lines else ""
