"""Copies by gfal2, as its caller does, and prints the name of the errno, or null, as JSON: ask.py SOURCE TARGET"""

import errno
import json
import sys

import gfal2

context = gfal2.creat_context()


def url(path: str) -> str:
    return path if "://" in path else f"file://{path}"


try:
    context.filecopy(context.transfer_parameters(), *map(url, sys.argv[1:]))
    print("null")
except gfal2.GError as failure:
    print(json.dumps({"errno": errno.errorcode[failure.code], "message": failure.message}))
