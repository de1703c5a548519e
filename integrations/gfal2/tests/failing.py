"""Answers as ``fdt batch`` would if each path fails: its last two names are the exit code and the cause."""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    exit_code, cause = request["path"].split("/")[-2:]
    why = {"exit_code": int(exit_code), "cause": cause, "place": "fdt://host", "errno": None, "message": "why"}
    print(json.dumps({"id": request["id"], "type": "error", **why}), flush=True)
