"""Runs a command on its own terminal, as a user would: reads the screen, makes the window smaller, reads it again,
presses a key.

    terminal.py KEY PATTERN COMMAND...      KEY is q or ^C; a line of the second screen matches PATTERN

Prints one JSON object: the screens at both sizes, the exit code of the command, all bytes after the key, and the
terminal's settings before and after. Every wait has a limit.
"""
import fcntl, json, os, pty, re, select, struct, subprocess, sys, termios, time

DEADLINE = time.monotonic() + 240
FRAME = b"\x1b[H"
SIZES = [(40, 100), (20, 60)]


def resize(fd, size):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))


def settings(fd):
    return [each if not isinstance(each, list) else [repr(byte) for byte in each] for each in termios.tcgetattr(fd)]


def read(master, until):
    """Reads until the bytes satisfy the condition, or to the end of the output."""
    seen = b""
    while not until(seen):
        left = DEADLINE - time.monotonic()
        if left <= 0:
            sys.exit("nothing more to see: %r" % seen[-2000:])
        if select.select([master], [], [], min(left, 0.2))[0]:
            seen += os.read(master, 65536)
    return seen


def screen(frame):
    lines = frame.decode("utf-8").split("\n")
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line).strip("\r") for line in lines]


def whole(seen):
    """Returns the complete frames: another frame follows each, and each clears the rest of the screen."""
    return [part for part in seen.split(FRAME)[1:-1] if b"\x1b[J" in part]


key, pattern, command = {"q": b"q", "^C": b"\x03"}[sys.argv[1]], re.compile(sys.argv[2]), sys.argv[3:]
master, terminal = pty.openpty()
resize(terminal, SIZES[0])
before = settings(terminal)
process = subprocess.Popen(
    command, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True,
    preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
first = whole(read(master, lambda seen: len(whole(seen)) >= 2))[-1]
during = settings(terminal)
resize(terminal, SIZES[1])


def shown(frame):
    lines = screen(frame)
    fits = len(lines) <= SIZES[1][0] and max(map(len, lines)) <= SIZES[1][1]
    return fits and any(map(pattern.fullmatch, lines))


seen = read(master, lambda seen: any(map(shown, whole(seen)[1:])))
second = next(frame for frame in whole(seen)[1:] if shown(frame))
os.write(master, key)
last = read(master, lambda seen: process.poll() is not None and not select.select([master], [], [], 0)[0])
print(json.dumps({
    "first": screen(first), "second": screen(second), "exit": process.wait(), "last": last.decode("utf-8"),
    "changed": during != before, "restored": settings(terminal) == before}))
