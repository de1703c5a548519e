"""Calls gfal2 as FTS does, and prints what came of it: calls.py SERVER SLOW_SERVER DIRECTORY."""

import errno
import json
import sys
import threading

import gfal2

THREADS = 8
SERVER, SLOW, DIRECTORY = sys.argv[1:]
context = gfal2.creat_context()


def outcome(call, *arguments) -> str:
    try:
        call(*arguments)
        return "done"
    except gfal2.GError as failure:
        return errno.errorcode[failure.code]


def slow_copy(target: str, **settings) -> str:
    parameters = context.transfer_parameters()
    for name, value in settings.items():
        setattr(parameters, name, value)
    return outcome(context.filecopy, parameters, f"{SLOW}/big", f"file://{DIRECTORY}/{target}")


progress = []
cancelling = threading.Thread(target=lambda: context.cancel())


def on_progress(source: str, target: str, average: int, now: int, done: int, seconds: int) -> None:
    progress.append((source, target))
    if len(progress) == 1:
        cancelling.start()


found = {"cancelled": slow_copy("to1", monitor_callback=on_progress)}
cancelling.join()
found["timeout"] = slow_copy("to2", timeout=1)
found["progress"] = progress[0] == (f"{SLOW}/big", f"file://{DIRECTORY}/to1")

wrong = []


def work(number: int) -> None:
    try:
        for each in range(3):
            path = f"{SERVER}/t{number}.{each}"
            context.mkdir(path, 0o755)
            sizes = [context.stat(f"{SERVER}/a").st_size, context.stat(path).st_size]
            context.rmdir(path)
            if sizes != [3_000_000, 0] or outcome(context.stat, path) != "ENOENT":
                wrong.append(f"{path}: {sizes}")
    except gfal2.GError as failure:
        wrong.append(str(failure))


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
found["threads"] = wrong

found["rmdir of a file"] = outcome(context.rmdir, f"{SERVER}/a")
found["rmdir with contents"] = outcome(context.rmdir, f"{SERVER}/d")
found["unlink of a directory"] = outcome(context.unlink, f"{SERVER}/d")
found["checksum of a directory"] = outcome(context.checksum, f"{SERVER}/d", "ADLER32")
found["opendir of a file"] = outcome(context.opendir, f"{SERVER}/a")
found["no server"] = outcome(context.stat, "fdt://127.0.0.1:1/a")
other = gfal2.creat_context()
other.set_opt_string("FDT PLUGIN", "COMMAND", "/no/such/program")
found["no program"] = outcome(other.stat, f"{SERVER}/a")
print(json.dumps(found))
