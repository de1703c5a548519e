"""Copies by one of the packages, as its caller does, and prints what came of it as JSON: ask.py NAME SOURCE TARGET
[OPTION]…"""

import json
import pathlib
import sys
import tempfile
from typing import Any, Dict

import classad2

import fdt_client
from fdt_client import condor


def python(source: str, target: str, *options: str) -> Dict[str, Any]:
    try:
        with fdt_client.Client() as client:
            client.copy(source, target, options=options)
    except fdt_client.FdtError as failure:
        fields = ("cause", "place", "path", "errno", "exit_code", "retry", "remedy")
        found = {name: getattr(failure, name) for name in fields}
        return {**found, "class": type(failure).__name__, "message": str(failure)}
    return {}


def htcondor(source: str, target: str) -> Dict[str, Any]:
    upload = target.startswith("fdt://")
    url, file = (target, source) if upload else (source, target)
    with tempfile.TemporaryDirectory() as place:
        asked, answered = pathlib.Path(place) / "in", pathlib.Path(place) / "out"
        asked.write_text(str(classad2.ClassAd({"Url": url, "LocalFileName": file})))
        condor.transfer(str(asked), str(answered), upload)
        with open(answered) as ads:
            (ad,) = classad2.parseAds(ads)
    return dict(ad["TransferErrorData"][0]) if ad["TransferErrorData"] else {}


print(json.dumps({"python": python, "htcondor": htcondor}[sys.argv[1]](*sys.argv[2:])))
