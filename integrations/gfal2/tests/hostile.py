"""Answers as ``fdt batch`` would if a server sent names that no directory has, and a line that is not JSON."""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    names = {"stat": ["d"], "list": ["../up", "/etc/passwd", "a/b", ".", "..", "", "good"]}[request["op"]]
    print("no JSON {")
    for name in names:
        kind = "dir" if request["op"] == "stat" else "file"
        print(json.dumps({"id": request["id"], "type": "entry", "path": name, "kind": kind, "bytes": 1}))
    print(json.dumps({"id": request["id"], "type": "done"}), flush=True)
