"""Reads parts of a file by gfal2 and compares them with the file itself: reads.py URL FILE. Prints what went wrong."""

import errno
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import gfal2

url, path = sys.argv[1:]
with open(path, "rb") as source:
    data = source.read()
context = gfal2.creat_context()


def code(work) -> str:
    try:
        work()
    except gfal2.GError as failure:
        return errno.errorcode[failure.code]
    return "no failure"


def random_parts(seed: int) -> None:
    choice = random.Random(seed)
    file = context.open(url, "r")
    for _ in range(200):
        offset, length = choice.randrange(len(data) + 1000), choice.randrange(1, 9_000)
        if file.pread_bytes(offset, length) != data[offset : offset + length]:
            print(f"pread of {length} bytes at {offset} differs")


whole, file = b"", context.open(url, "r")
while True:
    part = file.read_bytes(random.randrange(1, 200_000))
    if not part:
        break
    whole += part
if whole != data:
    print(f"{len(whole)} bytes read in order differ")
file.lseek(-10, os.SEEK_END)
if file.read_bytes(100) != data[-10:]:
    print("the end differs")
if code(lambda: file.lseek(-1, os.SEEK_SET)) != "EINVAL":
    print("a position before the start")
with ThreadPoolExecutor(4) as threads:
    list(threads.map(random_parts, range(4)))
child = os.fork()
if child == 0:
    file.lseek(0, os.SEEK_SET)
    os._exit(0 if file.read_bytes(1000) == data[:1000] else 1)
if os.waitpid(child, 0)[1] != 0:
    print("a forked process reads something else")
file.lseek(5, os.SEEK_SET)
if file.read_bytes(1000) != data[5:1005]:
    print("the process that was forked reads something else")
parent = url.rsplit("/", 1)[0]
for name, at, mode in [("ENOENT", url + "x", "r"), ("EISDIR", parent + "/", "r"), ("ENOSYS", url, "w")]:
    if code(lambda at=at, mode=mode: context.open(at, mode)) != name:
        print(f"opening {at} for {mode} is not {name}")
