"""Looks at URLs that fail, and prints the names of their errnos, one a line: errnos.py URL…"""

import errno
import sys

import gfal2

context = gfal2.creat_context()
for url in sys.argv[1:]:
    try:
        context.stat(url)
        print("done")
    except gfal2.GError as failure:
        print(errno.errorcode[failure.code])
