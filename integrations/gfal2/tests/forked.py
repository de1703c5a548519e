"""Looks at a file before it forks, in the forked process, and afterwards: forked.py URL. Prints the size each time."""

import os
import signal
import sys

import gfal2

context = gfal2.creat_context()
print(context.stat(sys.argv[1]).st_size, flush=True)
child = os.fork()
if child == 0:
    signal.alarm(100)
    print(context.stat(sys.argv[1]).st_size, flush=True)
    print(context.stat(sys.argv[1]).st_size, flush=True)
    context.free()
    os._exit(0)
if os.waitpid(child, 0)[1]:
    sys.exit("the forked process did not end")
print(context.stat(sys.argv[1]).st_size, flush=True)
